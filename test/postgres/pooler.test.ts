// Proof that a pooler which takes sessions away from their connections is refused, with the reason and the remedy, and no other is.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { requireSessions, UnusablePooler } from '../../src/postgres/state/pooler.ts';
import { atEnd, type Closing, temporaryFolder } from '../support/database/database.ts';
import { startPgbouncer, withoutPgbouncer } from '../support/database/pgbouncer.ts';
import { startPostgres15, withoutPostgres15 } from '../support/database/postgres15.ts';
import { runCli } from '../support/process/cli.ts';

const skip = withoutPostgres15 || withoutPgbouncer;
const direct = skip ? '' : await startPostgres15({ after });
/** Settings of a session that a pooler lets pass unseen, as its documentation says. */
const IGNORED =
  'statement_timeout, idle_in_transaction_session_timeout, enable_memoize, enable_seqscan, plan_cache_mode, jit';

function open(t: Closing, url: string) {
  const database = openDatabase({ url, timeout: 20_000 });
  atEnd(t, () => database.close(100));
  return database;
}

const judge = (t: Closing, url: string): Promise<string> =>
  requireSessions(open(t, url)).then(
    () => 'accepted',
    (error: unknown) => {
      assert.ok(error instanceof UnusablePooler, String(error));
      return error.message;
    },
  );

test('a server without a pooler, and one behind a pooler in session mode, are accepted', {
  skip,
}, async (t) => {
  assert.equal(await judge(t, direct), 'accepted');
  for (const size of ['3', '40']) {
    const url = await startPgbouncer(t, direct, {
      pool_mode: 'session',
      default_pool_size: size,
      ignore_startup_parameters: IGNORED,
    });
    assert.equal(await judge(t, url), 'accepted', `with ${size} connections`);
  }
});

for (const [how, settings] of [
  ['that gives back the session used last', { pool_mode: 'transaction' }],
  ['that gives sessions in turn', { pool_mode: 'transaction', server_round_robin: '1' }],
  ['with sessions that others have opened', { pool_mode: 'transaction', min_pool_size: '6' }],
  ['with one session', { pool_mode: 'transaction', default_pool_size: '1' }],
] as const)
  test(`a pooler ${how} is refused`, { skip }, async (t) => {
    const url = await startPgbouncer(t, direct, { ignore_startup_parameters: IGNORED, ...settings });
    assert.match(await judge(t, url), /pool_mode = transaction.*Set its pool_mode to session/s);
  });

test('a pooler in transaction mode is refused while others use it', { skip }, async (t) => {
  const url = await startPgbouncer(t, direct, {
    pool_mode: 'transaction',
    ignore_startup_parameters: IGNORED,
  });
  const stop = new AbortController();
  const others = Array.from({ length: 6 }, async () => {
    const other = open(t, url).dedicated();
    while (!stop.signal.aborted) await other.sql.unsafe('begin; select 1; commit');
    other.destroy();
  });
  assert.match(await judge(t, url), /pool_mode = transaction/);
  stop.abort();
  await Promise.all(others);
});

test('a pooler that refuses settings of sessions is named, with what to write into its file', {
  skip,
}, async (t) => {
  const url = await startPgbouncer(t, direct, { pool_mode: 'session' });
  assert.match(await judge(t, url), /ignore_startup_parameters = statement_timeout/);
});

test('freehold doctor finds a pooler in transaction mode, and freehold serve does not start', {
  skip,
}, async (t) => {
  const url = await startPgbouncer(t, direct, {
    pool_mode: 'transaction',
    ignore_startup_parameters: IGNORED,
  });
  const folder = await temporaryFolder(t, 'behind-pooler');
  const options = { folder, environment: { DATABASE_URL: url, DATA_DIR: folder, PORT: '0' } };
  const doctor = await runCli(t, ['doctor'], options);
  assert.notEqual(doctor.code, 0);
  assert.match(doctor.stdout, /pooler/);
  const serve = await runCli(t, ['serve'], options);
  assert.notEqual(serve.code, 0);
  assert.match(serve.stderr, /pool_mode/);
});

// Proof of final backups: nobody writes while one is taken, nobody serves afterwards, and nothing is lost where it fails.

import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { ClosingError, closeAround } from '../../src/postgres/state/close-database.ts';
import { DatabaseNotServable } from '../../src/postgres/state/database-state.ts';
import { findState, listWriters, markClosing } from '../../src/postgres/state/state-store.ts';
import { backupFile } from '../support/backup/backup-file.ts';
import { poll, until } from '../support/check/until.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { readyUrl, runCli, runCommand, startCli } from '../support/process/cli.ts';

const { database, url } = await testDatabase({ after });
const folder = await temporaryFolder({ after }, 'maintenance');
const environment = {
  DATABASE_URL: url,
  DATA_DIR: folder,
  PORT: '0',
  SEARCH_ENGINE: 'postgres',
  LOG_LEVEL: 'warn',
};
const { key } = await createLocalSubscriptions(database, systemClock).create({ plan: 'business' });
const run = startCli({ after }, ['serve'], { folder, environment });
const base = await poll('the service is ready', () => {
  if (run.stderr() !== '') throw new Error(run.stderr());
  return readyUrl(run.stdout());
});
const APPLICATION = { application: 'a backup' };
const authorization = { authorization: `Bearer ${key}` };
const ask = (path: string) => fetch(`${base}${path}`, { headers: { ...authorization, connection: 'close' } });
/** Connections of the suspended server are reset when the new one takes its place. */
const answers = () =>
  ask('/v1/areas').then(
    ({ status }) => status === 200,
    () => false,
  );

test('while a final backup is taken every request is refused with the time to try again, and nobody writes', async () => {
  const feed = await fetch(`${base}/v1/events/stream`, { headers: authorization });
  const feedText = feed.text();
  const failure = new Error('The disk is full');
  const closing = closeAround(database, APPLICATION, async () => {
    assert.deepEqual(await database.read((sql) => listWriters(sql, ['freehold state'])), []);
    const refused = await ask('/v1/areas');
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
    assert.equal(((await refused.json()) as { code: string }).code, 'MAINTENANCE');
    assert.equal((await ask('/livez')).status, 200);
    assert.deepEqual(await (await ask('/readyz')).json(), { status: 'maintenance' });
    assert.equal((await findState(database)).name, 'closing');
    const command = await runCommand(['subscriptions', 'list'], { folder, environment });
    assert.equal(command.code, 1);
    assert.match(command.stderr, /final backup of this database is being taken/);
    throw failure;
  });
  await assert.rejects(closing, failure);
  await feedText;
  assert.equal((await findState(database)).name, 'serving');
  await until('the service answers again', answers);
});

test('a program that goes on using the database is named, and the service answers again', async (t) => {
  const other = openDatabase({ url, applicationName: 'freehold of a former release', maxConnections: 1 });
  t.after(() => other.close());
  await other.read((sql) => sql`select 1`);
  const closing = closeAround(database, { ...APPLICATION, timeout: 3_000 }, async () => {});
  await assert.rejects(closing, (error: Error) => {
    assert.ok(error instanceof ClosingError);
    assert.match(error.message, /freehold of a former release \(session \d+\)[\s\S]*Stop these programs/);
    return true;
  });
  await until('the service answers again', answers);
});

test('a final backup that was killed is over as soon as anybody looks', async () => {
  await database.write(markClosing);
  assert.equal((await findState(database)).name, 'serving');
});

test('a final backup that lost its connection leaves no file, since the service may have written meanwhile', async () => {
  const file = join(folder, 'final.tar.zst');
  const closing = closeAround(database, APPLICATION, async (close) => {
    await database.write(
      (sql) => sql`
        select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database = (
          select oid from pg_database where datname = current_database()) and pid <> pg_backend_pid()
          and pid = (select pid from pg_locks where objid = ${(4_663_267_143 % 2 ** 32).toString()}::oid and granted limit 1)`,
    );
    await until('the service answers again', answers);
    return backupFile(database, file, { isFinal: true, onWhole: close });
  });
  await assert.rejects(closing);
  assert.deepEqual(
    await readdir(folder).then((names) => names.filter((name) => name.startsWith('final'))),
    [],
  );
  assert.equal((await findState(database)).name, 'serving');
});

test('two final backups do not run at once', async () => {
  const second = closeAround(database, APPLICATION, () => closeAround(database, APPLICATION, async () => {}));
  await assert.rejects(second, /Another final backup/);
  await until('the service answers again', answers);
});

test('afterwards nobody serves the database, until it is accepted again', async () => {
  assert.equal(await closeAround(database, APPLICATION, (close) => close().then(() => 'taken')), 'taken');
  assert.equal((await ask('/v1/areas')).status, 503);
  await assert.rejects(
    closeAround(database, APPLICATION, async () => {}),
    DatabaseNotServable,
  );
  const second = await runCli({ after }, ['serve'], { folder, environment });
  assert.equal(second.code, 1);
  assert.match(second.stderr + second.stdout, /closed by a final backup[\s\S]*freehold restore accept/);
  const accepted = await runCommand(['restore', 'accept'], { folder, environment });
  assert.equal(accepted.code, 0, accepted.stderr);
  await until('the service answers again', answers);
  const again = await runCommand(['restore', 'accept'], { folder, environment });
  assert.equal(again.code, 1);
  assert.match(again.stderr, /nothing to accept/);
});

test('a copy is not closed, since accepting it again would let it act on the outside', async () => {
  await database.write((sql) => sql`update database_state set state = 'copy'`);
  await assert.rejects(
    closeAround(database, APPLICATION, (close) => close()),
    /is a copy[\s\S]*without --final/,
  );
  assert.equal((await findState(database)).name, 'copy');
});

test('a database whose restore was interrupted is not backed up', async () => {
  await database.write((sql) => sql`update database_state set state = 'restoring'`);
  const file = join(folder, 'half.tar.zst');
  await assert.rejects(backupFile(database, file), /its restore was interrupted[\s\S]*freehold restore FILE/);
  assert.equal((await readdir(folder)).includes('half.tar.zst'), false);
});

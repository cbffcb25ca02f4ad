// Proves what a full file ends: what it no longer has and nothing else, never because of a wrong file, and over interruptions.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Database } from '../../src/postgres/client/database.ts';
import { openImports, rows } from '../support/catalogue/import-service.ts';
import { until } from '../support/check/until.ts';
import { startCli } from '../support/process/cli.ts';

const { bench, file, folder, mapFile } = await openImports({ after });

interface Missing {
  readonly missing: number;
  readonly ended: number;
  readonly refused: string | null;
  readonly examples: readonly string[];
}

const HEADING = 'id,price,lat,lng\n';
const full = (name: string, content: string) => file(name, `${HEADING}${content}\n`);
/** How many listings there are of each status. */
async function statuses(database: Database): Promise<Record<string, number>> {
  const found = await database.read(
    (sql) => sql<{ status: string; count: number }[]>`
      select status, count(*)::int as count from listing group by status order by status`,
  );
  return Object.fromEntries(found.map(({ status, count }) => [status, count]));
}

test('listings that a full file no longer has are withdrawn, sales are not, and those that it has again come back', async (t) => {
  const { database, outcome } = await bench(t);
  const map = await mapFile('full.json');
  await outcome('listings', await full('all.csv', rows(0, 100)), '--map', map);
  await database.write((sql) => sql`update listing set status = 'CLOSED' where listing_key = 'k99'`);
  const less = await full('less.csv', rows(4, 99));
  const { missing } = (await outcome('listings', less, '--map', map, '--missing', 'withdraw')) as {
    missing: Missing;
  };
  assert.deepEqual(missing, {
    action: 'withdraw',
    missing: 4,
    ended: 4,
    refused: null,
    examples: ['k0', 'k1', 'k2', 'k3'],
  });
  assert.deepEqual(await statuses(database), { ACTIVE: 95, CLOSED: 1, WITHDRAWN: 4 });
  const [event] = await database.read(
    (sql) => sql`
      select event, origin from listing_event where listing_id = (select id from listing where listing_key = 'k0')
      order by sequence desc limit 1`,
  );
  assert.deepEqual(event, { event: 'DELISTED', origin: 'observed' });
  const change = await database.read(
    (sql) => sql`select quiet from change where after -> 'listing' ->> 'status' = 'WITHDRAWN'`,
  );
  assert.deepEqual(change, [{ quiet: false }, { quiet: false }, { quiet: false }, { quiet: false }]);
  await outcome('listings', await full('again.csv', rows(3, 99)), '--map', map, '--missing', 'withdraw');
  assert.deepEqual(await statuses(database), { ACTIVE: 96, CLOSED: 1, WITHDRAWN: 3 });
  await outcome('listings', await full('deleted.csv', rows(3, 99)), '--map', map, '--missing', 'delete');
  assert.deepEqual(await statuses(database), { ACTIVE: 96, DELETED: 4 });
});

test('a file that is empty, cut short or of something else ends nothing before --accept', async (t) => {
  const { database, run } = await bench(t);
  const map = await mapFile('guarded.json');
  const all = await full('whole.csv', rows(0, 300));
  assert.equal((await run('listings', all, '--map', map)).code, 0);
  const attempt = async (name: string, content: string, ...flags: string[]) =>
    run('listings', await full(name, content), '--map', map, '--missing', 'delete', ...flags);
  const refusals: readonly (readonly [name: string, content: string, RegExp])[] = [
    ['empty.csv', '', /The list names no listing, so all 300 would end\./],
    ['many.csv', rows(0, 284), /16 of 300 listings would end/],
    ['keyless.csv', `${rows(0, 299)}\n,5,40,-90`, /may be cut short.*: a row has no readable key\./],
    ['cut.csv', `${rows(0, 298)}\nk298,5`, /may be cut short.*: its last row is broken\./],
  ];
  for (const [name, content, reason] of refusals) {
    const { code, stdout, stderr } = await attempt(name, content);
    assert.equal(code, 1, `${name}: ${stdout}${stderr}`);
    assert.match(stderr, reason);
    assert.match(stderr, /nothing was ended.*--accept/);
    assert.equal((await statuses(database)).ACTIVE, 300, name);
  }
  const shown = await attempt('many.csv', rows(0, 284));
  assert.match(shown.stdout, /Not in the file: 16 listings: k284, k285, /);
  assert.equal((await attempt('many.csv', rows(0, 284), '--accept')).code, 0);
  assert.deepEqual(await statuses(database), { ACTIVE: 284, DELETED: 16 });
  // Fifteen of 284 are more than 5 %, fourteen are not.
  assert.equal((await attempt('fourteen.csv', rows(0, 270))).code, 0);
  assert.deepEqual(await statuses(database), { ACTIVE: 270, DELETED: 30 });
});

test('a rejected row is in the file: its listing stays', async (t) => {
  const { database, outcome } = await bench(t);
  const map = await mapFile('rejecting.json');
  await outcome('listings', await full('sound.csv', rows(0, 20)), '--map', map);
  const faulty = await full('faulty.csv', `k0,none,40,-90\n${rows(2, 20)}`);
  const { missing, rejected } = (await outcome(
    'listings',
    faulty,
    '--map',
    map,
    '--missing',
    'withdraw',
  )) as {
    missing: Missing;
    rejected: number;
  };
  assert.equal(rejected, 1);
  assert.deepEqual(missing.examples, ['k1']);
  assert.deepEqual(await statuses(database), { ACTIVE: 19, WITHDRAWN: 1 });
});

test('an import that is killed while it ends listings ends the rest when it goes on', async (t) => {
  const { environment, database, outcome } = await bench(t);
  const map = await mapFile('ending.json');
  await outcome('listings', await full('before.csv', rows(0, 3_000)), '--map', map);
  const csv = await full('after.csv', rows(0, 1_000));
  // Keys are ended in the order of their texts: the last batch waits for a lock of ours.
  const [last] = await database.read(
    (sql) => sql<{ id: string }[]>`select id from listing where listing_key = 'k2999'`,
  );
  const blocker = database.dedicated();
  await blocker.sql`set idle_in_transaction_session_timeout = 0`;
  await blocker.sql`begin`;
  await blocker.sql`select from listing where id = ${last?.id ?? ''} for update`;
  const flags = ['--map', map, '--missing', 'delete', '--accept'];
  const first = startCli(t, ['import', 'listings', csv, ...flags], { folder, environment });
  await until('a part is ended', async () => Number((await statuses(database)).DELETED ?? 0) >= 1_500);
  first.kill('SIGKILL');
  await first.ended;
  await blocker.sql`rollback`;
  await blocker.end(1);
  await until('its session is over', async () => {
    const sessions = await database.read(
      (sql) =>
        sql`select from pg_stat_activity where application_name = 'freehold command' and datname = current_database()`,
    );
    return sessions.length === 0;
  });
  const { missing } = (await outcome('listings', csv, ...flags)) as { missing: Missing };
  assert.ok(missing.ended > 0 && missing.ended <= 500, String(missing.ended));
  assert.deepEqual(await statuses(database), { ACTIVE: 1_000, DELETED: 2_000 });
});

test('--accept without --missing, and --missing in a dry run, are refused', async (t) => {
  const { run } = await bench(t);
  const map = await mapFile('flags.json');
  const csv = await full('flags.csv', rows(0, 1));
  const alone = await run('listings', csv, '--map', map, '--accept');
  assert.deepEqual([alone.code, /--accept goes with --missing/.test(alone.stderr)], [2, true]);
  const dry = await run('listings', csv, '--map', map, '--missing', 'delete', '--dry-run');
  assert.deepEqual([dry.code, /--missing compares with the database/.test(dry.stderr)], [2, true]);
});

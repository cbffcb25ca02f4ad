// Proves what becomes of sources that are configured no more: they are named, listed, removed on request, and the sample by itself.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { takeReaderLease } from '../../src/sources/reader-lease.ts';
import { startSourceUpkeep } from '../../src/sources/upkeep.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { importFile } from '../support/catalogue/imports.ts';
import { until } from '../support/check/until.ts';
import { atEnd, type Closing, temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand, startCli } from '../support/process/cli.ts';
import { manualClock } from '../support/service/clock.ts';
import { memoryLog } from '../support/service/memory-log.ts';

const folder = await temporaryFolder({ after }, 'abandoned');
const MINUTE = 60_000;

/** Listings of a source that the service has read by itself. */
async function replicate(database: Database, source: string, count: number): Promise<void> {
  const catalogue = createCatalogue(database);
  const drafts = Array.from({ length: count }, (_, number) => draft(`${number}`, { listPrice: 1_000 }));
  for (let from = 0; from < count; from += 1_000)
    await database.transaction(
      (tx) => catalogue.write(tx, source, drafts.slice(from, from + 1_000), Date.now(), [], true),
      { timeout: 0 },
    );
  await database.write(
    (sql) => sql`
      insert into source_position (source, position, version, loaded, loaded_at, updated_at)
      values (${source}, '{}', 1, ${count}, now(), now())`,
  );
}

async function count(database: Database, source: string): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`select count(*)::int as count from listing where source = ${source}`,
  );
  return row?.count ?? 0;
}

const load = (database: Database) =>
  importFile(database, folder, { name: 'own.csv', content: 'id,price\na,1000\n' });

/** The upkeep of a process with this source. */
function upkeepOf(t: Closing, database: Database, source: string | null) {
  const clock = manualClock(Date.now());
  const { log, text } = memoryLog();
  const errors: unknown[] = [];
  let rounds = 0;
  const counted = {
    ...clock,
    after: (milliseconds: number, callback: () => void) => {
      rounds++;
      return clock.after(milliseconds, callback);
    },
  };
  const upkeep = startSourceUpkeep({
    database,
    clock: counted,
    log,
    report: (error) => errors.push(error),
    source: source === null ? null : { id: source },
  });
  atEnd(t, () => upkeep.stop());
  return {
    text,
    errors,
    /** Lets time pass, round by round. */
    async pass(milliseconds: number): Promise<void> {
      await until('the round has ended', () => rounds > 0);
      for (let passed = 0; passed < milliseconds; passed += 15_000) {
        const before = rounds;
        clock.advance(15_000);
        await until('the next round has ended', () => rounds > before);
      }
      assert.deepEqual(errors, []);
    },
  };
}

test('a sample that is not configured any more goes once something else is loaded, and nobody has read it for a minute', async (t) => {
  const { database } = await testDatabase(t);
  await replicate(database, 'sample', 1_200);
  const upkeep = upkeepOf(t, database, null);
  await upkeep.pass(3 * MINUTE);
  assert.equal(await count(database, 'sample'), 1_200);
  assert.match(
    upkeep.text(),
    /The source \\"sample\\" is not configured any more, and its 1,200 listings are still served: `freehold sources remove sample` removes them, or a complete import/,
  );
  await load(database);
  const lock = await takeReaderLease(database, 'sample');
  await upkeep.pass(3 * MINUTE);
  assert.equal(await count(database, 'sample'), 1_200);
  await lock?.release();
  await upkeep.pass(MINUTE / 2);
  assert.equal(await count(database, 'sample'), 1_200);
  await upkeep.pass(MINUTE);
  assert.deepEqual([await count(database, 'sample'), await count(database, 'small')], [0, 1]);
  assert.match(upkeep.text(), /The source \\"sample\\" is removed: 1,200 listings/);
  const left = await database.read(
    (sql) => sql`
      select source from source_position union all select source from source_removal union all
      select name from work_lease where holder is not null union all select source from source_freshness where source = 'sample'`,
  );
  assert.deepEqual(left, []);
});

test('a sample that is still configured, and any other source, stays', async (t) => {
  const { database } = await testDatabase(t);
  await replicate(database, 'sample', 3);
  await replicate(database, 'reso', 3);
  await load(database);
  await upkeepOf(t, database, 'sample').pass(3 * MINUTE);
  assert.equal(await count(database, 'sample'), 3);
  const other = upkeepOf(t, database, null);
  await other.pass(3 * MINUTE);
  assert.deepEqual([await count(database, 'sample'), await count(database, 'reso')], [0, 3]);
  assert.match(other.text(), /The source \\"reso\\" is not configured any more/);
});

test('of two processes one removes the sample, and each listing once', async (t) => {
  const { database, url } = await testDatabase(t);
  await replicate(database, 'sample', 1_500);
  await load(database);
  const second = openDatabase({ url });
  atEnd(t, () => second.close(100));
  const upkeeps = [upkeepOf(t, database, null), upkeepOf(t, second, null)];
  await Promise.all(upkeeps.map((upkeep) => upkeep.pass(2 * MINUTE)));
  assert.equal(await count(database, 'sample'), 0);
  const done = upkeeps.filter(({ text }) => text().includes('is removed: 1,500 listings'));
  assert.equal(done.length, 1);
  const [row] = await database.read(
    (sql) => sql<{ changes: number; listings: number }[]>`
      select count(*)::int as changes, count(distinct listing_id)::int as listings from change where kind = 'removed'`,
  );
  assert.deepEqual(row, { changes: 1_500, listings: 1_500 });
});

test('a removal that is killed goes on where it was, by the same command or by a running service', async (t) => {
  for (const successor of ['command', 'service'] as const) {
    const { database, url } = await testDatabase(t);
    await replicate(database, 'reso', 2_000);
    const [last] = await database.read(
      (sql) => sql<{ id: string }[]>`select id from listing order by listing_key desc limit 1`,
    );
    // The last batch waits for a lock of ours, with those before it committed.
    const blocker = database.dedicated();
    await blocker.sql`set idle_in_transaction_session_timeout = 0`;
    await blocker.sql`begin`;
    await blocker.sql`select from listing where id = ${last?.id ?? ''} for update`;
    const args = ['sources', 'remove', 'reso', '--yes', '--json'];
    const environment = { DATABASE_URL: url };
    const first = startCli(t, args, { folder, environment });
    await until('all batches but the last are removed', async () => (await count(database, 'reso')) === 500);
    const doctor = await runCommand(['doctor'], { folder, environment });
    assert.match(doctor.stdout, /^warn {2}sources +reso is being removed: 1,500 of 2,000 listings so far/m);
    const refused = await runCommand(args, { folder, environment });
    assert.match(refused.stderr, /^Error: A running process reads the source reso, or removes it already\./);
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
    assert.equal(await count(database, 'reso'), 500);
    // Its lease ends by itself; here at once.
    await database.write((sql) => sql`update work_lease set leased_until = clock_timestamp()`);
    if (successor === 'command') {
      const second = await runCommand(args, { folder, environment });
      assert.deepEqual(JSON.parse(second.stdout), { source: 'reso', listings: 2_000, areas: 0 });
    } else {
      const upkeep = upkeepOf(t, database, null);
      await upkeep.pass(15_000);
      assert.match(upkeep.text(), /The source \\"reso\\" is removed: 2,000 listings/);
    }
    assert.equal(await count(database, 'reso'), 0);
    const [row] = await database.read(
      (sql) =>
        sql<
          { changes: number }[]
        >`select count(*)::int as changes from change where kind = 'removed' and quiet`,
    );
    assert.equal(row?.changes, 2_000);
  }
});

test('sources list shows every source; remove shows what would go, and removes nothing unasked', async (t) => {
  const { database, url } = await testDatabase(t);
  await replicate(database, 'sample', 3);
  await load(database);
  const environment = { DATABASE_URL: url };
  const run = (...args: string[]) => runCommand(['sources', ...args], { folder, environment });
  const { sources } = JSON.parse((await run('list', '--json')).stdout) as {
    sources: { id: string; state: string; listings: number; areas: number }[];
  };
  assert.deepEqual(
    sources.map(({ id, state, listings, areas }) => [id, state, listings, areas]),
    [
      ['sample', 'not configured', 3, 0],
      ['small', 'imported', 1, 0],
    ],
  );
  const shown = await run('remove', 'sample');
  assert.equal(shown.code, 2);
  assert.match(shown.stdout, /3 listings, 3 of them active/);
  assert.match(shown.stderr, /Nothing was removed: without a terminal to ask at, give --yes\./);
  const unknown = await run('remove', 'smal', '--yes');
  assert.match(unknown.stderr, /There is no source smal: `freehold sources list` shows them\./);
  const configured = await runCommand(['sources', 'remove', 'sample', '--yes'], {
    folder,
    environment: { ...environment, SOURCE: 'sample' },
  });
  assert.equal(configured.code, 2);
  assert.match(configured.stderr, /The source sample is configured, and would be loaded again/);
  const doctor = await runCommand(['doctor'], { folder, environment });
  assert.match(doctor.stdout, /^warn {2}sources +sample is not configured any more, and its 3 listings are/m);
  assert.equal(await count(database, 'sample'), 3);
  assert.match((await run('remove', 'sample', '--yes')).stdout, /^sample is removed: 3 listings, 0 areas/);
  assert.deepEqual([await count(database, 'sample'), await count(database, 'small')], [0, 1]);
});

// Proves that nothing is lost or counted twice where a database comes from a release that matched watchers in 64 shards.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { systemClock } from '../../../src/lib/clock.ts';
import { Licences } from '../../../src/licence/licences.ts';
import { findPosition } from '../../../src/watch/events/position-store.ts';
import { Matching } from '../../../src/watch/matching/matching.ts';
import { createRandom } from '../../support/check/random.ts';
import { testDatabase } from '../../support/database/database.ts';
import { expectedEvents, untilMatched, writtenEvents } from '../../support/watch/matching-oracle.ts';
import { countedEvents, createPricedMarket } from '../../support/watch/priced-market.ts';

const MIGRATION = join(import.meta.dirname, '../../../src/postgres/migrations/041_one_matcher.sql');

const { database } = await testDatabase({ after });
const { change, createWatchers } = createPricedMarket(database, createRandom(41));

async function matchAll(): Promise<void> {
  const errors: unknown[] = [];
  const matching = new Matching({
    database,
    clock: systemClock,
    licences: new Licences({ database, clock: systemClock, report: () => {} }),
    report: (error) => errors.push(error),
  });
  matching.start();
  await untilMatched(database);
  await matching.stop();
  assert.deepEqual(errors, []);
}

/** The database as the release before left it while it matched: each shard is somewhere else. Then the migration that follows. */
async function upgrade(): Promise<void> {
  await database.transaction(async (tx) => {
    await tx`drop index watcher_active`;
    await tx`create index watcher_shard on watcher (shard, no) where status = 'active'`;
    await tx`update watch_shard set fence = 3, holder = 'former', leased_until = now() + interval '6 seconds',
      position = (select position from watch_position) - shard * 2`;
    await tx`drop table watch_position`;
    await tx`alter table work_lease drop column fence`;
    await tx`delete from watch_event using watcher join watch_shard using (shard)
      where watcher_id = watcher.id and sequence > watch_shard.position`;
    await tx`update watch_hour set events = (
      select count(*) from watch_event where date_trunc('hour', at, 'UTC') = hour)`;
    await tx.unsafe(await readFile(MIGRATION, 'utf8'));
  });
}

await change(40);
await createWatchers(200);
for (let round = 0; round < 30; round++) await change();
await createWatchers(20);
for (let round = 0; round < 5; round++) await change();
await matchAll();

test('each shard goes on from where it was, and no event is lost or counted twice', async () => {
  const all = await writtenEvents(database);
  const end = await database.read(findPosition);
  await upgrade();
  assert.equal(await database.read(findPosition), end - 126, 'that of the slowest shard');
  const left = await writtenEvents(database);
  assert.ok(left.size > 100 && all.size - left.size > 100, `${left.size} of ${all.size} are written`);
  await change();
  await matchAll();
  const written = await writtenEvents(database);
  assert.deepEqual(written, await expectedEvents(database));
  assert.equal(await countedEvents(database), written.size);
});

test('processes of the release before find no shard that they hold or may take', async () => {
  const rows = await database.read(
    (sql) => sql`select from watch_shard
      where fence <= 3 or holder is null or holder = 'former' or leased_until < clock_timestamp()`,
  );
  assert.equal(rows.length, 0);
});

// Proves that the matching goes on right where the answers of its commits are lost, where watchers were made since its position, and
// where another process takes over.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { appendPrivateEntries } from '../../../src/changes/change-store.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { Licences } from '../../../src/licence/licences.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { loadDefinitions } from '../../../src/watch/matching/definition-store.ts';
import { Matching } from '../../../src/watch/matching/matching.ts';
import type { WatcherDefinition } from '../../../src/watch/matching/watcher-definition.ts';
import { createRandom } from '../../support/check/random.ts';
import { until } from '../../support/check/until.ts';
import { testDatabase } from '../../support/database/database.ts';
import { expectedEvents, untilMatched, writtenEvents } from '../../support/watch/matching-oracle.ts';
import { countedEvents, createPricedMarket } from '../../support/watch/priced-market.ts';

const { database } = await testDatabase({ after });
const random = createRandom(43);
const { change, createWatchers } = createPricedMarket(database, random);

function startMatching(connected: Database, options: { readonly follow?: number } = {}) {
  const errors: unknown[] = [];
  const report = (error: unknown) => void errors.push(error);
  const matching = new Matching({
    ...options,
    database: connected,
    clock: systemClock,
    report,
    licences: new Licences({ database: connected, clock: systemClock, report }),
  });
  matching.start();
  return { matching, errors };
}

/** Matches all there is, then one more change. Returns what was reported. */
async function matchAll(connected: Database): Promise<unknown[]> {
  const { matching, errors } = startMatching(connected);
  await untilMatched(database);
  // Its batch comes once the one before is known to be written.
  await change();
  await untilMatched(database);
  await matching.stop();
  return errors;
}

await change(40);
await createWatchers(50);
for (let round = 0; round < 5; round++) await change();

test('a batch whose commit was not answered is not written again', async () => {
  let commits = 0;
  const unreliable: Database = {
    ...database,
    async transaction(work, options) {
      const result = await database.transaction(work, options);
      if (++commits <= 2) throw new Error('The answer is lost');
      return result;
    },
  };
  assert.equal((await matchAll(unreliable)).length, 2);
  const written = await writtenEvents(database);
  assert.ok(written.size > 20);
  assert.deepEqual(written, await expectedEvents(database));
  assert.equal(await countedEvents(database), written.size);
});

test('a watcher that was made and changed since the position gets nothing of what was before it', async () => {
  for (let round = 0; round < 3; round++) await change(10);
  await createWatchers(20);
  const made = (await Array.fromAsync(loadDefinitions(database))).flat().slice(-20);
  const entries = made.map((definition) => ({
    watcherId: definition.id,
    action: 'updated',
    data: definition,
  }));
  await database.transaction((tx) => appendPrivateEntries(tx, entries, systemClock.now()));
  await change(10);
  assert.deepEqual(await matchAll(database), []);
  assert.deepEqual(await writtenEvents(database), await expectedEvents(database));
});

/** Pauses, resumes, changes and removes some watchers, as their owners do. */
async function changeWatchers(): Promise<void> {
  const definitions = (await Array.fromAsync(loadDefinitions(database))).flat();
  const entries = definitions.flatMap((definition) => {
    const drawn = random.below(10);
    if (drawn === 0) return [entryOf('paused', pausedBy(definition))];
    if (drawn === 1) return [entryOf('deleted', definition)];
    if (drawn === 2) return [entryOf('updated', { ...definition, events: definition.events.slice(0, 1) })];
    if (drawn > 3) return [];
    return [entryOf('paused', pausedBy(definition)), entryOf('resumed', definition)];
  });
  assert.ok(entries.length > 0);
  await database.transaction(async (tx) => {
    for (const { action, watcherId, data } of entries)
      if (action === 'deleted') await tx`delete from watcher where id = ${watcherId}`;
      else
        await tx`update watcher set status = ${data.status}, status_reason = ${data.statusReason}, events = ${[...data.events]}::text[] where id = ${watcherId}`;
    await appendPrivateEntries(tx, entries, systemClock.now());
  });
}

const pausedBy = (definition: WatcherDefinition): WatcherDefinition => ({
  ...definition,
  status: 'paused',
  statusReason: 'owner',
});
const entryOf = (action: string, data: WatcherDefinition) => ({ watcherId: data.id, action, data });

for (const follow of [0, 3_600_000])
  test(`who stands by, and looks every ${follow} ms, takes over with the watchers as they have become, and reads the table once`, async () => {
    let reads = 0;
    const counted: Database = {
      ...database,
      read(work, options) {
        if (new Error().stack?.includes('loadDefinitions')) reads += 1;
        return database.read(work, options);
      },
    };
    const first = startMatching(database);
    await change();
    await untilMatched(database);
    const second = startMatching(counted, { follow });
    await until('the second one reads the watchers', () => reads > 0);
    for (let round = 0; round < 3; round++) {
      await createWatchers(10);
      await change(10);
      await changeWatchers();
      await change(10);
    }
    await first.matching.stop();
    await createWatchers(5);
    await changeWatchers();
    await change(10);
    await untilMatched(database);
    assert.equal(second.matching.status().isMatcher, true);
    await second.matching.stop();
    assert.deepEqual([...first.errors, ...second.errors], []);
    assert.equal(reads, 1);
    assert.deepEqual(await writtenEvents(database), await expectedEvents(database));
  });

// Proves that the matching goes on right where the answers of its commits are lost, and where watchers were made since its position.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { appendPrivateEntries } from '../../../src/changes/change-store.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { Licences } from '../../../src/licence/licences.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { loadDefinitions } from '../../../src/watch/matching/definition-store.ts';
import { Matching } from '../../../src/watch/matching/matching.ts';
import { createRandom } from '../../support/check/random.ts';
import { testDatabase } from '../../support/database/database.ts';
import { expectedEvents, untilMatched, writtenEvents } from '../../support/watch/matching-oracle.ts';
import { countedEvents, createPricedMarket } from '../../support/watch/priced-market.ts';

const { database } = await testDatabase({ after });
const { change, createWatchers } = createPricedMarket(database, createRandom(43));

/** Matches all there is, then one more change. Returns what was reported. */
async function matchAll(connected: Database): Promise<unknown[]> {
  const errors: unknown[] = [];
  const report = (error: unknown) => void errors.push(error);
  const matching = new Matching({
    database: connected,
    clock: systemClock,
    report,
    licences: new Licences({ database: connected, clock: systemClock, report }),
  });
  matching.start();
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

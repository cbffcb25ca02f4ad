// Proof that the log of changes says of each listing what was stored, before and after, and names what differs.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { takeLicences } from '../../src/licence/licence-store.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { at as place } from '../support/catalogue/catalogue.ts';
import {
  assertLog,
  type Change,
  changesAfter,
  loadedAfter,
  type StoredState,
  storedStates,
  wholeRecord,
} from '../support/catalogue/change-log.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { DAY, NOW, writeAreas } from '../support/catalogue/random-market.ts';
import { type Step, stepArbitrary, take } from '../support/catalogue/random-steps.ts';
import { runs } from '../support/check/runs.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { type ManualClock, manualClock } from '../support/service/clock.ts';

/** Members that say how a record was read, not what it says. */
const READING = new Set([
  'version',
  'createdAt',
  'updatedAt',
  'fetchedAt',
  'upstreamModifiedAt',
  'daysOnMarket',
]);
/** Members that only the property of a listing shows. */
const OF_PROPERTY = new Set(['parcelNumber', 'universalPropertyId', 'unitsTotal', 'buildingName', 'taxes']);

/** What a change must name, of two states that were read before and after it. */
function differences(before: StoredState, after: StoredState): string[] {
  const [was, is] = [wholeRecord(before), wholeRecord(after)];
  const members = Object.keys(is).filter((name) => !READING.has(name));
  const rules = ({ listing }: StoredState) => [listing.displayed, listing.addressDisplayed];
  return [
    ...members.filter((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name])),
    ...(rules(before).join() === rules(after).join() ? [] : ['display']),
  ].sort();
}

/** Takes the steps one after another, and compares the log with what is stored after each. */
async function follow(database: Database, clock: ManualClock, steps: readonly Step[]): Promise<void> {
  const clocked = { ...database, clock };
  await writeAreas(clocked);
  let [before, head] = [await storedStates(database), 0];
  for (const step of steps) {
    clock.advance(DAY / 2);
    await take(clocked, step, clock.now());
    const after = await storedStates(database);
    const entries = await changesAfter(database, head);
    const touched = [...after].filter(([id, { sequence }]) => sequence !== before.get(id)?.sequence);
    const loaded = await loadedAfter(database, head);
    const changed = [...entries, ...loaded];
    assert.deepEqual(new Set(changed.map(({ listingId }) => listingId)), new Set(touched.map(([id]) => id)));
    assert.ok(step.quiet || loaded.length === 0);
    for (const { listingId } of loaded) assert.equal(before.get(listingId), undefined);
    for (const entry of entries) {
      assert.deepEqual([entry.quiet, entry.at], [step.quiet, clock.now()]);
      assertChange(entry, before.get(entry.listingId), after.get(entry.listingId));
    }
    [before, head] = [after, Math.max(head, ...changed.map(({ sequence }) => sequence))];
  }
  await assertLog(database);
}

function assertChange(entry: Change, was: StoredState | undefined, is: StoredState | undefined): void {
  assert.ok(is);
  assert.equal(entry.propertyId, is.listing.propertyId);
  const isGone = is.listing.status === 'DELETED' && was?.listing.status !== 'DELETED';
  assert.equal(entry.kind, was === undefined ? 'created' : isGone ? 'removed' : 'updated');
  const named = entry.changed.filter((name) => name !== 'words' && !OF_PROPERTY.has(name));
  assert.deepEqual(named.toSorted(), was === undefined ? [] : differences(was, is));
  if (was === undefined || was.words.join() === is.words.join()) return;
  assert.deepEqual(
    entry.wordsBefore?.filter((word) => !/^[#=]/.test(word)),
    was.words,
  );
}

test('whatever is written, each change has the state before and after and names what differs, areas and zones included', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { minLength: 3, maxLength: 8 }), async (steps) => {
      const { database } = await testDatabase(t);
      await follow(database, manualClock(NOW), steps).finally(() => database.close(1_000));
    }),
    { ...runs(20, 152), endOnFailure: true },
  );
});

test('a time zone that moves leaves a moment with fractions of a millisecond where the log has it', async (t) => {
  const { database } = await testDatabase(t);
  const catalogue = createCatalogue(database);
  await writeAreas(database);
  const price = { previousPrice: 9, listPrice: 8, priceChangedAt: '2025-10-03T10:00:00.0006Z' };
  const home = draft('p', { ...price, onMarketDate: '2025-09-01', location: place(10.5, 20.5) });
  await database.transaction((tx) => catalogue.write(tx, 'test', [home], NOW));
  for (const timeZone of ['Asia/Tokyo', 'America/New_York'] as const)
    await take(database, { kind: 'redraw', west: 20, timeZone, quiet: false }, NOW);
  assert.equal((await changesAfter(database, 0)).length, 3);
  await assertLog(database);
});

test('a price says nothing of words, a new description tells the words before, without those of a withheld address', async (t) => {
  const { database } = await testDatabase(t);
  const catalogue = createCatalogue(database);
  const address = { ...NO_ADDRESS, streetNumber: '7', streetName: 'Quillby Court', city: 'Aldern' };
  const display = { listing: true, address: false, estimate: true };
  const facts = { address, display, description: 'Sunny loft at 7 Quillby Court' };
  const write = (more: object) =>
    database.transaction((tx) => catalogue.write(tx, 'test', [draft('w', { ...facts, ...more })], NOW));
  await write({ listPrice: 1 });
  await write({ listPrice: 2 });
  await write({ listPrice: 2, description: 'Quiet house' });
  const [, price, text] = await changesAfter(database, 0);
  assert.deepEqual([price?.changed.includes('words'), price?.wordsBefore], [false, null]);
  assert.deepEqual(text?.changed, ['description', 'words']);
  const words = text?.wordsBefore ?? [];
  assert.ok(
    words.includes('sunny') && words.includes('Caldern') && !words.some((word) => /quillby/.test(word)),
  );
});

test('of two writers that create the same listing at once, one fails, and the log tells of one creation', async (t) => {
  const { database } = await testDatabase(t);
  const catalogue = createCatalogue(database);
  const write = (price: number, after?: Promise<void>) =>
    database.transaction(async (tx) => {
      await catalogue.write(tx, 'test', [draft('new', { listPrice: price })], NOW);
      await after;
    });
  const isWaiting = () =>
    database.read(
      (sql) => sql<object[]>`
      select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    );
  const hold = Promise.withResolvers<void>();
  // Two writers that find no licence of a source make it one after the other.
  await database.transaction((tx) => takeLicences(tx, 'test', [{ permissions: [] }]));
  const first = write(1, hold.promise);
  await until('the first has written', async () => {
    const locks = await database.read(
      (sql) =>
        sql<
          object[]
        >`select from pg_locks where relation = 'listing_search'::regclass and mode = 'RowExclusiveLock'
          and database = (select oid from pg_database where datname = current_database())`,
    );
    return locks.length > 0;
  });
  const second = assert.rejects(write(2), /at the same moment/);
  await until('the second waits for it', async () => (await isWaiting()).length > 0);
  hold.resolve();
  await Promise.all([first, second]);
  await write(3);
  const changes = await changesAfter(database, 0);
  assert.deepEqual(
    changes.map(({ kind, after }) => [kind, after.version, after.row.price]),
    [
      ['created', 1, 1],
      ['updated', 2, 3],
    ],
  );
});

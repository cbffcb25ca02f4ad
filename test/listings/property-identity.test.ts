// Proves which listings are one property: placeholders join nothing, units and places part, and ids stay with their first listing.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { headSequence } from '../../src/changes/change-store.ts';
import { propertyId } from '../../src/ingest/identity.ts';
import { startStoredReview } from '../../src/ingest/reviews/stored-review.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { startCatalogue } from '../support/catalogue/catalogue.ts';
import { changesAfter } from '../support/catalogue/change-log.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';
import { sendWatcher, subscriber } from '../support/watch/watchers.ts';

const { clock, database, keys, service, write } = await startCatalogue({ after });

const exact = (lat: number, lng: number): ListingDraft['location'] => ({ lat, lng, precision: 'exact' });
const rural = { ...NO_ADDRESS, full: '0 County Road', city: 'Town', county: 'Lane', state: 'OR' };

/** The property of each listing, by its key. */
async function properties(ids: ReadonlyMap<string, string>): Promise<Record<string, string>> {
  const rows = await database.read(
    (sql) => sql<{ key: string; property: string }[]>`
      select listing_key as key, property_id as property from listing where id = any(${[...ids.values()]}::text[])`,
  );
  return Object.fromEntries(rows.map(({ key, property }) => [key, property]));
}

/** Writes the drafts in one batch, and how many properties they are. */
async function countProperties(...drafts: ListingDraft[]): Promise<number> {
  return new Set(Object.values(await properties((await write(...drafts)).ids))).size;
}

test('homes far apart do not become one by a placeholder for their parcel and an address without a house', async () => {
  const parcels = ['0', 'N/A', 'TBD', '999999', 'UNKNOWN', '0'];
  const drafts = parcels.map((parcelNumber, at) =>
    draft(`rural-${at}`, { parcelNumber, address: rural, location: exact(44 + at / 10, -123) }),
  );
  assert.equal(await countProperties(...drafts), 6);
});

test('lots that share a parent parcel are as many properties as there are houses, units and places', async () => {
  const lot = (key: string, full: string | null, lat: number) =>
    draft(key, { parcelNumber: '17-22-33', address: { ...rural, full }, location: exact(lat, -122) });
  const drafts = [
    lot('p-1', '101 Sunset Dr', 45),
    lot('p-2', '103 Sunset Dr', 45),
    lot('p-3', '101 Sunset Drive', 45),
    lot('p-4', 'Sunset Dr Lot 7', 45.001),
    lot('p-5', null, 45.1),
  ];
  const { ids } = await write(...drafts);
  const own = await properties(ids);
  assert.equal(own['p-1'], own['p-3'], 'one house, told twice');
  assert.equal(new Set(Object.values(own)).size, 4);
  assert.notEqual(own['p-5'], own['p-1']);
  await write(...drafts.map((each) => ({ ...each, bedrooms: 3 })));
  assert.deepEqual(await properties(ids), own, 'told again they stay where they are');
});

test('four flats of one house are four properties, whether their unit is in the address or beside it', async () => {
  const flat = (key: string, full: string, unit: string | null = null) =>
    draft(key, { address: { ...NO_ADDRESS, full, unit, city: 'Town', state: 'OR' } });
  const flats = [1, 2, 3, 4].map((no) => flat(`flat-${no}`, `500 Main St, Unit ${no}, Town, OR`));
  assert.equal(await countProperties(...flats), 4);
  assert.equal(await countProperties(...flats, flat('beside', '500 Main Street', '3')), 4);
});

test('one address in two places is two properties, and one geocoded twice is one', async () => {
  const address = { ...NO_ADDRESS, full: '12 Oak Ln', city: 'Springfield' };
  const at = (key: string, lat: number) => draft(key, { address, location: exact(lat, -90) });
  assert.equal(await countProperties(at('far-1', 40), at('far-2', 40.1)), 2);
  assert.equal(await countProperties(at('far-1', 40), at('near', 40.01)), 1);
});

/** Puts listings into one property, as an earlier release did. */
async function merge(ids: readonly string[], identity: string): Promise<string> {
  const property = propertyId(identity);
  await database.transaction(async (tx) => {
    await tx`insert into property (id, identity, created_at) values (${property}, ${identity}, ${new Date(0)})`;
    for (const table of ['listing_event', 'market_listing', 'market_period', 'market_event'])
      await tx`update ${tx(table)} set property_id = ${property} where listing_id = any(${[...ids]}::text[])`;
    await tx`
      update listing set property_id = ${property},
        record = jsonb_set(record::jsonb, '{propertyId}', to_jsonb(${property}::text))::json
      where id = any(${[...ids]}::text[])`;
    await tx`update stored_review set reviewed_through = '', finished_at = null`;
  });
  return property;
}

async function review(): Promise<void> {
  const work = startStoredReview({ database, clock, report: (error) => assert.fail(String(error)) });
  await until('the stored rows are reviewed', async () => {
    const [row] = await database.read(
      (sql) => sql`select count(*)::int as open from stored_review where finished_at is null`,
    );
    return row?.open === 0;
  });
  await work.stop();
}

test('stored properties are judged again: the id stays with its first listing and what watches it, the others get their own', async () => {
  const sold = { status: 'CLOSED', closePrice: 300_000, listPrice: 310_000, livingArea: 1_000 } as const;
  const house = (no: number): ListingDraft =>
    draft(`old-${no}`, {
      ...sold,
      parcelNumber: '0',
      bedrooms: 7,
      onMarketDate: '2026-01-05',
      closedAt: '2026-02-10',
      address: { ...NO_ADDRESS, full: `${no} Elm St`, city: 'Elmville', state: 'OR' },
      location: exact(50 + no, -100),
    });
  const first = await write(house(1));
  clock.advance(1_000);
  const { ids } = await write(...[1, 2, 3, 4, 5].map(house));
  const merged = await merge([...ids.values()], 'parcel|0|test||');
  const { key } = await subscriber(service).subscribe('pro');
  const body = { target: { type: 'property', propertyId: merged } };
  const watched = await sendWatcher(service, 'POST', '', { key, body });
  assert.equal(watched.status, 201, watched.text);
  await countClosings();
  const before = await headOf();
  await review();
  const own = await properties(ids);
  assert.equal(own['old-1'], merged);
  assert.equal(new Set(Object.values(own)).size, 5);
  const { id, listings }: { id: string; listings: unknown[] } = await service.json(
    `/v1/property/${merged}?include=listings`,
    keys.pro,
  );
  assert.deepEqual([id, listings.length], [merged, 1]);
  assert.equal(first.ids.get('old-1'), ids.get('old-1'));
  const watcher = await sendWatcher(service, 'GET', `/${watched.watcher.id}`, { key });
  assert.deepEqual(watcher.watcher.target, body.target);
  const changes = await changesAfter(database, before);
  assert.deepEqual(
    changes.map(({ listingId, quiet }) => [listingId, quiet]).sort(),
    [2, 3, 4, 5].map((no) => [ids.get(`old-${no}`), true]).sort(),
    'nobody is told',
  );
  assert.equal(await countClosings(), 5);
  const again = draft('new-1', { ...house(1), listingKey: 'new-1', parcelNumber: null });
  const { ids: newIds } = await write(again);
  assert.equal((await properties(newIds))['new-1'], merged, 'a later listing of the home belongs to it');
  await write({ ...house(1), bedrooms: 8 });
  assert.equal((await properties(ids))['old-1'], merged, 'and the first one stays');
});

/** The closings of these homes in their month. */
async function countClosings(): Promise<number | null> {
  const scope = 'listingType=sale&bedrooms=7&from=2026-02-01&to=2026-03-01';
  const answer: { metrics: Record<string, { value: number | null }> } = await service.json(
    `/v1/market/stats?${scope}&metrics=closed_listings`,
    keys.internal,
  );
  return answer.metrics.closed_listings?.value ?? null;
}

const headOf = (): Promise<number> => database.read((sql) => headSequence(sql));

test('a review goes on where it was stopped, and is done once', async () => {
  const pair = (no: number) =>
    draft(`pair-${no}`, { address: { ...NO_ADDRESS, full: `${no} Pine St`, city: 'Pinewood', state: 'OR' } });
  const { ids } = await write(pair(1), pair(2));
  await merge([...ids.values()], 'parcel|999999|test||');
  await database.write((sql) => sql`update stored_review set reviewed_through = 'prp_z'`);
  await review();
  assert.equal(new Set(Object.values(await properties(ids))).size, 1, 'what was reviewed is left alone');
  await database.write((sql) => sql`update stored_review set reviewed_through = '', finished_at = null`);
  await review();
  assert.equal(new Set(Object.values(await properties(ids))).size, 2);
});

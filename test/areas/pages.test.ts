// Proves the rows that an area's page is read from: whatever is written, they say what the listings say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { updateAllPlacements, writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { testDatabase } from '../support/database/database.ts';

const AT = Date.UTC(2026, 0, 5);
const DAY = 86_400_000;

const area = (name: string) => ({
  ...({ type: 'city', externalId: name, name, aliases: [], codes: {}, parentReference: null } as const),
  ...{ population: null, boundary: null },
});

const home = (key: string, facts: Partial<ListingDraft> = {}) =>
  draft(key, { address: { ...NO_ADDRESS, city: 'Alder' }, listPrice: 100_000, bedrooms: 2, ...facts });

/** The rows as they are kept, and as the search rows have them. */
async function bothWays(database: Database): Promise<readonly [kept: unknown[], told: unknown[]]> {
  const kept = await database.read((sql) => sql`select * from area_listing order by listing_id, area_no`);
  const told = await database.read(
    (sql) => sql`
      select no as area_no, listing_type as of_type, id as listing_id, listed_at as listed, price as asked,
        bedrooms as beds, bathrooms as baths, living_area as size, property_type as kind, city as town,
        days_on_market_start as began
      from listing_search, unnest(area_nos) as no where status = 'ACTIVE' and displayed order by id, no`,
  );
  return [[...kept], [...told]];
}

test('the listings of an area are held as they are, whatever is written, changed, hidden, removed or moved', async (t) => {
  const { database } = await testDatabase(t);
  const catalogue = createCatalogue(database);
  const write = (at: number, ...drafts: ListingDraft[]) =>
    database.transaction((tx) => catalogue.write(tx, 'test', drafts, at));
  const holds = async (listings: number): Promise<void> => {
    const [kept, told] = await bothWays(database);
    assert.deepEqual(kept, told);
    assert.equal(kept.length, listings);
  };
  await writeAreaBatch(database, 'test', [area('Alder'), area('Birch')]);
  await write(AT, home('a'), home('b', { listingType: 'rental' }), home('c', { status: 'CLOSED' }));
  await holds(2);
  await write(
    AT + DAY,
    home('a', { listPrice: 90_000 }),
    home('b', { status: 'PENDING', listingType: 'rental' }),
  );
  await holds(1);
  await write(AT + 2 * DAY, home('b', { listingType: 'rental' }), home('c', { bedrooms: 5 }), home('d'));
  await holds(4);
  await write(AT + 3 * DAY, home('d', { display: { listing: false, address: true, estimate: true } }));
  await holds(3);
  await write(AT + 4 * DAY, home('c', { address: { ...NO_ADDRESS, city: 'Birch' } }));
  await holds(3);
  await database.transaction((tx) => catalogue.write(tx, 'test', [], AT + 5 * DAY, ['a']));
  await holds(2);
  await writeAreaBatch(database, 'test', [{ ...area('Aldergrove'), aliases: ['Alder'] }]);
  await updateAllPlacements(database);
  await holds(3);
  await database.write((sql) => sql`delete from listing_search`);
  await holds(0);
});

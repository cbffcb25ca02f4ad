// Proves since when searches take a listing to be listed: its first day on the market, by the clocks of its place.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Listing } from '../../src/listings/record.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const NOW = Date.UTC(2026, 0, 5, 12);
const service = await startService({ after }, { clock: manualClock(NOW) });
const { database, keys } = service;

await writeAreaBatch(
  database,
  'test',
  [
    ['West', 'America/Los_Angeles'],
    ['East', 'Asia/Tokyo'],
  ].map(([name = '', timeZone = '']) => ({
    ...({ type: 'city', externalId: name.toLowerCase(), name, aliases: [], codes: {}, timeZone } as const),
    ...{ parentReference: null, population: null, boundary: null },
  })),
);

async function write(facts: Readonly<Record<string, Partial<ListingDraft> & { readonly city: string }>>) {
  const drafts = Object.entries(facts).map(([key, { city, ...rest }]) =>
    draft(key, { address: { ...NO_ADDRESS, city }, ...rest }),
  );
  await database.transaction((tx) => createCatalogue(database).write(tx, 'test', drafts, NOW));
}

async function listings(query: string): Promise<readonly Listing[]> {
  const answer: { data: Listing[] } = await service.json(`/v1/search/sales?${query}`, keys.internal);
  return answer.data;
}
const found = async (query: string) => (await listings(query)).map(({ provider }) => provider.listingKey);

await write({
  west: { city: 'West', onMarketDate: '2026-01-03', listedAt: '2026-01-01T09:00:00Z' },
  east: { city: 'East', onMarketDate: '2026-01-03', listedAt: '2026-01-04T09:00:00Z' },
  entered: { city: 'East', listedAt: '2026-01-02T16:00:00Z' },
  unsaid: { city: 'West' },
});

test('a day on the market begins by the clocks of the place; without one the time of entry counts', async () => {
  for (const [query, keysFound] of [
    // In Tokyo the 3rd began at 15:00 UTC on the 2nd, in Los Angeles at 08:00 UTC on the 3rd.
    ['listedSince=2026-01-03T08:00:00Z', ['west']],
    ['listedSince=2026-01-03T08:00:01Z', []],
    ['listedSince=2026-01-02T15:00:00Z', ['west', 'entered', 'east']],
    ['listedSince=2026-01-02T15:00:01Z', ['west', 'entered']],
    ['listedBefore=2026-01-03T08:00:00Z', ['entered', 'east']],
    ['listedBefore=2026-01-02T15:00:00Z', []],
    ['sort=-listedAt', ['west', 'entered', 'east', 'unsaid']],
    ['sort=listedAt', ['east', 'entered', 'west', 'unsaid']],
    ['areaId=city-east&sort=-listedAt', ['entered', 'east']],
    ['city=West', ['west', 'unsaid']],
  ] as const)
    assert.deepEqual(await found(query), keysFound, query);
});

test('what the record tells of its entry is as the source reported it', async () => {
  const [west] = await listings('city=West');
  assert.deepEqual([west?.listedAt, west?.onMarketDate], ['2026-01-01T09:00:00Z', '2026-01-03']);
});

test('a corrected day and a corrected time zone move the listing', async () => {
  await write({ west: { city: 'West', onMarketDate: '2025-12-30', listedAt: '2026-01-01T09:00:00Z' } });
  assert.deepEqual(await found('sort=-listedAt&city=West'), ['west', 'unsaid']);
  assert.deepEqual(await found('listedBefore=2025-12-31'), ['west']);
});

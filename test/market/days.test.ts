// Proves that a mere day is a day on the clocks of the place, and a moment a moment, in figures, records and history.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AreaDraft } from '../../src/areas/area.ts';
import { updateAllPlacements, writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Property } from '../../src/listings/property-record.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const NOW = Date.UTC(2026, 0, 5, 12);
const service = await startService({ after }, { clock: manualClock(NOW) });
const { database } = service;
const catalogue = createCatalogue(database);

const ZONES = { West: 'America/Los_Angeles', East: 'Asia/Tokyo', Later: null, Before: 'America/Los_Angeles' };
const city = (name: string, timeZone: string | null): AreaDraft => ({
  type: 'city',
  externalId: name.toLowerCase(),
  name,
  aliases: [],
  codes: {},
  parentReference: null,
  population: null,
  boundary: null,
  ...(timeZone !== null && { timeZone }),
});
await writeAreaBatch(
  database,
  'test',
  Object.entries(ZONES).map(([name, zone]) => city(name, zone)),
);

/** Writes five homes that are told alike, which is enough for a median; gives the id of the first. */
async function homes(town: keyof typeof ZONES, facts: Partial<ListingDraft>): Promise<string> {
  const key = `${town} ${facts.bedrooms} ${facts.listingType}`;
  const told = Array.from({ length: 5 }, (_, at) =>
    draft(`${key} ${at}`, {
      universalPropertyId: `${key} ${at}`,
      address: { ...NO_ADDRESS, city: town },
      ...facts,
    }),
  );
  const { ids } = await database.transaction((tx) => catalogue.write(tx, 'test', told, NOW));
  return ids.get(`${key} 0`) ?? '';
}

type Figures = Record<string, { readonly value: number | null }>;

async function figures(scope: string, from: string, to: string, ...metrics: string[]) {
  const path = `/v1/market/stats?listingType=sale&${scope}&from=${from}&to=${to}&metrics=${metrics.join()}`;
  const answer: { metrics: Figures } = await service.json(
    path.replace('listingType=sale&listingType', 'listingType'),
    service.keys.internal,
  );
  return metrics.map((metric) => answer.metrics[metric]?.value);
}

test('days on market run from the beginning of a day at the place to the moment of the contract', async () => {
  const signed = {
    onMarketDate: '2025-06-01',
    pendingAt: '2025-06-15T02:00:00Z',
    status: 'PENDING',
  } as const satisfies Partial<ListingDraft>;
  const id = await homes('West', { ...signed, bedrooms: 1 });
  const metrics = ['median_days_on_market', 'off_market_in_two_weeks_share', 'new_listings'] as const;
  const june = ['2025-06-01', '2025-07-01'] as const;
  // In Los Angeles it was the evening of the 14th.
  assert.deepEqual(await figures('areaId=city-west&bedrooms=1', ...june, ...metrics), [13, 1, 5]);
  const read: Property = await service.json(`/v1/property/${id}`, service.keys.pro);
  assert.equal(read.currentListing?.daysOnMarket, 13);
  await homes('East', { ...signed, bedrooms: 1 });
  assert.deepEqual(await figures('areaId=city-east&bedrooms=1', ...june, ...metrics), [14, 0, 5]);
});

test('a moment at midnight in UTC is a moment, and a mere day is that day wherever it is asked from', async () => {
  const sold = { status: 'CLOSED', listedAt: '2025-06-02T10:00:00Z', closedAt: '2025-07-01' } as const;
  const facts = { ...sold, pendingAt: '2025-07-01T00:00:00Z', bedrooms: 2 };
  await homes('West', facts);
  await homes('East', facts);
  const july = ['2025-07-01', '2025-08-01', 'pending_listings', 'closed_listings'] as const;
  assert.deepEqual(await figures('areaId=city-west&bedrooms=2', ...july), [0, 5]);
  assert.deepEqual(await figures('areaId=city-east&bedrooms=2', ...july), [5, 5]);
  assert.deepEqual(await figures('city=east&bedrooms=2', ...july), [5, 5], 'by the clocks of UTC');
});

test('a time that is told as a mere day is that day at the place, and is shown as the moment at which it begins', async () => {
  const told = { status: 'PENDING', listedAt: '2025-06-03', pendingAt: '2025-07-01', bedrooms: 3 } as const;
  const id = await homes('West', told);
  const july = ['2025-07-01', '2025-08-01', 'pending_listings', 'median_days_on_market'] as const;
  assert.deepEqual(await figures('areaId=city-west&bedrooms=3', ...july), [5, 28]);
  const { currentListing, history }: Property = await service.json(
    `/v1/property/${id}?include=history`,
    service.keys.pro,
  );
  assert.equal(currentListing?.pendingAt, '2025-07-01T07:00:00.000Z');
  assert.deepEqual(
    history?.map(({ event, at }) => `${event} ${at}`),
    ['PENDING 2025-07-01T07:00:00.000Z', 'LISTED 2025-06-03T07:00:00.000Z'],
  );
  const again = await homes('West', told);
  const { currentListing: same }: Property = await service.json(`/v1/property/${again}`, service.keys.pro);
  assert.equal(same?.version, 1, 'the same day told again says nothing new');
});

test('days across the beginning of summer time are as many as the calendar has', async () => {
  const let_ = {
    listingType: 'rental',
    status: 'CLOSED',
    onMarketDate: '2025-03-01',
  } as const satisfies Partial<ListingDraft>;
  const id = await homes('West', { ...let_, closedAt: '2025-04-01', bedrooms: 4 });
  const april = ['2025-04-01', '2025-05-01', 'vacancy_days', 'median_days_on_market'] as const;
  assert.deepEqual(await figures('listingType=rental&areaId=city-west&bedrooms=4', ...april), [31, 31]);
  const { listings }: Property = await service.json(`/v1/property/${id}?include=listings`, service.keys.pro);
  assert.equal(listings?.[0]?.daysOnMarket, 31);
});

const LIVES: readonly Partial<ListingDraft>[] = [
  { status: 'CLOSED', onMarketDate: '2025-02-01', pendingAt: '2025-03-20', closedAt: '2025-04-02' },
  { status: 'EXPIRED', listedAt: '2025-08-01', offMarketAt: '2025-11-30' },
  { status: 'HOLD', listedAt: '2025-09-01T00:00:00Z', statusChangedAt: '2025-10-02' },
  {
    status: 'ACTIVE',
    onMarketDate: '2025-09-01',
    previousPrice: 9,
    listPrice: 8,
    priceChangedAt: '2025-10-03',
  },
];

/** All that follows from the dates of the homes of a town. */
const follows = (town: string) =>
  database.read(async (sql) => {
    const scope = sql`select id from listing_search where city = ${town}`;
    return [
      [
        ...(await sql`select kind, at, day, days, price from market_event where listing_id in (${scope}) order by 1, 2`),
      ],
      [
        ...(await sql`select started_at, ended_at, days_on_market_start from market_period where listing_id in (${scope}) order by 1, 2`),
      ],
      [...(await sql`select event, at, day from listing_event where listing_id in (${scope}) order by 1, 2`)],
      [
        ...(await sql`select days_on_market_start, days_on_market_end, listed_at, price_changed_at from listing_search where id in (${scope}) order by 1, 2`),
      ],
      [
        ...(await sql`select days_on_market_start, days_on_market_end, time_zone, record ->> 'pendingAt' as pending from listing where id in (${scope}) order by 1, 2`),
      ],
    ];
  });

test('when an area follows another time zone, its listings stand as if it had always been so', async () => {
  for (const [at, facts] of LIVES.entries()) {
    await homes('Later', { ...facts, bedrooms: at });
    await homes('Before', { ...facts, bedrooms: at });
  }
  assert.notDeepEqual(await follows('later'), await follows('before'));
  await writeAreaBatch(database, 'test', [city('Later', 'America/Los_Angeles')]);
  await updateAllPlacements(database);
  assert.deepEqual(await follows('later'), await follows('before'));
});

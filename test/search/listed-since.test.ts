// Proves since when searches take a listing to be listed: its first day on the market, by the clocks of its place.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
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
    type: 'city',
    externalId: name.toLowerCase(),
    name,
    aliases: [],
    codes: {},
    timeZone,
    parentReference: null,
    population: null,
    boundary: null,
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

test('a record shows when the listing came on the market, and its entry as the source reported it', async () => {
  const [west] = await listings('city=West');
  assert.deepEqual(
    [west?.listedAt, west?.enteredAt, west?.onMarketDate],
    ['2026-01-03T08:00:00.000Z', '2026-01-01T09:00:00Z', '2026-01-03'],
  );
  const { data }: { data: Listing[] } = await service.json(
    `/v1/property/${west?.id}/listings`,
    keys.internal,
  );
  assert.equal(data[0]?.listedAt, '2026-01-03T08:00:00.000Z');
});

test('a corrected day and a corrected time zone move the listing', async () => {
  const start: { page: { nextCursor: string } } = await service.json('/v1/changes?after=now', keys.internal);
  await write({ west: { city: 'West', onMarketDate: '2025-12-30', listedAt: '2026-01-01T09:00:00Z' } });
  assert.deepEqual(await found('sort=-listedAt&city=West'), ['west', 'unsaid']);
  assert.deepEqual(await found('listedBefore=2025-12-31'), ['west']);
  const { data }: { data: { listing: Listing; changedFields: string[] }[] } = await service.json(
    `/v1/changes?after=${start.page.nextCursor}`,
    keys.internal,
  );
  const last = data.at(-1);
  assert.deepEqual(
    [last?.changedFields, last?.listing.listedAt],
    [['onMarketDate', 'listedAt'], '2025-12-30T08:00:00.000Z'],
  );
});

const OFFSETS = { West: '-08:00', East: '+09:00' } as const;
const days = fc.constantFrom(null, '2026-01-01', '2026-01-02', '2026-01-03');
const entries = fc.constantFrom(
  null,
  '2026-01-01',
  '2026-01-01T23:30:00.0004Z',
  '2026-01-01T23:30:00.0009Z',
  '2026-01-02T09:00:00+09:00',
  '2026-01-02',
  '2026-01-02T08:00:00Z',
);
interface Home {
  readonly city: 'West' | 'East';
  readonly status: 'ACTIVE' | 'HOLD';
  readonly onMarketDate: string | null;
  readonly listedAt: string | null;
}
const homes: fc.Arbitrary<Home> = fc.record({
  city: fc.constantFrom('West' as const, 'East' as const),
  status: fc.constantFrom('ACTIVE' as const, 'HOLD' as const),
  onMarketDate: days,
  listedAt: entries,
});

/** The moment that a listing is listed at, without the service's calendar. */
function expectedTime({ city, onMarketDate, listedAt }: Home): string | null {
  const text = onMarketDate ?? listedAt;
  if (text === null) return null;
  return new Date(text.length > 10 ? text : `${text}T00:00:00${OFFSETS[city]}`).toISOString();
}

let runs = 0;
test('pages, exports and filters go by the listedAt that they show, whatever the source reports', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(homes, { minLength: 1, maxLength: 12 }), async (facts) => {
      runs += 1;
      const run = `run${runs}`;
      await write(
        Object.fromEntries(facts.map((home, at) => [`${run}-${at}`, { ...home, features: [run] }])),
      );
      for (const [status, sort] of [
        ['ACTIVE', '-listedAt'],
        ['ACTIVE', 'listedAt'],
        ['HOLD', '-listedAt'],
      ]) {
        const query = `features=${run}&status=${status}&sort=${sort}`;
        const shown = await pagedTimes(query);
        const expected = facts.filter((home) => home.status === status).map(expectedTime);
        const known = expected.filter((time) => time !== null).toSorted();
        if (sort === '-listedAt') known.reverse();
        const inOrder = [...known, ...expected.filter((time) => time === null)];
        assert.deepEqual(shown, inOrder, query);
        const csv = await (
          await service.get(`/v1/search/sales?format=csv&fields=listedAt&${query}`, keys.internal)
        ).text();
        assert.deepEqual(
          csv
            .trim()
            .split('\r\n')
            .slice(1)
            .map((line) => line.split(',')[1] || null),
          inOrder,
        );
        for (const since of new Set(known)) {
          const later = known.filter((time) => time >= since).length;
          assert.equal((await listings(`${query}&listedSince=${since}`)).length, later, since);
        }
      }
    }),
    { numRuns: 25 },
  );
});

async function pagedTimes(query: string): Promise<(string | null)[]> {
  const times: (string | null)[] = [];
  for (let cursor = ''; ; ) {
    const answer: { data: Listing[]; page: { nextCursor: string | null } } = await service.json(
      `/v1/search/sales?limit=3&${query}${cursor}`,
      keys.internal,
    );
    times.push(...answer.data.map(({ listedAt }) => listedAt));
    if (answer.page.nextCursor === null) return times;
    cursor = `&cursor=${encodeURIComponent(answer.page.nextCursor)}`;
  }
}

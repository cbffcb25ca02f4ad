// Owns the proof of search: every filter, order and cursor against a plain loop over the same listings.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../src/catalogue/catalogue.ts';
import type { ListingDraft } from '../src/catalogue/draft.ts';
import type { Listing } from '../src/catalogue/record.ts';
import { draft, NO_ADDRESS } from './support/drafts.ts';
import { startService } from './support/service.ts';

interface Answer {
  readonly data: Listing[];
  readonly page: { limit: number; hasMore: boolean; nextCursor: string | null; prevCursor: string | null };
  readonly total: { value: number; relation: string } | null;
}

const CITIES = ['Aldern', 'Brook Hollow', 'Crane'];
const T0 = Date.UTC(2025, 0, 1);

/** Few distinct values, so that ties and empty answers are common; nulls among them. */
const some = <T>(...values: T[]) => fc.constantFrom<T | null>(null, ...values);
const listingArbitrary = fc.record({
  status: fc.constantFrom('ACTIVE', 'ACTIVE', 'ACTIVE', 'PENDING', 'CLOSED', 'HOLD', 'DELETED', 'INCOMPLETE'),
  listPrice: some(100_000, 250_000, 250_000.5, 400_000, 1_000_000),
  bedrooms: some(0, 1, 2, 3, 33),
  bathrooms: some(0.5, 1, 1.75, 2.25),
  livingArea: some(400, 1_076.3910416709723, 2_000),
  lotSize: some(0, 5_000, 43_560),
  yearBuilt: some(1900, 1999, 2026),
  day: some(0, 1, 2, 30, 200),
  lat: fc.constantFrom(10, 10.5, 11, 11.25),
  lng: fc.constantFrom(-180, -179.5, 179.5, 20, 20.5, 21),
  city: some(...CITIES),
  photoCount: some(0, 3),
  type: fc.constantFrom('CONDO', 'SINGLE_FAMILY', 'LAND'),
});
type Facts = typeof listingArbitrary extends fc.Arbitrary<infer F> ? F : never;

function toDraft(facts: Facts, index: number): ListingDraft {
  const { day, lat, lng, city, type, status, ...rest } = facts;
  const at = day === null ? null : new Date(T0 + day * 86_400_000).toISOString();
  return draft(`key-${index}`, {
    ...rest,
    status: status as ListingDraft['status'],
    propertyType: type as ListingDraft['propertyType'],
    listedAt: at,
    closePrice: status === 'CLOSED' ? rest.listPrice : null,
    closedAt: status === 'CLOSED' && at ? at.slice(0, 10) : null,
    location: { lat, lng, precision: 'exact' },
    address: { ...NO_ADDRESS, city },
  });
}

const bound = <T>(value: T | null | undefined, least?: T | null, most?: T | null): boolean => {
  if (least == null && most == null) return true;
  return value != null && (least == null || value >= least) && (most == null || value <= most);
};

/** Filters as a client writes them, each with what it means said once more, without a look at the service's code. */
const filterArbitrary = fc.record(
  {
    minPrice: fc.constantFrom(100_000, 250_000.25, 300_000),
    maxPrice: fc.constantFrom(300_000.5, 400_000, 2_000_000),
    minBedrooms: fc.constantFrom(0, 1),
    maxBedrooms: fc.constantFrom(1, 2, 40),
    bedrooms: fc.uniqueArray(fc.constantFrom<number>(0, 2, 33), { minLength: 1 }),
    minBathrooms: fc.constantFrom(0.75, 1),
    maxBathrooms: fc.constantFrom(1.75, 3),
    minLivingArea: fc.constantFrom(400, 1000),
    maxLotSize: fc.constantFrom(0, 5_000),
    minYearBuilt: fc.constantFrom(1900, 1999),
    hasPhotos: fc.boolean(),
    city: fc.uniqueArray(fc.constantFrom('ALDERN', 'brook hollow', 'nowhere'), { minLength: 1 }),
    propertyType: fc.uniqueArray(fc.constantFrom<string>('CONDO', 'LAND'), { minLength: 1 }),
    status: fc.constantFrom(['any'], ['ACTIVE'], ['Pending', 'CLOSED'], ['HOLD']),
    listedSince: fc.constantFrom('2025-01-02', '2025-01-03T00:00:00Z'),
    listedBefore: fc.constantFrom('2025-01-03T00:00:00Z', '2025-02-01'),
    bbox: fc.constantFrom('20,10,20.5,11', '179,10,-179.5,12', '-180,10.5,180,10.5'),
  },
  { requiredKeys: [] },
);
type Filters = typeof filterArbitrary extends fc.Arbitrary<infer F> ? F : never;

function matches(facts: Facts, filters: Filters): boolean {
  const wanted = (filters.status ?? ['ACTIVE']).map((status) => status.toUpperCase());
  const { status } = facts;
  if (status === 'DELETED' || status === 'INCOMPLETE') return false;
  const at = facts.day === null ? null : T0 + facts.day * 86_400_000;
  const [west = 0, south = 0, east = 0, north = 0] = (filters.bbox ?? '').split(',').map(Number);
  const inLng = west <= east ? bound(facts.lng, west, east) : facts.lng >= west || facts.lng <= east;
  const price = facts.listPrice;
  return (
    (wanted.includes('ANY') || wanted.includes(status)) &&
    bound(price, filters.minPrice, filters.maxPrice) &&
    bound(facts.bedrooms, filters.minBedrooms, filters.maxBedrooms) &&
    (!filters.bedrooms || (facts.bedrooms !== null && filters.bedrooms.includes(facts.bedrooms))) &&
    bound(facts.bathrooms, filters.minBathrooms, filters.maxBathrooms) &&
    bound(facts.livingArea, filters.minLivingArea) &&
    bound(facts.lotSize, undefined, filters.maxLotSize) &&
    bound(facts.yearBuilt, filters.minYearBuilt) &&
    (filters.hasPhotos === undefined || (facts.photoCount ?? 0) > 0 === filters.hasPhotos) &&
    (!filters.city || filters.city.some((city) => city.toLowerCase() === facts.city?.toLowerCase())) &&
    (!filters.propertyType || filters.propertyType.includes(facts.type)) &&
    bound(at, filters.listedSince && Date.parse(filters.listedSince)) &&
    (!filters.listedBefore || (at !== null && at < Date.parse(filters.listedBefore))) &&
    (!filters.bbox || (inLng && bound(facts.lat, south, north)))
  );
}

const SORTS: Readonly<Record<string, (facts: Facts) => number | null>> = {
  price: (facts) => facts.listPrice,
  pricePerArea: ({ listPrice, livingArea }) =>
    listPrice === null || livingArea === null ? null : listPrice / livingArea,
  listedAt: (facts) => facts.day,
  closedAt: (facts) => (facts.status === 'CLOSED' ? facts.day : null),
  bedrooms: (facts) => facts.bedrooms,
  bathrooms: (facts) => facts.bathrooms,
  livingArea: (facts) => facts.livingArea,
  yearBuilt: (facts) => facts.yearBuilt,
};
const sortArbitrary = fc
  .uniqueArray(fc.constantFrom(...Object.keys(SORTS)), { minLength: 1, maxLength: 3 })
  .chain((keys) => fc.tuple(...keys.map((key) => fc.constantFrom(key, `-${key}`))));

function inOrder(rows: readonly { id: string; facts: Facts }[], sort: readonly string[]): string[] {
  const compare = (a: { id: string; facts: Facts }, b: { id: string; facts: Facts }): number => {
    for (const text of sort) {
      const value = SORTS[text.replace('-', '')];
      const [x, y] = [value?.(a.facts) ?? null, value?.(b.facts) ?? null];
      if (x === y) continue;
      if (x === null) return 1;
      if (y === null) return -1;
      return text.startsWith('-') ? y - x : x - y;
    }
    return a.id < b.id ? -1 : 1;
  };
  return [...rows].sort(compare).map((row) => row.id);
}

const service = await startService({ after });
const [sample = []] = fc.sample(fc.array(listingArbitrary, { minLength: 400, maxLength: 400, size: 'max' }), {
  seed: 7,
  numRuns: 1,
});
const { ids } = await service.database.transaction((tx) =>
  createCatalogue(service.database).apply(tx, 'test', sample.map(toDraft), T0),
);
const market = sample.map((facts, index) => ({ id: ids.get(`key-${index}`) ?? '', facts }));

const ask = (parameters: Record<string, unknown>): Promise<Answer> => {
  const query = new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
  return service.json(`/v1/search/sales?${query}`, service.keys.internal);
};

async function walk(parameters: Record<string, unknown>): Promise<Answer[]> {
  const pages = [await ask(parameters)];
  for (let cursor = pages[0]?.page.nextCursor; cursor; cursor = pages.at(-1)?.page.nextCursor) {
    pages.push(await ask({ ...parameters, cursor }));
    assert.ok(pages.length < 100, 'the walk ends');
  }
  return pages;
}

test('any filters in any order give, page by page, just what a plain loop gives', async () => {
  const cases = fc.record({
    filters: filterArbitrary,
    sort: sortArbitrary,
    limit: fc.constantFrom(7, 20, 100),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ filters, sort, limit }) => {
      const expected = inOrder(
        market.filter((row) => matches(row.facts, filters)),
        sort,
      );
      const pages = await walk({ ...filters, sort, limit, count: 'exact', fields: 'id' });
      assert.deepEqual(
        pages.flatMap((page) => page.data.map((listing) => listing.id)),
        expected,
      );
      assert.deepEqual(pages[0]?.total, { value: expected.length, relation: 'exact' });
      // Back from the last page to the first, over the same rows.
      let back = pages.at(-1);
      const backwards = [...(back?.data ?? [])];
      while (back?.page.prevCursor) {
        back = await ask({ ...filters, sort, limit, fields: 'id', cursor: back.page.prevCursor });
        backwards.unshift(...back.data);
      }
      assert.deepEqual(
        backwards.map((listing) => listing.id),
        expected,
      );
    }),
    { numRuns: 120, seed: 11 },
  );
});

test('a circle holds exactly the listings within the great-circle distance, across the antimeridian too', async () => {
  const away = (lat: number, lng: number, row: Facts): number => {
    const [p, q, d] = [lat, row.lat, row.lng - lng].map((degrees) => (degrees * Math.PI) / 180);
    // The spherical law of cosines in its stable form: another formula than the service's.
    const x = Math.hypot(
      Math.cos(q ?? 0) * Math.sin(d ?? 0),
      Math.cos(p ?? 0) * Math.sin(q ?? 0) - Math.sin(p ?? 0) * Math.cos(q ?? 0) * Math.cos(d ?? 0),
    );
    const y = Math.sin(p ?? 0) * Math.sin(q ?? 0) + Math.cos(p ?? 0) * Math.cos(q ?? 0) * Math.cos(d ?? 0);
    return 6371.0088 * Math.atan2(x, y);
  };
  for (const [lat, lng, radius] of [
    [10.4, 20.1, 60],
    [10.5, -179.9, 70],
    [11, 179.9, 30],
    [10, 20, 0.001],
  ] as const) {
    const expected = market.filter(
      (row) => matches(row.facts, { status: ['any'] }) && away(lat, lng, row.facts) <= radius,
    );
    const pages = await walk({ lat, lng, radius: `${radius}km`, status: 'any', limit: 500 });
    assert.deepEqual(
      new Set(pages.flatMap((page) => page.data.map((listing) => listing.id))),
      new Set(expected.map((row) => row.id)),
    );
  }
});

test('metric units convert filters and answers', async () => {
  const answer = await ask({ units: 'metric', minLivingArea: 100, sort: 'livingArea', limit: 500 });
  assert.ok(answer.data.length > 0);
  assert.ok(answer.data.every((listing) => listing.areaUnit === 'sqm' && (listing.livingArea ?? 0) >= 100));
  assert.equal(answer.data[0]?.livingArea, 100);
});

test('a cursor of other filters, another sort or nobody’s making is refused', async () => {
  const { page } = await ask({ limit: 5 });
  for (const query of [
    `cursor=${page.nextCursor}&minPrice=1`,
    `cursor=${page.nextCursor}&sort=price`,
    'cursor=abc',
    `cursor=${Buffer.from('[1,2,3,4,5]').toString('base64url')}`,
  ]) {
    const answer = await service.get(`/v1/search/sales?${query}`, service.keys.internal);
    assert.equal(answer.status, 400);
    assert.equal(((await answer.json()) as { code: string }).code, 'INVALID_CURSOR');
  }
});

test('every wrong parameter is named with its remedy', async () => {
  for (const [query, parameter] of [
    ['minPrice=2&maxPrice=1', 'minPrice'],
    ['minprise=1', 'minprise'],
    ['minPrice=1e5', 'minPrice'],
    ['status=SOLD', 'status'],
    ['status=DELETED', 'status'],
    ['sort=-cost', 'sort'],
    ['radius=2km', 'lat'],
    ['lat=1&lng=1&radius=101km', 'radius'],
    ['bbox=1,2,3', 'bbox'],
    ['bbox=1,3,2,2', 'bbox'],
    ['polygon=1,2;3,4', 'polygon'],
    ['listedSince=yesterday', 'listedSince'],
    ['listedSince=2025-02-30', 'listedSince'],
    ['areaId=nowhere', 'areaId'],
    ['fields=prize', 'fields'],
    ['limit=0', 'limit'],
    ['type=CONDO&propertyType=CONDO', 'type'],
  ] as const) {
    const answer = await service.get(`/v1/search/sales?${query}`, service.keys.internal);
    const problem = (await answer.json()) as {
      code: string;
      errors: { parameter: string; detail: string }[];
    };
    assert.equal(answer.status, 400, query);
    assert.ok(
      problem.errors.some((error) => error.parameter === parameter && error.detail.length > 5),
      query,
    );
  }
});

test('rentals know nothing of what only sales have', async () => {
  const answer = await service.get('/v1/search/rentals?minClosePrice=1', service.keys.internal);
  assert.equal(answer.status, 400);
});

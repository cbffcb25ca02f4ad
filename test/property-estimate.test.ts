// Proves comparables and estimates on a market made by hand: their figures, worked out anew, and what stays hidden.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Listing } from '../src/catalogue/record.ts';
import { manualClock } from './support/clock.ts';
import {
  estimateOf,
  type Home,
  KILOMETRES_IN_A_MILE,
  offered,
  similarityOf,
  sold,
  threeDigits,
  writer,
} from './support/property-market.ts';
import { startService } from './support/service.ts';
import { along } from './support/sphere.ts';

const clock = manualClock(Date.UTC(2026, 5, 1, 12));
const service = await startService({ after }, { clock });
const { keys } = service;
const write = writer(service);

interface Told {
  readonly price: number;
  readonly basis: string;
  readonly distance: number;
  readonly similarity: number;
  readonly why: {
    readonly agrees: readonly string[];
    readonly differs: readonly {
      readonly fact: string;
      readonly subject: unknown;
      readonly other: unknown;
    }[];
    readonly unknown: readonly string[];
  };
  readonly listing: Listing;
}
interface Valued {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number;
  readonly basis: string | null;
  readonly asOf: string;
  readonly method: string;
  readonly reason: string | null;
}
interface Estimated {
  readonly currency: string;
  readonly sale: Valued;
  readonly rent: Valued;
}

const comparables = async (id: string | undefined, query = '', key: string = keys.free): Promise<Told[]> =>
  ((await service.json(`/v1/property/${id}/comparables?${query}`, key)) as { data: Told[] }).data;
const estimate = (id: string | undefined, query = '', key: string = keys.free): Promise<Estimated> =>
  service.json(`/v1/property/${id}/estimate?${query}`, key);

/** Markets stand far apart, so that none is in the reach of another. */
const town = (number: number) => (north: number, east: number) => ({
  lat: 40 + number + north / 111.195,
  lng: -100 + east / (111.195 * Math.cos(((40 + number) * Math.PI) / 180)),
});

const known = { bedrooms: 3, bathrooms: 2, lotSize: 5_000, yearBuilt: 1990, waterfront: false };

/** Seven that were sold around the subject, each different in another way. */
function street(at: ReturnType<typeof town>, name: string): { subject: Home; homes: Home[] } {
  const home = (key: string, place: Home['place'], price: number, more: Partial<Home> = {}): Home => ({
    ...{ key: `${name}-${key}`, place, price, livingArea: 2_000, ...known },
    ...more,
  });
  return {
    subject: home('subject', at(0, 0), 900_000),
    homes: [
      home('twin', at(0.1, 0), 500_000),
      home('large', at(0.3, 0.2), 640_000, { livingArea: 2_600, bedrooms: 4 }),
      home('small', at(-0.4, 0.1), 410_000, { livingArea: 1_500, bathrooms: 1 }),
      home('old', at(0, 0.9), 455_000, { yearBuilt: 1950 }),
      home('garden', at(1.2, -0.5), 560_000, { lotSize: 11_000 }),
      home('shore', at(0.5, -1), 830_000, { waterfront: true }),
      home('far', at(4, 3), 380_000, { livingArea: 1_800 }),
    ],
  };
}

test('comparables come with distance, similarity and reasons, the most alike first, as worked out anew', async () => {
  const { subject, homes } = street(town(0), 'first');
  const ids = await write(offered(subject), ...homes.map((home) => sold(home, '2026-03-10')));
  const told = await comparables(ids.get(subject.key));
  const expected = homes.toSorted((a, b) => similarityOf(subject, b) - similarityOf(subject, a));
  assert.deepEqual(
    told.map(({ listing }) => listing.id),
    expected.map(({ key }) => ids.get(key)),
  );
  for (const [place, home] of expected.entries()) {
    const one = told[place];
    assert.ok(one);
    const miles = along(subject.place, home.place) / KILOMETRES_IN_A_MILE;
    assert.ok(Math.abs(one.distance - miles) < 0.0011, `${home.key}: ${one.distance} ${miles}`);
    assert.ok(Math.abs(one.similarity - similarityOf(subject, home)) < 0.0006, home.key);
    assert.deepEqual([one.price, one.basis], [home.price, 'closed']);
  }
  const why = (key: string) => told.find(({ listing }) => listing.id === ids.get(`first-${key}`))?.why;
  assert.deepEqual(why('old')?.differs, [{ fact: 'yearBuilt', subject: 1990, other: 1950 }]);
  assert.deepEqual(why('twin')?.differs, []);
  assert.deepEqual(why('twin')?.agrees.length, 6);
  const metric = await comparables(ids.get(subject.key), 'units=metric&maxRadius=4.9');
  assert.equal(metric.length, 6, 'the one 5 km away is beyond the radius');
  const byLot = metric.find(({ listing }) => listing.id === ids.get('first-garden'))?.why.differs[0];
  assert.deepEqual(byLot, { fact: 'lotSize', subject: 464.52, other: 1021.93 });
});

test('compCount, daysOld and listingType bound what is compared', async () => {
  const at = town(1);
  const { subject, homes } = street(at, 'bounded');
  const [first, ...others] = homes;
  assert.ok(first);
  const rent: Partial<Parameters<typeof offered>[1]> = {
    listingType: 'rental',
    priceFrequency: 'WEEKLY',
  };
  const ids = await write(
    offered(subject),
    sold(first, '2025-05-31'),
    ...others.map((home) => sold(home, '2026-05-20')),
    offered({ ...subject, key: 'to-let', place: at(0.2, 0.2), price: 300 }, rent),
  );
  const id = ids.get(subject.key);
  const keysOf = (told: Told[]) => told.map(({ listing }) => listing.id);
  assert.equal((await comparables(id)).length, 6, 'what closed 366 days ago is too old');
  assert.equal((await comparables(id, 'daysOld=366')).length, 7);
  assert.equal((await comparables(id, 'daysOld=11')).length, 0);
  assert.deepEqual(keysOf(await comparables(id, 'compCount=5')), keysOf(await comparables(id)).slice(0, 5));
  const [flat, ...none] = await comparables(id, 'listingType=rental');
  assert.deepEqual([flat?.price, flat?.basis, none.length], [1_300, 'asking', 0]);
  for (const query of [
    'compCount=4',
    'compCount=26',
    'daysOld=0',
    'maxRadius=0',
    'maxRadius=61',
    'radius=1',
  ]) {
    const answer = await service.get(`/v1/property/${id}/comparables?${query}`, keys.free);
    assert.equal(answer.status, 400, query);
  }
});

test('an estimate is the weighted mean of adjusted prices, with its range, as worked out anew', async () => {
  const { subject, homes } = street(town(2), 'worth');
  const ids = await write(offered(subject), ...homes.map((home) => sold(home, '2026-02-01')));
  const { sale, rent, currency } = await estimate(ids.get(subject.key));
  const expected = estimateOf(subject, homes);
  assert.deepEqual(
    [sale.value, sale.low, sale.high],
    [expected.value, expected.low, expected.high].map(threeDigits),
  );
  assert.deepEqual(
    [sale.n, sale.basis, sale.asOf, sale.reason, currency],
    [7, 'closed', '2026-06-01', null, 'USD'],
  );
  assert.match(sale.method, /geometric mean/);
  assert.deepEqual([rent.value, rent.n, rent.reason], [null, 0, 'too_few_comparables']);
});

test('where the prices agree the range is still five percent each way', async () => {
  const at = town(3);
  const alike = (number: number): Home => ({
    ...{ key: `same-${number}`, place: at(0.1 * number, 0), price: 400_000, livingArea: 1_000, ...known },
  });
  const ids = await write(offered(alike(0)), ...[1, 2, 3, 4, 5].map((n) => sold(alike(n), '2026-05-01')));
  const { sale } = await estimate(ids.get('same-0'));
  assert.deepEqual([sale.value, sale.low, sale.high], [400_000, 380_000, 420_000]);
});

test('what is asked counts where too few were sold, and a rent is estimated from rents', async () => {
  const { subject, homes } = street(town(4), 'asked');
  const [one, ...others] = homes;
  assert.ok(one);
  const rents = homes.map((home) => ({ ...home, key: `${home.key}-rent`, price: home.price / 200 }));
  const ids = await write(
    offered(subject),
    sold(one, '2026-05-01'),
    ...others.map((home) => offered(home)),
    ...rents.map((home) => offered(home, { listingType: 'rental', priceFrequency: 'MONTHLY' })),
  );
  const { sale, rent } = await estimate(ids.get(subject.key));
  assert.deepEqual(
    [sale.value, sale.n, sale.basis],
    [threeDigits(estimateOf(subject, homes).value), 7, 'mixed'],
  );
  assert.deepEqual(
    [rent.value, rent.n, rent.basis],
    [threeDigits(estimateOf(subject, rents).value), 7, 'asking'],
  );
});

test('one home sold twice counts once, by its latest sale, and its own sales never count', async () => {
  const { subject, homes } = street(town(5), 'twice');
  const again = homes.map((home) =>
    sold({ ...home, price: 1 }, '2025-12-01', { listingKey: `${home.key}-before` }),
  );
  const ids = await write(
    offered(subject),
    sold({ ...subject, price: 5 }, '2026-01-01', { listingKey: 'own-sale' }),
    ...again,
    ...homes.map((home) => sold(home, '2026-02-01')),
  );
  const { sale } = await estimate(ids.get(subject.key));
  assert.deepEqual([sale.value, sale.n], [threeDigits(estimateOf(subject, homes).value), 7]);
});

test('no estimate where a source forbids it, too little is known, or too few compare', async () => {
  const at = town(6);
  const { subject, homes } = street(at, 'withheld');
  const forbidden = { display: { listing: true, address: true, estimate: false } };
  const ids = await write(
    offered(subject, forbidden),
    offered({ ...subject, key: 'sizeless' }, { livingArea: null }),
    offered({ ...subject, key: 'placeless' }, { location: null }),
    offered({ ...subject, key: 'lonely', place: town(30)(0, 0) }),
    ...homes.map((home) => sold(home, '2026-02-01')),
  );
  for (const [key, reason] of [
    [subject.key, 'withheld_by_source'],
    ['sizeless', 'living_area_unknown'],
    ['placeless', 'place_unknown'],
    ['lonely', 'too_few_comparables'],
  ] as const) {
    const { sale, rent } = await estimate(ids.get(key));
    assert.deepEqual(
      [sale.value, sale.low, sale.high, sale.reason, rent.value],
      [null, null, null, reason, null],
    );
  }
  const { sale } = await estimate(ids.get(subject.key), 'display=ignore', keys.internal);
  assert.ok(sale.value !== null, 'Internal callers may look past display rules');
  const restricted = await service.get(
    `/v1/property/${ids.get(subject.key)}/estimate?display=ignore`,
    keys.business,
  );
  assert.equal(restricted.status, 403);
  assert.deepEqual(await comparables(ids.get('placeless')), []);
});

test('hidden homes are no comparables, and a withheld address is measured from its rounded place', async () => {
  const { subject, homes } = street(town(7), 'hidden');
  const [hidden, masked, ...others] = homes;
  assert.ok(hidden && masked);
  const ids = await write(
    offered(subject),
    sold(hidden, '2026-02-01', { display: { listing: false, address: true, estimate: true } }),
    sold(masked, '2026-02-01', { display: { listing: true, address: false, estimate: true } }),
    ...others.map((home) => sold(home, '2026-02-01')),
  );
  const told = await comparables(ids.get(subject.key));
  assert.equal(told.length, 6);
  assert.ok(told.every(({ listing }) => listing.id !== ids.get(hidden.key)));
  const round = (value: number) => Math.round(value * 100) / 100;
  const place = { lat: round(masked.place.lat), lng: round(masked.place.lng) };
  const one = told.find(({ listing }) => listing.id === ids.get(masked.key));
  assert.ok(one);
  assert.ok(Math.abs(one.distance * KILOMETRES_IN_A_MILE - along(subject.place, place)) < 0.002);
  assert.equal(one.listing.address.line1, null);
  const all = await comparables(ids.get(subject.key), 'display=ignore', keys.internal);
  assert.equal(all.length, 7);
  const { sale } = await estimate(ids.get(subject.key));
  const seen = [{ ...masked, place }, ...others];
  assert.equal(sale.value, threeDigits(estimateOf(subject, seen).value), 'nor does an estimate tell of them');
});

test('a property whose own address is withheld is compared from its rounded place', async () => {
  const shifted = (north: number, east: number) => town(10)(north + 0.3, east + 0.3);
  const { subject, homes } = street(shifted, 'masked');
  const ids = await write(
    offered(subject, { display: { listing: true, address: false, estimate: true } }),
    ...homes.map((home) => sold(home, '2026-02-01')),
  );
  const place = {
    lat: Math.round(subject.place.lat * 100) / 100,
    lng: Math.round(subject.place.lng * 100) / 100,
  };
  const path = `/v1/property/${ids.get(subject.key)}`;
  const answer: { subject: unknown; data: Told[] } = await service.json(`${path}/comparables`, keys.free);
  assert.deepEqual(answer.subject, {
    ...{ listingId: ids.get(subject.key), propertyType: 'SINGLE_FAMILY' },
    ...place,
  });
  assert.ok(along(subject.place, place) > 0.1, 'rounding moves it');
  for (const { listing, distance } of answer.data) {
    const home = homes.find(({ key }) => ids.get(key) === listing.id);
    assert.ok(home && Math.abs(distance * KILOMETRES_IN_A_MILE - along(place, home.place)) < 0.002);
  }
  const { sale } = await estimate(ids.get(subject.key));
  assert.equal(sale.value, threeDigits(estimateOf({ ...subject, place }, homes).value));
});

test('similar listings are on the market, the most alike first, in as many as the page holds', async () => {
  const { subject, homes } = street(town(8), 'similar');
  const [gone, ...others] = homes;
  assert.ok(gone);
  const ids = await write(offered(subject), sold(gone, '2026-05-30'), ...others.map((home) => offered(home)));
  const path = `/v1/property/${ids.get(subject.key)}/similar`;
  const told = ((await service.json(path, keys.free)) as { data: Told[] }).data;
  const expected = others.toSorted((a, b) => similarityOf(subject, b) - similarityOf(subject, a));
  assert.deepEqual(
    told.map(({ listing }) => listing.id),
    expected.map(({ key }) => ids.get(key)),
  );
  const two = ((await service.json(`${path}?limit=2`, keys.free)) as { data: Told[] }).data;
  assert.deepEqual(two, told.slice(0, 2));
  const near = ((await service.json(`${path}?maxRadius=1`, keys.free)) as { data: Told[] }).data;
  assert.equal(near.length, 5, 'the shore, garden, old, small and large lie within a mile');
  assert.deepEqual(
    ((await service.json(`${path}?listingType=rental`, keys.free)) as { data: Told[] }).data,
    [],
  );
});

test('a property includes what its parts answer, and its tag follows them', async () => {
  const { subject, homes } = street(town(9), 'include');
  const [first, ...others] = homes;
  assert.ok(first);
  const ids = await write(offered(subject), ...others.map((home) => sold(home, '2026-02-01')));
  const id = ids.get(subject.key);
  const path = `/v1/property/${id}?include=estimate,comparables,areas,photos`;
  const answer = await service.get(path, keys.free);
  const body = (await answer.json()) as Estimated & Record<string, unknown>;
  const { currency, sale, rent } = await estimate(id);
  assert.deepEqual(body.estimate, { currency, sale, rent });
  assert.deepEqual(body.comparables, await comparables(id));
  assert.deepEqual([body.photos, body.areas, body.listings], [[], [], null]);
  const plain: Record<string, unknown> = await service.json(`/v1/property/${id}`, keys.free);
  assert.deepEqual([plain.estimate, plain.comparables, plain.photos, plain.areas], [null, null, null, null]);
  const tag = { 'if-none-match': answer.headers.get('etag') ?? '' };
  assert.equal((await service.get(path, keys.free, tag)).status, 304);
  await write(sold(first, '2026-02-01'));
  assert.equal((await service.get(path, keys.free, tag)).status, 200, 'a neighbour’s sale changes it');
  const live: Record<string, unknown> = await service.json(path, keys.business);
  assert.deepEqual((live.estimate as Estimated).sale, (await estimate(id)).sale);
});

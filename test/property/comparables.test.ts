// Proves comparables and similar listings against the same rules worked out anew, and that withheld places give nothing away.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Comparable, startEstimates, street, town } from '../support/catalogue/estimate-service.ts';
import {
  estimateOf,
  KILOMETRES_IN_A_MILE,
  offered,
  similarityOf,
  sold,
  threeDigits,
} from '../support/catalogue/property-market.ts';
import { along } from '../support/catalogue/sphere.ts';
import { assertEvery } from '../support/check/every.ts';

const { comparables, estimate, keys, service, write } = await startEstimates({ after });

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
  const keysOf = (told: Comparable[]) => told.map(({ listing }) => listing.id);
  assert.equal((await comparables(id)).length, 6, 'what closed 366 days ago is too old');
  assert.equal((await comparables(id, 'daysOld=366')).length, 7);
  assert.equal((await comparables(id, 'daysOld=11')).length, 0);
  assert.deepEqual(keysOf(await comparables(id, 'compCount=5')), keysOf(await comparables(id)).slice(0, 5));
  assert.deepEqual(await comparables(id, 'limit=5'), await comparables(id, 'compCount=5'));
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
  assertEvery(told, ({ listing }) => listing.id !== ids.get(hidden.key));
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
  const answer: { subject: unknown; data: Comparable[] } = await service.json(
    `${path}/comparables`,
    keys.free,
  );
  assert.deepEqual(answer.subject, {
    listingId: ids.get(subject.key),
    propertyType: 'SINGLE_FAMILY',
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
  const told = ((await service.json(path, keys.free)) as { data: Comparable[] }).data;
  const expected = others.toSorted((a, b) => similarityOf(subject, b) - similarityOf(subject, a));
  assert.deepEqual(
    told.map(({ listing }) => listing.id),
    expected.map(({ key }) => ids.get(key)),
  );
  const two = ((await service.json(`${path}?limit=2`, keys.free)) as { data: Comparable[] }).data;
  assert.deepEqual(two, told.slice(0, 2));
  const near = ((await service.json(`${path}?maxRadius=1`, keys.free)) as { data: Comparable[] }).data;
  assert.equal(near.length, 5, 'the shore, garden, old, small and large lie within a mile');
  assert.deepEqual(
    ((await service.json(`${path}?listingType=rental`, keys.free)) as { data: Comparable[] }).data,
    [],
  );
});

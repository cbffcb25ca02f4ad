// Tests of how listings and areas come together: whichever came first, and whatever changes.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { updateAllPlacements, writeAreaBatch } from '../../src/ingest/area-writer.ts';
import type { Property } from '../../src/listings/property-record.ts';
import type { Listing } from '../../src/listings/record.ts';
import { area, at, square, startCatalogue } from '../support/catalogue/catalogue.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';

const { database, found, keys, service, write } = await startCatalogue({ after });

test('a listing that comes to lie in another area has changed: its version, its date, and the tag of its property', async () => {
  const { ids } = await write(
    draft('enclosed', { location: at(60.5, 60.5) }),
    draft('untouched', { location: at(62.5, 60.5) }),
  );
  const look = async (name: string) => {
    const answer = await service.get(`/v1/property/${ids.get(name)}`, keys.pro);
    const { currentListing } = (await answer.json()) as Property;
    const { version, areaIds = [], updatedAt = '' } = currentListing ?? {};
    return { version, areas: areaIds.length, updatedAt, etag: answer.headers.get('etag') };
  };
  const before = { enclosed: await look('enclosed'), untouched: await look('untouched') };
  await writeAreaBatch(database, 'test', [
    area({ type: 'custom', name: 'Enclosure', boundary: square(60, 60, 1) }),
  ]);
  await updateAllPlacements(database);
  const after = await look('enclosed');
  assert.deepEqual(
    [before.enclosed.version, before.enclosed.areas, after.version, after.areas],
    [1, 0, 2, 1],
  );
  assert.notEqual(after.etag, before.enclosed.etag);
  assert.notEqual(after.updatedAt, before.enclosed.updatedAt);
  assert.deepEqual(await look('untouched'), before.untouched);
  await updateAllPlacements(database);
  assert.deepEqual(await look('enclosed'), after, 'placed the same again, nothing has changed');
});

test('areas and listings may come in either order; what a boundary holds decides, edges included', async () => {
  const { ids } = await write(
    draft('inside', { location: at(50.5, 50.5) }),
    draft('edge', { location: at(50, 50.5) }),
    draft('outside', { location: at(49.999999, 50.5) }),
    draft('named', { address: { ...NO_ADDRESS, city: 'Unbounded City' } }),
  );
  await writeAreaBatch(database, 'test', [
    area({
      type: 'neighborhood',
      name: 'Squareville',
      boundary: square(50, 50, 1),
      parentReference: 'Unbounded City',
    }),
    area({ type: 'city', name: 'Unbounded City' }),
  ]);
  await updateAllPlacements(database);
  const idsOf = (listings: readonly Listing[]) => listings.map((listing) => listing.id).sort();
  const of = (...names: string[]) => names.map((name) => ids.get(name)).sort();
  assert.deepEqual(idsOf(await found('areaId=neighborhood-squareville')), of('inside', 'edge'));
  // A city without a boundary holds what its address names and what its neighbourhoods hold.
  assert.deepEqual(idsOf(await found('areaId=city-unbounded-city')), of('inside', 'edge', 'named'));
  await write(draft('later', { location: at(50.7, 50.7) }));
  assert.equal((await found('areaId=neighborhood-squareville')).length, 3);
  const shown: { counts: object; ancestors: { id: string }[] } = await service.json(
    '/v1/areas/neighborhood-squareville',
  );
  assert.deepEqual(shown.counts, { rentals: 0, sales: 3 });
  assert.deepEqual(
    shown.ancestors.map((ancestor) => ancestor.id),
    ['city-unbounded-city'],
  );
  await write(draft('later', { location: at(50.7, 50.7), status: 'PENDING' }));
  const after = await service.json('/v1/areas/neighborhood-squareville');
  assert.deepEqual((after as { counts: object }).counts, { rentals: 0, sales: 2 });
});

test('a listing without a place lies in the areas that its address names, and in those around them', async () => {
  await writeAreaBatch(database, 'test', [
    area({ type: 'state', name: 'Jefferson', codes: { iso: 'US-JE' }, boundary: square(-100, 30, 9) }),
    area({ type: 'state', name: 'Franklin', codes: { iso: 'US-FK' }, boundary: square(-80, 30, 9) }),
    ...(['Jefferson', 'Franklin'] as const).map((state, at) =>
      area({
        type: 'city',
        name: 'Twinville',
        externalId: `Twinville ${state}`,
        parentReference: state,
        boundary: square(-99 + 20 * at, 31, 1),
      }),
    ),
  ]);
  await writeAreaBatch(database, 'test', [
    area({
      type: 'county',
      name: 'Orford County',
      boundary: square(-97, 31, 2),
      parentReference: 'Jefferson',
    }),
    area({
      type: 'city',
      name: 'Saint-Remy',
      parentReference: 'Orford County',
      boundary: square(-97, 31, 1),
    }),
    area({ type: 'postal_code', name: '97477', boundary: square(-97, 31, 1) }),
  ]);
  await updateAllPlacements(database);
  const inTwinville = (state: string | null) => ({ ...NO_ADDRESS, city: 'Twinville', state });
  const { ids } = await write(
    draft('placed', { location: at(31.5, -98.5), address: inTwinville('FK') }),
    draft('coded', { address: inTwinville('JE') }),
    draft('spelt', { address: inTwinville('franklin') }),
    draft('either', { address: inTwinville(null) }),
    draft('abroad', { address: inTwinville('Elsewhere') }),
    draft('spelt-otherwise', {
      address: { ...NO_ADDRESS, city: 'St Rémy', county: 'Orford', state: 'JE', postalCode: '97477-1234' },
    }),
  );
  const named = (...names: string[]) => names.map((name) => ids.get(name)).sort();
  const within = async (id: string) => (await found(`areaId=${id}`)).map((listing) => listing.id).sort();
  assert.deepEqual(await within('city-twinville-jefferson'), named('placed', 'coded'));
  assert.deepEqual(await within('state-jefferson'), named('placed', 'coded', 'spelt-otherwise'));
  for (const id of ['city-saint-remy', 'county-orford-county', 'postal-code-97477'])
    assert.deepEqual(await within(id), named('spelt-otherwise'), id);
  assert.deepEqual(await within('city-twinville-franklin'), named('spelt'));
  assert.deepEqual(await within('state-franklin'), named('spelt'));
  const { counts }: { counts: object } = await service.json('/v1/areas/city-twinville-jefferson');
  assert.deepEqual(counts, { rentals: 0, sales: 2 });
  await writeAreaBatch(database, 'test', [
    area({ type: 'county', name: 'Later County', boundary: square(-60, 30, 1) }),
  ]);
  const late = await write(draft('late', { address: { ...NO_ADDRESS, county: 'Later County' } }));
  assert.deepEqual(await within('county-later-county'), [late.ids.get('late')]);
});

test('areas are found by the beginning of any word, in any order, and paged by cursor', async () => {
  await writeAreaBatch(database, 'test', [
    area({ type: 'city', name: 'Saint Étienne Grove' }),
    area({ type: 'city', name: 'St. Grovers Mill' }),
    area({ type: 'county', name: 'Groverland' }),
  ]);
  const names = async (query: string): Promise<string[]> => {
    const answer: { data: { name: string }[] } = await service.json(`/v1/areas?${query}`, keys.pro);
    return answer.data.map((entry) => entry.name);
  };
  assert.deepEqual(await names('q=grov'), ['Groverland', 'Saint Étienne Grove', 'St. Grovers Mill']);
  assert.deepEqual(await names('q=grov etienne'), ['Saint Étienne Grove']);
  assert.deepEqual(await names('q=land'), []);
  assert.deepEqual(await names('q=st gro&type=city'), ['Saint Étienne Grove', 'St. Grovers Mill']);
  const first: { page: { nextCursor: string } } = await service.json('/v1/areas?q=grov&limit=2', keys.pro);
  assert.deepEqual(await names(`q=grov&limit=2&cursor=${first.page.nextCursor}`), ['St. Grovers Mill']);
  const children: { data: { id: string }[] } = await service.json('/v1/areas/city-unbounded-city/children');
  assert.deepEqual(
    children.data.map((entry) => entry.id),
    ['neighborhood-squareville'],
  );
  const boundary: { geometry: { type: string } } = await service.json(
    '/v1/areas/neighborhood-squareville/boundary',
  );
  assert.equal(boundary.geometry.type, 'Polygon');
  assert.equal((await service.get('/v1/areas/nowhere')).status, 404);
});

// Tests of listings that have an address and no coordinates: where they are placed, by what, and what follows from it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { updateAllPlacements, writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { relocateAll } from '../../src/ingest/reviews/relocation.ts';
import type { Listing } from '../../src/listings/record.ts';
import { area, at, square, startCatalogue } from '../support/catalogue/catalogue.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';

const { database, found, write, property, keys, service } = await startCatalogue({ after });

const address = (parts: Partial<typeof NO_ADDRESS> | Record<string, string>) => ({ ...NO_ADDRESS, ...parts });
const TACOMA = { city: 'Tacoma', state: 'WA', country: 'US' };
const SEATTLE = { city: 'Seattle', state: 'WA', country: 'US' };

async function listed(query: string): Promise<Map<string, Listing>> {
  return new Map((await found(query)).map((listing) => [listing.provider.listingKey, listing]));
}

test('a draft without coordinates is placed by its postal code, else by its town, else nowhere; never exactly', async () => {
  const { places } = await write(
    draft('zip', { address: address({ ...SEATTLE, postalCode: '98101' }) }),
    draft('town', { address: address(SEATTLE) }),
    draft('text', { address: address({ full: '12 Oak St, Seattle, WA 98101' }) }),
    draft('unknown', { address: address({ city: 'Nowhereville', state: 'WA', country: 'US' }) }),
    draft('nothing', {}),
    draft('stated', { address: address(SEATTLE), location: at(47.5, -122.5) }),
  );
  assert.deepEqual(places, { provided: 1, geocoder: 0, area: 0, gazetteer: 3, none: 2 });
  const all = await listed('providerId=test');
  const middle = { lat: 47.6114, lng: -122.3305, precision: 'approximate', source: 'gazetteer' };
  assert.deepEqual(all.get('zip')?.location, middle);
  assert.deepEqual(all.get('text')?.location, middle);
  assert.deepEqual(all.get('town')?.location, { ...middle, lat: 47.60621, lng: -122.33207 });
  assert.equal(all.get('unknown')?.location, null);
  assert.equal(all.get('nothing')?.location, null);
  assert.deepEqual(all.get('stated')?.location, {
    lat: 47.5,
    lng: -122.5,
    precision: 'exact',
    source: 'provided',
  });
});

test('shapes find approximate places as they stand; `precision` filters them; both backends agree', async () => {
  const around = 'bbox=-123,47,-122,48';
  for (const status of ['ACTIVE', 'ACTIVE,PENDING']) {
    const keysOf = async (query: string) => [...(await listed(`${query}&status=${status}`)).keys()].sort();
    assert.deepEqual(await keysOf(around), ['stated', 'text', 'town', 'zip']);
    assert.deepEqual(await keysOf(`${around}&precision=exact`), ['stated']);
    assert.deepEqual(await keysOf(`${around}&precision=approximate`), ['text', 'town', 'zip']);
    assert.deepEqual(await keysOf('precision=exact,approximate'), ['stated', 'text', 'town', 'zip']);
    assert.deepEqual(await keysOf('lat=47.6114&lng=-122.3305&radius=100m'), ['text', 'zip']);
  }
  const refused = await service.get('/v1/search/sales?precision=rough', keys.pro);
  assert.equal(refused.status, 400);
});

test('the same draft again changes nothing; an address of its own does', async () => {
  const same = draft('zip', { address: address({ ...SEATTLE, postalCode: '98101' }) });
  assert.equal((await write(same)).unchanged, 1);
  const { changed } = await write({ ...same, address: address({ ...SEATTLE, postalCode: '98109' }) });
  assert.equal(changed, 1);
  assert.notEqual((await listed('postalCode=98109')).get('zip')?.location?.lat, 47.6114);
});

test('areas that come later place listings in their middles, inside the boundary, without an event', async () => {
  const { ids } = await write(draft('later', { address: address({ ...TACOMA, postalCode: '98402' }) }));
  const id = ids.get('later') ?? '';
  const before = await property(id);
  assert.equal(before.location?.source, 'gazetteer');
  // A horseshoe, whose centre of gravity lies outside.
  const [west, south] = [-122.5, 47.2];
  const horseshoe = [
    [0, 0],
    [0.3, 0],
    [0.3, 0.3],
    [0.25, 0.3],
    [0.25, 0.05],
    [0.05, 0.05],
    [0.05, 0.3],
    [0, 0.3],
    [0, 0],
  ].map(([x = 0, y = 0]) => [west + x, south + y]);
  await writeAreaBatch(database, 'test', [
    area({
      type: 'postal_code',
      name: '98402',
      codes: { postal: '98402' },
      boundary: { type: 'Polygon', coordinates: [horseshoe] },
    }),
    area({ type: 'county', name: 'Pierce', boundary: square(-123, 47, 1) }),
    area({ type: 'neighborhood', name: 'Somewhere Else', boundary: square(-122.5, 47.2, 0.3) }),
  ]);
  await updateAllPlacements(database);
  await relocateAll(database);
  const after = await property(id);
  assert.equal(after.location?.source, 'area');
  assert.equal(after.location?.precision, 'approximate');
  assert.deepEqual(after.history, before.history);
  const inside = (await listed('areaId=postal-code-98402')).get('later');
  assert.ok(inside, 'by its address');
  const { lat = 0, lng = 0 } = inside.location ?? {};
  const isIn = await listed(`polygon=${horseshoe.map((corner) => corner.join()).join(';')}&postalCode=98402`);
  assert.ok(isIn.has('later'), `${lng},${lat} lies in the boundary`);
  // Of what contains the middle only large areas contain the home too: in which neighbourhood it lies, nobody knows.
  assert.ok((await listed('areaId=county-pierce')).has('later'));
  assert.ok(!(await listed('areaId=neighborhood-somewhere-else')).has('later'));
  await write(draft('later', { address: address({ ...TACOMA, postalCode: '98402' }) }));
  assert.deepEqual((await property(id)).location, after.location);
  assert.equal(
    (await write(draft('later', { address: address({ ...TACOMA, postalCode: '98402' }) }))).unchanged,
    1,
  );
});

test('an area of the same name far away from the town of the address is another one', async () => {
  await writeAreaBatch(database, 'test', [
    area({ type: 'city', name: 'Spokane', boundary: square(10, 50, 0.2) }),
  ]);
  const { ids } = await write(draft('spokane', { address: address({ ...TACOMA, city: 'Spokane' }) }));
  const { location } = await property(ids.get('spokane') ?? '');
  assert.equal(location?.source, 'gazetteer');
});

test('nothing is measured from the middle of a town: no estimate, no comparables, and none for others', async () => {
  const size = { livingArea: 1_000, bedrooms: 2, listPrice: 500_000 };
  const near = { lat: 47.2529, lng: -122.4443 };
  const town = { address: address(TACOMA), ...size };
  const { ids } = await write(
    draft('middle', town),
    ...Array.from({ length: 12 }, (_, n) => draft(`middle ${n}`, { ...town, listPrice: 490_000 + n })),
    draft('own', { ...size, location: at(near.lat, near.lng) }),
    draft('neighbour', { ...size, location: at(near.lat + 0.001, near.lng) }),
  );
  const comparables = async (key: string) => {
    const path = `/v1/property/${ids.get(key)}/comparables?maxRadius=20`;
    const answer: { data: unknown[] } = await service.json(path, keys.internal);
    return answer.data.length;
  };
  assert.equal(await comparables('middle'), 0);
  assert.equal(await comparables('own'), 1, 'the neighbour alone');
});

test('a withheld address stays approximate, and says where its place is from', async () => {
  const { ids } = await write(
    draft('withheld', {
      address: address({ ...SEATTLE, postalCode: '98101' }),
      display: { listing: true, address: false, estimate: true },
    }),
  );
  const { location } = await property(ids.get('withheld') ?? '', keys.pro);
  assert.deepEqual(location, { lat: 47.61, lng: -122.33, precision: 'approximate', source: 'gazetteer' });
});

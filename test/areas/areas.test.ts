// Tests of areas over HTTP: every filter, order and page of made-up worlds is what naive rules say.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Area } from '../../src/areas/area.ts';
import { updateAllPlacements, writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import {
  below,
  draftOf,
  holdsPoint,
  type KnownArea,
  makeWorld,
  meetsBox,
} from '../support/catalogue/area-world.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { runs } from '../support/check/runs.ts';
import { startService } from '../support/service/service.ts';

interface Page<A = Area> {
  readonly data: readonly A[];
  readonly page: { readonly limit: number; readonly hasMore: boolean; readonly nextCursor: string | null };
}
type Query = Readonly<Record<string, string>>;

const service = await startService({ after });
const { database, clock, keys } = service;
const world = makeWorld(140, 7);
const known = new Map(world.map((area) => [area.id, area]));
// Children first: parents are found once they have come.
for (const part of [world.slice(70), world.slice(0, 70)])
  await writeAreaBatch(database, 'test', part.map(draftOf));
await database.write(async (sql) => {
  const counts = world.filter(({ active }) => active > 0);
  await sql`insert into area_count (area_no, listing_type, licence_no, active)
    select no, 'sale', 1, active from unnest(${counts.map(({ id }) => id)}::text[],
      ${counts.map(({ active }) => active)}::integer[]) as row (id, active) join area using (id)`;
});

const ask = (query: Query, path = '/v1/areas'): Promise<Page> =>
  service.json(`${path}?${new URLSearchParams(query)}`, keys.internal);

/** All pages of a list; the bound on pages keeps a cursor that stands still from going on for ever. */
async function walk(query: Query, path?: string): Promise<Area[]> {
  const areas: Area[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { data, page }: Page = await ask({ ...query, ...(cursor && { cursor }) }, path);
    assert.equal(page.hasMore, page.nextCursor !== null);
    areas.push(...data);
    assert.ok(areas.length <= world.length + 2, 'no area comes twice');
    cursor = page.nextCursor;
  }
  return areas;
}

const idsOf = (areas: readonly { readonly id: string }[]): string[] => areas.map(({ id }) => id);
const byCode = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Nulls last in either direction, then by id. */
function inOrder(areas: readonly KnownArea[], sort = 'name'): KnownArea[] {
  const down = sort.startsWith('-');
  const key = sort.replace('-', '');
  const sortedBy = (area: KnownArea) =>
    key === 'name' ? area.name : key === 'population' ? area.population : area.active;
  return areas.toSorted((a, b) => {
    const [left, right] = [sortedBy(a), sortedBy(b)];
    if (left === right) return byCode(a.id, b.id);
    if (left === null || right === null) return left === null ? 1 : -1;
    return left < right === down ? 1 : -1;
  });
}

const RULES: Readonly<Record<string, (area: KnownArea, value: string, query: Query) => boolean>> = {
  type: ({ type }, value) => type === value.toLowerCase(),
  parentId: ({ parents }, value) => parents.includes(value),
  ancestorId: ({ id }, value) => below(world, value).has(id),
  hasBoundary: ({ rectangles }, value) => String(rectangles.length > 0) === value,
  bbox: (area, value) => meetsBox(area, value.split(',').map(Number)),
  lat: (area, lat, { lng }) => holdsPoint(area, Number(lng), Number(lat)),
  q: ({ words }, value) => value.split(' ').every((asked) => words.some((word) => word.startsWith(asked))),
};

function expected(query: Query): string[] {
  const rules = Object.entries(query).flatMap(([name, value]) => {
    const rule = RULES[name];
    return rule ? [(area: KnownArea) => rule(area, value, query)] : [];
  });
  return idsOf(
    inOrder(
      world.filter((area) => rules.every((rule) => rule(area))),
      query.sort,
    ),
  );
}

const lngs = [-180, -179, -178, -177.5, 160, 165, 170, 174.5, 175, 177, 179, 180].map(String);
const lats = ['-9', '-8', '-4.5', '-3', '0', '0.5', '2', '5', '9'];
const someId = fc.constantFrom(...world.filter((_, at) => at % 3 === 0).map(({ id }) => id));
const maybe = (value: fc.Arbitrary<string>) => fc.option(value, { nil: undefined, freq: 1 });
const point = fc.record({ lat: fc.constantFrom(...lats), lng: fc.constantFrom(...lngs) });
const box = fc
  .tuple(
    fc.constantFrom(...lngs),
    fc.constantFrom(...lats),
    fc.constantFrom(...lngs),
    fc.constantFrom(...lats),
  )
  .filter(([, south, , north]) => Number(south) <= Number(north))
  .map((sides) => sides.join());
const queries = fc
  .record({
    type: maybe(fc.constantFrom('city', 'COUNTY', 'postal_code')),
    parentId: maybe(someId),
    ancestorId: maybe(someId),
    hasBoundary: maybe(fc.constantFrom('true', 'false')),
    bbox: maybe(box),
    q: maybe(fc.constantFrom('spr', 'haver', 'o', 'lodz f', 'etienne saint', 'coeur')),
    sort: maybe(
      fc.constantFrom('name', '-name', 'population', '-population', 'listingCount', '-listingCount'),
    ),
    at: fc.option(point, { nil: undefined, freq: 1 }),
    limit: fc.integer({ min: 8, max: 60 }).map(String),
  })
  .map(({ at, ...rest }): Query => {
    const given = Object.entries({ ...rest, ...at }).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given) as Query;
  });

test('whatever is asked for together, the pages hold just the areas that meet it, each once, in order', async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(queries, async (query) => {
      const areas = idsOf(await walk(query));
      assert.deepEqual(areas, expected(query));
      found += areas.length;
    }),
    runs(45, 17),
  );
  assert.ok(found > 150, `something was found: ${found}`);
});

test('every order is kept from page to page, and what is unknown stands last in it', async () => {
  for (const sort of ['name', '-name', 'population', '-population', 'listingCount', '-listingCount'])
    assert.deepEqual(idsOf(await walk({ sort, limit: '9' })), expected({ sort }), sort);
});

test('a point is held by every area around it, edges, corners and the antimeridian included', async () => {
  for (const lng of lngs)
    for (const lat of lats)
      assert.deepEqual(
        idsOf(await walk({ lat, lng, limit: '500' })),
        expected({ lat, lng }),
        `${lng},${lat}`,
      );
});

test('an area tells all its parents, and every ancestor once', async () => {
  for (const area of await walk({ limit: '500' })) {
    const parents = known.get(area.id)?.parents ?? [];
    assert.deepEqual([area.parentId, [...area.parentIds]], [parents[0] ?? null, parents]);
    const above = world.filter(({ id }) => id !== area.id && below(world, id).has(area.id));
    assert.deepEqual(idsOf(area.ancestors ?? []).sort(), idsOf(above).sort());
  }
  for (const { id } of world.slice(0, 40))
    assert.deepEqual(
      idsOf(await walk({ limit: '5' }, `/v1/areas/${id}/children`)),
      expected({ parentId: id }),
    );
});

test('a file that makes areas parents of each other is borne', async () => {
  const around = (externalId: string, type: 'city' | 'county', parentReference: string) => ({
    externalId,
    type,
    name: `Ring ${externalId}`,
    parentReference,
    aliases: [],
    codes: {},
    population: null,
    boundary: null,
  });
  await writeAreaBatch(database, 'test', [around('r1', 'city', 'r2'), around('r2', 'county', 'r1')]);
  const area: Area = await service.json('/v1/areas/city-r1', keys.pro);
  assert.deepEqual(idsOf(area.ancestors ?? []), ['county-r2']);
  assert.deepEqual(idsOf((await ask({ ancestorId: 'city-r1' })).data), ['county-r2']);
});

test('the costly parts of an area are there when they are asked for, and null when not', async () => {
  const { id } = world.find(({ rectangles }) => rectangles.length > 0) ?? assert.fail();
  const parts = async (query: string) => {
    const area: Area = await service.json(`/v1/areas/${id}${query}`, keys.pro);
    return [area.boundary !== null, area.counts !== null, area.ancestors !== null];
  };
  assert.deepEqual(await parts(''), [false, true, true]);
  assert.deepEqual(await parts('?include=boundary'), [true, false, false]);
  assert.deepEqual(await parts('?include=boundary,counts,ancestors'), [true, true, true]);
  const whole: Area = await service.json(`/v1/areas/${id}?include=boundary`, keys.pro);
  const drawn: { geometry: unknown } = await service.json(`/v1/areas/${id}/boundary`, keys.pro);
  assert.deepEqual(whole.boundary, drawn.geometry);
});

test('what lies near comes by the distance between centroids, page by page', async () => {
  const centroids = new Map((await walk({ limit: '500' })).map(({ id, centroid }) => [id, centroid]));
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const apart = (a: { lat: number; lng: number }, b: { lat: number; lng: number }) => {
    const cosine =
      Math.sin(radians(a.lat)) * Math.sin(radians(b.lat)) +
      Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * Math.cos(radians(a.lng - b.lng));
    return 6371.0088 * Math.acos(Math.min(1, cosine));
  };
  for (const { id } of world.slice(0, 12)) {
    const here = centroids.get(id);
    const near = (await walk({ limit: '30' }, `/v1/areas/${id}/nearby`)) as (Area & { distanceKm: number })[];
    const others = [...centroids].flatMap(([other, at]) => (other !== id && here && at ? [other] : []));
    assert.deepEqual(idsOf(near).sort(), others.sort());
    assert.deepEqual(
      near.map(({ distanceKm }) => distanceKm),
      near.map(({ distanceKm }) => distanceKm).toSorted((a, b) => a - b),
    );
    for (const area of near)
      if (here && area.centroid)
        assert.ok(Math.abs(apart(here, area.centroid) - area.distanceKm) < 0.001, area.id);
  }
  assert.equal((await service.get('/v1/areas/nowhere/nearby')).status, 404);
});

test('what makes no sense is refused and named, and anonymous pages hold ten areas', async () => {
  for (const [query, parameter] of [
    ['lat=1', 'lng'],
    ['suggest=true', 'suggest'],
    ['suggest=true&q=a&sort=name', 'sort'],
    ['suggest=true&q=a&cursor=x', 'cursor'],
    ['bbox=1,2,3', 'bbox'],
    ['sort=id', 'sort'],
    ['include=photos', 'include'],
    ['hasBoundary=maybe', 'hasBoundary'],
    ['ancestorId=nowhere', 'ancestorId'],
    ['nearby=1', 'nearby'],
  ] as const) {
    const answer = await service.get(`/v1/areas?${query}`, keys.pro);
    const { code, errors } = (await answer.json()) as { code: string; errors: { parameter: string }[] };
    assert.deepEqual(
      [answer.status, code, errors[0]?.parameter],
      [400, 'INVALID_PARAMETER', parameter],
      query,
    );
  }
  for (const bbox of ['0,1,1,0', '0,-91,1,1', '-181,0,0,1'])
    assert.equal((await service.get(`/v1/areas?bbox=${bbox}`, keys.pro)).status, 400, bbox);
  const answer = await service.get('/v1/areas?limit=50');
  const { data, page } = (await answer.json()) as Page;
  assert.deepEqual([data.length, page.limit], [10, 10]);
});

test('counts are what a recount says, whatever becomes of listings and of areas', async () => {
  const catalogue = createCatalogue(database);
  const spots = fc.record({
    key: fc.integer({ min: 0, max: 25 }).map(String),
    status: fc.constantFrom('ACTIVE' as const, 'ACTIVE' as const, 'PENDING' as const, 'CLOSED' as const),
    lng: fc.constantFrom(...lngs.map(Number)),
    lat: fc.constantFrom(...lats.map(Number)),
    shown: fc.constantFrom(true, true, false),
  });
  await database.write((sql) => sql`delete from area_count`);
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(spots, { selector: ({ key }) => key, maxLength: 12 }),
      fc.nat(139),
      async (written, moved) => {
        const drafts = written.map(({ key, status, lng, lat, shown }) =>
          draft(`c${key}`, {
            status,
            address: NO_ADDRESS,
            location: { lng, lat, precision: 'exact' as const },
            display: { listing: shown, address: true, estimate: true },
          }),
        );
        await database.transaction((tx) => catalogue.write(tx, 'test', drafts, clock.now()));
        const area = world[moved] ?? assert.fail();
        await writeAreaBatch(database, 'test', [
          { ...draftOf(area), boundary: draftOf(world[(moved * 7) % 140] ?? area).boundary },
        ]);
        await updateAllPlacements(database);
        const wrong = await database.read(
          (sql) => sql`
        with recount as (
          select no as area_no, listing_type, count(*)::integer as active
          from listing, unnest(area_nos) as no where status = 'ACTIVE' and displayed group by 1, 2)
        select * from recount full join (select * from area_count where active <> 0) as kept using (area_no, listing_type)
        where recount.active is distinct from kept.active`,
        );
        assert.deepEqual([...wrong], []);
      },
    ),
    runs(12, 5),
  );
});

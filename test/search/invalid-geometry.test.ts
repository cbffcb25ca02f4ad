// Proof that no geometry is taken that counts wrongly: what requests and imports say of it, and that sound ones pass.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import { openImports } from '../support/catalogue/import-service.ts';
import { assertEvery } from '../support/check/every.ts';
import { startService } from '../support/service/service.ts';

const { bench, file } = await openImports({ after });

type Corner = readonly [number, number];

const box = (west: number, south: number, east: number, north: number): Corner[] =>
  [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ] as const;
const bowTie: Corner[] = [
  [0, 0],
  [1, 1],
  [1, 0],
  [0, 1],
  [0, 0],
];
const polygon = (...rings: (readonly Corner[])[]) => ({ type: 'Polygon', coordinates: rings });
const several = (...polygons: (readonly Corner[])[][]) => ({ type: 'MultiPolygon', coordinates: polygons });

const FAULTS = [
  ['bow-tie', polygon(bowTie), 'the shell crosses itself at [0.5, 0.5]'],
  ['stray hole', polygon(box(0, 0, 1, 1), box(5, 5, 6, 6)), 'hole 1 lies outside its shell at [5, 5]'],
  ['wide hole', polygon(box(0, 0, 9, 9), box(5, 1, 12, 2)), 'hole 1 crosses its shell at [9, 1]'],
  [
    'two holes',
    polygon(box(0, 0, 9, 9), box(1, 1, 5, 5), box(4, 4, 8, 8)),
    'hole 2 overlaps another hole at [5, 4]',
  ],
  [
    'overlap',
    several([box(0, 0, 2, 2)], [box(1, 1, 3, 3)]),
    'the shell of polygon 2 overlaps polygon 1 at [2, 1]',
  ],
  ['within', several([box(0, 0, 9, 9)], [box(1, 1, 3, 3)]), 'the shell of polygon 2 lies within polygon 1'],
  [
    'line',
    polygon([
      [0, 0],
      [1, 1],
      [2, 2],
      [0, 0],
    ]),
    'the shell encloses nothing: its corners are on one line at [0, 0]',
  ],
  [
    'swapped',
    polygon(box(47.5, -122.4, 47.7, -122.2)),
    '[47.5, -122.4] looks swapped, as latitude -122.4 is beyond 90',
  ],
  ['metres', polygon(box(1_271_000, 230_000, 1_272_000, 231_000)), '[1271000, 230000] is not in degrees'],
] as const;

const SOUND = [
  [
    'touching holes',
    polygon(
      box(0, 0, 9, 9),
      [
        [1, 1],
        [4, 4],
        [1, 7],
        [1, 1],
      ],
      [
        [4, 4],
        [8, 1],
        [8, 7],
        [4, 4],
      ],
    ),
  ],
  ['neighbours', several([box(0, 0, 2, 2)], [box(2, 0, 4, 2)])],
  ['island in a lake', several([box(0, 0, 9, 9), box(1, 1, 8, 8)], [box(2, 2, 3, 3)])],
  [
    'hole by a touch',
    polygon([
      [0, 0],
      [9, 0],
      [9, 9],
      [0, 9],
      [0, 0],
      [2, 2],
      [2, 5],
      [5, 5],
      [0, 0],
    ]),
  ],
] as const;

const map = (more: object = {}) =>
  JSON.stringify({
    kind: 'areas',
    source: { id: 'shapes', name: 'Shapes' },
    fields: { id: { column: 'id' }, type: { constant: 'custom' }, name: { column: 'id' }, ...more },
  });
const collection = (shapes: readonly (readonly [string, unknown, ...unknown[]])[]) =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: shapes.map(([id, geometry]) => ({ type: 'Feature', properties: { id }, geometry })),
  });

test('a polygon of a request that counts wrongly is refused with the ring and the point', async (t) => {
  const { url, keys } = await startService(t);
  const ask = async (shape: unknown) => {
    const answer = await fetch(`${url}/v1/search/sales`, {
      method: 'POST',
      headers: { authorization: `Bearer ${keys.internal}`, 'content-type': 'application/json' },
      body: JSON.stringify({ polygon: shape }),
    });
    return { status: answer.status, problem: (await answer.json()) as { code?: string; detail?: string } };
  };
  for (const [name, shape, told] of FAULTS) {
    const { status, problem } = await ask(shape);
    assert.deepEqual([status, problem.code], [400, 'INVALID_GEOMETRY'], name);
    assert.ok(problem.detail?.includes(told), `${name}: ${problem.detail}`);
  }
  for (const [name, shape] of SOUND) assert.equal((await ask(shape)).status, 200, name);
  const get = (query: string) =>
    fetch(`${url}/v1/search/sales?${query}`, { headers: { authorization: `Bearer ${keys.internal}` } });
  for (const [query, told] of [
    ['polygon=0,0;1,1;1,0;0,1', /crosses itself at \[0\.5, 0\.5\]/],
    ['polygon=1271000,230000;1272000,230000;1272000,231000', /is not in degrees/],
    ['bbox=47.5,-122.4,47.7,-122.2', /bbox is not valid: \[47\.5, -122\.4\] looks swapped/],
    [`map=${JSON.stringify([box(0, 0, 1, 1), bowTie])}`, /the shell of polygon 2 crosses itself/],
  ] as const) {
    const answer = await get(query);
    const { code, detail } = (await answer.json()) as { code: string; detail: string };
    assert.deepEqual([answer.status, code], [400, 'INVALID_GEOMETRY'], query);
    assert.match(detail, told);
  }
  // Drawn one by one, shapes may overlap: what lies in two of them is found once.
  assert.equal((await get(`map=${JSON.stringify([box(0, 0, 2, 2), box(1, 1, 3, 3)])}`)).status, 200);
});

test('an area whose boundary counts wrongly is rejected with the ring and the point, and sound ones are taken', async (t) => {
  const { database, run, outcome } = await bench(t);
  const unclosed = [
    'unclosed',
    polygon(box(0, 0, 2, 2).slice(0, 4)),
    'starts at [0, 0] and ends at [0, 2]',
  ] as const;
  const faults = [...FAULTS, unclosed];
  const mapFile = await file('shapes-map.json', map());
  const rejected = await run(
    'areas',
    await file('faults.geojson', collection(faults)),
    '--map',
    mapFile,
    '--dry-run',
  );
  assert.equal(rejected.code, 3, rejected.stderr);
  for (const [name, , told] of faults)
    assert.ok(rejected.stdout.includes(told), `${name}: ${rejected.stdout}`);
  const taken = await outcome('areas', await file('sound.geojson', collection(SOUND)), '--map', mapFile);
  assert.deepEqual([taken.created, taken.rejected], [SOUND.length, 0]);
  const areas = await database.read((sql) => sql`select name, area_km2 from area`);
  assertEvery(areas, ({ area_km2: km2 }) => Number(km2) > 0);
});

test('swapped and projected coordinates of listings are named as such', async (t) => {
  const { run } = await bench(t);
  const text = 'id,lat,lng\na,-122.3,47.6\nb,230000,1271000\nc,95,200\n';
  const fields = {
    listingKey: { column: 'id' },
    listingType: { constant: 'sale' },
    status: { constant: 'ACTIVE' },
    propertyType: { constant: 'CONDO' },
    currency: { constant: 'USD' },
    'location.lat': { column: 'lat' },
    'location.lng': { column: 'lng' },
  };
  const mapped = JSON.stringify({ kind: 'listings', source: { id: 'p', name: 'P' }, fields });
  const { stdout } = await run(
    'listings',
    await file('points.csv', text),
    '--map',
    await file('p.json', mapped),
    '--dry-run',
  );
  assert.match(
    stdout,
    /lat "-122\.3" is beyond 90 degrees: it looks as if latitude and longitude are swapped/,
  );
  assert.match(stdout, /lat "230000" is not in degrees; it looks like metres or feet of a projection/);
  assert.match(stdout, /lng "200" is beyond 180 degrees/);
});

test('every time zone of today and of before is taken, and the database computes with each that is', async (t) => {
  const { database, run, outcome } = await bench(t);
  const known = ['Asia/Kolkata', 'Europe/Kyiv', 'America/Indiana/Indianapolis', 'Asia/Calcutta'];
  const zones = [...new Set([...known, 'UTC', ...Intl.supportedValuesOf('timeZone')])];
  const shapes = zones.map((zone) => [zone, null] as const);
  const path = await file('zones.geojson', collection(shapes));
  const zoned = await file('zones.json', map({ timezone: { column: 'id' } }));
  assert.equal((await outcome('areas', path, '--map', zoned)).created, zones.length);
  const kept = await database.read((sql) => sql`select time_zone from area order by time_zone`);
  assert.deepEqual(kept.map(({ time_zone: zone }) => zone).toSorted(), zones.toSorted());
  const text = JSON.parse(await readFile(zoned, 'utf8')) as object;
  for (const zone of known) {
    const inMap = await file('zone-map.json', JSON.stringify({ ...text, timeZone: zone }));
    assert.equal((await run('areas', path, '--map', inMap, '--dry-run')).code, 0, zone);
  }
  const offset = await file('offset-map.json', JSON.stringify({ ...text, timeZone: '+05:30' }));
  assert.match(
    (await run('areas', path, '--map', offset, '--dry-run')).stderr,
    /timeZone \+05:30 is not known/,
  );
  // A zone that the database does not know would make the statement fail.
  const local = await database.read(
    (sql) => sql`select time_zone, now() at time zone time_zone as local from area`,
  );
  assert.equal(local.length, zones.length);
});

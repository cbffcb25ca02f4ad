// Tests of imports on small files: what they write, what they reject, and how they stop and go on.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { EXAMPLES, openImports, rows, rowVersions } from '../support/catalogue/import-service.ts';

const { bench, file, folder, mapFile } = await openImports({ after });

test('the example of the documentation does what the documentation says', async (t) => {
  const { database, run, outcome } = await bench(t);
  const rejected = join(folder, 'example.rejected.csv');
  const command = [
    'listings',
    join(EXAMPLES, 'sample-listings.csv'),
    '--map',
    join(EXAMPLES, 'sample-listings.json'),
  ];
  const end = await run(...command, '--rejected', rejected);
  assert.equal(end.code, 3, end.stderr);
  assert.match(end.stdout, /^rows +6\ncreated +5\nchanged +0\nunchanged +0\nrejected +1\n/);
  assert.ok(end.stdout.includes(rejected));
  const [headings = '', row = '', nothing] = (await readFile(rejected, 'utf8')).split('\n');
  assert.match(headings, /^Ref;Kind;.*;Pictures;rejected_row;rejected_reason$/);
  assert.match(
    row,
    /^A-105;Castle;For sale;\$9,000,000;.*;7;"Kind ""Castle"" is none of .*; Listed ""02\/30\/2026"" is not a date/,
  );
  assert.equal(nothing, '');

  const areas = await outcome(
    'areas',
    join(EXAMPLES, 'sample-areas.geojson'),
    '--map',
    join(EXAMPLES, 'sample-areas.json'),
  );
  assert.equal(areas.created, 2);
  const found = await database.read(
    (sql) => sql`
      select record ->> 'price' as price, record ->> 'priceMonthly' as monthly, record ->> 'closedAt' as closed,
        record -> 'rental' -> 'pets' as pets, jsonb_array_length(record::jsonb -> 'photos') as photos,
        array(select name from area where no = any(listing.area_nos) order by area_km2) as areas
      from listing order by listing_key`,
  );
  const towns = ['Springfield', 'Sangamon County'];
  assert.deepEqual(
    [...found],
    [
      { price: '450000', monthly: null, closed: null, pets: null, photos: 2, areas: towns },
      { price: '2100', monthly: '2100', closed: null, pets: ['cats', 'dogs'], photos: 1, areas: towns },
      { price: '550', monthly: '2383.33', closed: null, pets: [], photos: 0, areas: towns },
      {
        price: '399900',
        monthly: null,
        closed: '2026-05-20',
        pets: null,
        photos: 0,
        areas: ['Sangamon County'],
      },
      {
        price: '512000',
        monthly: null,
        closed: '2026-06-02',
        pets: null,
        photos: 0,
        areas: ['Sangamon County'],
      },
    ],
  );
  const [town] = await database.read((sql) => sql`select parent_id from area where name = 'Springfield'`);
  assert.equal(town?.parent_id, 'county-17167');
});

test('a second import of the same file writes nothing, not even the same rows again', async (t) => {
  const { database, outcome } = await bench(t);
  const map = await mapFile('again.json');
  const csv = await file('again.csv', `id,price,lat,lng\n${rows(0, 2_500)}\n`);
  assert.equal((await outcome('listings', csv, '--map', map)).created, 2_500);
  const before = await rowVersions(database);
  const second = await outcome('listings', csv, '--map', map);
  assert.deepEqual([second.created, second.changed, second.unchanged, second.resumedAt], [0, 0, 2_500, 0]);
  assert.deepEqual(await rowVersions(database), before);
});

test('a changed file changes only what it changes', async (t) => {
  const { database, outcome } = await bench(t);
  const map = await mapFile('changed.json');
  const csv = await file('changed.csv', `id,price,lat,lng\n${rows(0, 20)}\n`);
  await outcome('listings', csv, '--map', map);
  await writeFile(csv, `id,price,lat,lng\n${rows(0, 19)}\nk19,7,40,-90\nnew,8,40,-90\n`);
  const second = await outcome('listings', csv, '--map', map);
  assert.deepEqual([second.created, second.changed, second.unchanged], [1, 1, 19]);
  const events = await database.read(
    (sql) => sql`select event, price, previous_price from listing_event where event = 'PRICE_CHANGED'`,
  );
  assert.deepEqual([...events], [{ event: 'PRICE_CHANGED', price: 7, previous_price: 1_019 }]);
});

test('a rehearsal shows the first record and every reason, and writes nothing at all', async (t) => {
  const { database, run } = await bench(t);
  const map = await mapFile('dry.json');
  const csv = await file('dry.csv', `id,price,lat,lng\nk1,abc,40,-90\nk2,5,40,-90\nk2,6,40,-90\n`);
  const end = await run('listings', csv, '--map', map, '--dry-run');
  assert.equal(end.code, 3);
  assert.match(end.stdout, /"listingKey": "k2"/);
  assert.match(end.stdout, /line 2: price "abc" is not a number/);
  assert.match(end.stdout, /line 4: k2 is in an earlier row too/);
  assert.match(end.stdout, /rows +3\nusable +1\nrejected +2/);
  const [counts] = await database.read(
    (sql) =>
      sql`select (select count(*)::int from listing) as listings, (select count(*)::int from import_run) as runs`,
  );
  assert.deepEqual({ ...counts }, { listings: 0, runs: 0 });
  assert.ok(!existsSync(`${csv}.rejected.csv`));
});

test('gzip is known by its content, GeoJSON points and JSON lines are listings too', async (t) => {
  const { database, outcome } = await bench(t);
  const records = [
    { id: 'a', price: 5, place: { lat: 40.5, lng: -90.5 } },
    { id: 'b', price: '6', place: { lat: 1, lng: 2 } },
  ];
  const features = records.map(({ id, price, place }) => ({
    type: 'Feature',
    id,
    properties: { price },
    geometry: { type: 'Point', coordinates: [place.lng, place.lat] },
  }));
  const files = [
    [
      await file(
        'named.txt',
        gzipSync('\ufeffid,price,place.lat,place.lng\na,5,40.5,-90.5\r\n"b",6,1,2\r\n'),
      ),
      'place.lat',
      'place.lng',
      'id',
    ],
    [
      await file('lines.json', records.map((record) => JSON.stringify(record)).join('\n')),
      'place.lat',
      'place.lng',
      'id',
    ],
    [
      await file('points.geojson', JSON.stringify({ type: 'FeatureCollection', features })),
      '@lat',
      '@lng',
      '@id',
    ],
    [
      await file('features.json', features.map((feature) => JSON.stringify(feature)).join('\n')),
      '@lat',
      '@lng',
      '@id',
    ],
  ] as const;
  for (const [at, [path, lat, lng, key]] of files.entries()) {
    const change = {
      'location.lat': { column: lat },
      'location.lng': { column: lng },
      listingKey: { column: key },
    };
    const result = await outcome('listings', path, '--map', await mapFile(`form${at}.json`, {}, change));
    // The same listings each time: only the first file makes them.
    assert.deepEqual([result.created, result.unchanged], at === 0 ? [2, 0] : [0, 2], path);
  }
  const found = await database.read(
    (sql) => sql`select listing_key, record -> 'location' as at from listing order by 1`,
  );
  assert.deepEqual(found[0]?.at, { lat: 40.5, lng: -90.5, precision: 'exact' });
});

test('rows as wide as they should not be are rejected, and files that are none are refused with a remedy', async (t) => {
  const { run, outcome } = await bench(t);
  const map = await mapFile('broken.json');
  const ragged = await outcome(
    'listings',
    await file('ragged.csv', 'id,price,lat,lng\na,1\nb,2,3,4,5\nc,3,40,-90\n'),
    '--map',
    map,
  );
  assert.deepEqual([ragged.created, ragged.rejected], [1, 2]);
  const cases = [
    ['id,prise,lat,lng\na,1,2,3\n', /the file has no column price; did you mean prise\?/, 2],
    ['', /is empty/, 1],
    [
      Buffer.from('id,price,lat,lng,\xe9\na,1,2,3,4\n', 'latin1'),
      /heading .* is not written in utf-8, .* "file": \{"encoding": "windows-1252"\}/,
      1,
    ],
    [gzipSync('id,price,lat,lng\na,1,2,3\n').subarray(0, 30), /is damaged or cut short/, 1],
    ['"id,price,lat,lng\na,1,2,3\n', /heading cannot be read: a quote opens/, 1],
    ['{"type": "Topology"}\n\n', /has no column/, 2],
  ] as const;
  for (const [at, [content, message, code]] of cases.entries()) {
    const end = await run('listings', await file(`case${at}.csv`, content), '--map', map);
    assert.match(end.stderr, message);
    assert.equal(end.code, code, end.stderr);
  }
});

test('an area whose boundary is none is rejected; one without a boundary is taken', async (t) => {
  const { database, outcome } = await bench(t);
  const feature = (id: string, geometry: unknown) => ({ type: 'Feature', id, properties: {}, geometry });
  const ring = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ];
  const features = [
    feature('line', { type: 'LineString', coordinates: ring }),
    feature('open', { type: 'Polygon', coordinates: [ring.slice(0, 3)] }),
    feature('none', null),
    feature('sound', { type: 'Polygon', coordinates: [ring] }),
    feature('sound', { type: 'Polygon', coordinates: [ring] }),
  ];
  const path = await file('areas.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
  const areaFields = { id: { column: '@id' }, type: { constant: 'custom' }, name: { column: '@id' } };
  const map = await file(
    'areas.json',
    JSON.stringify({ kind: 'areas', source: { id: 'a', name: 'A' }, fields: areaFields }),
  );
  const result = await outcome('areas', path, '--map', map);
  assert.deepEqual([result.created, result.rejected], [2, 3]);
  const names = await database.read((sql) => sql`select name from area order by name`);
  assert.deepEqual(
    names.map(({ name }) => name),
    ['none', 'sound'],
  );
});

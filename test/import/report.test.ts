// Tests of what dry runs and imports report: fields, doubtful coordinates, and rejections by cause.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openImports } from '../support/catalogue/import-service.ts';
import { importFile, rehearse } from '../support/catalogue/imports.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';

const { bench, file, mapFile } = await openImports({ after });
const folder = await temporaryFolder({ after }, 'report');

test('a report shows for each field how often it is filled, its extremes with their lines, its median, and what is odd', async () => {
  const lines = [
    'a,100000,3,PENDING,x',
    'b,,2,ACTIVE,y',
    'c,250000,99,ACTIVE,',
    'd,999,,ACTIVE,z',
    'e,300000,4,ACTIVE,w',
  ];
  const { report } = await rehearse(folder, {
    name: 'fields.csv',
    content: `id,price,beds,status,note\n${lines.join('\n')}\n`,
    fields: {
      bedrooms: { column: 'beds' },
      status: { column: 'status' },
      description: { column: 'note' },
    },
  });
  const { listPrice, bedrooms, status, description, currency } = report.fields;
  assert.deepEqual(listPrice, {
    filled: 4,
    empty: 1,
    median: 100_000,
    smallest: { value: 999, place: 5 },
    largest: { value: 300_000, place: 6 },
    outside: { count: 1, min: 1_000, max: 10_000_000, examples: [{ value: 999, place: 5 }] },
  });
  assert.deepEqual(bedrooms, {
    filled: 4,
    empty: 1,
    median: 3,
    smallest: { value: 2, place: 3 },
    largest: { value: 99, place: 4 },
    outside: { count: 1, min: 0, max: 30, examples: [{ value: 99, place: 4 }] },
  });
  assert.deepEqual(status, { filled: 5, empty: 0, values: { ACTIVE: 4, PENDING: 1 } });
  assert.deepEqual(description, { filled: 4, empty: 1, examples: ['x', 'y', 'z'] });
  assert.equal(currency, undefined);
});

const points = Array.from({ length: 30 }, (_, at) => [40 + at / 100, -74 - at / 100]);
const PLACES = { 'location.lat': { column: 'lat' }, 'location.lng': { column: 'lng' } };

test('coordinates at 0,0, swapped, or far from all others are named and are not exact', async (t) => {
  const { database } = await testDatabase(t);
  const doubtful = [
    ['zero', 0, 0],
    ['swapped', -74.1, 40.2],
    ['far', 51.5, -0.1],
  ];
  const lines = [...points.map((point, at) => [`k${at}`, ...point]), ...doubtful];
  const content = `id,price,lat,lng\n${lines.map(([id, lat, lng]) => `${id},5,${lat},${lng}`).join('\n')}\n`;
  const { report, rejected } = await importFile(database, folder, {
    name: 'places.csv',
    content,
    fields: PLACES,
  });
  assert.equal(rejected, 0);
  assert.deepEqual(report.places, {
    zero: { rows: 1, examples: [32] },
    swapped: { rows: 1, examples: [33] },
    far: { rows: 1, examples: [34] },
  });
  const stored = await database.read(
    (sql) =>
      sql`select record -> 'location' ->> 'precision' as precision, count(*)::int as count from listing group by 1`,
  );
  assert.deepEqual(
    new Map(stored.map(({ precision, count }) => [precision, count])),
    new Map([
      ['exact', 30],
      ['approximate', 2],
      [null, 1],
    ]),
  );
});

test('homes all over a country are not far from each other', async () => {
  const cities = [
    [40.7, -74],
    [34.1, -118.2],
    [41.9, -87.6],
    [29.8, -95.4],
    [47.6, -122.3],
    [25.8, -80.2],

    [21.3, -157.9],
    [61.2, -149.9],
  ];
  const content = `id,price,lat,lng\n${Array.from({ length: 40 }, (_, at) => `k${at},5,${cities[at % cities.length]}`).join('\n')}\n`;
  const { report } = await rehearse(folder, { name: 'country.csv', content, fields: PLACES });
  assert.deepEqual(report.places, {});
});

test('projected coordinates are rejected as what they are', async () => {
  const content = 'id,price,lat,lng\na,5,4510000,583000\n';
  const { report } = await rehearse(folder, { name: 'projected.csv', content, fields: PLACES });
  assert.match(report.causes[0]?.reason ?? '', /metres or feet of a projection/);
});

test('rejections are summed up by cause, the most frequent first, with the rule that would take them', async () => {
  const sold = Array.from({ length: 199 }, (_, at) => `s${at},5,Sold,yes,2026-01-02`);
  const lines = [
    ...sold,
    'p,"1.250.000,50",ACTIVE,yes,2026-01-02',
    'q,"450.000,00",ACTIVE,yes,2026-01-02',

    'd,5,ACTIVE,yes,31-May-2026',
    'w,5,ACTIVE,ja,2026-01-02',
    'w,5,ACTIVE,yes,2026-01-02,x',
    's0,5,ACTIVE,no,2026-01-02',
    's0,5,ACTIVE,no,2026-01-02',
  ];
  const { report } = await rehearse(folder, {
    name: 'causes.csv',
    content: `id,price,Status,water,sold\n${lines.join('\n')}\n`,
    fields: { status: { column: 'Status' }, waterfront: { column: 'water' }, closedAt: { column: 'sold' } },
  });
  const shown = report.causes.map(({ column, values, rows, firstPlace, suggestion }) => ({
    column,
    values,
    rows,
    firstPlace,
    suggestion,
  }));
  assert.deepEqual(shown[0], {
    column: 'Status',
    values: ['Sold'],
    rows: 199,
    firstPlace: 2,
    suggestion: '"values": {"Sold": "CLOSED"}',
  });
  assert.deepEqual(shown[1], {
    column: 'price',
    values: ['1.250.000,50', '450.000,00'],
    rows: 2,
    firstPlace: 201,
    suggestion: '"format": "1.234,5"',
  });
  assert.deepEqual(
    shown.slice(2).map(({ column, suggestion }) => [column, suggestion]),
    [
      ['sold', '"format": "D-MMM-YYYY"'],
      ['water', '"values": {"ja": true}'],
      ['', null],
      ['', null],
    ],
  );
});

test('dry runs and imports print the report', async (t) => {
  const { run } = await bench(t);
  const map = await mapFile('report.json', {}, { status: { column: 'st' } });
  const csv = await file(
    'report.csv',
    'id,price,lat,lng,st\na,5,40,-90,Sold\nb,6,40,-90,ACTIVE\nc,7,0,0,ACTIVE\n',
  );
  for (const dry of [['--dry-run'], []]) {
    const { stdout, stderr } = await run('listings', csv, '--map', map, ...dry);
    assert.match(
      stdout,
      /^ {2}listPrice +2 filled, 0 empty; 6 \(line 3\) to 7 \(line 4\), median 6$/m,
      stderr,
    );
    assert.match(stdout, /^ {2}status +2 filled, 0 empty; ACTIVE 2$/m);
    assert.match(stdout, /^ {2}1 row at 0,0, which is no place: left empty \(line 4\)$/m);
    assert.match(
      stdout,
      /^ {2}st "Sold": 1 row, the first in line 2: is none of .*; "values": \{"Sold": "CLOSED"\} would take it$/m,
    );
  }
});

test('a report of many rows counts all of them, whatever it samples', async () => {
  const content = `id,price\n${Array.from({ length: 60_000 }, (_, at) => `k${at},${at + 1}`).join('\n')}\n`;
  const { report } = await rehearse(folder, { name: 'many.csv', content });
  const { filled, smallest, largest, median } = report.fields.listPrice ?? {};
  assert.deepEqual([filled, smallest?.value, largest?.value], [60_000, 1, 60_000]);
  assert.ok(Math.abs(Number(median) - 30_000) < 1_500, `${median}`);
});

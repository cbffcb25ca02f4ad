// Proves which file of an archive is imported, and that archives beyond their limits are refused by name.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openRecords } from '../../src/import/formats/open-file.ts';
import { FileFault } from '../../src/import/formats/record.ts';
import { openImports } from '../support/catalogue/import-service.ts';
import { zipOf } from '../support/files/zip-file.ts';

const { bench, file, mapFile } = await openImports({ after });

const CSV = 'id,price,lat,lng\na,5,40,-90\n';

async function count(path: string, member?: string): Promise<number> {
  const opened = await openRecords(path, member === undefined ? {} : { member });
  let rows = 0;
  try {
    for await (const _ of opened.rows) rows++;
  } finally {
    opened.close();
  }
  return rows;
}

async function refusal(content: Buffer, member?: string): Promise<string> {
  const path = await file('odd.zip', content);
  const error = await count(path, member).then(
    () => assert.fail('it was read'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof FileFault, `${(error as Error).stack}`);
  return error.message;
}

test('the one file of listings in an archive is imported, and the report names it', async (t) => {
  const { outcome, run } = await bench(t);
  const map = await mapFile('zip.json');
  const path = await file(
    'homes.zip',
    zipOf([
      { name: 'data/', content: '' },
      { name: 'data/homes.csv', content: CSV },
      { name: 'LICENSE.txt', content: 'Free' },
      { name: '__MACOSX/data/._homes.csv', content: 'x' },
    ]),
  );
  const first = await outcome('listings', path, '--map', map);
  assert.deepEqual([first.created, first.part], [1, { kind: 'member', name: 'data/homes.csv', others: [] }]);
  const named = await run('listings', path, '--map', map, '--member', 'data/homes.csv');
  assert.match(named.stdout, /File of the archive: data\/homes\.csv/);
  const useless = await run('listings', await file('plain.csv', CSV), '--map', map, '--member', 'x');
  assert.deepEqual([useless.code, /--member is of zip archives/.test(useless.stderr)], [2, true]);
});

test('areas are imported out of an archive too', async (t) => {
  const { outcome } = await bench(t);
  const collection = {
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        properties: { id: 'x', name: 'X' },
        geometry: {
          type: 'Polygon',
          coordinates: [
            [
              [0, 0],
              [1, 0],
              [1, 1],
              [0, 0],
            ],
          ],
        },
      },
    ],
  };
  const fields = { id: { column: 'id' }, type: { constant: 'city' }, name: { column: 'name' } };
  const map = JSON.stringify({ kind: 'areas', source: { id: 'a', name: 'A' }, fields });
  const path = await file('areas.zip', zipOf([{ name: 'x.geojson', content: JSON.stringify(collection) }]));
  assert.equal((await outcome('areas', path, '--map', await file('areas.json', map))).created, 1);
});

test('several files that could be meant are listed, and one can be named', async () => {
  const content = zipOf([
    { name: 'sales.csv', content: CSV },
    { name: 'rents.csv', content: `${CSV}b,6,40,-90\n` },
  ]);
  assert.match(
    await refusal(content),
    /several files that could be meant: sales\.csv, rents\.csv\. Name one with --member/,
  );
  assert.match(await refusal(content, 'rent.csv'), /has no file rent\.csv; it has sales\.csv, rents\.csv/);
  assert.equal(await count(await file('two.zip', content), 'rents.csv'), 2);
});

test('an archive beyond the limits is refused, and names what is at fault', async () => {
  const csv = { name: 'a.csv', content: CSV };
  const cases: readonly (readonly [Buffer, RegExp])[] = [
    [zipOf([csv, { name: 'more.zip', content: 'x' }]), /holds the archive more\.zip/],
    [zipOf([csv, { name: 'old.CSV.GZ', content: 'x' }]), /holds the archive old\.CSV\.GZ/],
    [zipOf([{ name: '../a.csv', content: CSV }]), /a file outside of itself.*\.\.\/a\.csv/],
    [zipOf([{ name: '/etc/a.csv', content: CSV }]), /a file outside of itself.*\/etc\/a\.csv/],
    [zipOf([{ name: 'C:/a.csv', content: CSV }]), /a file outside of itself.*C:\/a\.csv/],
    [zipOf([{ name: '..\\a.csv', content: CSV }]), /a file outside of itself/],
    [zipOf([{ ...csv, mode: 0o120777 }]), /holds the link a\.csv/],
    [zipOf([{ ...csv, isEncrypted: true }]), /a\.csv under a password/],
    [zipOf([csv, csv]), /holds a\.csv twice/],
    [zipOf([csv], 10_001), /10001 entries, and an archive may have 10000/],
    [zipOf([{ ...csv, size: 0x8000_0001, method: 0 }]), /unpacks to more than 2 GB|is damaged/],
    [zipOf([{ ...csv, size: 0xf000_0000 }]), /2 GB|bomb/],
    [zipOf([{ ...csv, size: 10 }]), /damaged or cut short.*(?:too many|size)/],
    [zipOf([{ ...csv, sum: 1 }]), /damaged or cut short: the checksum of a\.csv/],
    [zipOf([{ ...csv, method: 12 }]), /packed in a way that is not read here/],
    [zipOf([{ name: 'homes.xlsx', content: 'x' }]), /holds the workbook homes\.xlsx.*unpack it/],
    [zipOf([{ name: 'homes.shp', content: 'x' }]), /no file of listings.*homes\.shp/],
    [zipOf([]), /holds no file/],
    [zipOf([csv]).subarray(0, 60), /damaged or cut short/],
  ];
  for (const [content, told] of cases) assert.match(await refusal(content), told);
});

test('decompression bombs are refused, in archives and gzipped', async () => {
  const zeros = Buffer.alloc(40 * 1024 ** 2, '1,2\n');
  const told = /more than 200 times as large unpacked: it looks like a decompression bomb/;
  assert.match(await refusal(zipOf([{ name: 'a.csv', content: zeros }])), told);
  assert.match(await refusal(gzipSync(zeros)), told);
});

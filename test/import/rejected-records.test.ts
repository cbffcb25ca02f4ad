// Proof that rejected records come back as what they were: mended, their file is imported as it is, whatever its form.

import assert from 'node:assert/strict';
import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { collectionForm, RejectedFile } from '../../src/import/formats/rejected.ts';
import { type Import, importFile, rehearse } from '../support/catalogue/imports.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';

const folder = await temporaryFolder({ after }, 'rejected');

const records = [
  { id: 'a', price: '100', note: 'plain' },
  { id: 'b', price: 'WRONG', note: 'two\nlines, "quoted"; and | more' },
  { id: 'c', price: '300', note: 'é' },
  { id: 'd', price: 'WRONG', note: ' kept ' },
];
const features = records.map(({ id, ...properties }) => ({
  type: 'Feature',
  id,
  properties,
  bbox: [1, 2, 1, 2],
  geometry: { type: 'Point', coordinates: [1.25, 2.5] },
}));
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const csv = (delimiter: string): string =>
  [['id', 'price', 'note'], ...records.map(({ id, price, note }) => [id, price, quoted(note)])]
    .map((row) => row.join(delimiter))
    .join('\r\n');
const utf16 = (text: string, order: 'le' | 'be'): Buffer => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
};
const byId = { fields: { listingKey: { column: '@id' } } };

const FORMS: Readonly<Record<string, Import & { readonly extension: string }>> = {
  commas: { name: 'commas.csv', content: csv(','), extension: 'csv' },
  semicolons: { name: 'semi.csv', content: csv(';'), map: { file: { delimiter: ';' } }, extension: 'csv' },
  tabs: { name: 'tabs.tsv', content: csv('\t'), map: { file: { delimiter: '\t' } }, extension: 'csv' },
  'Windows-1252': {
    name: 'latin.csv',
    content: Buffer.from(csv(','), 'latin1'),
    extension: 'csv',
    map: { file: { encoding: 'windows-1252' } },
  },
  'UTF-16, little end first': { name: 'little.csv', content: utf16(csv(','), 'le'), extension: 'csv' },
  'UTF-16, big end first': { name: 'big.csv', content: utf16(csv(','), 'be'), extension: 'csv' },
  'JSON lines': {
    name: 'l.jsonl',
    content: records.map((each) => JSON.stringify(each)).join('\n'),
    extension: 'ndjson',
  },
  'a JSON array': { name: 'array.json', content: JSON.stringify(records, null, 2), extension: 'json' },
  GeoJSON: {
    name: 'points.geojson',
    extension: 'geojson',
    ...byId,
    content: JSON.stringify({ type: 'FeatureCollection', name: 'points', features }, null, 1),
  },
  'features a line': {
    name: 'points.ndjson',
    extension: 'ndjson',
    ...byId,
    content: features.map((each) => JSON.stringify(each)).join('\n'),
  },
};

for (const [form, asked] of Object.entries(FORMS))
  for (const packed of [false, true])
    test(`rejected records of ${form}${packed ? ', packed,' : ''} are imported as they are once they are mended`, async (t) => {
      const { database } = await testDatabase(t);
      const content = packed ? gzipSync(asked.content) : asked.content;
      const name = packed ? `${asked.name}.gz` : asked.name;
      const first = await importFile(database, folder, { ...asked, name, content });
      assert.deepEqual([first.rows, first.created, first.rejected], [4, 2, 2]);
      assert.equal(first.rejectedFile, join(folder, `${name}.rejected.${asked.extension}`));
      const text = await readFile(first.rejectedFile ?? '', 'utf8');
      // As they are, they are rejected once more, and their file is still one.
      const again = await importFile(database, folder, { ...asked, name: `again-${name}`, content: text });
      assert.deepEqual([again.rows, again.rejected], [2, 2]);
      const twice = await readFile(again.rejectedFile ?? '', 'utf8');
      assert.equal(twice.match(/rejected_reason/g)?.length, text.match(/rejected_reason/g)?.length);
      const mended = twice.replaceAll(/(["|;,\t]|: ?"?)WRONG/g, '$1200');
      const last = await importFile(database, folder, { ...asked, name: `mended-${name}`, content: mended });
      assert.deepEqual([last.created, last.rejected], [2, 0], mended);
      const kept = await database.read(
        (sql) => sql`select listing_key, record ->> 'price' as price from listing order by 1`,
      );
      assert.deepEqual(
        kept.map(({ listing_key: key, price }) => [key, Number(price)]),
        [
          ['a', 100],
          ['b', 200],
          ['c', 300],
          ['d', 200],
        ],
      );
    });

test('a rejected feature keeps its geometry and members, and its collection is one that others read', async (t) => {
  const { database } = await testDatabase(t);
  const { name, content, fields = {} } = FORMS.GeoJSON as Import;
  const { rejectedFile } = await importFile(database, folder, { name, content, fields });
  const collection = JSON.parse(await readFile(rejectedFile ?? '', 'utf8')) as {
    name: string;
    features: object[];
  };
  assert.deepEqual([collection.name, collection.features.length], ['points', 2]);
  const [first] = collection.features as (typeof features)[number][];
  const { properties, ...rest } = first ?? { properties: {} };
  const { properties: own, ...others } = features[1] ?? { properties: {} };
  assert.deepEqual(rest, others);
  assert.match(JSON.stringify(properties), /price \\"WRONG\\" is not a number/);
  assert.deepEqual(properties, {
    rejected_row: 2,
    rejected_reason: (properties as Record<string, unknown>).rejected_reason,
    ...own,
  });
});

test('a line that is no JSON comes back whole within one that is', async (t) => {
  const { database } = await testDatabase(t);
  const content = '{"id":"a","price":1}\n\n{"id":"b" "price":2}\n[1]\n';
  const { rejected, rejectedFile } = await importFile(database, folder, { name: 'cut.ndjson', content });
  assert.equal(rejected, 2);
  const [line, list] = (await readFile(rejectedFile ?? '', 'utf8'))
    .trim()
    .split('\n')
    .map((text) => JSON.parse(text));
  assert.deepEqual([line.rejected_row, line.rejected_line], [3, '{"id":"b" "price":2}']);
  assert.match(line.rejected_reason, /the line is not JSON/);
  assert.deepEqual([list.rejected_row, list.rejected_value], [4, [1]]);
});

test('rejected rows overwrite neither the file they come from nor any file that does not hold such', async (t) => {
  const { database } = await testDatabase(t);
  const content = 'id,price\na,WRONG\n';
  const input = join(folder, 'input.csv');
  const refused = async (rejectedFile: string, told: RegExp) => {
    for (const run of [importFile.bind(null, database), rehearse])
      await assert.rejects(run(folder, { name: 'input.csv', content, rejectedFile }), told);
    assert.equal(await readFile(input, 'utf8'), content);
  };
  await writeFile(input, content);
  await link(input, join(folder, 'hard.csv'));
  await symlink(input, join(folder, 'soft.csv'));
  for (const name of ['input.csv', 'hard.csv', 'soft.csv', `../${folder.split('/').at(-1)}/input.csv`])
    await refused(`${folder}/${name}`, /is the file to be imported/);
  const foreign = join(folder, 'thesis.txt');
  await writeFile(foreign, 'id,price\nmine,1\n');
  await refused(foreign, /is there already and does not hold rejected rows/);
  assert.equal(await readFile(foreign, 'utf8'), 'id,price\nmine,1\n');
  await mkdir(join(folder, 'directory'));
  await refused(join(folder, 'directory'), /is not a regular file/);
  await refused('/dev/null', /is not a regular file/);
  const [runs] = await database.read((sql) => sql`select count(*)::int as n from import_run`);
  assert.equal(runs?.n, 0);
  // An empty file holds nothing to lose, and one of an earlier run is written anew.
  const own = join(folder, 'own.csv');
  await writeFile(own, '');
  for (let time = 0; time < 2; time++) {
    const { rejectedFile } = await importFile(database, folder, {
      name: 'input.csv',
      content,
      rejectedFile: own,
    });
    assert.equal(rejectedFile, own);
    assert.match(await readFile(own, 'utf8'), /^id,price,rejected_row,rejected_reason\na,WRONG,2,/);
  }
});

test('a collection of rejected features is whole after every write, and after a run that goes on from a checkpoint', async () => {
  const path = join(folder, 'resumed.geojson');
  const form = collectionForm({ type: 'FeatureCollection', features: [], name: 'kept' });
  const ids = async () => {
    const { name, features: found } = JSON.parse(await readFile(path, 'utf8')) as {
      name: string;
      features: { id: number }[];
    };
    return [name, ...found.map(({ id }) => id)];
  };
  const first = await RejectedFile.open(path, form, 0);
  await first.write(['{"id":1}', '{"id":2}']);
  assert.deepEqual(await ids(), ['kept', 1, 2]);
  const known = first.bytes;
  await first.write(['{"id":"of a batch that was not committed"}']);
  await first.close();
  const second = await RejectedFile.open(path, form, known);
  assert.deepEqual([second.bytes, ...(await ids())], [known, 'kept', 1, 2]);
  await second.write(['{"id":3}']);
  await second.close();
  assert.deepEqual(await ids(), ['kept', 1, 2, 3]);
});

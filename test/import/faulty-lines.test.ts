// Proof that a fault in one line of a file is that line's alone: quotes that do not close, other encodings, broken JSON.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, test } from 'node:test';
import fc from 'fast-check';
import type { Database } from '../../src/postgres/client/database.ts';
import { importFile, rehearse } from '../support/catalogue/imports.ts';
import { runs } from '../support/check/runs.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';

const folder = await temporaryFolder({ after }, 'quotes');
const fields = { description: { column: 'note' } };

async function descriptions(database: Database): Promise<Record<string, string | null>> {
  const rows = await database.read(
    (sql) => sql`select listing_key as key, record ->> 'description' as text from listing order by 1`,
  );
  return Object.fromEntries(rows.map(({ key, text }) => [key, text]));
}

test('a quote that opens and does not close spoils its own line, and no row stands in the text of another', async (t) => {
  const { database } = await testDatabase(t);
  const content =
    'id,price,note\na,1000," lot\nb,1001,x\nc,1002,has 5" pipe\nd,1003,z\ne,1004,w"\nf,1005,v\n';
  const { rows, rejected, rejectedFile } = await importFile(database, folder, {
    name: 'open.csv',
    content,
    fields,
  });
  assert.deepEqual([rows, rejected], [6, 1]);
  assert.deepEqual(await descriptions(database), {
    b: 'x',
    c: 'has 5" pipe',
    d: 'z',
    e: 'w"',
    f: 'v',
  });
  const text = await readFile(rejectedFile ?? '', 'utf8');
  assert.match(text, /^a,1000,""" lot",2,"a quote opens in this line and does not close/m);
});

test('a quote that closes lines later at the end of a field has swallowed rows, which are read all the same', async (t) => {
  const { database } = await testDatabase(t);
  const content = 'id,price,note\na,1000," lot\nb,1001,x\nd,1003,z\ne,1004,w"\nf,1005,v\n';
  assert.equal((await importFile(database, folder, { name: 'late.csv', content, fields })).rejected, 1);
  assert.deepEqual(await descriptions(database), { b: 'x', d: 'z', e: 'w"', f: 'v' });
});

test('a quote that opens in the last line, or before megabytes of lines, rejects its line only', async () => {
  const many = Array.from({ length: 200_000 }, (_, at) => `k${at},5,a note of some length`).join('\n');
  const early = await rehearse(folder, {
    name: 'early.csv',
    content: `id,price,note\na,1," lot\n${many}\n`,
    fields,
  });
  assert.deepEqual([early.rows, early.rejected, early.reasons[0]?.row], [200_001, 1, 2]);
  const last = await rehearse(folder, {
    name: 'last.csv',
    content: 'id,price,note\na,1,x\nb,2," lot',
    fields,
  });
  assert.deepEqual([last.rows, last.rejected, last.reasons[0]?.row], [2, 1, 3]);
});

test('texts of several lines stay whole, with commas, quotes and lines of as many fields as the file has columns', async (t) => {
  const { database } = await testDatabase(t);
  const note = 'Nice home\nKitchen, bath, garage\n"Sunny", 5" pipe,\r\nlast';
  const content = `id,price,note\na,1000,"${note.replaceAll('"', '""')}"\nb,1001,x\n`;
  assert.equal((await importFile(database, folder, { name: 'text.csv', content, fields })).rejected, 0);
  assert.deepEqual(await descriptions(database), { a: note, b: 'x' });
});

test('rows are read as they were written, and one stray quote among them leaves all others as they are', async () => {
  const text = fc
    .array(fc.constantFrom('x', ' ', 'é', '"', ',', '\n', '\r\n', ';', '\ufeff'), { maxLength: 6 })
    .map((parts) => `.${parts.join('')}.`);
  const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { minLength: 1, maxLength: 6 }),
      fc.nat({ max: 5 }),
      fc.boolean(),
      async (notes, at, isStray) => {
        const rows = notes.map((note, row) => `k${row},${row + 1},${quoted(note)}`);
        // Behind what is before it the quote is the first of a field.
        if (isStray) rows.splice(at % (rows.length + 1), 0, 'stray,7," lot');
        const name = 'random.csv';
        const {
          rejected,
          rows: count,
          report,
        } = await rehearse(folder, {
          name,
          fields,
          content: `id,price,note\n${rows.join('\n')}\n`,
        });
        assert.deepEqual([count, rejected], [rows.length, isStray ? 1 : 0]);
        assert.equal(report.fields.description?.filled, notes.length);
      },
    ),
    runs(200, 9),
  );
});

const latin = (text: string): Buffer => Buffer.from(text, 'latin1');

test('a line in another encoding is rejected by its number, and is right in the file of rejected rows', async (t) => {
  const cases = {
    'mixed.csv': [
      Buffer.concat([
        Buffer.from('id,price,note\na,1,Québec\n'),
        latin('b,2,Montréal\n'),
        Buffer.from('c,3,Lévis\n'),
      ]),
      {},
    ],
    'mixed-windows.csv': [
      Buffer.concat([
        latin('id,price,note\na,1,Québec\n'),
        Buffer.from('b,2,Montréal\n'),
        latin('c,3,Lévis\n'),
      ]),
      { file: { encoding: 'windows-1252' } },
    ],
    'mixed.ndjson': [
      Buffer.concat([
        Buffer.from('{"id":"a","price":1,"note":"Québec"}\n'),
        latin('{"id":"b","price":2,"note":"Montréal"}\n'),
        Buffer.from('{"id":"c","price":3,"note":"Lévis"}\n'),
      ]),
      {},
    ],
    'mixed.json': [
      Buffer.concat([
        Buffer.from('[{"id":"a","price":1,"note":"Québec"},\n'),
        latin('{"id":"b","price":2,"note":"Montréal"},\n'),
        Buffer.from('{"id":"c","price":3,"note":"Lévis"}]'),
      ]),
      {},
    ],
  } as const;
  for (const [name, [content, map]] of Object.entries(cases)) {
    const { database } = await testDatabase(t);
    const { rejected, rejectedFile } = await importFile(database, folder, { name, content, map, fields });
    assert.equal(rejected, 1, name);
    assert.deepEqual(await descriptions(database), { a: 'Québec', c: 'Lévis' }, name);
    const text = await readFile(rejectedFile ?? '', 'utf8');
    assert.match(text, /Montréal/, name);
    assert.match(text, /not written in (?:utf-8|windows-1252)/, name);
    // Its rows are in UTF-8 now, and are imported as they are.
    const again = await importFile(database, folder, { name: `again-${name}`, content: text, map, fields });
    assert.equal(again.rejected, 0, name);
    assert.equal((await descriptions(database)).b, 'Montréal', name);
  }
});

test('texts cut between chunks are read, and heads in another encoding refuse the file', async () => {
  const content = `id,price,note\n${Array.from({ length: 30_000 }, (_, at) => `k${at},1,日本語é𝒜`).join('\n')}\n`;
  assert.equal((await rehearse(folder, { name: 'long.csv', content, fields })).rejected, 0);
  await assert.rejects(
    rehearse(folder, { name: 'head.csv', content: latin('id,price,Größe\na,1,2\n') }),
    /heading.*not written in utf-8.*windows-1252/,
  );
});

test('a broken line of JSON is rejected by its number wherever it is, the first one included', async () => {
  const lines = ['{"id":"a","price":1}', '{"id":"b","price":2}', '{"id":"c","price":3}'];
  for (const at of lines.keys()) {
    const content = lines.map((line, each) => (each === at ? line.slice(0, -2) : line)).join('\n');
    const { rows, rejected, reasons } = await rehearse(folder, { name: `broken-${at}.ndjson`, content });
    assert.deepEqual([rows, rejected, reasons[0]?.row], [3, 1, at + 1]);
    assert.match(reasons[0]?.reason ?? '', /is not JSON/);
  }
});

test('characters that no database stores reject their row and no more', async (t) => {
  const { database } = await testDatabase(t);
  const content =
    '{"id":"a","price":1,"note":"x\\u0000y"}\n{"id":"b","price":2,"note":"\\ud800"}\n{"id":"c","price":3}';
  const { created, rejected } = await importFile(database, folder, { name: 'nul.ndjson', content, fields });
  assert.deepEqual([created, rejected], [1, 2]);
});

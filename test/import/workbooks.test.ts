// Proves which sheet of a workbook is read, how its cells are, and which workbooks are refused by name.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type FileRules, openRecords } from '../../src/import/formats/open-file.ts';
import { FileFault, type RecordFields } from '../../src/import/formats/record.ts';
import { openImports } from '../support/catalogue/import-service.ts';
import { type TestSheet, workbookOf, workbookParts } from '../support/files/workbook-file.ts';
import { zipOf } from '../support/files/zip-file.ts';

const { bench, file, mapFile } = await openImports({ after });

async function read(path: string, rules?: FileRules) {
  const opened = await openRecords(path, rules);
  const rows: RecordFields[] = [];
  const places: number[] = [];
  for await (const { fields, place } of opened.rows) {
    rows.push(fields);
    places.push(place);
  }
  opened.close();
  return { rows, places, columns: opened.columns, part: opened.part };
}

const readSheet = async (rows: TestSheet['rows'], more: { is1904?: boolean } = {}) =>
  read(await file('cells.xlsx', workbookOf({ sheets: [{ name: 'S', rows }], ...more })));

async function refusal(content: Buffer): Promise<string> {
  const path = await file('odd.xlsx', content);
  const error = await read(path).then(
    () => assert.fail('it was read'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof FileFault, `${(error as Error).stack}`);
  assert.ok(error.message.startsWith(path) || error.message.includes(path), error.message);
  return error.message;
}

test('cells have the values that the workbook was saved with', async () => {
  const { rows, places } = await readSheet([
    ['text', 'number', 'date', 'time', 'code', 'yes', 'formula', 'error', 'stale', 'long'],
    [
      ' a_x000D_b & <c> ',
      0.1,
      { value: 46_354, code: 'yyyy-mm-dd' },
      { value: 46_354.5, code: 'd/m/yy h:mm' },
      { value: 501, code: '00000' },
      true,
      { formula: 'A1', value: 'made' },
      { error: '#REF!' },
      { formula: 'B2*2' },
      'x'.repeat(32_767),
    ],
    [],
    [null, 1_250_000],
  ]);
  assert.deepEqual(rows[0], {
    text: ' a\rb & <c> ',
    number: 0.1,
    date: '2026-11-28',
    time: '2026-11-28T12:00:00',
    code: '00501',
    yes: true,
    formula: 'made',
    error: '#REF!',
    stale: '=B2*2',
    long: 'x'.repeat(32_767),
  });
  assert.deepEqual([rows[1]?.text, rows[1]?.number], ['', 1_250_000]);
  assert.deepEqual(places, [2, 4]);
});

test('days of a workbook of an old Mac are counted from 1904', async () => {
  const { rows } = await readSheet([['d'], [{ value: 44_892, code: 'dd.mm.yyyy' }]], { is1904: true });
  assert.deepEqual(rows, [{ d: '2026-11-28' }]);
});

test('the heading is found below titles, and columns without a name are called as Excel does', async () => {
  const { rows, columns, places } = await readSheet([
    ['Homes of November'],
    [],
    ['id', 'price', null, 'city'],
    ['a', 5, 'note', 'Reno'],
    ['b', 6, null, 'Elko', 'far'],
  ]);
  assert.deepEqual(columns, ['id', 'price', 'Column C', 'city', 'Column E']);
  assert.deepEqual(rows, [
    { id: 'a', price: 5, 'Column C': 'note', city: 'Reno', 'Column E': '' },
    { id: 'b', price: 6, 'Column C': '', city: 'Elko', 'Column E': 'far' },
  ]);
  assert.deepEqual(places, [4, 5]);
});

test('the visible sheet with the most rows is read, or the one that is named', async () => {
  const rowsOf = (count: number, id: string) => [
    ['id', 'price'],
    ...Array.from({ length: count }, () => [id, 1]),
  ];
  const path = await file(
    'sheets.xlsx',
    workbookOf({
      sheets: [
        { name: 'Few', rows: rowsOf(2, 'few') },
        { name: 'Many', rows: rowsOf(5, 'many') },
        { name: 'Blank', rows: [['id', 'price'], ...Array.from({ length: 30 }, () => [])] },
        { name: 'Hidden', rows: rowsOf(9, 'hidden'), isHidden: true },
      ],
    }),
  );
  assert.equal((await read(path)).rows[0]?.id, 'many');
  assert.deepEqual((await read(path)).part, {
    kind: 'sheet',
    name: 'Many',
    others: ['Few', 'Blank', 'Hidden'],
  });
  assert.equal((await read(path, { sheet: 'Few' })).rows[0]?.id, 'few');
  assert.equal((await read(path, { sheet: 'Hidden' })).rows.length, 9);
  await assert.rejects(read(path, { sheet: 'Mny' }), /has no sheet Mny; did you mean Many\?/);
});

test('a workbook is imported by a map, and its rejected rows are CSV for the same map', async (t) => {
  const { outcome, run } = await bench(t);
  const map = await mapFile('book.json', {}, { pendingAt: { column: 'day' } });
  const path = await file(
    'book.xlsx',
    workbookOf({
      sheets: [
        { name: 'Notes', rows: [['x']] },
        {
          name: 'Homes',
          rows: [
            ['id', 'price', 'lat', 'lng', 'day'],
            ['a', 500, 40, -90, { value: 46_354, code: 'yyyy-mm-dd' }],
            ['b', 'dear', 40, -90, { value: 46_354, code: 'yyyy-mm-dd' }],
          ],
        },
      ],
    }),
  );
  const first = await outcome('listings', path, '--map', map);
  assert.deepEqual([first.created, first.rejected], [1, 1]);
  assert.deepEqual(first.part, { kind: 'sheet', name: 'Homes', others: ['Notes'] });
  const again = await run('listings', path, '--map', map, '--sheet', 'Homes');
  assert.match(again.stdout, /Sheet: Homes \(not read: Notes\)/);
  assert.match(again.stdout, /row 3/);
  const fixed = await outcome('listings', `${path}.rejected.csv`, '--map', map, '--dry-run');
  assert.match(JSON.stringify(fixed.reasons), /dear/);
  const other = await run('listings', path, '--map', map, '--sheet', 'Home');
  assert.match(other.stderr, /did you mean Homes\?/);
  const useless = await run('listings', `${path}.rejected.csv`, '--map', map, '--sheet', 'Homes');
  assert.deepEqual([useless.code, /--sheet is of Excel workbooks/.test(useless.stderr)], [2, true]);
});

test('an inspection keeps the sheet that it chose in the map', async (t) => {
  const { outcome } = await bench(t);
  const rows = [
    ['id', 'price'],
    ['a', 400_000],
    ['b', 500_000],
  ];
  const path = await file(
    'kept.xlsx',
    workbookOf({
      sheets: [
        { name: 'A', rows: [['x']] },
        { name: 'B', rows },
      ],
    }),
  );
  const { map, notes } = (await outcome('inspect', path)) as { map: { file: object }; notes: string[] };
  assert.deepEqual(map.file, { sheet: 'B' });
  assert.match(notes[0] ?? '', /Sheet B is read, which has the most rows, and not A/);
});

test('workbooks of other forms, and under a password, are refused with what to do', async () => {
  const compound = (name: string): Buffer => {
    const bytes = Buffer.alloc(1_536);
    Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes);
    bytes.writeUInt16LE(9, 30);
    bytes.writeUInt32LE(1, 48);
    bytes.write(name, 1_024 + 128, 'utf16le');
    return bytes;
  };
  assert.match(await refusal(compound('EncryptedPackage')), /under a password: open it in Excel, remove/);
  assert.match(await refusal(compound('Workbook')), /old form \(\.xls\).*save it as an Excel workbook/);
  assert.match(await refusal(zipOf([{ name: 'xl/workbook.bin', content: 'x' }])), /\.xlsb.*save it as/);
  const ods = [
    { name: 'mimetype', content: 'application/vnd.oasis.opendocument.spreadsheet', method: 0 },
    { name: 'content.xml', content: '<x/>' },
  ];
  assert.match(await refusal(zipOf(ods)), /\.ods.*save it as/);
});

const SMALL = {
  sheets: [
    {
      name: 'S',
      rows: [
        ['id', 'price'],
        ['a', 5],
      ],
    },
  ],
};

/** A workbook of which one part is another. */
const changed = (name: string, content: string): Buffer =>
  zipOf(workbookParts(SMALL).map((part) => (part.name === name ? { name, content } : part)));

test('damage and bombs are refused by name', async () => {
  const sheet = (body: string) =>
    changed('xl/worksheets/sheet1.xml', `<worksheet><sheetData>${body}</sheetData></worksheet>`);
  const laughs = `<!DOCTYPE s [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><sst><si><t>&b;</t></si></sst>`;
  const attributes = Array.from({ length: 500 }, (_, at) => `a${at}="1"`).join(' ');
  const cases: readonly (readonly [Buffer, RegExp])[] = [
    [changed('xl/sharedStrings.xml', laughs), /document type, which may define entities/],
    [changed('xl/sharedStrings.xml', '<sst><si><t>&unknown;</t></si></sst>'), /is damaged/],
    [
      changed('xl/sharedStrings.xml', `<sst><si><t>${'x'.repeat(40_000)}</t></si></sst>`),
      /more than 32767 characters/,
    ],
    [changed('xl/sharedStrings.xml', '<sst><si><t>one</t></si></sst>'), /refers to a text that is not there/],
    [changed('xl/workbook.xml', '<workbook/>'), /no sheet with cells/],
    [changed('xl/workbook.xml', '<a>'.repeat(100)), /nested more than 64/],
    [changed('xl/workbook.xml', `<workbook ${attributes}/>`), /more than 200 attributes/],
    [changed('xl/workbook.xml', '<workbook'), /is damaged/],
    [sheet(''), /is empty: its first row must name the columns/],
    [sheet('<row r="2"><c><v>1</v></c></row><row r="1"/>'), /rows in no order/],
    [sheet('<row r="1048577"><c><v>1</v></c></row>'), /more than 1048576 rows/],
    [sheet('<row r="1"><c r="XFE1"><v>1</v></c></row>'), /there is no cell XFE1/],
    [
      sheet('<row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>a</t></is></c></row>'),
      /names these columns twice: a/,
    ],
    [sheet(`<row><c t="str"><v>${'y'.repeat(300_000)}</v></c></row>`), /more than 32767 characters/],
    [workbookOf(SMALL).subarray(0, 600), /damaged or cut short/],
  ];
  for (const [content, told] of cases) assert.match(await refusal(content), told);
  const huge = changed('xl/worksheets/sheet1.xml', ' '.repeat(20 * 1024 ** 2));
  assert.match(
    await refusal(huge),
    /more than 200 times as large unpacked: it looks like a decompression bomb/,
  );
});

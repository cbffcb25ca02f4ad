// Proof of how files are read: where their rows are, what their first column is called, and what is said of files that are none.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { rehearse } from '../support/catalogue/imports.ts';
import { runs } from '../support/check/runs.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { zipOf } from '../support/files/zip-file.ts';

const folder = await temporaryFolder({ after }, 'files');

const piece = fc.constantFrom('x', ' ', 'é', '""', ',', '\n', '\r\n', '\n\n');
const row = fc.record({
  note: fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
  blank: fc.integer({ min: 0, max: 3 }),
  isBad: fc.boolean(),
});

test('a rejected row of CSV is told by the line of the file on which an editor finds it', async () => {
  let told = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { minLength: 1, maxLength: 8 }),
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom('', '\ufeff', '\n\n'),
      async (rows, end, before) => {
        const lines = rows.map(
          ({ note, blank, isBad }, at) =>
            `${end.repeat(blank)}KEY${at},${isBad ? 'WRONG' : at},"${note}"${end}`,
        );
        const content = `${before}id,price,note${end}${lines.join('')}`;
        const shown = content.split(/\r\n|\n/);
        const expected = rows.flatMap(({ isBad }, at) =>
          isBad ? [shown.findIndex((line) => line.startsWith(`KEY${at},`)) + 1] : [],
        );
        const { reasons, places, rows: count } = await rehearse(folder, { name: 'lines.csv', content });
        assert.deepEqual(
          [count, places, reasons.map((reason) => reason.row)],
          [rows.length, 'line', expected],
        );
        told += expected.length;
      },
    ),
    runs(150, 3),
  );
  assert.ok(told > 100);
});

test('old Mac files are read, and rows of JSON lines are told by their lines, those of documents by their numbers', async () => {
  const mac = await rehearse(folder, { name: 'mac.csv', content: 'id,price\ra,1\r\rb,WRONG\r' });
  assert.deepEqual([mac.rows, mac.reasons[0]?.row], [2, 4]);
  const lines = await rehearse(folder, {
    name: 'l.ndjson',
    content: '\n{"id":1,"price":1}\r\n\r\n{"id":2,"price":"x"}\n',
  });
  assert.deepEqual([lines.rows, lines.places, lines.reasons[0]?.row], [2, 'line', 4]);
  const array = await rehearse(folder, {
    name: 'a.json',
    content: ' [\n{"id":1,"price":1},\n3,\n{"id":2,"price":"x"}]',
  });
  assert.deepEqual([array.rows, array.places, array.reasons.map(({ row: at }) => at)], [3, 'record', [2, 3]]);
});

test('a first column without a name, as R and pandas write it, can be mapped and left alone', async () => {
  const content = '"","id","price"\n"1","a",5\n"2","b",6\n';
  const dropped = await rehearse(folder, { name: 'r.csv', content });
  assert.deepEqual([dropped.rows, dropped.rejected], [2, 0]);
  const mapped = await rehearse(folder, {
    name: 'p.csv',
    content: ',id,price\n0,a,5\n1,b,6\n',
    fields: { listingKey: { column: '' } },
  });
  assert.deepEqual([mapped.rejected, (mapped.first as { listingKey: string }).listingKey], [0, '0']);
  const wrong = await rehearse(folder, {
    name: 'w.csv',
    content,
    fields: { listPrice: { column: '' }, bedrooms: { column: 'id' } },
  });
  assert.match(wrong.reasons[0]?.reason ?? '', /^id "a" is not a number/);
  const reason = await rehearse(folder, {
    name: 'x.csv',
    content: ',id,price\nx,a,5\n',
    fields: { bedrooms: { column: '' } },
  });
  assert.match(reason.reasons[0]?.reason ?? '', /^the column without a name "x" is not a number/);
  await assert.rejects(
    rehearse(folder, { name: 'two.csv', content: ',,id,price\n', fields: { bedrooms: { column: '' } } }),
    /no column without a name, or several of them/,
  );
});

test('a wrong delimiter is recognised and said once', async () => {
  for (const [delimiter, shown] of [
    [';', '";"'],
    ['\t', '"\\t"'],
    ['|', '"|"'],
  ] as const)
    for (const heading of ['id;price;note', '"id";"price";"note"']) {
      const content = `${heading}\na;5;x\n`.replaceAll(';', delimiter);
      await assert.rejects(rehearse(folder, { name: 'd.csv', content }), (error: Error) => {
        assert.ok(error.message.includes(`say "file": {"delimiter": ${shown}} in the map`), error.message);
        assert.equal(error.message.match(/delimiter/g)?.length, 1);
        assert.doesNotMatch(error.message, /no column/);
        return true;
      });
    }
  const said = { map: { file: { delimiter: ';' } } };
  await assert.rejects(
    rehearse(folder, { name: 'c.csv', content: 'id,price\na,5\n', ...said }),
    /delimiter": ","/,
  );
  assert.equal((await rehearse(folder, { name: 's.csv', content: 'id;price\na;5\n', ...said })).rejected, 0);
});

test('files that are no text are named for what they are, with what to do', async () => {
  const tar = Buffer.alloc(1_024);
  tar.write('sales.csv');
  tar.write('ustar', 257);
  for (const [content, told] of [
    [zipOf([{ name: 'xl/workbook.bin', content: 'x' }]), /\.xlsb\)|workbook, gzipped: unpack it/],
    [
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      /is an old document of Office|of the old form, gzipped: unpack it/,
    ],
    [Buffer.from('PAR1\x15\x04'), /is a Parquet file/],
    [Buffer.from('SQLite format 3\0'), /is a SQLite database/],
    [tar, /is a tar archive/],
    [Buffer.from('id,price\na,5\n', 'utf16le'), /UTF-16 without a byte-order mark: save it as UTF-8/],
    [Buffer.from('"text"'), /has no column|no heading/],
    [Buffer.from('[1, 2'), /is not JSON/],
  ] as const)
    for (const packed of [false, true])
      await assert.rejects(
        rehearse(folder, { name: 'odd.csv', content: packed ? gzipSync(content) : content }),
        told,
      );
});

test('a rehearsal says which times are read as UTC because nobody has named their zone', async () => {
  const content = 'id,price,at\na,5,2026-03-31T12:00:00\n';
  const zones = async (column: object, map: object = {}) =>
    (
      await rehearse(folder, {
        name: 'zones.csv',
        content,
        map,
        fields: { pendingAt: { column: 'at', ...column } },
      })
    ).readAsUtc;
  assert.deepEqual(await zones({}), ['pendingAt']);
  assert.deepEqual(await zones({ format: 'YYYY-MM-DDTHH:mm:ss' }), ['pendingAt']);
  assert.deepEqual(await zones({ format: 'unix' }), []);
  assert.deepEqual(await zones({}, { timeZone: 'Asia/Kolkata' }), []);
});

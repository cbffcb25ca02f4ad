// Proves that no damage to a file of any form crashes its reader: it is read, or refused in a sentence.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { openRecords } from '../../src/import/formats/open-file.ts';
import { FileFault } from '../../src/import/formats/record.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { workbookParts } from '../support/files/workbook-file.ts';
import { zipOf } from '../support/files/zip-file.ts';

const CSV = 'id,price\na,5\nb,6\n';
const parts = workbookParts({
  sheets: [
    {
      name: 'S',
      rows: [
        ['id', 'price'],
        ['a', 5],
        ['b', 'x'],
      ],
    },
  ],
});
const packed = [zipOf(parts), zipOf([{ name: 'a.csv', content: CSV }]), gzipSync(CSV)];
const texts = [
  CSV,
  '\ufeffid;name\r\na;"Straße ""x""\r\nzweite"\r\n',
  '{"id":"a","price":5}\n{"id":"b","address":{"city":"Reno"}}\n',
  '[{"id":"a","price":12345678901234567890},{"id":"b"}]',
  '{"type":"FeatureCollection","features":[{"type":"Feature","id":1,"properties":{"a":1},"geometry":{"type":"Point","coordinates":[1,2]}}]}',
].map((text) => Buffer.from(text));
const seeds = [...packed, ...texts, Buffer.from(`\ufeff${CSV}`, 'utf16le')];

const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
const changed = (bytes: Buffer, changes: readonly (readonly [number, number])[]): Buffer => {
  const copy = Buffer.from(bytes);
  for (const [at, value] of changes) copy[at % copy.length] = value;
  return copy;
};
/** Bytes of the file itself, or of the XML within it, which the archive then vouches for. */
const files = fc.oneof(
  fc.tuple(fc.constantFrom(...seeds), edits).map(([seed, changes]) => changed(seed, changes)),
  fc
    .tuple(fc.constantFrom(...texts), fc.nat(), fc.constantFrom('"', '[', '{', '\n', '\\', '\0', ',', '}]'))
    .map(([seed, at, inserted]) => {
      const place = at % (seed.length + 1);
      return Buffer.concat([seed.subarray(0, place), Buffer.from(inserted), seed.subarray(place)]);
    }),
  fc.tuple(fc.constantFrom(...seeds), fc.nat()).map(([seed, at]) => seed.subarray(0, 1 + (at % seed.length))),
  fc
    .tuple(fc.nat(parts.length - 1), edits)
    .map(([which, changes]) =>
      zipOf(
        parts.map((part, at) =>
          at === which ? { ...part, content: changed(Buffer.from(part.content), changes) } : part,
        ),
      ),
    ),
);

/** How many records a file has; each can be written among the rejected ones. Throws FileFault. */
async function readAll(file: string): Promise<number> {
  const opened = await openRecords(file);
  let records = 0;
  try {
    for await (const { fields, rejectedText } of opened.rows) {
      assert.ok(fields);
      assert.ok(rejectedText('it is damaged').length > 0);
      records++;
    }
  } finally {
    opened.close();
  }
  return records;
}

test('a damaged file is read or refused in a sentence, and never crashes its reader', async (t) => {
  const folder = await temporaryFolder(t, 'formats');
  await fc.assert(
    fc.asyncProperty(files, async (content) => {
      const file = join(folder, 'any');
      await writeFile(file, content);
      try {
        await readAll(file);
      } catch (error) {
        assert.ok(error instanceof FileFault, `${(error as Error).stack}`);
      }
    }),
    { numRuns: 500 },
  );
});

const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;

test('a value nested 200,000 deep is read as any other', async (t) => {
  const file = join(await temporaryFolder(t, 'formats'), 'deep');
  await writeFile(file, `{"id":"a"}\n{"id":"b","price":${deep}}\n`);
  assert.equal(await readAll(file), 2);
  await writeFile(file, `[{"id":"b","price":${deep}}]`);
  assert.equal(await readAll(file), 1);
});

test('a line of 17 million characters and a heading of 200,000 columns are refused by name', async (t) => {
  const file = join(await temporaryFolder(t, 'formats'), 'large');
  const line = 'x'.repeat(17 * 1024 ** 2);
  for (const content of [`id,price\na,${line}\n`, `{"id":"a"}\n{"id":"${line}"}\n`]) {
    await writeFile(file, content);
    await assert.rejects(readAll(file), /^FileFault: The file has a line of more than 16 million characters/);
  }
  const names = Array.from({ length: 200_000 }, (_, at) => `c${at}`);
  await writeFile(file, `${names.join(',')}\n${names.join(',')}\n`);
  await assert.rejects(
    readAll(file),
    /^FileFault: The heading names 200000 columns, and at most 16384 are read: check the delimiter/,
  );
});

// Proves that no damage to a workbook, an archive or a gzipped file crashes its reader: it is read, or refused in a sentence.

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
const seeds = [zipOf(parts), zipOf([{ name: 'a.csv', content: CSV }]), gzipSync(CSV)];

const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
const changed = (bytes: Buffer, changes: readonly (readonly [number, number])[]): Buffer => {
  const copy = Buffer.from(bytes);
  for (const [at, value] of changes) copy[at % copy.length] = value;
  return copy;
};
/** Bytes of the file itself, or of the XML within it, which the archive then vouches for. */
const files = fc.oneof(
  fc.tuple(fc.constantFrom(...seeds), edits).map(([seed, changes]) => changed(seed, changes)),
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

test('a damaged file is read or refused in a sentence, and never crashes its reader', async (t) => {
  const folder = await temporaryFolder(t, 'formats');
  await fc.assert(
    fc.asyncProperty(files, async (content) => {
      const file = join(folder, 'any');
      await writeFile(file, content);
      try {
        const opened = await openRecords(file);
        try {
          for await (const { fields } of opened.rows) assert.ok(fields);
        } finally {
          opened.close();
        }
      } catch (error) {
        assert.ok(error instanceof FileFault, `${(error as Error).stack}`);
      }
    }),
    { numRuns: 300 },
  );
});

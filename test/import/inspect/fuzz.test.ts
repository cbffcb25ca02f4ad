// Proves that no file makes an inspection crash, whatever its bytes, and that its helpers agree with simple ones.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { FileFault } from '../../../src/import/formats/record.ts';
import { assign } from '../../../src/import/inspect/assignment.ts';
import { ColumnSummaryBuilder } from '../../../src/import/inspect/column-summary.ts';
import { DigestSet } from '../../../src/import/inspect/digest-set.ts';
import { inspectFile } from '../../../src/import/inspect/inspect-file.ts';
import { mapText } from '../../../src/import/inspect/map-text.ts';
import { parseMap } from '../../../src/import/mapping/map.ts';
import { temporaryFolder } from '../../support/database/database.ts';

/** Cells that look like something. */
const cell = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    '$1,200',
    '1.200,50 €',
    '387k',
    '85 m²',
    '03/04/2026',
    '15. März 2026',
    'Sold',
    'ja',
    '47.6',
    '-122.3',
    'N/A',
    '',
    '[1,2]',
    '{}',
    'https://a.example/1.jpg',
  ),
);
const heading = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.constantFrom(
    'id',
    'price',
    'Preis',
    'lat',
    'lng',
    'x',
    'y',
    'status',
    'type',
    'address',
    'photos',
    'date',
    '__proto__',
    'constructor',
  ),
);
const table = fc
  .tuple(
    fc.array(heading, { minLength: 1, maxLength: 8 }),
    fc.array(fc.array(cell, { maxLength: 8 }), { maxLength: 12 }),
    fc.constantFrom(',', ';', '\t'),
  )
  .map(([names, rows, delimiter]) =>
    Buffer.from([names, ...rows].map((row) => row.join(delimiter)).join('\n')),
  );
const objects = fc.array(fc.object({ maxDepth: 3, maxKeys: 6 }), { maxLength: 8 });
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 400 }).map((array) => Buffer.from(array)),
  table,
  objects.map((list) => Buffer.from(JSON.stringify(list))),
  objects.map((list) => Buffer.from(list.map((each) => JSON.stringify(each)).join('\n'))),
  table.map((buffer) => Buffer.concat([Buffer.from([0x1f, 0x8b]), buffer])),
);

test('whatever a file holds, an inspection proposes a map that can be read, or says what is wrong with the file', async (t) => {
  const folder = await temporaryFolder(t, 'fuzz');
  await fc.assert(
    fc.asyncProperty(bytes, async (content) => {
      const file = join(folder, 'any');
      await writeFile(file, content);
      try {
        const { map, rows, check } = await inspectFile({ file });
        parseMap('map.json', mapText(map));
        assert.ok(check.rejected <= rows);
      } catch (error) {
        assert.ok(error instanceof FileFault, `${(error as Error).stack}`);
      }
    }),
    { numRuns: 150 },
  );
});

test('a summary stays small, however many different values a column has', () => {
  const builder = new ColumnSummaryBuilder('any');
  for (let at = 0; at < 20_000; at++)
    builder.add(`${'x'.repeat(at % 90)} ${at} ${'🏠'.repeat(at % 7)} ${at * 7}`);
  const { representatives, values, seemsUnique } = builder.summary();
  assert.equal(values, null);
  assert.equal(seemsUnique, true);
  assert.ok(representatives.length < 1_000, `${representatives.length} texts are kept`);
  const rows = representatives.reduce((sum, each) => sum + each.rows, 0);
  assert.ok(Math.abs(rows - 20_000) < 1e-6, 'they stand for every row');
});

test('the assignment has the best sum that any assignment has', () => {
  const matrix = fc
    .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }))
    .chain(([rows, columns]) =>
      fc.array(fc.array(fc.integer({ min: 0, max: 9 }), { minLength: columns, maxLength: columns }), {
        minLength: rows,
        maxLength: rows,
      }),
    );
  const bestSum = (scores: readonly (readonly number[])[], used: ReadonlySet<number> = new Set()): number => {
    const [row, ...rest] = scores;
    if (row === undefined) return 0;
    const sums = row.map((score, at) => (used.has(at) ? 0 : score + bestSum(rest, new Set([...used, at]))));
    return Math.max(bestSum(rest, used), ...sums);
  };
  fc.assert(
    fc.property(matrix, (scores) => {
      const chosen = assign(scores);
      const taken = chosen.filter((at) => at !== null);
      assert.equal(new Set(taken).size, taken.length, 'no column twice');
      assert.equal(
        chosen.reduce<number>((sum, at, row) => sum + (at === null ? 0 : (scores[row]?.[at] ?? 0)), 0),
        bestSum(scores),
      );
    }),
  );
});

test('repeats are counted alike in memory and on disk', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 60 }), async (numbers) => {
      for (const max of [5, 1_000]) {
        const set = new DigestSet(max);
        for (const number of numbers) await set.add(String(number));
        assert.equal(await set.repeats(), numbers.length - new Set(numbers).size);
        await set.close();
      }
    }),
    { numRuns: 20 },
  );
});

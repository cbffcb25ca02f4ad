// Proves that columns hold every fact of the rows that were added, and that snapshots of them never change.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rowArbitrary } from '../../../../test/support/catalogue/search-rows.ts';
import { runs } from '../../../../test/support/check/runs.ts';
import { expectedFacts, factsOf } from '../../../../test/support/engine/column-rows.ts';
import { ColumnBuffer } from './column-buffer.ts';
import { createDictionaries } from './dictionary.ts';
import type { Columns } from './segment.ts';

const rows = fc.array(
  fc.record({ indexed: rowArbitrary, id: fc.string({ minLength: 1 }), version: fc.nat() }),
  {
    maxLength: 150,
  },
);

test('every fact of a row is in the columns as it was, and in all later snapshots', () => {
  fc.assert(
    fc.property(rows, (added) => {
      const dictionaries = createDictionaries();
      const buffer = new ColumnBuffer(dictionaries);
      const listings = added.map(({ indexed, id, version }) => ({ row: { ...indexed.row, id }, version }));
      const snapshots: Columns[] = [buffer.columns()];
      for (const [at, { row, version }] of listings.entries()) {
        assert.equal(buffer.add(row, version), at);
        if (at % 7 === 0) snapshots.push(buffer.columns());
      }
      for (const columns of [...snapshots, buffer.columns()])
        for (const [at, { row, version }] of listings.slice(0, columns.rows).entries())
          assert.deepEqual(factsOf(columns, at, dictionaries), expectedFacts(row, version));
      assert.equal(buffer.rows, listings.length);
    }),
    runs(60, 1),
  );
});

test('what is unknown in every row takes no column, and all arrays are shared memory', () => {
  const buffer = new ColumnBuffer(createDictionaries());
  assert.deepEqual(buffer.columns().numbers, {});
  const [{ row } = assert.fail()] = fc
    .sample(rowArbitrary, { numRuns: 1, seed: 1 })
    .map((drawn) => ({ row: { ...drawn.row, price: 2 ** 31 + 0.01, tax: null, city: null } }));
  buffer.add(row, 1);
  const { numbers, codes, flags } = buffer.columns();
  assert.ok(numbers.price?.[0] === 2 ** 31 + 0.01 && !('tax' in numbers) && !('city' in codes));
  for (const { buffer: memory } of [numbers.price, flags]) assert.ok(memory instanceof SharedArrayBuffer);
});

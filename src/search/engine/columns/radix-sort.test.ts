// Proves that radix sorts order as comparisons do, and keep the order of what is equal.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../test/support/check/runs.ts';
import { sortByNumbers, sortByTexts } from './radix-sort.ts';

const EDGES = [0, -0, 1, -1, 2 ** 31, 1e300, -1e300, 5e-324, Infinity, -Infinity, 250_000, 250_000.01];

test('numbers are ordered by value, and equal ones stay as they were', () => {
  const number = fc.oneof(fc.constantFrom(...EDGES), fc.double({ noNaN: true }), fc.integer());
  fc.assert(
    fc.property(fc.array(number, { maxLength: 300 }), (keys) => {
      const items = Uint32Array.from(keys, (_, at) => 7 * at + 3);
      const expected = [...keys.keys()].sort((a, b) => compare(keys[a], keys[b]) || a - b);
      assert.deepEqual(
        [...sortByNumbers(items, Float64Array.from(keys))],
        expected.map((at) => 7 * at + 3),
      );
    }),
    runs(300, 1),
  );
});

test('texts are ordered by their bytes, whatever their lengths', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\u{10428}', '\uffee'), maxLength: 20 }),
    fc.string({ unit: 'binary', maxLength: 8 }).map((drawn) => drawn.replaceAll('\0', '')),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 200 }), (texts) => {
      const all = texts.map((each) => Buffer.from(each));
      const offsets = new Uint32Array(all.length + 1);
      for (const [at, each] of all.entries()) offsets[at + 1] = (offsets[at] ?? 0) + each.length;
      const rows = Uint32Array.from(texts.keys()).filter((row) => row % 5 !== 4);
      const expected = [...rows].sort((a, b) =>
        Buffer.compare(all[a] ?? Buffer.alloc(0), all[b] ?? Buffer.alloc(0)),
      );
      assert.deepEqual([...sortByTexts(rows, { offsets, bytes: Buffer.concat(all) })], expected);
    }),
    runs(200, 2),
  );
});

const compare = (a = 0, b = 0): number => (a < b ? -1 : Number(a > b));

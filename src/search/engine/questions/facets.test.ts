// Facets counted over columns, compared with counting one price after the other.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { PRICE_BUCKET_EDGES } from '../../query/price-buckets.ts';
import { ColumnBuffer } from '../columns/column-buffer.ts';
import { createDictionaries } from '../columns/dictionary.ts';
import { areasFilter } from './area-filter.ts';
import { facetCounter } from './facets.ts';

const edge = fc.constantFrom(...PRICE_BUCKET_EDGES);
const price = fc.oneof(
  edge,
  edge.map((value) => value * (1 + Number.EPSILON)),
  edge.map((value) => value * (1 - Number.EPSILON)),
  fc.nat(2_000_000).map((cents) => cents / 100),
  fc.double({ min: -10, max: 1e300, noDefaultInfinity: true }),
);

test('a price is counted in the bucket with the greatest edge that it reaches', () => {
  fc.assert(
    fc.property(fc.array(price, { maxLength: 200 }), (prices) => {
      const expected = new Map<number, number>();
      for (const each of prices) {
        const bucket = PRICE_BUCKET_EDGES.filter((lowest) => lowest <= each).length;
        if (bucket > 0) expected.set(bucket, (expected.get(bucket) ?? 0) + 1);
      }
      const dictionaries = createDictionaries();
      const counter = facetCounter('priceBucket', dictionaries);
      const columns = new ColumnBuffer(dictionaries).columns();
      const rows = Uint32Array.from(prices.keys());
      counter.consume({ ...columns, numbers: { price: Float64Array.from(prices) } })(rows, rows.length);
      const counted = counter.counts().map(({ value, count }) => [value, count] as const);
      assert.deepEqual(new Map(counted), expected);
    }),
  );
});

test('prices are counted in steps of one width', () => {
  fc.assert(
    fc.property(fc.array(price, { maxLength: 200 }), fc.constantFrom(1, 7, 50_000, 1e12), (prices, step) => {
      const expected = new Map<number, number>();
      for (const each of prices.filter((amount) => amount >= 0)) {
        const bucket = Math.floor(each / step) + 1;
        expected.set(bucket, (expected.get(bucket) ?? 0) + 1);
      }
      const dictionaries = createDictionaries();
      const counter = facetCounter('priceBucket', dictionaries, step);
      const columns = new ColumnBuffer(dictionaries).columns();
      const rows = Uint32Array.from(prices.keys());
      counter.consume({ ...columns, numbers: { price: Float64Array.from(prices) } })(rows, rows.length);
      const counted = counter.counts().map(({ value, count }) => [value, count] as const);
      assert.deepEqual(new Map(counted), expected);
    }),
  );
});

/** Numbers of areas near the bounds of what is counted in arrays, and far beyond. */
const number = fc.oneof(
  fc.nat(3_000),
  fc.nat(3).map((more) => 2 ** 20 - 2 + more),
  fc.constant(2 ** 26),
);

/** Listings that are each in one area, and in the first one too. */
function listed(numbers: readonly number[]) {
  const columns = new ColumnBuffer(createDictionaries()).columns();
  const areaNos = {
    offsets: Uint32Array.from([...numbers, 0].keys(), (row) => 2 * row),
    values: Uint32Array.from(numbers.flatMap((no) => [no, 1])),
  };
  return { columns: { ...columns, areaNos }, rows: Uint32Array.from(numbers.keys()) };
}

test('areas are counted and found by whatever numbers they have, and large numbers take no large arrays', () => {
  const { arrayBuffers } = process.memoryUsage();
  fc.assert(
    fc.property(
      fc.array(number, { maxLength: 100 }),
      fc.array(number, { minLength: 1, maxLength: 4 }),
      (numbers, asked) => {
        const { columns, rows } = listed(numbers);
        const counter = facetCounter('areaId', createDictionaries());
        counter.consume(columns)(rows, rows.length);
        const counted = counter.counts().map(({ value, count }) => [value, count] as const);
        const every = [...numbers, ...numbers.map(() => 1)];
        assert.deepEqual(
          new Map(counted),
          new Map([...Map.groupBy(every, (no) => no)].map(([no, { length }]) => [no, length])),
        );
        const kept = areasFilter(asked, columns, null).narrow(rows, rows.length);
        const expected = numbers.flatMap((no, row) => (asked.includes(no) || asked.includes(1) ? [row] : []));
        assert.deepEqual([...rows.subarray(0, kept)], expected);
      },
    ),
  );
  assert.ok(process.memoryUsage().arrayBuffers - arrayBuffers < 2 ** 28);
});

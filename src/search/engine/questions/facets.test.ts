// Facets counted over columns, compared with counting one price after the other.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { PRICE_BUCKET_EDGES } from '../../query/price-buckets.ts';
import { ColumnBuffer } from '../columns/column-buffer.ts';
import { createDictionaries } from '../columns/dictionary.ts';
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

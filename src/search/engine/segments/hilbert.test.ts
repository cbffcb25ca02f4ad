// Proves that the curve visits every place once, without jumps.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assertEvery } from '../../../../test/support/check/every.ts';
import { runs } from '../../../../test/support/check/runs.ts';
import { BEYOND_CURVE, hilbertKey } from './hilbert.ts';

const SIDE = 2 ** 24;
const lngOf = (column: number): number => ((column + 0.5) / SIDE) * 360 - 180;
const latOf = (row: number): number => ((row + 0.5) / SIDE) * 180 - 90;

test('the curve through a square of cells enters it once and goes from neighbour to neighbour', () => {
  const corner = fc.integer({ min: 0, max: SIDE / 16 - 1 }).map((at) => at * 16);
  fc.assert(
    fc.property(corner, corner, (column, row) => {
      const cells = Array.from({ length: 256 }, (_, at) => ({ x: at % 16, y: at >> 4 }));
      const visits = cells
        .map(({ x, y }) => ({ x, y, key: hilbertKey(lngOf(column + x), latOf(row + y)) }))
        .sort((a, b) => a.key - b.key);
      const first = visits[0] ?? assert.fail();
      for (const [at, { x, y, key }] of visits.entries()) {
        const before = visits[at - 1] ?? { x: x + 1, y };
        assert.equal(key, first.key + at);
        assert.equal(Math.abs(x - before.x) + Math.abs(y - before.y), 1);
      }
    }),
    runs(60, 3),
  );
});

test('every place, even beyond the poles, has a key below that of none', () => {
  const keys = [-1e9, -180, 0, 180, 1e9].flatMap((lng) =>
    [-91, -90, 0, 90, 91].map((lat) => hilbertKey(lng, lat)),
  );
  assertEvery(keys, (key) => Number.isSafeInteger(key) && key >= 0 && key < BEYOND_CURVE);
});

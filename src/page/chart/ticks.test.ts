// Tests of the ticks of an axis of values.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { niceTicks, percent, verticalScale } from './ticks.ts';

const value = fc.oneof(
  fc.double({ min: -1e12, max: 1e12, noNaN: true }).map((each) => Number(each.toFixed(6))),
  fc.integer({ min: -10_000_000, max: 10_000_000 }),
);

test('ticks enclose the values, at equal distances, and are few', () => {
  fc.assert(
    fc.property(value, value, fc.integer({ min: 3, max: 9 }), (a, b, max) => {
      fc.pre(a === b || Math.abs(a - b) > 1e-6 * Math.max(Math.abs(a), Math.abs(b)));
      const { values, min, max: top, step } = niceTicks(a, b, max);
      assert.ok(values.length >= 2 && values.length <= max + 1, `${values.length} ticks`);
      assert.ok(min <= Math.min(a, b) + step * 1e-6 && top >= Math.max(a, b) - step * 1e-6);
      for (let at = 1; at < values.length; at++) {
        const gap = (values[at] ?? 0) - (values[at - 1] ?? 0);
        assert.ok(Math.abs(gap - step) <= step * 1e-6, `${gap} between ticks ${step} apart`);
      }
      // No tick could be left out at either end.
      if (a !== b && values.length > 2) {
        assert.ok(min + step > Math.min(a, b) - step * 1e-6 && top - step < Math.max(a, b) + step * 1e-6);
      }
    }),
  );
});

test('distances are 1, 2, 2.5 or 5 times a power of ten', () => {
  fc.assert(
    fc.property(value, value, (a, b) => {
      fc.pre(Math.abs(a - b) > 1e-6 * Math.max(Math.abs(a), Math.abs(b)));
      const { step } = niceTicks(a, b);
      const mantissa = Number((step / 10 ** Math.floor(Math.log10(step) + 1e-9)).toFixed(6));
      assert.ok([1, 2, 2.5, 5].includes(mantissa), `${step}`);
    }),
  );
});

test('prices, shares and equal values get the ticks that one would write', () => {
  assert.deepEqual(
    niceTicks(349_000, 742_000).values,
    [300_000, 400_000, 500_000, 600_000, 700_000, 800_000],
  );
  assert.deepEqual(niceTicks(0, 0.3, 4).values, [0, 0.1, 0.2, 0.3]);
  assert.deepEqual(niceTicks(0, 0).min, 0);
  const { min, max } = niceTicks(500, 500);
  assert.ok(min < 500 && max > 500);
});

test('a scale puts the highest tick at the top and the lowest at the bottom', () => {
  const y = verticalScale(niceTicks(0, 100), 10, 110);
  assert.deepEqual([y(0), y(50), y(100)], [110, 60, 10]);
  assert.deepEqual([percent(0), percent(1 / 3), percent(1)], ['0%', '33.33%', '100%']);
});

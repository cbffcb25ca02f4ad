// Proves that the rows of several areas are those of each, found in short steps.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { areaRowsOf } from '../columns/area-rows.ts';
import { rowsOfAreas } from './area-filter.ts';

/** Areas of rows, as columns have them. */
function listsOf(rows: readonly (readonly number[])[]) {
  const offsets = [0];
  for (const areas of rows) offsets.push((offsets.at(-1) ?? 0) + areas.length);
  return { offsets: Uint32Array.from(offsets), values: Uint32Array.from(rows.flat()) };
}

function united(rows: readonly (readonly number[])[], nos: readonly number[]) {
  const steps = rowsOfAreas(areaRowsOf(listsOf(rows), rows.length), nos);
  for (let count = 0; ; count++) {
    const step = steps.next();
    if (step.done === true) return { found: [...step.value], steps: count };
  }
}

test('the rows of any of the areas are found once each, ascending', () => {
  const areas = fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { maxLength: 3 });
  fc.assert(
    fc.property(fc.array(areas, { maxLength: 40 }), fc.array(fc.integer({ min: 1, max: 8 })), (rows, nos) => {
      const expected = rows.flatMap((own, row) => (own.some((no) => nos.includes(no)) ? [row] : []));
      assert.deepEqual(united(rows, nos).found, expected);
    }),
  );
});

test('areas that have a large market are united in many steps', () => {
  const rows = Array.from({ length: 300_000 }, () => [1, 2, 3]);
  const { found, steps } = united(rows, [1, 2, 3]);
  assert.equal(found.length, rows.length);
  // Four passes over all rows, of at most 65,536 rows a step.
  assert.ok(steps >= 4 * 5, `${steps} steps`);
});

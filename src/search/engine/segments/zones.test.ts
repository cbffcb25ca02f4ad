// Proves that a zone spans its block, whichever rows hold the ends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLOCK_ROWS } from '../columns/segment.ts';
import { zonesOf } from './zones.ts';

const ROWS = 2 * BLOCK_ROWS + 3;
const USUAL = 5;

test('the least and the most of a block are in its zone and in no other, wherever they stand', () => {
  for (const row of [0, 1, BLOCK_ROWS - 1, BLOCK_ROWS, 2 * BLOCK_ROWS - 1, 2 * BLOCK_ROWS, ROWS - 1])
    for (const value of [-1, 9]) {
      const values = new Float64Array(ROWS).fill(USUAL);
      values[row] = value;
      const { min, max } = zonesOf(values, ROWS);
      const ends = (end: (a: number, b: number) => number): number[] =>
        [0, 1, 2].map((block) => (Math.floor(row / BLOCK_ROWS) === block ? end(value, USUAL) : USUAL));
      assert.deepEqual([[...min], [...max]], [ends(Math.min), ends(Math.max)], `${value} in row ${row}`);
    }
});

test('what is unknown is in no zone, and a block without any value has none', () => {
  const values = new Float64Array(ROWS).fill(Number.NaN);
  values[BLOCK_ROWS - 1] = USUAL;
  values[ROWS - 1] = -USUAL;
  const { min, max } = zonesOf(values, ROWS);
  assert.deepEqual([...min], [USUAL, Number.NaN, -USUAL]);
  assert.deepEqual([...max], [USUAL, Number.NaN, -USUAL]);
});

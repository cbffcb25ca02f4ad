// Proves that each cell keeps the number that it was given, however many there are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CellNumbers } from './cell-numbers.ts';

const ROWS = 2 ** 22;

/** Numbers as a map of texts gives them. */
function checkNumbers(cells: readonly (readonly [column: number, row: number])[]): void {
  const numbers = new CellNumbers(ROWS);
  const expected = new Map<string, number>();
  for (const [column, row] of cells) {
    const known = expected.get(`${column} ${row}`) ?? expected.size;
    expected.set(`${column} ${row}`, known);
    assert.equal(numbers.numberOf(column, row), known, `${column} ${row}`);
    assert.equal(numbers.count, expected.size);
  }
}

test('cells have the numbers in which they came, and keep them', () => {
  const near = fc.tuple(fc.nat(3), fc.nat(3));
  const anywhere = fc.tuple(fc.nat(2 ** 23 - 1), fc.nat(ROWS - 1));
  fc.assert(fc.property(fc.array(fc.oneof(near, anywhere), { maxLength: 400 }), checkNumbers));
});

test('so do a hundred thousand of them, side by side and each asked for twice', () => {
  const cells = Array.from(
    { length: 100_000 },
    (_, at) => [at % 500, ROWS - 1 - Math.floor(at / 500)] as const,
  );
  checkNumbers([...cells, ...cells]);
});

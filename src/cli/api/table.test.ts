// Proof that tables fit the terminal, with columns that shrink and columns that are left out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { columnsOf, createTable } from './table.ts';

interface Home {
  readonly price: string;
  readonly address: string;
  readonly beds: string;
  readonly id: string;
}

const HOME: Home = { price: '$1', address: '12 Long Meadow Lane, Ashcombe', beds: '3', id: 'lst_1' };

const table = (width: number) =>
  createTable<Home>(
    [
      { heading: 'PRICE', text: ({ price }) => price, isNumber: true },
      { heading: 'ADDRESS', text: ({ address }) => address, min: 10 },
      { heading: 'BEDS', text: ({ beds }) => beds, isNumber: true, rank: 1 },
      { heading: 'ID', text: ({ id }) => id },
    ],
    width,
  );

test('where there is room, all columns stand whole', () => {
  assert.deepEqual(table(80).lines([HOME]), [
    'PRICE  ADDRESS                        BEDS  ID',
    '   $1  12 Long Meadow Lane, Ashcombe     3  lst_1',
  ]);
});

test('texts shrink first, and then columns are left out; ids never', () => {
  assert.deepEqual(table(36).lines([HOME])[1], '   $1  12 Long Meadow…      3  lst_1');
  assert.deepEqual(table(24).lines([HOME]), ['PRICE  ADDRESS     ID', '   $1  12 Long M…  lst_1']);
  for (let width = 24; width < 60; width++)
    for (const line of table(width).lines([HOME])) assert.ok(columnsOf(line) <= width, `${width}: ${line}`);
});

test('pages after the first stand in its columns, without headings; an id that is longer is never cut', () => {
  const { lines } = table(80);
  lines([HOME]);
  const [line, ...rest] = lines([{ ...HOME, address: 'A', id: 'lst_22' }]);
  assert.equal(line, '   $1  A                                 3  lst_22');
  assert.deepEqual(rest, []);
});

test('wide characters take two columns, and marks none', () => {
  assert.equal(columnsOf('東京'), 4);
  assert.equal(columnsOf('e\u0301'), 1);
  assert.equal(columnsOf('🏠 ok'), 5);
});

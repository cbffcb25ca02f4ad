// Proves the calendar: months in UTC, whatever their length.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMonthCache, monthBefore, monthOf } from './monthly-quota.ts';

test('a month holds its first millisecond and not the first of the next one', () => {
  const start = Date.UTC(2028, 1, 1);
  const end = Date.UTC(2028, 2, 1);
  for (const now of [start, end - 1]) {
    assert.deepEqual(monthOf(now), { name: '2028-02-01', start, end, seconds: 29 * 86_400 });
  }
  assert.equal(monthOf(end).name, '2028-03-01');
  assert.equal(monthBefore(monthOf(Date.UTC(2028, 0, 9))), '2027-12-01');
});

test('the teller follows the clock forward over the end of a month and back', () => {
  const tell = createMonthCache();
  const noon = Date.UTC(2026, 11, 31, 23, 59, 59, 999);
  assert.deepEqual(
    [noon, noon + 1, noon - 1].map((now) => tell(now).name),
    ['2026-12-01', '2027-01-01', '2026-12-01'],
  );
});

// Proves which window of changes a round reads: all that may come late, and no mass update again and again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { afterRound, type ChangeWindow, LARGE_ROUND, roundOf, windowOf } from './change-window.ts';

const OVERLAP = 300_000;
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
const ms = (minute: number): number => Date.parse(at(minute));
const FRESH: ChangeWindow = windowOf({}, at(60), ms(61));

test('an ordinary round begins the overlap before the last change, however long ago that was', () => {
  assert.deepEqual(roundOf(FRESH, OVERLAP, ms(61)), { from: at(55), isWide: true });
  assert.deepEqual(roundOf(FRESH, OVERLAP, ms(9_000)), { from: at(55), isWide: true });
});

test('a large round is read once more after the overlap, and then no longer', () => {
  const large = { isWide: true, pages: LARGE_ROUND + 1, since: at(60) };
  const pending = afterRound(FRESH, { ...large, now: ms(61) });
  const narrow = roundOf(pending, OVERLAP, ms(65));
  assert.equal(narrow.isWide, false);
  assert.ok(narrow.from > at(60));
  const due = roundOf(pending, OVERLAP, ms(66));
  assert.deepEqual(due, { from: at(55), isWide: true });
  const settled = afterRound(pending, { ...large, now: ms(67) });
  assert.equal(settled.floor, at(60));
  assert.ok(roundOf(settled, OVERLAP, ms(80)).from > at(60));
});

test('changes after a large round do not hide what comes late before them', () => {
  const pending = afterRound(FRESH, { isWide: true, pages: LARGE_ROUND + 1, since: at(60), now: ms(61) });
  const later = afterRound(pending, { isWide: false, pages: 1, since: at(64), now: ms(64) });
  assert.deepEqual(roundOf(later, OVERLAP, ms(66)), { from: at(55), isWide: true });
});

test('a large round that ended while our clock was ahead is read once more all the same', () => {
  const position = { pending: at(60), pendingAt: ms(9_000) };
  const right = windowOf(position, at(60), ms(61));
  assert.equal(roundOf(right, OVERLAP, ms(65)).isWide, false);
  assert.deepEqual(roundOf(right, OVERLAP, ms(66)), { from: at(55), isWide: true });
});

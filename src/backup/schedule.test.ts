// Proves when nightly backups are due, also where clocks are changed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lastDueAt } from './schedule.ts';

const due = (now: string, hour: number, timeZone: string, minute = 0): string =>
  new Date(lastDueAt(Date.parse(now), { hour, minute, timeZone })).toISOString();

test('a backup is due at its time of day, and until then that of yesterday was the last', () => {
  assert.equal(due('2026-11-28T03:00:00Z', 3, 'UTC'), '2026-11-28T03:00:00.000Z');
  assert.equal(due('2026-11-28T02:59:59.999Z', 3, 'UTC'), '2026-11-27T03:00:00.000Z');
  assert.equal(due('2026-11-28T23:59:00Z', 3, 'UTC', 30), '2026-11-28T03:30:00.000Z');
});

test('the time of day is that of its time zone', () => {
  assert.equal(due('2026-11-28T09:00:00Z', 3, 'America/Chicago'), '2026-11-28T09:00:00.000Z');
  assert.equal(due('2026-11-28T08:59:00Z', 3, 'America/Chicago'), '2026-11-27T09:00:00.000Z');
  assert.equal(due('2026-11-28T20:00:00Z', 3, 'Pacific/Auckland'), '2026-11-28T14:00:00.000Z');
});

test('where clocks skip the time it is due an hour later, and where they repeat it the first time alone', () => {
  // On 29 March 2026 clocks go from 02:00 to 03:00 in Berlin, on 25 October from 03:00 to 02:00.
  assert.equal(due('2026-03-29T12:00:00Z', 2, 'Europe/Berlin', 30), '2026-03-29T01:30:00.000Z');
  assert.equal(due('2026-10-25T12:00:00Z', 2, 'Europe/Berlin', 30), '2026-10-25T00:30:00.000Z');
  assert.equal(due('2026-10-25T01:00:00Z', 2, 'Europe/Berlin', 30), '2026-10-25T00:30:00.000Z');
});

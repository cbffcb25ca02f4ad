// Tests of whether the clock of a server was set.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CountsLost } from './counting-server.ts';
import { SteadyClock } from './steady-clock.ts';

/** The server's time is ours and this. */
const OFFSET = 1_700_000_000_000;

test('an answer that took long says little of a clock, and is no reason to distrust it', () => {
  const clock = new SteadyClock();
  clock.observe(0, OFFSET + 900, 0, 1_000);
  clock.observe(0, OFFSET + 2_000, 1_999, 2_001);
  clock.observe(0, OFFSET + 2_100, 2_050, 5_000);
  clock.observe(0, OFFSET + 6_000, 5_999, 6_001);
});

test('a clock that was set forward or back is noticed, by each part alone', () => {
  for (const set of [-400, 400]) {
    const clock = new SteadyClock();
    clock.observe(0, OFFSET + 1_000, 999, 1_001);
    clock.observe(1, OFFSET + set + 1_000, 999, 1_001);
    assert.throws(() => clock.observe(0, OFFSET + set + 2_000, 1_999, 2_001), CountsLost);
    clock.observe(1, OFFSET + set + 2_000, 1_999, 2_001);
    clock.forget();
    clock.observe(0, OFFSET + set + 3_000, 2_999, 3_001);
  }
});

test('a clock that runs a little faster is followed', () => {
  const clock = new SteadyClock();
  for (let minute = 0; minute < 600; minute++) {
    const now = minute * 60_000;
    clock.observe(0, OFFSET + now * 1.000_2, now - 1, now + 1);
  }
});

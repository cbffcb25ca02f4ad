// Tests of the backoff after failures, and of the progress of a load.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progress } from './metrics.ts';
import { backoff } from './replication-status.ts';

test('waits double from one second to 32 and stay there', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 100].map((failures) => backoff(failures, null, 0));
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000]);
});

test('a source that asks for more time gets it, and never less than our own', () => {
  assert.equal(backoff(1, 120_000, 0), 120_000);
  assert.equal(backoff(6, 1_000, 0), 32_000);
});

test('chance lengthens a wait by up to a quarter', () => {
  assert.equal(backoff(1, null, 0.999_999), 1_250);
});

test('progress tells the rate of this process and the time left of the whole', () => {
  assert.deepEqual(progress(600, 100, 1_000, 1_000), {
    records: 600,
    total: 1_000,
    perSecond: 100,
    secondsLeft: 4,
  });
  assert.deepEqual(progress(600, 100, 1_000, null), {
    records: 600,
    total: null,
    perSecond: 100,
    secondsLeft: null,
  });
  assert.deepEqual(progress(0, 0, 0, 10), { records: 0, total: 10, perSecond: 0, secondsLeft: null });
});

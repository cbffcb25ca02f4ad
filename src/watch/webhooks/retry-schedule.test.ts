// Tests of the schedule of attempts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY, HOUR, MINUTE } from '../../lib/clock.ts';
import { MAX_ATTEMPTS, PAUSES, parseRetryAfter, pauseAfter } from './retry-schedule.ts';

const NOW = Date.UTC(2026, 0, 5, 12);

test('the pauses are those of the documentation, and the last one is repeated', () => {
  const pauses = Array.from({ length: 12 }, (_, at) => pauseAfter({ failures: at + 1, retryAfter: null }, 0));
  assert.deepEqual(pauses.slice(0, 3), [5_000, 5 * MINUTE, 30 * MINUTE]);
  assert.deepEqual(
    pauses.slice(3).map((pause) => pause / HOUR),
    [2, 5, 10, 14, 20, 24, 24, 24, 24],
  );
  assert.equal(MAX_ATTEMPTS, 10);
  assert.equal(PAUSES[0], 0);
});

test('at random a tenth is added at most, and nothing is taken away', () => {
  for (const random of [0, 0.3, 0.999]) {
    const pause = pauseAfter({ failures: 2, retryAfter: null }, random);
    assert.equal(pause, Math.round(5 * MINUTE * (1 + 0.1 * random)));
  }
});

test('an endpoint that asks for more time gets it, one that asks for less does not', () => {
  assert.equal(pauseAfter({ failures: 1, retryAfter: 120_000 }, 0), 120_000);
  assert.equal(pauseAfter({ failures: 4, retryAfter: 120_000 }, 0), 2 * HOUR);
});

test('Retry-After is read as seconds or as a date, and bounded by a day', () => {
  assert.equal(parseRetryAfter('120', NOW), 120_000);
  assert.equal(parseRetryAfter(new Date(NOW + HOUR).toUTCString(), NOW), HOUR);
  assert.equal(parseRetryAfter(new Date(NOW - HOUR).toUTCString(), NOW), 0);
  assert.equal(parseRetryAfter('999999999', NOW), DAY);
  assert.equal(parseRetryAfter('Fri, 31 Dec 9999 23:59:59 GMT', NOW), DAY);
  for (const text of [undefined, '', 'soon', '-5', '1.5', ['1', '2'], 'x'.repeat(1_000)])
    assert.equal(parseRetryAfter(text, NOW), null, String(text));
});

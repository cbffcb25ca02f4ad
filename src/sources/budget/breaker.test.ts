// Proof that a source that is down is left alone but for one request every ten seconds.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveError } from '../source.ts';
import { Breaker } from './breaker.ts';

function setUp() {
  let now = 0;
  const breaker = new Breaker({ now: () => now, monotonic: () => now, after: () => () => undefined });
  const passes = (): boolean => {
    try {
      breaker.pass();
      return true;
    } catch (error) {
      assert.ok(error instanceof LiveError && error.code === 'upstream_unavailable');
      assert.ok((error.retryAfter ?? 0) > 0 && (error.retryAfter ?? 0) <= 10_000);
      return false;
    }
  };
  const fail = (times: number): void => {
    for (let time = 0; time < times; time++) breaker.failed();
  };
  const advance = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { breaker, passes, fail, advance };
}

test('ten failures in a row close the way, and a success before that begins the count again', () => {
  const { breaker, passes, fail } = setUp();
  fail(9);
  assert.ok(passes());
  breaker.succeeded();
  fail(9);
  assert.ok(passes());
  fail(1);
  assert.ok(!passes());
});

test('one request finds out every ten seconds whether it is back', () => {
  const { breaker, passes, fail, advance } = setUp();
  fail(10);
  advance(9_999);
  assert.ok(!passes());
  advance(1);
  assert.deepEqual([passes(), passes(), passes()], [true, false, false]);
  fail(1);
  advance(9_999);
  assert.ok(!passes());
  advance(1);
  assert.ok(passes());
  breaker.succeeded();
  assert.deepEqual([passes(), passes()], [true, true]);
});

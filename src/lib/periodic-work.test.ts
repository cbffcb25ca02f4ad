// Proof that periodic work goes on after failures, never overlaps, and ends when it is told to.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../test/support/service/clock.ts';
import { startPeriodicWork } from './periodic-work.ts';

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('rounds come one after another, also after one that failed', async () => {
  const clock = manualClock(0);
  const failures: unknown[] = [];
  let rounds = 0;
  const work = startPeriodicWork({
    clock,
    pause: 1_000,
    report: (error: unknown) => void failures.push(error),
    async work() {
      if (++rounds === 2) throw new Error('no');
    },
  });
  for (const expected of [1, 2, 3]) {
    await settled();
    assert.equal(rounds, expected);
    clock.advance(1_000);
  }
  assert.equal(failures.length, 1);
  await work.stop();
});

test('a round that is asked for comes at once, but never beside another, and does not double what follows', async () => {
  const clock = manualClock(0);
  let [rounds, atOnce] = [0, 0];
  let end = (): void => {};
  const work = startPeriodicWork({
    clock,
    pause: 1_000,
    report: (error: unknown) => assert.fail(String(error)),
    async work() {
      rounds++;
      assert.equal(++atOnce, 1);
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      atOnce--;
    },
  });
  await settled();
  work.runNow();
  await settled();
  assert.equal(rounds, 1);
  end();
  await settled();
  assert.equal(rounds, 2);
  end();
  await settled();
  clock.advance(1_000);
  await settled();
  assert.equal(rounds, 3, 'one timer alone');
  end();
  await work.stop();
});

test('stopping waits for the round under way, which is told, and no other begins', async () => {
  const clock = manualClock(0);
  let [rounds, told] = [0, false];
  let end = (): void => {};
  const work = startPeriodicWork({
    clock,
    pause: 1_000,
    report: (error: unknown) => assert.fail(String(error)),
    async work(isStopped) {
      rounds++;
      await new Promise<void>((resolve) => {
        end = resolve;
      });
      told = isStopped();
    },
  });
  await settled();
  work.runNow();
  const stopped = work.stop();
  end();
  await stopped;
  clock.advance(10_000);
  await settled();
  assert.deepEqual([rounds, told], [1, true]);
});

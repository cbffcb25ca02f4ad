// Tests of deadlines: in time or not at all, and nothing left waiting.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../test/support/service/clock.ts';
import { withDeadline } from './clock.ts';

const onTimeout = () => new Error('too onTimeout');

test('work that is done in time gives its result and leaves no timer', async () => {
  const clock = manualClock();
  assert.equal(await withDeadline({ clock, milliseconds: 10, onTimeout }, async () => 'done'), 'done');
  assert.equal(clock.waiting, 0);
});

test('work that ignores its signal is let go at the deadline', async () => {
  const clock = manualClock();
  let signal: AbortSignal | undefined;
  const working = withDeadline({ clock, milliseconds: 10, onTimeout }, (given) => {
    signal = given;
    return new Promise(() => {});
  });
  clock.advance(9);
  assert.equal(signal?.aborted, false);
  clock.advance(1);
  await assert.rejects(working, /too onTimeout/);
  assert.equal(signal?.aborted, true);
});

test('a parent that aborts, or had aborted, reaches the work with its reason', async () => {
  const clock = manualClock();
  const parent = new AbortController();
  const wait = (signal: AbortSignal) =>
    new Promise((_resolve, reject) => {
      if (signal.aborted) reject(signal.reason);
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  const working = withDeadline({ clock, milliseconds: 10, parent: parent.signal, onTimeout }, wait);
  parent.abort(new Error('left'));
  await assert.rejects(working, /left/);
  await assert.rejects(
    withDeadline({ clock, milliseconds: 10, parent: parent.signal, onTimeout }, wait),
    /left/,
  );
  assert.equal(clock.waiting, 0);
});

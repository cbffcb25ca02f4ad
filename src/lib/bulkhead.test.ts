// Proves that no more runs at once than there are places, that the queue is fair, and that who leaves it costs nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Bulkhead, BulkheadFull } from './bulkhead.ts';

const never = new AbortController().signal;

function workshop(bulkhead: Bulkhead) {
  const ends: (() => void)[] = [];
  const begun: number[] = [];
  const run = (name: number, signal = never) =>
    bulkhead.run(signal, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  return { ends, begun, run };
}

test('work beyond the places waits, and is taken in the order it came', async () => {
  const bulkhead = new Bulkhead({ maxConcurrent: 2, maxQueue: 10 });
  const { ends, begun, run } = workshop(bulkhead);
  const all = [1, 2, 3, 4].map((name) => run(name));
  await turn();
  assert.deepEqual([begun, bulkhead.busy, bulkhead.waiting], [[1, 2], 2, 2]);
  ends[0]?.();
  await turn();
  assert.deepEqual(begun, [1, 2, 3]);
  ends[1]?.();
  await turn();
  for (const end of ends) end();
  await Promise.all(all);
  assert.deepEqual([begun, bulkhead.busy, bulkhead.waiting], [[1, 2, 3, 4], 0, 0]);
});

test('a full queue refuses at once', async () => {
  const bulkhead = new Bulkhead({ maxConcurrent: 1, maxQueue: 1 });
  const { ends, run } = workshop(bulkhead);
  const inside = [run(1), run(2)];
  await assert.rejects(run(3), BulkheadFull);
  ends[0]?.();
  await turn();
  ends[1]?.();
  await Promise.all(inside);
});

test('who leaves the queue is not begun, and those behind move up', async () => {
  const bulkhead = new Bulkhead({ maxConcurrent: 1, maxQueue: 5 });
  const { ends, begun, run } = workshop(bulkhead);
  const impatient = new AbortController();
  const first = run(1);
  const second = run(2, impatient.signal);
  const third = run(3);
  impatient.abort(new Error('enough'));
  await assert.rejects(second, /enough/);
  ends[0]?.();
  await turn();
  ends[1]?.();
  await Promise.all([first, third]);
  assert.deepEqual([begun, bulkhead.busy], [[1, 3], 0]);
});

test('work that fails gives its place back', async () => {
  const bulkhead = new Bulkhead({ maxConcurrent: 1, maxQueue: 0 });
  await assert.rejects(
    bulkhead.run(never, () => Promise.reject(new Error('broken'))),
    /broken/,
  );
  assert.equal(bulkhead.busy, 0);
});

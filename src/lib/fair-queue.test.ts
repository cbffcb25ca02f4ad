// Proves that slots are shared fairly between callers, that nobody fills the queue, and that who leaves it costs nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { FairQueue, type Leave, QueueFull } from './fair-queue.ts';

const never = new AbortController().signal;

/** A queue that notes who got a slot, in their order. */
function stage(slots: number, maxWaiting = 100, maxWaitingEach = 100) {
  const queue = new FairQueue({ slots, maxWaiting, maxWaitingEach });
  const held: { readonly name: string; readonly leave: Leave }[] = [];
  const given: string[] = [];
  const enter = (name: string, signal = never, request?: object) =>
    queue.enter(name, signal, request).then((leave) => {
      given.push(name);
      held.push({ name, leave });
    });
  const leave = async () => {
    held.shift()?.leave();
    await turn();
  };
  return { queue, held, given, enter, leave };
}

test('a newcomer goes before all further work of those who were served', async () => {
  const { given, enter, leave } = stage(1);
  for (let at = 0; at < 4; at++) void enter('a');
  for (let at = 0; at < 2; at++) void enter('b');
  await turn();
  await leave();
  assert.deepEqual(given, ['a', 'b']);
  void enter('c');
  for (let at = 0; at < 5; at++) await leave();
  assert.deepEqual(given, ['a', 'b', 'c', 'a', 'b', 'a', 'a']);
});

test('a request of several parts waits once, counts as one, and is not refused in its middle', async () => {
  const { given, enter, leave } = stage(1, 1);
  const request = {};
  void enter('a', never, request);
  void enter('b');
  void enter('a', never, request);
  await turn();
  await leave();
  assert.deepEqual(given, ['a', 'a']);
  for (let at = 0; at < 3; at++) await leave();
  assert.deepEqual(given, ['a', 'a', 'b']);
});

test('one caller leaves a slot to others, and cannot fill the queue', async () => {
  const { queue, given, enter } = stage(3, 10, 4);
  for (let at = 0; at < 6; at++) void enter('a');
  await turn();
  assert.deepEqual([queue.busy, queue.waiting], [2, 4]);
  await assert.rejects(queue.enter('a', never), QueueFull);
  await enter('b');
  assert.deepEqual(given, ['a', 'a', 'b']);
  for (const name of ['c', 'd', 'e', 'f', 'g', 'h']) void enter(name);
  assert.equal(queue.waiting, 10);
  await assert.rejects(queue.enter('i', never), QueueFull);
});

test('who leaves the queue gets nothing, and its position in it is free', async () => {
  const { queue, given, enter, leave } = stage(1, 1);
  const client = new AbortController();
  void enter('a');
  const left = enter('b', client.signal);
  client.abort(new Error('left'));
  await assert.rejects(left, /left/);
  void enter('c');
  await leave();
  assert.deepEqual([given, queue.busy, queue.waiting], [['a', 'c'], 1, 0]);
  await assert.rejects(queue.enter('d', client.signal), /left/);
});

test('a slot that is given back twice is given to one', async () => {
  const { queue, held, enter } = stage(1);
  await enter('a');
  void enter('b');
  void enter('c');
  const [first] = held;
  first?.leave();
  first?.leave();
  await turn();
  assert.deepEqual([queue.busy, queue.waiting], [1, 1]);
});

test('whatever comes and goes, no slot is idle that somebody may have, and none is taken twice', async () => {
  const step = fc.record({
    kind: fc.constantFrom('enter', 'enter', 'leave', 'abort'),
    name: fc.constantFrom('a', 'b', 'c'),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 60 }),
      async (slots, steps) => {
        const queue = new FairQueue({ slots, maxWaiting: 8, maxWaitingEach: 4 });
        const held: { readonly name: string; readonly leave: Leave }[] = [];
        const waiting: { readonly name: string; readonly client: AbortController }[] = [];
        for (const { kind, name } of steps) {
          if (kind === 'leave') held.shift()?.leave();
          if (kind === 'abort') waiting.shift()?.client.abort(new Error('left'));
          if (kind === 'enter') {
            const mine = { name, client: new AbortController() };
            waiting.push(mine);
            const gone = () => waiting.splice(waiting.indexOf(mine), waiting.includes(mine) ? 1 : 0);
            void queue.enter(name, mine.client.signal).then(
              (leave) => {
                gone();
                held.push({ name, leave });
              },
              () => gone(),
            );
          }
          await turn();
          const of = (who: string) => held.filter((each) => each.name === who).length;
          assert.deepEqual([queue.busy, queue.waiting], [held.length, waiting.length]);
          assert.ok(
            held.length <= slots && ['a', 'b', 'c'].every((who) => of(who) <= Math.max(1, slots - 1)),
          );
          const mayHave = waiting.some((each) => of(each.name) < Math.max(1, slots - 1));
          assert.ok(held.length === slots || !mayHave, 'a slot is idle');
        }
      },
    ),
    { numRuns: 100 },
  );
});

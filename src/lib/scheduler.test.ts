// Proves that work gives the event loop back by the clock, that iterations of the loop have a limit, and that expensive tasks wait for
// a slot and share iterations.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { Scheduler, type Slot, type Steps } from './scheduler.ts';

/** A scheduler whose time passes as it is told. */
function stage() {
  let now = 0;
  const scheduler = new Scheduler({ monotonic: () => now });
  const work = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { scheduler, work };
}

/** Counts iterations of the event loop until it is stopped. */
function countIterations() {
  const counted = { count: 0, stop: () => clearImmediate(next) };
  const count = (): void => {
    counted.count++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  return counted;
}

const slot = (signal = new AbortController().signal, leave = () => {}): Slot => ({ signal, leave });

test('a slice ends after half a millisecond by the clock, and the next one has its own time', async () => {
  const { scheduler, work } = stage();
  const task = scheduler.task();
  work(0.499);
  assert.equal(task.shouldYield(), false);
  work(0.001);
  assert.equal(task.shouldYield(), true);
  await task.yield();
  work(0.499);
  assert.equal(task.shouldYield(), false);
  work(7);
  assert.equal(task.shouldYield(), true, 'a block that took long');
});

test('work on items lets others go first after each slice, however few items that were', async () => {
  const { scheduler, work } = stage();
  const seen: string[] = [];
  await scheduler.forEach([0.1, 0.2, 5, 0.3, 0.2, 0.1], (took) => {
    work(took);
    seen.push(`${took}`);
    if (took === 5 || took === 0.3) setImmediate(() => seen.push('another'));
  });
  assert.deepEqual(seen, ['0.1', '0.2', '5', 'another', '0.3', '0.2', 'another', '0.1']);
});

test('no slice starts in an iteration that has had two milliseconds, and slices come in the order of their tasks', async () => {
  const { scheduler, work } = stage();
  const slices: { readonly name: string; readonly iteration: number }[] = [];
  const iterations = countIterations();
  const run = (name: string) =>
    scheduler.run({}, async (task) => {
      for (let slice = 0; slice < 3; slice++) {
        await task.yield();
        slices.push({ name, iteration: iterations.count });
        work(1);
      }
    });
  await Promise.all([...'abcdefg'].map(run));
  iterations.stop();
  assert.equal(slices.map(({ name }) => name).join(''), 'abcdefg'.repeat(3));
  const each = [...Map.groupBy(slices, ({ iteration }) => iteration).values()];
  assert.deepEqual(
    each.filter(({ length }) => length > 2),
    [],
  );
  assert.ok(each.some(({ length }) => length === 2));
});

test('a task starts at once while the iteration has time, and time that passed before is not its own', async () => {
  const { scheduler, work } = stage();
  work(100);
  let isStarted = false;
  const first = scheduler.run({}, async (task) => {
    isStarted = true;
    assert.equal(task.shouldYield(), false);
    work(2);
  });
  assert.equal(isStarted, true);
  let isLate = false;
  const second = scheduler.run({}, async () => {
    isLate = true;
  });
  assert.equal(isLate, false);
  await Promise.all([first, second]);
  assert.equal(isLate, true);
});

test('a task is expensive after its limit by the clock, then waits for a slot, keeps it, and gives it back once', async () => {
  const { scheduler, work } = stage();
  const events: string[] = [];
  function* steps(): Steps<string> {
    for (let step = 1; step <= 4; step++) {
      work(0.5);
      events.push(`step ${step}`);
      yield;
    }
    return 'done';
  }
  const admit = async () => {
    events.push('admitted');
    return slot(undefined, () => events.push('left'));
  };
  const found = await scheduler.run({ expensive: { after: 1, admit } }, (task) => task.run(steps()));
  assert.equal(found, 'done');
  assert.deepEqual(events, ['step 1', 'step 2', 'admitted', 'step 3', 'step 4', 'left']);
});

test('a task that gets no slot rejects with the reason; a slot whose signal aborts ends its task, and is given back', async () => {
  const { scheduler } = stage();
  const full = () => Promise.reject(new Error('full'));
  await assert.rejects(
    scheduler.run({ expensive: { after: 0, admit: full } }, (task) => task.yield()),
    /full/,
  );
  const timeout = new AbortController();
  let left = 0;
  const admit = async () => slot(timeout.signal, () => left++);
  const task = scheduler.run({ expensive: { after: 0, admit } }, async (own) => {
    await own.yield();
    timeout.abort(new Error('late'));
    await own.yield();
  });
  await assert.rejects(task, /late/);
  assert.equal(left, 1);
});

test('a signal ends a task at its next slice, or before it starts', async () => {
  const { scheduler } = stage();
  const client = new AbortController();
  const { signal } = client;
  const task = scheduler.run({ signal }, async (own) => {
    await own.yield();
    client.abort(new Error('left'));
    await own.yield();
    assert.fail('it goes on');
  });
  await assert.rejects(task, /left/);
  await assert.rejects(
    scheduler.run({ signal }, async () => assert.fail('it starts')),
    /left/,
  );
});

test('of expensive tasks one has a slice in an iteration, in turn, and others go beside it', async () => {
  const { scheduler, work } = stage();
  const slices: { readonly name: string; readonly iteration: number }[] = [];
  const iterations = countIterations();
  const run = (name: string, after: number) =>
    scheduler.run({ expensive: { after, admit: async () => slot() } }, async (task) => {
      for (let slice = 0; slice < 4; slice++) {
        await task.yield();
        slices.push({ name, iteration: iterations.count });
        work(0.1);
      }
    });
  await Promise.all([run('A', 0), run('B', 0), run('C', 0), run('d', 100)]);
  await nextIteration();
  iterations.stop();
  const expensive = slices.filter(({ name }) => name !== 'd');
  assert.equal(expensive.map(({ name }) => name).join(''), 'ABC'.repeat(4));
  assert.equal(new Set(expensive.map(({ iteration }) => iteration)).size, expensive.length, 'one each');
  const cheap = slices.filter(({ name }) => name === 'd').map(({ iteration }) => iteration);
  assert.ok(Math.max(...cheap) < Math.max(...expensive.map(({ iteration }) => iteration)));
});

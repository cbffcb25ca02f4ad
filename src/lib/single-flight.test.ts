// Proves that one run serves everyone who waits, harms nobody who stays, and leaves nothing behind.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { cacheFor, SingleFlight } from './single-flight.ts';

interface Run {
  readonly signal: AbortSignal;
  readonly resolve: (value: string) => void;
  readonly reject: (reason: Error) => void;
}

/** Work that is finished by hand. */
function runway() {
  const runs: Run[] = [];
  const start = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => runs.push({ signal, resolve, reject }));
  return { runs, start };
}

const outcome = (promise: Promise<string>) =>
  promise.then(
    (value) => value,
    (reason: unknown) => `rejected: ${String(reason)}`,
  );

test('a thousand who wait for one key make one run and share its result', async () => {
  const flights = new SingleFlight<string>();
  const { runs, start } = runway();
  const waiters = Array.from({ length: 1_000 }, () => flights.run('a', new AbortController().signal, start));
  assert.equal(runs.length, 1);
  runs[0]?.resolve('here');
  assert.deepEqual(new Set(await Promise.all(waiters)), new Set(['here']));
  assert.equal(flights.size, 0);
});

test('an error is shared too, and the next one to ask starts anew', async () => {
  const flights = new SingleFlight<string>();
  const { runs, start } = runway();
  const waiters = [flights.run('a', null, start), flights.run('a', null, start)].map(outcome);
  runs[0]?.reject(new Error('no'));
  assert.deepEqual(await Promise.all(waiters), ['rejected: Error: no', 'rejected: Error: no']);
  const again = flights.run('a', null, start);
  runs[1]?.resolve('yes');
  assert.equal(await again, 'yes');
});

test('work that throws at once is a rejection', async () => {
  const flights = new SingleFlight<string>();
  const failing = flights.run('a', null, () => {
    throw new Error('at once');
  });
  await assert.rejects(failing, /at once/);
  assert.equal(flights.size, 0);
});

test('who comes after the last one left gets a new run, also while the old one is still ending', async () => {
  const flights = new SingleFlight<string>();
  const { runs, start } = runway();
  const first = new AbortController();
  const left = outcome(flights.run('a', first.signal, start));
  first.abort('bye');
  assert.equal(await left, 'rejected: bye');
  const second = flights.run('a', new AbortController().signal, start);
  assert.equal(runs.length, 2);
  runs[0]?.reject(new Error('late'));
  await turn();
  assert.equal(flights.size, 1);
  runs[1]?.resolve('fresh');
  assert.equal(await second, 'fresh');
});

test('one who has left before joining starts nothing', async () => {
  const flights = new SingleFlight<string>();
  const { runs, start } = runway();
  assert.equal(await outcome(flights.run('a', AbortSignal.abort('gone'), start)), 'rejected: gone');
  assert.equal(runs.length, 0);
});

/** What may happen to one key: someone joins, someone leaves, the run ends well or badly. */
const step = fc.oneof(
  fc.record({ do: fc.constant('join' as const) }),
  fc.record({ do: fc.constant('leave' as const), who: fc.nat(20) }),
  fc.record({ do: fc.constantFrom('resolve' as const, 'reject' as const) }),
);

test('in any order of comings and goings there is one run at a time, aborted exactly when the last has left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const flights = new SingleFlight<string>();
      const { runs, start } = runway();
      const results: Promise<string>[] = [];
      let waiting: { readonly controller: AbortController; readonly result: Promise<string> }[] = [];
      for (const each of steps) {
        if (each.do === 'join') {
          const controller = new AbortController();
          const result = outcome(flights.run('a', controller.signal, start));
          results.push(result);
          waiting.push({ controller, result });
        } else if (each.do === 'leave' && waiting.length > 0) {
          const [leaver] = waiting.splice(each.who % waiting.length, 1);
          leaver?.controller.abort('left');
          assert.equal(await leaver?.result, 'rejected: left');
        } else if (waiting.length > 0 && (each.do === 'resolve' || each.do === 'reject')) {
          const number = runs.length;
          if (each.do === 'resolve') runs.at(-1)?.resolve(`run ${number}`);
          else runs.at(-1)?.reject(new Error(`run ${number}`));
          const expected = each.do === 'resolve' ? `run ${number}` : `rejected: Error: run ${number}`;
          for (const { result } of waiting) assert.equal(await result, expected);
          waiting = [];
          await turn();
        }
        assert.equal(flights.size, waiting.length > 0 ? 1 : 0);
        const last = runs.at(-1);
        if (waiting.length > 0) assert.equal(last?.signal.aborted, false);
      }
      for (const { controller } of waiting) controller.abort('end');
      await Promise.all(results);
      assert.equal(flights.size, 0);
      assert.ok(waiting.length === 0 || runs.at(-1)?.signal.aborted === true);
    }),
    { numRuns: 200 },
  );
});

test('a result is computed once in its lifetime; an error is the answer for a second only, and harms no later result', async () => {
  let time = 0;
  let runs = 0;
  let fails = true;
  const find = cacheFor(10_000, { monotonic: () => time }, async () => {
    runs++;
    if (fails) throw new Error(`run ${runs}`);
    return `run ${runs}`;
  });
  assert.equal(await outcome(find()), 'rejected: Error: run 1');
  time = 999;
  assert.equal(await outcome(find()), 'rejected: Error: run 1');
  fails = false;
  time = 1_000;
  assert.equal(await outcome(find()), 'run 2');
  time = 10_999;
  assert.equal(await outcome(find()), 'run 2');
  time = 11_000;
  assert.equal(await outcome(find()), 'run 3');
});

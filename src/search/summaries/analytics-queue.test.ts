// Proves that expensive queries share slots, and that whoever waits in vain learns how to request less.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../../test/support/service/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import { AnalyticsQueue, type Asker, EXPENSIVE_TIMEOUT, slotsFor } from './analytics-queue.ts';

const remedy = 'Ask for less.';
const SLOTS = { statements: 3, scans: 1 };

/** A queue before a database, each of whose reads takes so many milliseconds. */
function stage(readMs: number) {
  const clock = manualClock();
  let running = 0;
  let most = 0;
  const database = {
    async read(_: unknown, { signal }: { signal: AbortSignal }) {
      most = Math.max(most, ++running);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const cancel = clock.after(readMs, resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
      await promise.finally(() => {
        cancel();
        running--;
      });
    },
  } as unknown as Database;
  const queue = new AnalyticsQueue(database, clock, SLOTS);
  const read = (caller = 'a', maxWait?: number) =>
    queue.database({ caller, remedy, maxWait }).read(async () => undefined);
  return { clock, queue, read, running: () => running, most: () => most };
}

const isOverloaded = (error: unknown): boolean =>
  error instanceof Problem &&
  error.code === 'OVERLOADED' &&
  error.headers['retry-after'] === '5' &&
  error.message.includes(remedy);

/** A scan that needs a slot at once; `started` resolves when it has one, and it works on after `leave`. */
function startScan(queue: AnalyticsQueue, asker: Asker, signal?: AbortSignal) {
  const [started, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = queue.scan(asker, { expensiveAfter: 0, signal }, async (task) => {
    await task.yield();
    started.resolve();
    await left.promise;
    await task.yield();
  });
  done.catch(() => {});
  return { started: started.promise, leave: left.resolve, done };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('as many statements as there are slots run, the next begin as they end, and nobody fills the queue', async () => {
  const { clock, queue, read, most, running } = stage(10);
  const callers = ['a', 'b', 'c', 'd'];
  const asked = callers.flatMap((caller) => Array.from({ length: 40 }, () => read(caller)));
  for (let at = 0; at < 12; at++) asked.push(read('a'));
  await assert.rejects(read('a'), isOverloaded, 'fifty of one wait');
  await settled();
  assert.deepEqual([queue.status().statements.busy, queue.status().statements.waiting], [3, 172 - 3]);
  for (let at = 0; at < 31; at++) asked.push(read(`other ${at}`));
  await assert.rejects(read('last'), isOverloaded, 'two hundred of all wait');
  for (let round = 0; queue.status().statements.waiting > 0; round++) {
    // The last are of one caller.
    assert.ok(running() >= 2, `round ${round}`);
    clock.advance(10);
    await settled();
    await settled();
  }
  clock.advance(10);
  await Promise.all(asked);
  assert.equal(most(), 3);
});

test('the questions of one request have three seconds together, whether they are statements or scans', async () => {
  const { clock, queue } = stage(2_000);
  const asker = { caller: 'a', request: {}, remedy };
  const read = () => queue.database(asker).read(async () => undefined);
  const first = read();
  await settled();
  clock.advance(2_000);
  await first;
  const scan = startScan(queue, asker);
  await scan.started;
  const second = assert.rejects(read(), isOverloaded);
  await settled();
  clock.advance(EXPENSIVE_TIMEOUT - 2_000);
  await second;
  scan.leave();
  await assert.rejects(scan.done, isOverloaded);
  const late = assert.rejects(read(), isOverloaded, 'nothing is left');
  clock.advance(0);
  await late;
});

test('three seconds are all that a read waits, and all that the reads of one answer take together', async () => {
  const slow = stage(60_000);
  const alone = assert.rejects(slow.read(), isOverloaded);
  await settled();
  slow.clock.advance(EXPENSIVE_TIMEOUT);
  await alone;
  await settled();
  assert.equal(slow.running(), 0, 'it is stopped');
  const { clock, queue, read, running } = stage(2_000);
  const left = new AbortController().signal;
  let done = 0;
  const answer = queue.within(remedy, left, async (signal) => {
    for (let at = 0; at < 3; at++) {
      await queue.database({ caller: 'a', remedy }).read(async () => undefined, { signal });
      done++;
    }
  });
  const refused = assert.rejects(answer, isOverloaded);
  await settled();
  clock.advance(2_000);
  await settled();
  clock.advance(1_000);
  await refused;
  await settled();
  assert.deepEqual([done, running()], [1, 0], 'the second is stopped, the third never begins');
  const next = read();
  await settled();
  clock.advance(2_000);
  await next;
});

test('who wants to wait less is refused sooner, and who leaves gives the slot to the next', async () => {
  const { clock, queue } = stage(0);
  const client = new AbortController();
  const first = startScan(queue, { caller: 'a', remedy });
  await first.started;
  const leaving = startScan(queue, { caller: 'b', remedy }, client.signal);
  const hasty = startScan(queue, { caller: 'c', remedy, maxWait: 100 });
  const next = startScan(queue, { caller: 'd', remedy });
  clock.advance(100);
  await assert.rejects(hasty.done, isOverloaded);
  client.abort(new Error('left'));
  await assert.rejects(leaving.done, /left/);
  first.leave();
  await first.done;
  await next.started;
  clock.advance(EXPENSIVE_TIMEOUT);
  next.leave();
  await assert.rejects(next.done, isOverloaded, 'the timeout ends work that has its slot');
  assert.deepEqual([queue.status().scans.busy, queue.status().scans.waiting, clock.waiting], [0, 0, 0]);
});

test('a statement that PostgreSQL stopped is too much to ask; any other failure is what it is', async () => {
  const failing = (error: Error) => {
    const database = { read: () => Promise.reject(error) };
    return new AnalyticsQueue(database as unknown as Database, manualClock(), SLOTS)
      .database({ caller: 'a', remedy })
      .read(async () => undefined);
  };
  const stopped = Object.assign(new Error('canceling statement'), { code: '57014' });
  const unavailable = new Problem('DATABASE_UNAVAILABLE', 'Away.', { cause: stopped });
  await assert.rejects(failing(unavailable), (error) => {
    // It would take as long again: what to ask less of is all that helps.
    assert.ok(isOverloaded(error) && error instanceof Problem);
    assert.doesNotMatch(error.message, /try again/i);
    return true;
  });
  const away = new Problem('DATABASE_UNAVAILABLE', 'Away.');
  await assert.rejects(failing(away), away);
});

test('statements have a third of the connections, and leave a processor to everything else', () => {
  const statements = (connections: number, processors: number) =>
    slotsFor(connections, processors).statements;
  assert.deepEqual([statements(10, 8), statements(30, 8), statements(30, 4)], [3, 7, 3]);
  assert.deepEqual([statements(10, 2), statements(10, 1), statements(1, 8)], [1, 1, 1]);
});

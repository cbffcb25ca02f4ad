// Proves that costly questions take turns, and that whoever waits for one in vain is told what to ask less of.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEvery } from '../../../test/support/check/every.ts';
import { manualClock } from '../../../test/support/service/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import { AnalyticsQueue, COSTLY_DEADLINE, placesFor } from './analytics-queue.ts';

const remedy = 'Ask for less.';
const PLACES = { statements: 3, scans: 1 };

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
  const queue = new AnalyticsQueue(database, clock, PLACES);
  const read = (caller = 'a', maxWait?: number) =>
    queue.database({ caller, remedy, maxWait }).read(async () => undefined);
  return { clock, queue, read, running: () => running, most: () => most };
}

const isOverloaded = (error: unknown): boolean =>
  error instanceof Problem &&
  error.code === 'OVERLOADED' &&
  error.headers['retry-after'] === '5' &&
  error.message.includes(remedy);

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('as many statements as there are places run, the next begin as they end, and nobody fills the queue', async () => {
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
  const place = await queue.scan(asker);
  const second = assert.rejects(read(), isOverloaded);
  await settled();
  clock.advance(COSTLY_DEADLINE - 2_000);
  await second;
  assert.ok(isOverloaded(place.signal.reason));
  place.leave();
  const late = assert.rejects(read(), isOverloaded, 'nothing is left');
  clock.advance(0);
  await late;
});

test('three seconds are all that a read waits, and all that the reads of one answer take together', async () => {
  const slow = stage(60_000);
  const alone = assert.rejects(slow.read(), isOverloaded);
  await settled();
  slow.clock.advance(COSTLY_DEADLINE);
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

test('who wants to wait less is told so, and who leaves gives the place to the next', async () => {
  const { clock, queue } = stage(0);
  const client = new AbortController();
  const first = await queue.scan({ caller: 'a', remedy });
  const leaving = queue.scan({ caller: 'b', remedy }, client.signal);
  const hasty = assert.rejects(queue.scan({ caller: 'c', remedy, maxWait: 100 }), isOverloaded);
  const next = queue.scan({ caller: 'd', remedy });
  clock.advance(100);
  await hasty;
  client.abort(new Error('left'));
  await assert.rejects(leaving, /left/);
  first.leave();
  const { signal, leave } = await next;
  assert.equal(signal.aborted, false);
  clock.advance(COSTLY_DEADLINE);
  assert.ok(isOverloaded(signal.reason), 'the deadline ends work that has its place');
  leave();
  assert.deepEqual([queue.status().scans.busy, queue.status().scans.waiting, clock.waiting], [0, 0, 0]);
});

test('work in several places has turns of the event loop one after the other', async () => {
  const queue = new AnalyticsQueue({} as Database, manualClock(), { statements: 1, scans: 3 });
  const order: string[] = [];
  const works = ['a', 'b', 'c'].map(async (caller) => {
    const place = await queue.scan({ caller, remedy });
    for (let turn = 0; turn < 3; turn++) {
      await place.turn();
      order.push(caller);
    }
    place.leave();
  });
  const rounds: number[] = [];
  while (order.length < 9) {
    await settled();
    rounds.push(order.length);
  }
  await Promise.all(works);
  assert.equal(order.join(''), 'abcabcabc');
  assertEvery(rounds, (count, at) => count - (rounds[at - 1] ?? 0) <= 1, `one a round: ${rounds}`);
});

test('a statement that PostgreSQL stopped is too much to ask; any other failure is what it is', async () => {
  const failing = (error: Error) => {
    const database = { read: () => Promise.reject(error) };
    return new AnalyticsQueue(database as unknown as Database, manualClock(), PLACES)
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
    placesFor(connections, processors).statements;
  assert.deepEqual([statements(10, 8), statements(30, 8), statements(30, 4)], [3, 7, 3]);
  assert.deepEqual([statements(10, 2), statements(10, 1), statements(1, 8)], [1, 1, 1]);
});

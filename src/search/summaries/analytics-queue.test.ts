// Proves that heavy reads take turns, and that whoever waits for one in vain is told what to ask less of.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../../test/support/service/clock.ts';
import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import { AnalyticsQueue } from './analytics-queue.ts';

const REMEDY = 'Ask for less.';
const PLACES = 3;
const LINE = 200;

/** A queue before a database of nine connections, each of whose reads takes so many milliseconds. */
function queue(readMs: number) {
  const clock = manualClock();
  let running = 0;
  let most = 0;
  const database = {
    status: () => ({ size: 3 * PLACES }),
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
  const reads = new AnalyticsQueue(database, clock);
  const read = () => reads.database(REMEDY).read(async () => undefined);
  return { clock, reads, read, running: () => running, most: () => most };
}

const isOverloaded = (error: unknown): boolean =>
  error instanceof Problem &&
  error.code === 'OVERLOADED' &&
  error.headers['retry-after'] === '5' &&
  error.message.includes(REMEDY);

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a third of the connections work at once, the next begin as they end, and who comes to a full queue is refused', async () => {
  const { clock, read, most, running } = queue(10);
  const waiting = Array.from({ length: PLACES + LINE }, read);
  await assert.rejects(read(), isOverloaded);
  for (let round = 0; round * PLACES < PLACES + LINE; round++) {
    await settled();
    assert.ok(running() > 0);
    clock.advance(10);
  }
  await Promise.all(waiting);
  assert.equal(most(), PLACES);
});

test('eight seconds are all that a read waits, and all that the reads of one answer take together', async () => {
  const slow = queue(60_000);
  const alone = assert.rejects(slow.read(), isOverloaded);
  slow.clock.advance(8_000);
  await alone;
  const { clock, reads, read, running } = queue(5_000);
  const left = new AbortController().signal;
  let done = 0;
  const answer = reads.within(REMEDY, left, async (signal) => {
    for (let at = 0; at < 3; at++) {
      await reads.database(REMEDY).read(async () => undefined, { signal });
      done++;
    }
  });
  const refused = assert.rejects(answer, isOverloaded);
  await settled();
  clock.advance(5_000);
  await settled();
  clock.advance(3_000);
  await refused;
  await settled();
  assert.deepEqual([done, running()], [1, 0], 'the second is stopped, the third never begins');
  const next = read();
  await settled();
  clock.advance(5_000);
  await next;
});

test('a statement that PostgreSQL stopped is too much to ask; any other failure is what it is', async () => {
  const failing = (error: Error) => {
    const database = { status: () => ({ size: 9 }), read: () => Promise.reject(error) };
    return new AnalyticsQueue(database as unknown as Database, manualClock())
      .database(REMEDY)
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

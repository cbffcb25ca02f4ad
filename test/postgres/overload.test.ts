// Proves that a process that is too busy to keep its deadlines refuses what has passed them, and does not try it again.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, systemClock } from '../../src/lib/clock.ts';
import { Problem } from '../../src/lib/problem.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { atEnd, emptyDatabase } from '../support/database/database.ts';
import { startDatabaseProxy } from '../support/database/database-proxy.ts';

/** Milliseconds by which timers are late: longer than any operation may take. */
const DELAY = 60_000;

test('a read whose connection broke is not tried after its deadline, nor waits for a connection for less than no time', async (t) => {
  const { url } = await emptyDatabase(t);
  const proxy = await startDatabaseProxy(t, url);
  let passed = 0;
  const delays: number[] = [];
  let onLate = (): void => {};
  const clock: Clock = {
    now: () => systemClock.now() + passed,
    monotonic: () => systemClock.monotonic() + passed,
    after(milliseconds, callback) {
      delays.push(milliseconds);
      return systemClock.after(milliseconds, () => {
        passed += DELAY;
        onLate();
        callback();
      });
    },
  };
  const database = openDatabase({ url: proxy.url, maxConnections: 1, clock });
  atEnd(t, () => database.close(100));
  const held = Promise.withResolvers<never[]>();
  // When the read is tried again, its only connection is taken.
  onLate = () => {
    onLate = () => {};
    void database.read(() => held.promise).catch(() => {});
  };
  proxy.mode = 'cut';
  let attempts = 0;
  const read = database.read((sql) => {
    attempts++;
    return sql`select 1`;
  });
  await assert.rejects(read, (error: unknown) => error instanceof Problem && error.status === 503);
  held.resolve([]);
  assert.equal(attempts, 1);
  assert.deepEqual(
    delays.filter((delay) => delay < 0),
    [],
  );
});

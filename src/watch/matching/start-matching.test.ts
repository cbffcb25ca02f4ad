// Proves how the matching waits for the first watcher.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../../test/support/service/clock.ts';
import { createMetrics } from '../../lib/metrics.ts';
import { Licences } from '../../licence/licences.ts';
import type { Database } from '../../postgres/client/database.ts';
import { startMatching } from './start-matching.ts';

/** A database whose reads wait to be answered, and whose notifications the test sends. */
function controlledDatabase() {
  const reads: PromiseWithResolvers<boolean>[] = [];
  const joined = Promise.withResolvers<void>();
  let notify = (): void => {};
  const database = {
    clock: manualClock(),
    read() {
      const answer = Promise.withResolvers<boolean>();
      reads.push(answer);
      joined.resolve();
      return answer.promise;
    },
    dedicated({ onNotification }: { onNotification: (channel: string, payload: string) => void }) {
      notify = () => onNotification('changes', '');
      return { sql: () => Promise.resolve([]), destroy: () => {} };
    },
  } as unknown as Database;
  return { database, reads, joined: joined.promise, notify: () => notify() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

function startWith({ database }: ReturnType<typeof controlledDatabase>) {
  const errors: unknown[] = [];
  const report = (error: unknown) => errors.push(error);
  const { clock } = database;
  const licences = new Licences({ database, clock, report });
  const options = { database, clock, licences, metrics: createMetrics(), report, target: null };
  return { errors, ...startMatching(options) };
}

test('while nobody watches, changes committed during a check cause one more check, however many they are', async () => {
  const controlled = controlledDatabase();
  const { reads, joined, notify } = controlled;
  const starter = startWith(controlled);
  await joined;
  for (let commit = 0; commit < 1_000; commit++) notify();
  await settled();
  assert.equal(reads.length, 1);
  reads[0]?.resolve(false);
  await settled();
  assert.equal(reads.length, 2);
  reads[1]?.resolve(false);
  await settled();
  assert.equal(reads.length, 2);
  notify();
  await settled();
  assert.equal(reads.length, 3);
  reads[2]?.resolve(false);
  await starter.stop();
});

test('a check that fails is reported, and a change during it or after it causes another', async () => {
  const controlled = controlledDatabase();
  const { reads, joined, notify } = controlled;
  const starter = startWith(controlled);
  await joined;
  notify();
  reads[0]?.reject(new Error('The database is away'));
  await settled();
  assert.equal(starter.errors.length, 1);
  assert.equal(reads.length, 2);
  reads[1]?.reject(new Error('The database is away'));
  await settled();
  assert.equal(reads.length, 2);
  notify();
  await settled();
  assert.equal(reads.length, 3);
  reads[2]?.resolve(false);
  await starter.stop();
});

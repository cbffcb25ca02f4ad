// Proof of what becomes of a live fetch when the database, and not the source, is at fault.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listingId } from '../../src/ingest/identity.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { createRefresh } from '../../src/live/refresh.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { LiveError } from '../../src/sources/source.ts';
import { type Closing, testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { draftOf, memorySource } from '../support/sources/memory-source.ts';

const never = new AbortController().signal;

async function stage(t: Closing, { isBroken = false } = {}) {
  const { database } = await testDatabase(t);
  const catalogue = createCatalogue(database);
  const source = memorySource();
  const clock = manualClock();
  source.put(draftOf('a'), '2026-01-01T00:00:00.000Z');
  await database.transaction((tx) => catalogue.write(tx, source.id, [draftOf('a')], clock.now()));
  const stored = await catalogue.listing(listingId(source.id, 'a'));
  assert.ok(stored);
  const complaints: unknown[] = [];
  /** Milliseconds that the database had for each transaction. */
  const timeouts: (number | undefined)[] = [];
  const observed: Database = {
    ...database,
    transaction(work, options) {
      timeouts.push(options?.timeout);
      return database.transaction(work, options);
    },
  };
  const broken = () => Promise.reject(new Error('disk full'));
  const refresh = createRefresh({
    findSource: (id) => (id === source.id ? source : null),
    database: observed,
    clock,
    metrics: createMetrics(),
    catalogue: isBroken ? { ...catalogue, write: broken } : catalogue,
    log: { error: (details: unknown) => void complaints.push(details) },
    // A search engine that is late by more than a write may take.
    untilSearched: async () => clock.advance(5_000),
  });
  return { source, clock, complaints, timeouts, stored, refresh };
}

async function withBrokenWrites(t: Closing) {
  const { refresh, stored, ...rest } = await stage(t, { isBroken: true });
  return { ...rest, fetch: () => refresh(stored, never).catch((reason: unknown) => reason) };
}

test('a fresh copy that is stored is sent, however late searches know of it', async (t) => {
  const { source, complaints, stored, refresh } = await stage(t);
  source.put({ ...draftOf('a'), listPrice: 123_456 }, '2026-01-02T00:00:00.000Z');
  const fresh = await refresh(stored, never);
  assert.deepEqual([fresh.record.price, fresh.version, complaints], [123_456, stored.version + 1, []]);
});

for (const [took, timeout] of [
  [0, 4_500],
  [6_500, 3_000],
  [7_900, 1_600],
] as const)
  test(`of a source that took ${took} ms, storing may take ${timeout}: what the source left, and the sum is below ten seconds`, async (t) => {
    const { source, clock, stored, timeouts, refresh } = await stage(t);
    source.beforeFetch = async () => clock.advance(took);
    await refresh(stored, never);
    assert.deepEqual(timeouts, [timeout]);
  });

test('a fresh copy that cannot be stored is an error that the log explains, and not a wrong answer', async (t) => {
  const { fetch, complaints } = await withBrokenWrites(t);
  const error = await fetch();
  assert.ok(error instanceof LiveError && error.code === 'fetch_failed');
  assert.equal(complaints.length, 1);
});

test('a listing found gone is reported as gone even when that cannot be written, and the log knows', async (t) => {
  const { fetch, complaints, source } = await withBrokenWrites(t);
  source.listings.clear();
  const error = await fetch();
  assert.ok(error instanceof LiveError && error.code === 'not_found_upstream');
  assert.equal(complaints.length, 1);
});

// Proof that a source which never answers and hears no abort holds up nothing: no stream, no place, no stop.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listingId } from '../../src/ingest/identity.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { createRefresh } from '../../src/live/refresh.ts';
import { LiveError } from '../../src/sources/source.ts';
import { until } from '../support/check/until.ts';
import { type Closing, testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { parseEvents, startLive } from '../support/sources/live-service.ts';
import { draftOf, memorySource } from '../support/sources/memory-source.ts';

const DEAF = (): Promise<void> => new Promise(() => {});
const never = new AbortController().signal;

test('a stream ends with error and done within ten seconds, and the places are there for those who come later', async (t) => {
  const service = await startLive(t);
  const { source, clock, keys } = service;
  source.beforeFetch = DEAF;
  // More than fetch at once.
  for (let round = 1; round <= 18; round++) {
    const answer = await service.get(`/v1/listing/${service.id('a')}`, keys.internal);
    const begun = clock.monotonic();
    const text = answer.text();
    await until('the source is reached', () => source.fetched.length === round);
    clock.advance(8_000);
    const events = parseEvents(await text);
    assert.deepEqual(
      events.map(({ event }) => event),
      ['cached', 'error', 'done'],
    );
    assert.equal((JSON.parse(events[1]?.data ?? '{}') as { code: string }).code, 'timeout');
    assert.ok(clock.monotonic() - begun < 10_000);
  }
  source.beforeFetch = async () => {};
  const [, live] = await service.stream('b');
  assert.equal(live?.event, 'live');
});

test('a service that is stopped waits for its streams, and for nothing that a source never does', async (t) => {
  const service = await startLive(t, (memory) => ({
    ...memory,
    async *pages(from, signal) {
      yield* memory.pages(from, signal);
      if (from !== null) await DEAF();
    },
  }));
  const { source, clock, keys, app } = service;
  // The next round of replication begins, and is not heard of again.
  clock.advance(3_600_000);
  source.beforeFetch = DEAF;
  const answer = await service.get(`/v1/listing/${service.id('a')}`, keys.internal);
  const text = answer.text();
  await until('the source is reached', () => source.fetched.length === 1);
  const stopped = app.stop();
  clock.advance(8_000);
  assert.match(await text, /event: error[\s\S]*event: done/);
  await stopped;
});

async function narrow(t: Closing) {
  const { database } = await testDatabase(t);
  const catalogue = createCatalogue(database);
  const [source, clock] = [memorySource(), manualClock()];
  const drafts = ['a', 'b'].map((key) => draftOf(key));
  for (const each of drafts) source.put(each, '2026-01-01T00:00:00.000Z');
  await database.transaction((tx) => catalogue.write(tx, source.id, drafts, clock.now()));
  const log = { error: () => {} };
  const refresh = createRefresh({
    findSource: (id) => (id === source.id ? source : null),
    database,
    clock,
    catalogue,
    log,
    metrics: createMetrics(),
    concurrency: 1,
  });
  const fetch = async (key: string, signal = never) => {
    const stored = await catalogue.listing(listingId(source.id, key));
    assert.ok(stored);
    return refresh(stored, signal);
  };
  return { source, clock, fetch };
}

test('the last reader who leaves gives the place back at once, whatever the source does', async (t) => {
  const { source, clock, fetch } = await narrow(t);
  source.beforeFetch = DEAF;
  const reader = new AbortController();
  const left = fetch('a', reader.signal);
  await until('the source is reached', () => source.fetched.length === 1);
  reader.abort(new Error('gone'));
  await assert.rejects(left, /gone/);
  source.beforeFetch = async () => {};
  assert.equal((await fetch('b')).listingKey, 'b');
  assert.equal((await fetch('a')).listingKey, 'a');
  assert.equal(clock.waiting, 0);
});

test('who waits in line behind such a fetch has its place as soon as the deadline is missed', async (t) => {
  const { source, clock, fetch } = await narrow(t);
  source.beforeFetch = DEAF;
  const first = fetch('a').catch((error: unknown) => error);
  await until('the source is reached', () => source.fetched.length === 1);
  clock.advance(5_000);
  source.beforeFetch = async () => {};
  const second = fetch('b');
  await until('both deadlines are set', () => clock.waiting === 2);
  clock.advance(3_000);
  const error = await first;
  assert.ok(error instanceof LiveError && error.code === 'timeout');
  assert.equal((await second).listingKey, 'b');
});

// Proves that a source is read once and whole, that an interrupted load goes on, and that silence writes nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Catalogue, createCatalogue } from '../../src/ingest/listing-writer.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { type Replication, type ReplicationOptions, startReplication } from '../../src/sources/replicate.ts';
import { LiveError } from '../../src/sources/source.ts';
import { until } from '../support/check/until.ts';
import { type Closing, testDatabase } from '../support/database/database.ts';
import { type ManualClock, manualClock } from '../support/service/clock.ts';
import { draftOf, type MemorySource, memorySource } from '../support/sources/memory-source.ts';

const INTERVAL = 60_000;

interface Bench {
  readonly database: Database;
  readonly catalogue: Catalogue;
  readonly source: MemorySource;
  readonly clock: ManualClock;
  readonly warnings: unknown[];
  start(more?: Partial<ReplicationOptions>): Replication;
}

async function bench(t: Closing, listings = 7): Promise<Bench> {
  const { database } = await testDatabase(t);
  const catalogue = createCatalogue(database);
  const source = memorySource();
  const clock = manualClock();
  const warnings: unknown[] = [];
  const log = { info: () => {}, warn: (details: unknown) => void warnings.push(details) };
  for (let at = 0; at < listings; at++) source.put(draftOf(`k${at}`), `2026-01-01T00:00:0${at}.000Z`);
  return {
    database,
    catalogue,
    source,
    clock,
    warnings,
    start(more) {
      const options = {
        source,
        catalogue,
        database,
        clock,
        log,
        metrics: createMetrics(),
        interval: INTERVAL,
      };
      const replication = startReplication({ ...options, random: () => 0, ...more });
      t.after(() => replication.stop());
      return replication;
    },
  };
}

const loaded = (replication: Replication) =>
  until('the first load is complete', () => replication.status().state === 'following');

/** Everything that a read of a source may write. */
async function contents(database: Database) {
  return database.read(async (sql) => ({
    listings: [...(await sql`select id, version, fetched_at, updated_at, status from listing order by id`)],
    events: [...(await sql`select * from listing_event order by sequence`)],
    positions: [...(await sql`select * from source_position`)],
  }));
}

/** Waits for a round that began after now. */
async function nextRound({ clock, source }: Bench, replication: Replication): Promise<void> {
  await until('it waits for its next round', () => clock.waiting > 0);
  let read = false;
  const { pages } = source;
  source.pages = async function* (from, signal) {
    yield* pages(from, signal);
    read = true;
  };
  // The status says that a round is read to its end before the reader rests: time that passed in between would be lost.
  await until('the reader rests', () => clock.waiting > 0);
  clock.advance(INTERVAL);
  await until(
    'another round is read',
    () => read && clock.waiting > 0 && replication.status().state !== 'starting',
  );
  source.pages = pages;
}

test('the first load brings everything and says when it is complete', async (t) => {
  const b = await bench(t);
  const steps: number[] = [];
  const replication = b.start({ onProgress: ({ records, total }) => void steps.push(records, total ?? -1) });
  await loaded(replication);
  assert.equal((await contents(b.database)).listings.length, 7);
  assert.equal(replication.status().loadedAt, new Date(b.clock.now()).toISOString());
  assert.deepEqual(steps, [2, 7, 4, 7, 6, 7, 7, 7]);
});

test('once the first load is complete, the planner knows how many listings there are', async (t) => {
  const b = await bench(t);
  await loaded(b.start());
  const sizes = await b.database.read(
    (sql) => sql`select relname, reltuples from pg_class
      where relname in ('listing', 'listing_search', 'listing_text') and relkind = 'r' order by relname`,
  );
  const known = sizes.map(({ relname, reltuples }) => [relname, Number(reltuples)]);
  assert.deepEqual(known, [
    ['listing', 7],
    ['listing_search', 7],
    ['listing_text', 7],
  ]);
});

test('a load that was cut off between pages goes on with the next page', async (t) => {
  const b = await bench(t);
  const reached = Promise.withResolvers<void>();
  const first = b.start({
    onProgress: ({ records }) => {
      if (records === 4) reached.resolve();
    },
    catalogue: {
      ...b.catalogue,
      write: async (...applied) => {
        if (applied[2].some(({ listingKey }) => listingKey === 'k4')) throw new Error('killed');
        return b.catalogue.write(...applied);
      },
    },
  });
  await reached.promise;
  await until('the replication fails', () => first.status().state === 'failing');
  await first.stop();
  assert.equal((await contents(b.database)).listings.length, 4);
  assert.equal((await contents(b.database)).positions[0]?.loaded_at, null);
  const keys: string[] = [];
  const second = b.start({
    catalogue: {
      ...b.catalogue,
      write: (tx, source, drafts, at) => {
        keys.push(...drafts.map(({ listingKey }) => listingKey));
        return b.catalogue.write(tx, source, drafts, at);
      },
    },
  });
  await loaded(second);
  assert.deepEqual(keys, ['k4', 'k5', 'k6']);
  assert.equal((await contents(b.database)).listings.length, 7);
});

test('a page and the position after it are written together or not at all', async (t) => {
  const b = await bench(t);
  const replication = b.start({
    catalogue: {
      ...b.catalogue,
      write: async (...applied) => {
        await b.catalogue.write(...applied);
        throw new Error('killed after the listings were written');
      },
    },
  });
  await until('the replication fails', () => replication.status().state === 'failing');
  await replication.stop();
  assert.deepEqual(await contents(b.database), { listings: [], events: [], positions: [] });
});

test('rounds in which nothing changed write nothing', async (t) => {
  const b = await bench(t);
  const replication = b.start();
  await loaded(replication);
  const before = await contents(b.database);
  await nextRound(b, replication);
  await nextRound(b, replication);
  assert.deepEqual(await contents(b.database), before);
});

test('a source that tells nothing new is known to be as it was, which is noted every five minutes', async (t) => {
  const b = await bench(t);
  const replication = b.start();
  await loaded(replication);
  const asOf = async () =>
    (await b.database.read((sql) => sql<{ at: string }[]>`select as_of as at from source_freshness`))[0]?.at;
  const begun = b.clock.now();
  const noted: (string | undefined)[] = [];
  for (let round = 1; round <= 6; round++) {
    await nextRound(b, replication);
    noted.push(await asOf());
  }
  const at = (minutes: number) => new Date(begun + minutes * 60_000).toISOString();
  assert.deepEqual(noted, [at(0), at(0), at(0), at(0), at(5), at(5)]);
});

test('listings that are read again without a change keep their version and history', async (t) => {
  const b = await bench(t);
  const replication = b.start();
  await loaded(replication);
  const before = await contents(b.database);
  const { pages } = b.source;
  b.source.pages = async function* (from, signal) {
    for await (const page of pages(from, signal)) yield { ...page, drafts: [...b.source.listings.values()] };
  };
  await nextRound(b, replication);
  assert.deepEqual(await contents(b.database), before);
  const confirmed = await b.database.read(
    (sql) => sql<{ at: string }[]>`select confirmed_at as at from listing_confirmation`,
  );
  const now = new Date(b.clock.now()).toISOString();
  assert.deepEqual(
    confirmed.map(({ at }) => at),
    Array(7).fill(now),
    'each is confirmed',
  );
});

test('a change reaches the catalogue with the next round', async (t) => {
  const b = await bench(t);
  const replication = b.start();
  await loaded(replication);
  b.source.put(draftOf('k2', { ListPrice: 90, StandardStatus: 'Pending' }), '2026-01-02T00:00:00.000Z');
  await nextRound(b, replication);
  const { listings } = await contents(b.database);
  assert.deepEqual(
    listings.filter(({ version }) => version === 2).map(({ status }) => status),
    ['PENDING'],
  );
});

test('fields that could not be read are measured by their names, each once', async (t) => {
  const b = await bench(t);
  const metrics = createMetrics();
  b.source.fieldErrors.set('CloseDate', 3);
  const replication = b.start({ metrics });
  await loaded(replication);
  b.source.fieldErrors.set('CloseDate', 5).set('YearBuilt', 1);
  await nextRound(b, replication);
  const lines = (await metrics.read()).text
    .split('\n')
    .filter((line) => line.includes('field_errors_total{'));
  assert.deepEqual(lines, [
    'freehold_source_field_errors_total{source="memory",field="CloseDate"} 5',
    'freehold_source_field_errors_total{source="memory",field="YearBuilt"} 1',
  ]);
});

test('failures wait longer and longer, are told once, and end by themselves', async (t) => {
  const b = await bench(t);
  b.source.failures.push(...Array.from({ length: 3 }, () => new LiveError('upstream_unavailable', 'no')));
  const replication = b.start();
  for (const wait of [1_000, 2_000, 4_000]) {
    const left = b.source.failures.length;
    await until('the next failure is met', () => b.source.failures.length < left || left === 0);
    await until('the retry is set', () => b.clock.waiting > 0 && replication.status().state === 'failing');
    b.clock.advance(wait - 1);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(replication.status().state, 'failing');
    b.clock.advance(1);
  }
  await loaded(replication);
  assert.equal(b.warnings.length, 1);
});

test('a source that asks to be left alone is', async (t) => {
  const b = await bench(t);
  b.source.failures.push(new LiveError('upstream_rate_limited', 'later', { retryAfter: 120_000 }));
  const replication = b.start();
  await until(
    'the rate limit is noticed',
    () => replication.status().failure === 'upstream_rate_limited' && b.clock.waiting > 0,
  );
  b.clock.advance(119_999);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(replication.status().state, 'failing');
  b.clock.advance(1);
  await loaded(replication);
});

test('two processes on one database read the source once, and one takes over from the other', async (t) => {
  const b = await bench(t);
  const first = b.start();
  await loaded(first);
  const second = b.start();
  await until('the second one waits', () => second.status().state === 'waiting' && b.clock.waiting > 1);
  assert.notEqual(second.status().loadedAt, null);
  await first.stop();
  b.clock.advance(INTERVAL);
  await loaded(second);
});

test('a process that waits for the first load of another knows within seconds that it is complete', async (t) => {
  const b = await bench(t);
  const { pages } = b.source;
  const finish = Promise.withResolvers<void>();
  b.source.pages = async function* (from, signal) {
    await finish.promise;
    yield* pages(from, signal);
  };
  const first = b.start();
  await until('the first one has begun', () => first.status().state !== 'starting' || b.clock.waiting > 0);
  const second = b.start();
  await until('the second one waits', () => second.status().state === 'waiting' && b.clock.waiting > 0);
  assert.equal(second.status().loadedAt, null);
  finish.resolve();
  await loaded(first);
  b.clock.advance(2_000);
  await until('the second one has taken over', () => second.status().loadedAt !== null);
});

test('stopping waits for the page that is being written', async (t) => {
  const b = await bench(t);
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const replication = b.start({
    catalogue: {
      ...b.catalogue,
      write: async (...applied) => {
        begun.resolve();
        await finish.promise;
        return b.catalogue.write(...applied);
      },
    },
  });
  await begun.promise;
  let stopped = false;
  const stopping = replication.stop().then(() => {
    stopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(stopped, false);
  finish.resolve();
  await stopping;
  const { listings, positions } = await contents(b.database);
  assert.deepEqual([listings.length, positions.length], [2, 1]);
  assert.equal(b.clock.waiting, 0);
});

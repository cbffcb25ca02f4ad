// First load of a source, as clients and supervisors are told of it: over HTTP, by every process on the database.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from '../../src/app/app.ts';
import { readConfig } from '../../src/config.ts';
import { createLog } from '../../src/lib/log.ts';
import { createFindLoading } from '../../src/sources/first-load.ts';
import type { Source } from '../../src/sources/source.ts';
import { writePosition } from '../../src/sources/store.ts';
import { until } from '../support/check/until.ts';
import { atEnd, type Closing, temporaryFolder, testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { quietPort } from '../support/service/ports.ts';
import { draftOf, memorySource } from '../support/sources/memory-source.ts';

interface Told {
  readonly total: { readonly value: number; readonly relation: string } | null;
  readonly meta: { readonly loading: unknown };
  readonly checks?: readonly { readonly name: string; readonly detail?: string }[];
}

/** Two services on one database: one reads the source, page by page as the test lets it; the other has none. */
async function startBoth(t: Closing, telling: (source: Source) => Source = (source) => source) {
  const clock = manualClock(Date.UTC(2026, 0, 5, 12));
  const { database, url: databaseUrl } = await testDatabase(t);
  const memory = memorySource('feed');
  for (const key of ['a', 'b', 'c', 'd']) memory.put(draftOf(key), '2026-01-01T00:00:00.000Z');
  const gates = [0, 1].map(() => Promise.withResolvers<void>());
  const held: Source = {
    ...memory,
    async *pages(from, signal) {
      const gate = gates[Symbol.iterator]();
      for await (const page of memory.pages(from, signal)) {
        await gate.next().value?.promise;
        yield page;
      }
    },
  };
  const start = async (source: Source | null) => {
    const folder = await temporaryFolder(t, 'first-load');
    const config = readConfig({ DATABASE_URL: databaseUrl, DATA_DIR: folder, SOURCE: 'none' }, folder);
    const port = await quietPort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const app = await createApp({
      config,
      database,
      source,
      interval: 3_600_000,
      publicUrl,
      log: createLog({ level: 'silent' }),
      overrides: { clock },
    });
    atEnd(t, () => app.stop());
    await app.server.listen('127.0.0.1', port);
    return { app, url: publicUrl };
  };
  const reader = await start(telling(held));
  const other = await start(null);
  const ask = async (url: string, path: string) => {
    // What is known of a load is good for a second.
    clock.advance(1_000);
    const answer = await fetch(`${url}${path}`);
    return { status: answer.status, headers: answer.headers, told: (await answer.json()) as Told };
  };
  atEnd(t, async () => {
    for (const gate of gates) gate.resolve();
  });
  return { reader, other, ask, gates, clock };
}

const SEARCH = '/v1/search/sales?limit=5&fields=id';
const STATS = '/v1/market/stats?listingType=sale&metrics=inventory';

test('while a source loads for the first time searches and figures answer with what is there, and say so', async (t) => {
  const { reader, other, ask, gates } = await startBoth(t);
  const before = await ask(reader.url, SEARCH);
  assert.equal(before.status, 200);
  assert.deepEqual(before.told.meta.loading, { source: 'feed', records: 0, total: null });
  assert.deepEqual(before.told.total, { value: 0, relation: 'exact' }, 'of what is there');
  assert.equal(before.headers.get('x-total-count'), '0');

  gates[0]?.resolve();
  const half = { source: 'feed', records: 2, total: 4 };
  await until('two records are loaded', () => reader.app.replication?.status().progress?.records === 2);
  for (const { url } of [reader, other]) {
    // The engine may come to know a moment later.
    await until('both are found', async () => (await ask(url, SEARCH)).told.total?.value === 2);
    for (const path of [SEARCH, `${SEARCH}&count=exact`, `${SEARCH}&facets=bedrooms`]) {
      const { told, headers } = await ask(url, path);
      assert.deepEqual(told.meta.loading, half, path);
      assert.deepEqual(told.total, { value: 2, relation: 'exact' }, path);
      assert.equal(headers.get('x-total-count'), '2', path);
    }
    const { told: figures } = await ask(url, STATS);
    assert.deepEqual(figures.meta?.loading, half, JSON.stringify(figures));
    const page = await (await fetch(`${url}/docs`)).text();
    assert.match(page, /The source <strong>feed<\/strong>[^<]*2 of 4 listings/);
  }

  gates[1]?.resolve();
  await until('the first load is complete', () => reader.app.replication?.status().state === 'following');
  for (const { url } of [reader, other]) {
    // Notifications of the last page may come a moment after its commit.
    await until('the last page is counted', async () => (await ask(url, SEARCH)).told.total?.value === 4);
    const { told, headers } = await ask(url, SEARCH);
    assert.equal(told.meta.loading, null);
    assert.deepEqual(told.total, { value: 4, relation: 'exact' });
    assert.equal(headers.get('x-total-count'), '4');
    assert.equal((await ask(url, STATS)).told.meta.loading, null);
  }
});

test('whoever waits for a first load without credentials spends nothing of the month', async (t) => {
  const { reader, ask, gates } = await startBoth(t);
  for (let asked = 0; asked < 5; asked++) {
    const { status, headers } = await ask(reader.url, SEARCH);
    assert.equal(status, 200);
    assert.doesNotMatch(headers.get('ratelimit') ?? '', /"month"/);
    assert.match(headers.get('ratelimit') ?? '', /"minute"/, 'the minute counts all the same');
  }
  for (const gate of gates) gate.resolve();
  await until('the first load is complete', () => reader.app.replication?.status().state === 'following');
  let limits = '';
  await until('searches know it', async () => {
    const { told, headers } = await ask(reader.url, '/v1/areas?limit=1');
    limits = headers.get('ratelimit') ?? '';
    return told.meta?.loading === undefined && limits.includes('"month"');
  });
  assert.match(limits, /"month";r=99\b/);
});

test('readiness is 503 until the first load is complete, and says why without being asked to be verbose', async (t) => {
  const { reader, other, ask, gates } = await startBoth(t);
  gates[0]?.resolve();
  await until('two records are loaded', () => reader.app.replication?.status().progress?.records === 2);
  for (const { url } of [reader, other]) {
    const { status, told } = await ask(url, '/readyz');
    assert.equal(status, 503);
    assert.deepEqual(
      told.checks?.map(({ name, detail }) => [name, detail]),
      [['first-load', 'The first load of the source "feed" is not complete: 2 of 4 listings.']],
    );
  }
  gates[1]?.resolve();
  await until('the first load is complete', () => reader.app.replication?.status().state === 'following');
  for (const { url } of [reader, other]) assert.equal((await ask(url, '/readyz')).status, 200);
});

test('a source that does not tell how many records it has is told of without a total', async (t) => {
  const { reader, ask, gates } = await startBoth(t, (source) => ({
    ...source,
    async *pages(from, signal) {
      for await (const { total: _, ...page } of source.pages(from, signal)) yield page;
    },
  }));
  gates[0]?.resolve();
  await until('two records are loaded', () => reader.app.replication?.status().progress?.records === 2);
  const { told } = await ask(reader.url, SEARCH);
  assert.deepEqual(told.meta.loading, { source: 'feed', records: 2, total: null });
});

test('a load goes on for readers until searches know its end', async (t) => {
  const { database } = await testDatabase(t);
  const clock = manualClock(Date.UTC(2026, 0, 5, 12));
  let isKnown = false;
  const find = createFindLoading({ database, clock, source: null, untilSearched: async () => isKnown });
  const write = (loadedAt: string | null, version: number) =>
    database.transaction((tx) =>
      writePosition(tx, 'feed', {
        position: {},
        version,
        loaded: 3,
        total: 3,
        skipped: 0,
        reading: null,
        requested: null,
        reread: null,
        loadedAt,
        updatedAt: new Date(clock.now()).toISOString(),
      }),
    );
  const progress = { source: 'feed', records: 3, total: 3 };
  await write(null, 0);
  assert.deepEqual(await find(), progress);
  await write(new Date(clock.now()).toISOString(), 1);
  clock.advance(1_000);
  assert.deepEqual(await find(), progress);
  isKnown = true;
  clock.advance(1_000);
  assert.equal(await find(), null);
});

test('a load that nobody has moved for an hour binds only those who are to read that source', async (t) => {
  const { reader, other, ask, gates, clock } = await startBoth(t);
  gates[0]?.resolve();
  await until('two records are loaded', () => reader.app.replication?.status().progress?.records === 2);
  clock.advance(3_600_000);
  assert.notEqual((await ask(reader.url, SEARCH)).told.meta.loading, null);
  assert.equal((await ask(other.url, SEARCH)).told.meta.loading, null);
});

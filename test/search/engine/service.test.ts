// Proves what a service answers while it fills its engine, behind the log, without an engine, and with one that is wrong.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { MINUTE } from '../../../src/lib/clock.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { neededMemory } from '../../../src/search/engine/lifecycle/engine-memory.ts';
import { readMetric } from '../../support/billing/read-metric.ts';
import { draft } from '../../support/catalogue/drafts.ts';
import { until } from '../../support/check/until.ts';
import { atEnd } from '../../support/database/database.ts';
import { holdLoad } from '../../support/engine/held-load.ts';
import { faultyLog } from '../../support/engine/log-fault.ts';
import { Gate } from '../../support/engine/stage.ts';
import { startService, type TestService } from '../../support/service/service.ts';
import { startLive } from '../../support/sources/live-service.ts';

const home = (key: string, facts: object = {}) => draft(key, { listPrice: 100_000, ...facts });

const write = (service: TestService, ...drafts: ReturnType<typeof home>[]) =>
  service.database.transaction((tx) =>
    createCatalogue(service.database).write(tx, 'test', drafts, service.clock.now()),
  );

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly code?: string;
    readonly detail?: string;
    readonly progress?: unknown;
    readonly total?: { readonly value: number };
    readonly meta?: { readonly lagMs?: number };
  };
}

async function ask(service: TestService, query: string, headers?: Record<string, string>): Promise<Answer> {
  const answer = await service.get(`/v1/search/sales?${query}`, service.keys.internal, headers);
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer['body'] };
}

const totalOf = async (service: TestService, query = '', headers?: Record<string, string>) =>
  (await ask(service, query, headers)).body.total?.value;

async function readiness(service: TestService): Promise<{ status: number; search: string | undefined }> {
  service.clock.advance(1_001);
  const answer = await service.get('/readyz?verbose');
  const { checks } = (await answer.json()) as { checks: { name: string; detail?: string }[] };
  return { status: answer.status, search: checks.find(({ name }) => name === 'search')?.detail };
}

const answersBy = (service: TestService, backend: string) =>
  readMetric(service, 'freehold_search_answers_total', { backend });

test('a service that fills its engine answers 503 with its progress, what is not on the market from PostgreSQL, and then all', async (t) => {
  const { gate, searchBuilder } = holdLoad();
  const service = await startService(t, { overrides: { searchBuilder } });
  await write(service, home('a'), home('b', { status: 'CLOSED', closePrice: 1 }));
  const { status, headers, body } = await ask(service, 'facets=city');
  assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'SEARCH_LOADING', '2']);
  assert.deepEqual(body.progress, { records: 120_000, total: 650_000 });
  assert.match(body.detail ?? '', /120,000 of 650,000 so far/);
  assert.deepEqual(await readiness(service), {
    status: 503,
    search: 'loading into memory: 120,000 of 650,000 listings.',
  });
  assert.equal(await totalOf(service, 'status=CLOSED'), 1);
  assert.equal((await service.get('/v1/areas')).status, 200);
  gate.open();
  await until('it is ready', async () => (await readiness(service)).status === 200);
  assert.equal(await totalOf(service), 1);
  assert.match(
    (await readiness(service)).search ?? '',
    /^1 listings in \d+ MB of memory, at most \d+ ms behind$/,
  );
});

test('gauges tell what the engine holds: nothing while it is filled, then its listings, their bytes, and how far it has come', async (t) => {
  const start = performance.now();
  const { gate, searchBuilder } = holdLoad();
  const service = await startService(t, { overrides: { searchBuilder } });
  const gauge = (name: string) => readMetric(service, `freehold_search_engine_${name}`);
  const gauges = async () => ({
    ready: await gauge('ready'),
    rows: await gauge('rows'),
    tailRows: await gauge('tail_rows'),
    bytes: await gauge('bytes'),
    sequence: await gauge('sequence'),
  });
  await write(service, home('a'));
  assert.deepEqual(await gauges(), { ready: 0, rows: 0, tailRows: 0, bytes: 0, sequence: 0 });
  assert.equal(await gauge('lag_seconds'), Number.NaN);
  gate.open();
  await until('it is loaded', async () => (await gauge('ready')) === 1);
  const loaded = await gauges();
  assert.deepEqual(
    { ...loaded, bytes: 0, sequence: 0 },
    { ready: 1, rows: 1, tailRows: 0, bytes: 0, sequence: 0 },
  );
  assert.ok(loaded.bytes > 0 && loaded.sequence > 0, JSON.stringify(loaded));
  await write(service, home('b'), home('c'));
  await write(service, home('a', { listPrice: 5 }));
  assert.equal(await totalOf(service, 'maxPrice=5'), 1, 'a search waits for what was committed');
  const followed = await gauges();
  assert.deepEqual([followed.rows, followed.tailRows], [3, 3]);
  assert.ok(followed.bytes > loaded.bytes, 'the tail takes memory, too');
  await until('the log is measured', async () => {
    service.clock.advance(MINUTE);
    return (await readMetric(service, 'freehold_change_log_sequence')) === followed.sequence;
  });
  assert.ok(followed.sequence > loaded.sequence);
  const lag = await gauge('lag_seconds');
  assert.ok(lag > 0 && lag < (performance.now() - start) / 1_000, `${lag} s behind`);
});

test('memory answers what is on the market, PostgreSQL everything else, and everything with SEARCH_ENGINE=postgres', async (t) => {
  const service = await startService(t);
  await write(service, home('a'), home('b', { status: 'CLOSED', closePrice: 1 }));
  for (const query of ['', 'status=ACTIVE,COMING_SOON', 'facets=city&stats=inventory', 'explain=true'])
    assert.equal(await totalOf(service, query), 1);
  const [fromMemory, fromSql] = [await answersBy(service, 'memory'), await answersBy(service, 'postgres')];
  assert.ok(fromMemory >= 6 && fromSql === 0);
  assert.equal(await totalOf(service, 'status=ACTIVE,CLOSED'), 2);
  assert.deepEqual(
    [await answersBy(service, 'memory'), (await answersBy(service, 'postgres')) > 0],
    [fromMemory, true],
  );
  const plain = await startService(t, { environment: { SEARCH_ENGINE: 'postgres' } });
  await write(plain, home('a'));
  assert.equal(await totalOf(plain), 1);
  assert.deepEqual([await answersBy(plain, 'memory'), (await readiness(plain)).search], [0, 'PostgreSQL']);
});

test('a market that outgrows the memory of its process is searched in PostgreSQL from then on', async (t) => {
  t.mock.method(process, 'constrainedMemory', () => neededMemory(5));
  const service = await startService(t, { overrides: { maxTail: { rows: 3, share: 0 } } });
  await write(service, home('a'), home('b'), home('c'));
  assert.equal(await totalOf(service), 3);
  assert.equal(await answersBy(service, 'postgres'), 0);
  await write(service, home('d'), home('e'), home('f'));
  await until(
    'the engine is off',
    async () => (await readMetric(service, 'freehold_search_engine_ready')) === 0,
  );
  const fromMemory = await answersBy(service, 'memory');
  assert.equal(await totalOf(service), 6);
  await write(service, home('g'));
  assert.equal(await totalOf(service), 7);
  assert.equal(await answersBy(service, 'memory'), fromMemory);
  const { status, search } = await readiness(service);
  assert.equal(status, 200);
  assert.match(search ?? '', /6 listings on the market need about 301 MB .*SEARCH_ENGINE=postgres/);
});

test('who wants no cache waits for what was committed, and is told after a second that it may be missing', async (t) => {
  let gate = new Gate();
  const service = await startService(t, {
    async connect(url) {
      const database = openDatabase({ url, maxConnections: 8, timeout: 60_000 });
      atEnd(t, () => database.close(1_000));
      const faulty = faultyLog(database);
      gate = faulty.gate;
      return faulty.database;
    },
  });
  await write(service, home('a'));
  assert.equal(await totalOf(service), 1);
  gate.close();
  const held = gate.came;
  await write(service, home('b'));
  await until('the log waits', () => gate.came > held);
  const waiting = ask(service, '');
  await until('the search waits', () => service.clock.waiting > 0);
  // What others need timers for is over before.
  const ticking = until('it gave up', async () => {
    service.clock.advance(500);
    return (
      (await Promise.race([waiting.then(() => true), new Promise((r) => setImmediate(r, false))])) === true
    );
  });
  const late = await waiting;
  await ticking;
  assert.deepEqual([late.status, late.body.total?.value], [200, 1]);
  assert.ok(Number.isInteger(late.body.meta?.lagMs), JSON.stringify(late.body.meta));
  const cached = await ask(service, '', { 'cache-control': 'max-age=60' });
  assert.deepEqual([cached.body.total?.value, cached.body.meta?.lagMs], [1, undefined]);
  gate.open();
  const current = await ask(service, '');
  assert.deepEqual([current.body.total?.value, current.body.meta?.lagMs], [2, undefined]);
});

test('a walk meets what is left, though far more than a page left the market behind the back of an engine that is late', async (t) => {
  let gate = new Gate();
  const service = await startService(t, {
    async connect(url) {
      const database = openDatabase({ url, maxConnections: 8, timeout: 60_000 });
      atEnd(t, () => database.close(1_000));
      const faulty = faultyLog(database);
      gate = faulty.gate;
      return faulty.database;
    },
  });
  const homes = Array.from({ length: 200 }, (_, at) => home(`home-${at}`, { listPrice: at + 1 }));
  await write(service, ...homes);
  assert.equal(await totalOf(service), 200);
  gate.close();
  const staysAt = (at: number) => at % 90 === 89 || at > 197;
  await write(
    service,
    ...homes.filter((_, at) => !staysAt(at)).map((each) => ({ ...each, status: 'CLOSED' as const })),
  );
  const left = homes.flatMap(({ listPrice }, at) => (staysAt(at) ? [listPrice] : []));
  for (const [order, expected] of [
    ['price', left],
    ['-price', left.toReversed()],
  ] as const) {
    const met: (number | null)[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `/v1/search/sales?sort=${order}&limit=1&fields=price${cursor && `&cursor=${cursor}`}`;
      const answer = await service.get(path, service.keys.internal, { 'cache-control': 'max-age=60' });
      const { data, page } = (await answer.json()) as PricedPage;
      met.push(...data.map(({ price }) => price));
      cursor = page.nextCursor;
    }
    assert.deepEqual(met, expected);
  }
  gate.open();
});

interface PricedPage {
  readonly data: readonly { readonly price: number }[];
  readonly page: { readonly nextCursor: string | null };
}

test('what was read live is in the searches of the process when the live read is answered', async (t) => {
  const { source, keys, stream, id, get } = await startLive(t);
  const [listing] = [...source.listings.values()];
  assert.ok(listing);
  for (let price = 500_001; price < 500_006; price++) {
    source.put(
      { ...listing, listingKey: 'a', listPrice: price },
      new Date(Date.UTC(2026, 1, 1) + price).toISOString(),
    );
    await stream('a');
    const search = `/v1/search/${listing.listingType}s?minPrice=${price}&maxPrice=${price}`;
    const answer = await get(search, keys.internal, { headers: { 'cache-control': 'max-age=60' } });
    const { data } = (await answer.json()) as { data: { id: string }[] };
    assert.deepEqual(
      data.map((each) => each.id),
      [id('a')],
    );
  }
});

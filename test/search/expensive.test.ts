// Proves that expensive queries share slots fairly between callers, that nobody waits longer than three seconds, and that work ends
// with the timeout or the client that it was for.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { EVERYTHING } from '../../src/access/tiers/reach.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { Problem } from '../../src/lib/problem.ts';
import { eventLoop, Scheduler } from '../../src/lib/scheduler.ts';
import type { Transaction } from '../../src/postgres/client/database.ts';
import type { SearchQuery } from '../../src/search/query/parameters.ts';
import { planSearch } from '../../src/search/query/plan.ts';
import { requireAffordable } from '../../src/search/sql/polygon-cost-store.ts';
import { EXPENSIVE_TIMEOUT } from '../../src/search/summaries/analytics-queue.ts';
import { readMetric } from '../support/billing/read-metric.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { writeAreas } from '../support/catalogue/random-market.ts';
import { until } from '../support/check/until.ts';
import { problemOf } from '../support/service/http-server.ts';
import { startService, type TestService } from '../support/service/service.ts';
import { sendWatcher, type WatcherRecord } from '../support/watch/watchers.ts';

const MARKET = 1_500;

/** A service with one slot for statements, and so many for scans; its homes stand in a row from west to east. */
async function start(scans: number, scheduler = eventLoop): Promise<TestService> {
  const overrides = { slots: { statements: 1, scans }, scheduler };
  const service = await startService({ after }, { overrides });
  const { database, clock } = service;
  const drafts = Array.from({ length: MARKET }, (_, at) =>
    draft(`home-${at}`, {
      listPrice: 1_000 + at,
      location: { lat: 10 + (at % 40) / 100, lng: 20 + at / 1_000, precision: 'exact' },
    }),
  );
  const catalogue = createCatalogue(database);
  for (let from = 0; from < MARKET; from += 500)
    await database.transaction((tx) =>
      catalogue.write(tx, 'test', drafts.slice(from, from + 500), clock.now()),
    );
  return service;
}

const service = await start(4);
await writeAreas(service.database);
const { clock, database, keys } = service;
const waiting = (of = service, kind = 'statements') => readMetric(of, `freehold_expensive_${kind}_waiting`);
const running = (of = service, kind = 'statements') => readMetric(of, `freehold_expensive_${kind}_running`);

/** Closed listings are asked of PostgreSQL; clusters come without a page, which would not wait in the line. */
const closed = (at: number): string =>
  `/v1/search/sales?status=CLOSED&cluster=true&zoom=3&bbox=-180,-90,180,90&minPrice=${at}`;
const figures = (at: number): string => `/v1/market/stats?listingType=sale&minPrice=${at}`;

/** Runs work while no statement about listings can end. */
const whileLocked = (work: (tx: Transaction) => Promise<void>): Promise<void> =>
  database.transaction(async (tx) => {
    await tx`lock table listing_search in access exclusive mode`;
    await work(tx);
  });

async function blocked(tx: Transaction): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from pg_locks where not granted and relation = 'listing_search'::regclass
      and database = (select oid from pg_database where datname = current_database())`;
  return row?.count ?? 0;
}

/** What a client learns who was not answered in time. */
async function assertOverloaded(answer: Response, remedy: RegExp): Promise<void> {
  assert.deepEqual([answer.status, answer.headers.get('retry-after')], [503, '5']);
  const { code, detail } = await problemOf(answer);
  assert.equal(code, 'OVERLOADED');
  assert.match(detail, remedy);
}

test('closed listings and figures of the market wait in one line, and one caller fills a quarter of it at most', async () => {
  const order: string[] = [];
  const ask = async (name: string, path: string, key: string): Promise<Response> => {
    const answer = await service.get(path, key);
    order.push(name);
    return answer;
  };
  const asked: Promise<Response>[] = [];
  await whileLocked(async () => {
    asked.push(ask('first', figures(1), keys.internal));
    await until('it has the slot', async () => (await running()) === 1);
    for (let at = 0; at < 50; at++)
      asked.push(ask('many', at % 2 ? closed(at) : figures(100 + at), keys.internal));
    await until('all wait', async () => (await waiting()) === 50);
    await assertOverloaded(
      await service.get(closed(999), keys.internal),
      /wait at the moment.*Remove facets/,
    );
    asked.push(ask('other', closed(1_000), keys.business));
    await until('another waits, too', async () => (await waiting()) === 51);
  });
  const answers = await Promise.all(asked);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.ok(order.indexOf('other') <= 2, `whoever had no turn yet is next: ${order.indexOf('other')}`);
});

test('after three seconds the statement is stopped, and all who waited are told what to ask less of', async () => {
  await whileLocked(async (tx) => {
    const asked = [
      service.get(figures(5_000), keys.internal),
      service.get(closed(5_000), keys.business),
      service.get('/v1/market/compare?areaId=city-aldern&areaId=city-crane&listingType=sale', keys.pro),
    ];
    await until('a statement runs', async () => (await blocked(tx)) === 1);
    await until('the others wait', async () => (await waiting()) === 2);
    clock.advance(EXPENSIVE_TIMEOUT);
    const [stats, facets, comparison] = await Promise.all(asked);
    assert.ok(stats && facets && comparison);
    await assertOverloaded(stats, /three seconds.*Request a smaller place/);
    await assertOverloaded(facets, /three seconds.*Remove facets/);
    await assertOverloaded(comparison, /three seconds.*Request a smaller place/);
    await until('PostgreSQL has stopped', async () => (await blocked(tx)) === 0);
  });
  assert.deepEqual([await running(), await waiting()], [0, 0]);
});

test('a client who leaves stops waiting, or gives its slot back with the statement', async () => {
  const clients = [new AbortController(), new AbortController()];
  await whileLocked(async (tx) => {
    const left = clients.map(({ signal }, at) =>
      fetch(`${service.url}${closed(6_000 + at)}`, {
        signal,
        headers: { authorization: `Bearer ${keys.internal}`, 'cache-control': 'no-cache' },
      }).catch(() => 'left'),
    );
    await until('one runs, one waits', async () => (await running()) === 1 && (await waiting()) === 1);
    clients[1]?.abort();
    await until('the one that waited is gone', async () => (await waiting()) === 0);
    clients[0]?.abort();
    await until('PostgreSQL has stopped', async () => (await blocked(tx)) === 0);
    assert.deepEqual(await Promise.all(left), ['left', 'left']);
  });
  assert.equal(await running(), 0);
});

test('an export that PostgreSQL answers waits for its turn, and an ordinary page of it does not', async () => {
  const search = '/v1/search/sales?status=ACTIVE,CLOSED&count=none&fields=id';
  const asked: Promise<Response>[] = [];
  await whileLocked(async (tx) => {
    asked.push(service.get(figures(7_000), keys.pro));
    await until('it has the slot', async () => (await running()) === 1);
    asked.push(service.get(`${search}&format=ndjson`, keys.business));
    await until('the export waits', async () => (await waiting()) === 1);
    asked.push(service.get(`${search}&limit=5`, keys.business));
    await until('the page is asked beside the figures', async () => (await blocked(tx)) === 2);
    assert.equal(await waiting(), 1);
  });
  const answers = await Promise.all(asked);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await answers[1]?.text())?.trim().split('\n').length, MARKET);
});

test('whoever creates many watchers at once leaves room in the line for the watchers of others', async () => {
  const target = { type: 'search', listingType: 'sale', query: { status: ['ACTIVE', 'CLOSED'] } };
  const create = async (key: string, minPrice: number) => {
    const body = { target: { ...target, query: { ...target.query, minPrice } } };
    const { status, watcher, text } = await sendWatcher(service, 'POST', '', { key, body });
    assert.equal(status, 201, text);
    return watcher;
  };
  const { id } = await create(keys.business, 1);
  const many: Promise<WatcherRecord>[] = [];
  const others: Promise<unknown>[] = [];
  await whileLocked(async (tx) => {
    for (let at = 0; at <= 50; at++) many.push(create(keys.internal, at));
    await until('as many wait as one may have', async () => (await waiting()) === 50);
    assert.equal((await create(keys.internal, 51)).initialMatchCount, null);
    others.push(create(keys.business, 2));
    await until('that of another waits, too', async () => (await waiting()) === 51);
    others.push(service.json(`/v1/watchers/${id}/matches?limit=1`, keys.business));
    await until('and what its first one matches', async () => (await waiting()) === 52);
    assert.equal(await blocked(tx), 2, 'a count and a page');
  });
  for (const { initialMatchCount } of await Promise.all(many)) assert.equal(initialMatchCount, MARKET);
  const [watcher, matches] = (await Promise.all(others)) as [WatcherRecord, Answer];
  assert.deepEqual([watcher.initialMatchCount, matches.total.value], [MARKET, MARKET]);
});

/** Slivers that go through all homes, so that each is held to each of them. */
const SLIVERS = Array.from({ length: 120 }, (_, at) => {
  const south = 9.9 + at / 250;
  return [
    [19, south],
    [23, south + 0.003],
    [23, south + 0.005],
    [19, south + 0.002],
  ];
});
/** The worst question that there is, but for the number of listings. */
const WORST = {
  polygon: JSON.stringify(SLIVERS),
  minPrice: 1,
  facets: ['city', 'features', 'bedrooms'],
  stats: ['inventory', 'median_list_price'],
  explain: true,
};

/** As a body: a URL may not be so long. */
const askWorst = (
  { url, keys: { internal } }: TestService,
  more: object = {},
  signal: AbortSignal | null = null,
): Promise<Response> =>
  fetch(`${url}/v1/search/sales`, {
    method: 'POST',
    headers: { authorization: `Bearer ${internal}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...WORST, ...more }),
    signal,
  });

test('an expensive page of PostgreSQL without figures stops waiting when its client leaves, and has three seconds', async () => {
  const figures = { facets: undefined, stats: undefined, explain: undefined };
  const page = { ...figures, status: ['ACTIVE', 'CLOSED'], count: 'none' };
  await whileLocked(async (tx) => {
    const stays = askWorst(service, page);
    await until('its statement runs', async () => (await blocked(tx)) === 1);
    const client = new AbortController();
    const left = askWorst(service, page, client.signal).catch(() => 'left');
    await until('another waits', async () => (await waiting()) === 1);
    client.abort();
    assert.equal(await left, 'left');
    await until('it is gone, long before its time is over', async () => (await waiting()) === 0);
    clock.advance(EXPENSIVE_TIMEOUT);
    await assertOverloaded(await stays, /three seconds/);
  });
});

test('expensive scans of the engine need a slot, and others do not', async () => {
  // Each block of work takes a twentieth of a millisecond.
  let now = 0;
  const full = await start(0, new Scheduler({ monotonic: () => (now += 0.05) }));
  const cheap = [
    'limit=5',
    'facets=status&minPrice=2490',
    'q=home&limit=5',
    'sort=price&limit=10&minPrice=2000',
  ];
  for (const query of cheap) await full.json(`/v1/search/sales?${query}`, full.keys.internal);
  const asked = askWorst(full);
  await until('it waits', async () => (await waiting(full, 'scans')) === 1);
  await full.json('/v1/search/sales?limit=5', full.keys.pro);
  full.clock.advance(EXPENSIVE_TIMEOUT);
  await assertOverloaded(await asked, /three seconds.*Remove facets/);
  assert.equal(await waiting(full, 'scans'), 0);
});

test('with slots, twenty callers at once get the same answer to the worst question', async () => {
  const { total, ...alone } = await answerToWorst();
  assert.ok(total.value > 0 && total.value < MARKET, `some are in the polygon: ${total.value}`);
  for (const answer of await Promise.all(Array.from({ length: 20 }, answerToWorst)))
    assert.deepEqual(answer, { total, ...alone });
  assert.deepEqual([await running(service, 'scans'), await waiting(service, 'scans')], [0, 0]);
});

interface Answer {
  readonly total: { readonly value: number };
  readonly facets: unknown;
  readonly stats: unknown;
  readonly explain: unknown;
}

async function answerToWorst(): Promise<Answer> {
  const answer = await askWorst(service);
  assert.equal(answer.status, 200);
  const { total, facets, stats, explain } = (await answer.json()) as Answer;
  return { total, facets, stats, explain };
}

test('a polygon of many corners is asked of PostgreSQL unless there are too many listings in its boxes', async () => {
  const polygon = JSON.stringify(SLIVERS);
  const search = (query: object) => {
    const plan = planSearch(
      'sale',
      { polygon, status: ['ACTIVE'], ...query } as SearchQuery,
      10,
      clock.now(),
      EVERYTHING,
    );
    return { plan, resolved: { areas: [], areaNos: [], words: new Map() } };
  };
  // A home costs 120 rings of 4 corners.
  const budget = 120 * 140 * 1_000;
  await assert.rejects(requireAffordable(database, search({}), budget), (error) => {
    assert.ok(error instanceof Problem && error.code === 'INVALID_PARAMETER');
    assert.deepEqual(
      error.errors.map((each) => each.parameter),
      ['polygon'],
    );
    assert.match(error.message, /120 rings with 480 corners around more than 1,000 listings/);
    return true;
  });
  await requireAffordable(database, search({ maxPrice: 1_900 }), budget);
  await requireAffordable(database, search({}));
  const answer = await askWorst(service, { status: ['ACTIVE', 'CLOSED'] });
  assert.equal(answer.status, 200);
  const { total, facets } = (await answer.json()) as Answer;
  const memory = await answerToWorst();
  assert.deepEqual([total, facets], [memory.total, memory.facets], 'PostgreSQL finds what the engine finds');
});

// Proves that what looks at all results of a search in PostgreSQL waits its turn with the figures of the market, that pages never
// do, and that what is answered from memory waits for nothing.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { EXPENSIVE_TIMEOUT } from '../../src/search/summaries/analytics-queue.ts';
import { COUNT_MAX_WAIT } from '../../src/search/summaries/total.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';
import { problemOf } from '../support/service/http-server.ts';
import { startService, type TestService } from '../support/service/service.ts';

const SLOTS = { statements: 1, scans: 3 };

async function startWithHomes(engine: 'memory' | 'postgres'): Promise<TestService> {
  const service = await startService(
    { after },
    { environment: { SEARCH_ENGINE: engine }, overrides: { slots: SLOTS } },
  );
  const { database } = service;
  await database.transaction((tx) =>
    createCatalogue(database).write(tx, 'test', [draft('one'), draft('two')], service.clock.now()),
  );
  return service;
}

const HEAVY = [
  'facets=city',
  'stats=inventory',
  'explain=true&minPrice=1',
  'cluster=true&zoom=3&bbox=-180,-90,180,90',
  'facets=city&stats=inventory&explain=true',
];

/** Takes all slots of analytics reads with figures of the market, which wait until the test has done its work. */
async function whileSlotsAreTaken(
  { database, get, keys }: TestService,
  work: (figures: readonly Promise<Response>[]) => Promise<void>,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx`lock table market_period, market_event in access exclusive mode`;
    const figures = Array.from({ length: SLOTS.statements }, (_, at) =>
      get(`/v1/market/stats?listingType=sale&minPrice=${at}`, keys.internal),
    );
    const blocked = async () => {
      const [row] = await tx<{ count: number }[]>`
        select count(*)::int as count from pg_locks where not granted
          and database = (select oid from pg_database where datname = current_database())`;
      return row?.count === SLOTS.statements;
    };
    await until('all slots are taken', blocked);
    await work(figures);
  });
}

test('while the slots of analytics reads are taken, pages are answered without a total, and the rest is told to ask for less', async () => {
  const service = await startWithHomes('postgres');
  const { keys, clock } = service;
  const before = await Promise.all(
    HEAVY.map((query) => service.get(`/v1/search/sales?${query}`, keys.internal)),
  );
  assert.deepEqual(
    before.map(({ status }) => status),
    HEAVY.map(() => 200),
  );
  await whileSlotsAreTaken(service, async (figures) => {
    const asked = HEAVY.map((query) => service.get(`/v1/search/sales?${query}`, keys.internal));
    const page = await service.get('/v1/search/sales', keys.internal);
    assert.equal(page.status, 200, 'a page with all results waits for nobody');
    const cut = service.get('/v1/search/sales?limit=1', keys.internal);
    // All that has come by now waits; what did not wait was answered, and stays so.
    const arrived = async () => (await active(service)) === figures.length + HEAVY.length + 1;
    await until('all wait', arrived);
    clock.advance(COUNT_MAX_WAIT);
    const { data, total, meta } = (await (await cut).json()) as Answer;
    assert.equal(data.length, 1);
    assert.equal(total, null, 'what cannot be counted in time has no total');
    assert.match(meta.totalNote ?? '', /not counted, because too many expensive queries run/);
    clock.advance(EXPENSIVE_TIMEOUT);
    for (const answer of await Promise.all([...asked, ...figures])) {
      assert.equal(answer.status, 503);
      assert.equal(answer.headers.get('retry-after'), '5');
      const { code, detail } = await problemOf(answer);
      assert.equal(code, 'OVERLOADED');
      assert.match(detail, /Remove facets|Request a smaller place/);
    }
  });
});

test('searches that are answered from memory have their totals, facets and figures while those slots are taken', async () => {
  const service = await startWithHomes('memory');
  const questions = ['limit=1', ...HEAVY];
  const answers = () =>
    Promise.all(
      questions.map(async (query): Promise<object> => {
        const answer: Answer = await service.json(`/v1/search/sales?${query}`, service.keys.internal);
        return { ...answer, meta: null };
      }),
    );
  const before = await answers();
  await whileSlotsAreTaken(service, async (figures) => {
    assert.deepEqual(await answers(), before);
    service.clock.advance(EXPENSIVE_TIMEOUT);
    for (const answer of await Promise.all(figures)) assert.equal(answer.status, 503);
  });
});

interface Answer {
  readonly data: readonly unknown[];
  readonly total: unknown;
  readonly meta: { readonly totalNote: string | null };
}

/** Requests under way, by the service's own count; without the one that asks. */
async function active(service: TestService): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^freehold_http_active (\d+)$/m.exec(text)?.[1]) - 1;
}

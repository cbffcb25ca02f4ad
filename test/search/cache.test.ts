// Tests of what searches remember: the same question is read once, and a change by anyone ends every answer.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { QueryCache, type QueryCacheOptions } from '../../src/lib/query-cache.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';
import { startService } from '../support/service/service.ts';

function counted(options: Partial<QueryCacheOptions<{ value: number }>> = {}) {
  const state = { version: 1 as number | null, now: 0, reads: 0, answer: { value: 1 } };
  const cache = new QueryCache<{ value: number }>({
    version: () => state.version,
    monotonic: () => state.now,
    max: 3,
    ...options,
  });
  const ask = (question: unknown = 'q') =>
    cache.get(question, async () => {
      state.reads += 1;
      return state.answer;
    });
  return { state, cache, ask };
}

test('a question is read once, and again after a change', async () => {
  const { state, ask } = counted();
  for (let time = 0; time < 3; time++) assert.deepEqual(await ask(), { value: 1 });
  assert.equal(state.reads, 1);
  await ask(['q', null]);
  assert.equal(state.reads, 2);
  state.version = 2;
  state.answer = { value: 2 };
  assert.deepEqual(await ask(), { value: 2 });
  assert.equal(state.reads, 3);
});

test('nothing is remembered while nobody would tell of changes, nor longer than five seconds', async () => {
  const { state, ask } = counted();
  await ask();
  state.now = 4_999;
  await ask();
  assert.equal(state.reads, 1);
  state.now = 5_001;
  await ask();
  assert.equal(state.reads, 2);
  state.version = null;
  await ask();
  await ask();
  assert.equal(state.reads, 4);
  state.version = 1;
  await ask();
  assert.equal(state.reads, 5, 'what was found before the silence is not believed after it');
});

test('who asks together shares one reading; who asks after a change does not join one from before it', async () => {
  const { state, cache } = counted();
  const gates = [Promise.withResolvers<{ value: number }>(), Promise.withResolvers<{ value: number }>()];
  let begun = 0;
  const ask = () => cache.get('q', () => (gates[begun++] ?? gates[1])?.promise ?? Promise.reject());
  const early = [ask(), ask()];
  assert.equal(begun, 1);
  state.version = 2;
  const late = ask();
  assert.equal(begun, 2);
  gates[1]?.resolve({ value: 2 });
  assert.deepEqual(await late, { value: 2 });
  gates[0]?.resolve({ value: 1 });
  assert.deepEqual(await Promise.all(early), [{ value: 1 }, { value: 1 }]);
  assert.deepEqual(await ask(), { value: 2 }, 'the early reading is kept by nobody');
});

test('a failed reading is told to all who wait for it, and not remembered', async () => {
  const { cache, ask } = counted();
  const failing = () => cache.get('q', () => Promise.reject(new Error('down')));
  const [one, other] = await Promise.allSettled([failing(), failing()]);
  assert.deepEqual([one.status, other.status], ['rejected', 'rejected']);
  assert.deepEqual(await ask(), { value: 1 });
});

test('what is held is bounded by weight', async () => {
  const { state, ask } = counted({ weigh: () => 2 });
  await ask('a');
  await ask('b');
  await ask('a');
  assert.equal(state.reads, 3);
});

const service = await startService({ after });
/** Before the month that statistics are of. */
const LISTED = '2020-01-01T00:00:00.000Z';
const store = (prices: readonly number[], { database, clock } = service) =>
  database.transaction((tx) =>
    createCatalogue(database).write(
      tx,
      'test',
      prices.map((price, at) =>
        draft(String(at), {
          listPrice: price,
          location: { lat: 10 + at, lng: 20, precision: 'exact' },
          listedAt: LISTED,
        }),
      ),
      clock.now(),
    ),
  );

const REMEMBERED = [
  '/v1/search/sales?limit=2',
  '/v1/search/sales?facets=priceBucket&stats=median_list_price&limit=1',
  '/v1/market/stats?listingType=sale&metrics=active_listings,median_list_price',
  '/v1/search/sales?cluster=true&zoom=3&bbox=-179,-80,179,80',
];

test('counts, facets, figures and clusters answer from memory what they would answer anew, and hear of changes', async () => {
  const past = (path: string) => answered(path, { 'cache-control': 'no-cache' });
  const through = (path: string) => answered(path, { 'cache-control': 'max-age=0' });
  for (const prices of [
    [100_000, 200_000, 300_000],
    [150_000, 900_000, 300_000, 40_000],
  ]) {
    await store(prices);
    for (const path of REMEMBERED) {
      const fresh = await past(path);
      await until(`memory hears of the change to ${path}`, async () => (await through(path)) === fresh);
      assert.equal(await through(path), fresh, path);
    }
  }
});

test('PostgreSQL is not asked again for what is remembered: rows taken away behind everybody’s back are missed by fresh reads alone', async () => {
  const plain = await startService({ after }, { environment: { SEARCH_ENGINE: 'postgres' } });
  const through = { 'cache-control': 'max-age=0' };
  const figures = REMEMBERED.slice(1);
  const ask = () => Promise.all(figures.map((path) => answered(path, through, plain)));
  const before = await ask();
  await store([150_000, 900_000, 300_000, 40_000], plain);
  // What is remembered before the change is heard of would be read again by itself.
  await until('memory hears of the change', async () => (await ask()).every((one, at) => one !== before[at]));
  const remembered = await ask();
  for (const table of ['listing_search', 'market_period', 'market_figure_cache'])
    await plain.database.write((sql) => sql`delete from ${sql(table)}`);
  for (const [at, path] of figures.entries()) {
    assert.equal(await answered(path, through, plain), remembered[at], path);
    assert.notEqual(await answered(path, {}, plain), remembered[at], path);
  }
});

test('the name of an area is believed for five seconds, and read at once for who wants no cache', async () => {
  const named = (name: string) =>
    writeAreaBatch(service.database, 'test', [
      {
        type: 'city',
        externalId: 'town',
        name,
        aliases: [],
        codes: {},
        parentReference: null,
        population: null,
        boundary: null,
      },
    ]);
  const told = async (cache: string): Promise<unknown> => {
    const path = '/v1/search/sales?areaId=city-town&count=none';
    const answer = await service.get(path, service.keys.internal, { 'cache-control': cache });
    return ((await answer.json()) as { meta: { areas: unknown } }).meta.areas;
  };
  const as = (name: string) => [{ id: 'city-town', name }];
  await named('Early');
  assert.deepEqual(await told('max-age=0'), as('Early'));
  await named('Late');
  assert.deepEqual(await told('max-age=0'), as('Early'));
  service.clock.advance(5_001);
  assert.deepEqual(await told('max-age=0'), as('Late'));
  await named('Later');
  assert.deepEqual(await told('no-cache'), as('Later'));
});

/** The answer without its listings, which are always read, and without what belongs to the request alone. */
async function answered(path: string, headers: Record<string, string>, of = service): Promise<string> {
  const answer = await of.get(path, of.keys.internal, headers);
  assert.equal(answer.status, 200);
  const { meta: _, data: __, page: ___, ...rest } = (await answer.json()) as Record<string, unknown>;
  return JSON.stringify(rest);
}

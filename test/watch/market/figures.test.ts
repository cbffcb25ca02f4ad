// Proves on a whole service that what watchers are told of figures is what GET /v1/market answers, as areas and listings change.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { EVERYTHING } from '../../../src/access/tiers/reach.ts';
import { createAreaIdCache } from '../../../src/areas/area-cache.ts';
import { updateAllPlacements, writeAreaBatch } from '../../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/clock.ts';
import { Problem } from '../../../src/lib/problem.ts';
import { createMarketFigures } from '../../../src/market/figure.ts';
import { AnalyticsQueue } from '../../../src/search/summaries/analytics-queue.ts';
import { draft } from '../../support/catalogue/drafts.ts';
import type { Figures } from '../../support/catalogue/market-service.ts';
import { until } from '../../support/check/until.ts';
import { manualClock } from '../../support/service/clock.ts';
import { startService } from '../../support/service/service.ts';
import type { ReadPage } from '../../support/watch/event-service.ts';
import { untilMatched } from '../../support/watch/matching-oracle.ts';
import { sendWatcher, subscriber, type WatcherRecord } from '../../support/watch/watchers.ts';

/** A Monday, so that a week ends where the day does. */
const NOW = Date.UTC(2026, 0, 5, 12);
const service = await startService({ after }, { clock: manualClock(NOW) });
const { database, clock, keys } = service;
const catalogue = createCatalogue(database);
const { subscribe } = subscriber(service);
const { key } = await subscribe('business');

const square = (west: number, east: number) => ({
  type: 'Polygon' as const,
  coordinates: [
    [
      [west, 10],
      [east, 10],
      [east, 11],
      [west, 11],
      [west, 10],
    ],
  ] as [number, number][][],
});
const area = (name: string, west: number, east: number) => ({
  type: 'custom' as const,
  externalId: name.toLowerCase(),
  name,
  aliases: [],
  codes: {},
  parentReference: null,
  population: null,
  boundary: square(west, east),
  timeZone: 'UTC',
});
await writeAreaBatch(database, 'test', [area('West', 20, 21), area('East', 21, 22)]);
const areas = new Map(
  (await database.read((sql) => sql<{ id: string; name: string }[]>`select id, name from area`)).map(
    ({ id, name }) => [name, id],
  ),
);
const [west, east] = [areas.get('West') ?? '', areas.get('East') ?? ''];

/** Writes homes that are told now, in the middle of an area. */
async function write(
  lng: number,
  prices: readonly number[],
  facts: object = {},
  name = 'home',
): Promise<void> {
  const drafts = prices.map((listPrice, at) =>
    draft(`${name} ${lng} ${at}`, {
      listPrice,
      bedrooms: 2,
      livingArea: 1_000,
      universalPropertyId: `${name} ${lng} ${at}`,
      location: { lat: 10.5, lng, precision: 'exact' },
      listedAt: new Date(NOW - 70 * DAY).toISOString(),
      ...facts,
    }),
  );
  await database.transaction((tx) => catalogue.write(tx, 'test', drafts, clock.now()));
}
const PRICES = [100_000, 200_000, 300_000, 400_000, 500_000, 600_000];
await write(20.5, PRICES);
await write(
  21.5,
  PRICES.map((price) => 10 * price),
);

async function watch(members: object, condition: object): Promise<WatcherRecord> {
  const target = { type: 'market', areaId: west, listingType: 'sale', ...members, condition };
  const { status, watcher, text } = await sendWatcher(service, 'POST', '', { key, body: { target } });
  assert.equal(status, 201, text);
  return watcher;
}

const dueFigures = async (): Promise<number> => {
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`
      select count(*)::int from watch_figure as figure where due_at <= ${new Date(clock.now())} and exists (
        select from watch_condition join watcher on no = watcher_no where figure_no = figure.no and status = 'active')`,
  );
  return row?.count ?? 0;
};

/** Milliseconds between two looks of the service for what is due. */
const ROUND = 15_000;
/** Milliseconds of real time after which a round must have been missed. Moved on earlier, the clock would end reads under way. */
const MISSED = 3_000;

/** Lets time pass, and the service evaluate what is due then. */
async function pass(milliseconds: number): Promise<void> {
  clock.advance(milliseconds + ROUND);
  let movedAt = performance.now();
  await until('all due figures are evaluated', async () => {
    if (performance.now() - movedAt > MISSED) {
      clock.advance(ROUND);
      movedAt = performance.now();
    }
    return (await dueFigures()) === 0;
  });
}

/** The crossings that a watcher is told, once the matching has seen all changes. */
async function told(watcher: WatcherRecord): Promise<Record<string, unknown>[]> {
  await untilMatched(database);
  const page: ReadPage = await service.json(`/v1/watchers/${watcher.id}/events`, key);
  return page.data.filter(({ type }) => type === 'market.threshold_crossed').map(({ data }) => data);
}

const day = (at: number): string => new Date(at).toISOString().slice(0, 10);
async function stats(query: string): Promise<Figures> {
  const answer: { metrics: Figures } = await service.json(
    `/v1/market/stats?listingType=sale&${query}`,
    keys.internal,
  );
  return answer.metrics;
}

test('a price that falls below the condition is told once, with the figures that the market endpoint answers', async () => {
  const watcher = await watch({ metric: 'median_list_price' }, { op: 'below', value: 300_000 });
  const same = await watch({ metric: 'median_list_price' }, { op: 'below', value: 250_000 });
  const met = await watch({ metric: 'median_list_price' }, { op: 'above', value: 300_000 });
  await pass(0);
  const before = (
    await stats(`areaId=${west}&from=${day(NOW - DAY)}&to=${day(NOW + DAY)}&metrics=median_list_price`)
  ).median_list_price?.value;
  assert.equal(before, 350_000);
  await write(
    20.5,
    PRICES.map((price) => price * 0.8),
  );
  await pass(HOUR);
  const value = (
    await stats(`areaId=${west}&from=${day(NOW - DAY)}&to=${day(NOW + DAY)}&metrics=median_list_price`)
  ).median_list_price?.value;
  assert.equal(value, 280_000);
  const [crossing, ...others] = await told(watcher);
  assert.deepEqual(others, []);
  const { at, ...data } = crossing ?? {};
  assert.deepEqual(data, {
    areaId: west,
    listingType: 'sale',
    metric: 'median_list_price',
    op: 'below',
    threshold: 300_000,
    window: null,
    value,
    previous: before,
  });
  assert.ok(Math.abs(Date.parse(String(at)) - clock.now()) < 5 * MINUTE);
  await pass(HOUR);
  assert.equal((await told(watcher)).length, 1, 'it is still below');
  assert.deepEqual(
    [...(await told(same)), ...(await told(met))],
    [],
    'not crossed, or met from the beginning',
  );
});

test('the change of each window is the one that the market endpoints answer', async () => {
  const cases = [
    ['median_list_price', 'P7D', 1],
    ['median_list_price', 'P30D', 1],
    ['inventory', 'P60D', 1],
    ['active_listings', 'P7D', 0],
    ['new_listings', 'P30D', 0],
    ['median_price_per_area', 'P90D', 1],
  ] as const;
  // A new home a week, each dearer.
  for (let week = 1; week <= 12; week++)
    await write(
      20.6,
      [100_000 * week],
      { listedAt: new Date(NOW - week * 7 * DAY).toISOString() },
      `week ${week}`,
    );
  const watchers = [];
  for (const [metric, window] of cases)
    watchers.push([
      await watch({ metric }, { op: 'change_percent_above', value: -1e6, window }),
      await watch({ metric }, { op: 'change_percent_below', value: 1e6, window }),
    ] as const);
  await pass(0);
  const rows = await database.read(
    (sql) =>
      sql<
        { key: string; value: number | null }[]
      >`select key, value from watch_figure where key like '%window":_%'`,
  );
  let known = 0;
  for (const [metric, window, ahead] of cases) {
    const days = Number(window.slice(1, -1));
    const end = Date.parse(day(clock.now())) + ahead * DAY;
    const [now, previous] = await Promise.all(
      [0, 1].map(async (back) => {
        const [from, to] = [day(end - (back + 1) * days * DAY), day(end - back * days * DAY)];
        return (await stats(`areaId=${west}&from=${from}&to=${to}&metrics=${metric}`))[metric];
      }),
    );
    const expected = now?.value == null || !previous?.value ? null : (now.value / previous.value - 1) * 100;
    const row = rows.find(
      ({ key: text }) => text.includes(`"${metric}"`) && text.includes(`"window":${days}`),
    );
    assert.ok(row, `${metric} ${window}`);
    if (expected === null) assert.equal(row.value, null, `${metric} ${window}`);
    else {
      known++;
      assert.ok(
        Math.abs((row.value ?? Number.NaN) - expected) < 0.001,
        `${metric} ${window}: ${row.value} is ${expected}`,
      );
    }
    if (ahead === 1) continue;
    // The same from the series of rolling windows that end on Mondays.
    const history: { points: { end: string; metrics: Figures }[] } = await service.json(
      `/v1/market/history?listingType=sale&areaId=${west}&interval=week&periods=30&limit=100&window=${window}&metrics=${metric}`,
      keys.internal,
    );
    const at = (moment: number) =>
      history.points.find(({ end: last }) => last === day(moment))?.metrics[metric]?.value ?? null;
    if (days % 7 !== 0) continue;
    const [last, earlier] = [at(end), at(end - days * DAY)];
    if (expected !== null) assert.ok(Math.abs((Number(last) / Number(earlier) - 1) * 100 - expected) < 0.001);
  }
  assert.ok(known >= 4, `${known} changes are known`);
});

test('equal conditions of many watchers are computed once an hour', async () => {
  const computed = async (): Promise<number> => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return [...text.matchAll(/^freehold_watch_market_figures_total\{outcome="\w+"\} (\d+)/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  };
  await pass(HOUR);
  const figures = async () => (await database.read((sql) => sql`select from watch_figure`)).length;
  const [before, known] = [await computed(), await figures()];
  for (let at = 0; at < 20; at++)
    await watch({ metric: 'median_list_price', bedrooms: 2 }, { op: 'below', value: 1_000 * at });
  await pass(0);
  assert.equal(await computed(), before + 1);
  assert.equal(await figures(), known + 1);
  await pass(30 * MINUTE);
  assert.equal(await computed(), before + 1);
});

test('an area that is redrawn counts what it holds then; one that is gone moves nothing', async () => {
  const watcher = await watch(
    { metric: 'median_list_price', areaId: east },
    { op: 'below', value: 1_000_000 },
  );
  await pass(0);
  // The boundaries change places.
  await writeAreaBatch(database, 'test', [area('West', 21, 22), area('East', 20, 21)]);
  await updateAllPlacements(database);
  await pass(HOUR);
  assert.equal((await told(watcher)).length, 1);
  const above = await watch({ metric: 'median_list_price', areaId: east }, { op: 'above', value: 1_000_000 });
  await pass(HOUR);
  await database.write((sql) => sql`update area set id = 'area_hidden' where id = ${east}`);
  await pass(2 * HOUR);
  assert.deepEqual(await told(above), []);
  await database.write((sql) => sql`update area set id = ${east} where id = 'area_hidden'`);
  await writeAreaBatch(database, 'test', [area('West', 20, 21), area('East', 21, 22)]);
  await updateAllPlacements(database);
  await pass(2 * HOUR);
  assert.equal((await told(above)).length, 1, 'from its last figure on');
  assert.equal((await told(watcher)).length, 1);
});

test('a sample that is too small moves nothing', async () => {
  const watcher = await watch({ metric: 'median_list_price', bedrooms: 7 }, { op: 'below', value: 500_000 });
  await pass(0);
  await write(20.7, [900_000, 900_000, 900_000, 900_000, 900_000], { bedrooms: 7 }, 'large');
  await pass(HOUR);
  assert.deepEqual(await told(watcher), []);
  await write(20.7, [100_000, 100_000, 100_000, 100_000], { bedrooms: 7 }, 'large');
  await write(20.7, [0, 0, 0, 0, 900_000], { bedrooms: 7, status: 'WITHDRAWN' }, 'large');
  await pass(HOUR);
  assert.deepEqual(await told(watcher), [], 'nothing is on the market');
  await write(20.7, [100_000, 100_000, 100_000, 100_000, 100_000], { bedrooms: 7 }, 'large');
  await pass(HOUR);
  const [crossing, ...others] = await told(watcher);
  assert.deepEqual([crossing?.previous, crossing?.value, others.length], [900_000, 100_000, 0]);
});

test('while it is paused a watcher takes no part, and afterwards it is told what comes then', async () => {
  const watcher = await watch({ metric: 'median_list_price', bedrooms: 7 }, { op: 'above', value: 500_000 });
  const act = (action: string) => sendWatcher(service, 'POST', `/${watcher.id}/${action}`, { key });
  await pass(HOUR);
  await act('pause');
  await write(20.7, [900_000, 900_000, 900_000, 900_000, 900_000], { bedrooms: 7 }, 'large');
  await pass(2 * HOUR);
  await act('resume');
  await pass(HOUR);
  assert.deepEqual(await told(watcher), [], 'it is met when the watcher comes back');
  await write(20.7, [100_000, 100_000, 100_000, 100_000, 100_000], { bedrooms: 7 }, 'large');
  await pass(HOUR);
  await write(20.7, [800_000, 800_000, 800_000, 800_000, 800_000], { bedrooms: 7 }, 'large');
  await pass(HOUR);
  assert.equal((await told(watcher)).length, 1);
});

test('a figure that only paused watchers compare is not computed until one is active again', async () => {
  const watcher = await watch({ metric: 'inventory', bedrooms: 9 }, { op: 'above', value: 0 });
  const act = (action: string) => sendWatcher(service, 'POST', `/${watcher.id}/${action}`, { key });
  const computedAt = async (): Promise<number> => {
    const [row] = await database.read(
      (sql) => sql<{ at: string | null }[]>`
        select computed_at as at from watch_figure join watch_condition on figure_no = watch_figure.no
        join watcher on watcher.no = watcher_no where watcher.id = ${watcher.id}`,
    );
    return Date.parse(row?.at ?? '');
  };
  await pass(0);
  const before = await computedAt();
  assert.ok(before > 0);
  await act('pause');
  await pass(HOUR);
  await pass(HOUR);
  assert.equal(await computedAt(), before);
  await act('resume');
  await pass(0);
  assert.ok((await computedAt()) >= before + 2 * HOUR);
});

const names = createAreaIdCache(database, clock);

test('figures are computed in the queue of heavy reads; without room in it they are tried later', async () => {
  const options: string[] = [];
  let isFull = true;
  const analytics = {
    database: (remedy: string) => {
      options.push(remedy);
      const read: typeof database.read = (work, how) =>
        isFull ? Promise.reject(new Problem('OVERLOADED', 'full')) : database.read(work, how);
      return { ...database, read };
    },
  };
  const figures = createMarketFigures({
    database,
    areas: names,
    findCurrencies: async () => ['USD'],
    defaultCurrency: null,
    analytics: analytics as unknown as Parameters<typeof createMarketFigures>[0]['analytics'],
  });
  const request = {
    areaId: west,
    listingType: 'sale' as const,
    metric: 'inventory',
    propertyType: null,
    bedrooms: null,
    currency: null,
    window: null,
  };
  await assert.rejects(figures.compute(request, clock.now(), EVERYTHING), { code: 'OVERLOADED' });
  isFull = false;
  assert.ok(Number(await figures.compute(request, clock.now(), EVERYTHING)) > 0);
});

test('a figure of an area that is gone is unknown, and no error', async () => {
  const analytics = new AnalyticsQueue(database, clock);
  const figures = createMarketFigures({
    database,
    areas: names,
    findCurrencies: async () => ['USD'],
    defaultCurrency: null,
    analytics,
  });
  const request = {
    areaId: 'gone',
    listingType: 'sale' as const,
    metric: 'inventory',
    propertyType: null,
    bedrooms: null,
    currency: null,
    window: null,
  };
  assert.equal(await figures.compute(request, clock.now(), EVERYTHING), null);
  await assert.rejects(figures.interpret(request, clock.now(), EVERYTHING), { code: 'INVALID_PARAMETER' });
});

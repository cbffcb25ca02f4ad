// Proves every metric on random markets against plain loops over what really happened, and the stored timeline against one computed anew.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { METRICS } from '../../src/search/summaries/metrics.ts';
import { rebuildTimelines } from '../../src/timeline/update-timelines.ts';
import { untilFactsHeld } from '../support/catalogue/held-facts.ts';
import {
  END,
  type ListingHistory,
  listingHistories,
  writeHistories,
} from '../support/catalogue/listing-histories.ts';
import { runs } from '../support/check/runs.ts';
import { type Expected, expect, expectYield } from '../support/oracle/market-oracle.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService, type TestService } from '../support/service/service.ts';

interface Figure {
  readonly value: number | null;
  readonly n: number;
  readonly excluded: number;
  readonly p25: number | null;
  readonly p75: number | null;
  readonly suppressed: boolean;
  readonly change: { readonly previous: number | null; readonly yearAgo: number | null } | null;
}
type Figures = Record<string, Figure>;
interface Stats {
  readonly period: { readonly start: string; readonly end: string };
  readonly metrics: Figures;
  readonly groups: readonly { readonly by: Record<string, unknown>; readonly metrics: Figures }[];
}
interface History {
  readonly points: readonly { readonly start: string; readonly end: string; readonly metrics: Figures }[];
}

const TYPES = ['sale', 'rental'] as const;
const at = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const PERIODS = [
  ['2025-12-01', '2026-01-01'], ['2025-11-01', '2025-12-01'], ['2025-06-01', '2025-09-01'],
  ['2025-10-07', '2025-10-21'], ['2025-01-01', '2026-01-01'], ['2025-08-15', '2025-08-16'],
] as [string, string][]; // biome-ignore format: a table

const NEVER = /_(listings|volume)$|^inventory$/;

function near(actual: number | null, expected: number | null | undefined, what: string): void {
  if (actual === null || expected === null || expected === undefined)
    assert.equal(actual, expected ?? null, what);
  else
    assert.ok(
      Math.abs(actual - expected) <= 0.0051 || Math.abs(actual / expected - 1) < 1e-6,
      `${what}: ${actual} is ${expected}`,
    );
}

/** Holds answered figures to expected ones; gives how many values were told. */
function hold(figures: Figures, expected: Record<string, Expected>, what: string): number {
  assert.deepEqual(Object.keys(figures).sort(), Object.keys(expected).sort(), what);
  let told = 0;
  for (const [id, want] of Object.entries(expected)) {
    const figure = figures[id];
    assert.ok(figure, id);
    const suppressed = !NEVER.test(id) && want.n < 5;
    const where = `${what} ${id}`;
    assert.deepEqual(
      { n: figure.n, excluded: figure.excluded, suppressed: figure.suppressed },
      { n: want.n, excluded: want.excluded, suppressed },
      where,
    );
    near(figure.value, suppressed ? null : want.value, where);
    if ('p25' in want || figure.p25 !== null) {
      near(figure.p25, suppressed ? null : want.p25, `${where} p25`);
      near(figure.p75, suppressed ? null : want.p75, `${where} p75`);
    }
    if (figure.value !== null && !NEVER.test(id)) told += 1;
  }
  return told;
}

async function statsOf(service: TestService, query: string): Promise<Stats> {
  return service.json(`/v1/market/stats?${query}`, service.keys.internal);
}

async function serviceWith(
  t: Parameters<typeof startService>[0],
  all: readonly ListingHistory[],
): Promise<TestService> {
  const service = await startService(t, { clock: manualClock(END) });
  await writeHistories(service.database, createCatalogue(service.database), all);
  await untilFactsHeld(service);
  return service;
}

const facts = (service: TestService) =>
  service.database.read(async (sql) => ({
    periods: [...(await sql`select * from market_period order by listing_id, started_at`)],
    events: [...(await sql`select * from market_event order by listing_id, kind, at, days`)],
    listings: [...(await sql`select * from market_listing order by listing_id`)],
  }));

test('every metric of every period and group is what the definition gives, on random markets', async (t) => {
  let told = 0;
  const seen = new Set<string>();
  // Not shrunk: a smaller market is another one, and a failure names the listing set, period and metric.
  for (const all of fc.sample(listingHistories, runs(2, 17))) {
    const service = await serviceWith(t, all);
    for (const listingType of TYPES) {
      for (const [start, end] of PERIODS) {
        const span = { start: at(start), end: at(end) };
        const query = `listingType=${listingType}&from=${start}&to=${end}`;
        const whole = await statsOf(service, `${query}&groupBy=propertyType,bedrooms&limit=100`);
        const expected = expect(all, { listingType, keeps: () => true, ...span });
        told += hold(whole.metrics, expected, query);
        for (const [id, { value }] of Object.entries(whole.metrics))
          if (value !== null && value !== 0) seen.add(id);
        for (const { by, metrics } of whole.groups) {
          const keeps = (life: ListingHistory) =>
            life.propertyType === by.propertyType && life.bedrooms === by.bedrooms;
          hold(metrics, expect(all, { listingType, keeps, ...span }), `${query} ${JSON.stringify(by)}`);
        }
        const some = await statsOf(service, `${query}&city=aldern&bedrooms=0,2`);
        const keeps = (life: ListingHistory) =>
          life.city === 'Aldern' && (life.bedrooms === 0 || life.bedrooms === 2);
        hold(some.metrics, expect(all, { listingType, keeps, ...span }), `${query} in Aldern`);
      }
    }
  }
  assert.ok(told > 100, `enough values were told: ${told}`);
  const never = METRICS.filter(({ id, types }) => types.length > 0 && !seen.has(id)).map(({ id }) => id);
  assert.deepEqual(never, [], 'every metric had a value somewhere');
});

test('the yield of homes that were offered both ways is that of their last offers in a year', async (t) => {
  let told = 0;
  for (const all of fc.sample(listingHistories, runs(2, 29))) {
    const service = await serviceWith(t, all);
    for (const [start, end] of [
      ['2025-01-01', '2026-01-01'],
      ['2024-10-15', '2025-10-15'],
    ] as const) {
      for (const [query, keeps] of [
        ['', () => true],
        ['&bedrooms=0,1', ({ bedrooms }: ListingHistory) => bedrooms === 0 || bedrooms === 1],
      ] as const) {
        const path = `/v1/market/yield?from=${start}&to=${end}${query}`;
        const { sameProperty }: { sameProperty: Omit<Figure, 'excluded' | 'change'> } = await service.json(
          path,
          service.keys.internal,
        );
        const { n, value, p25, p75 } = expectYield(all, { keeps, start: at(start), end: at(end) });
        const expected = n < 5 ? { n, value: null, p25: null, p75: null } : { n, value, p25, p75 };
        assert.equal(sameProperty.n, n, path);
        for (const part of ['value', 'p25', 'p75'] as const) {
          const [actual, wanted] = [sameProperty[part], expected[part] ?? null];
          // Shares are shown with six decimals.
          if (actual === null || wanted === null) assert.equal(actual, wanted, `${path} ${part}`);
          else assert.ok(Math.abs(actual - wanted) < 1e-6, `${path} ${part}: ${actual} is ${wanted}`);
        }
        if (value !== null && n >= 5) told++;
      }
    }
  }
  assert.ok(told >= 3, `enough yields were told: ${told}`);
});

test('a point of a series, and the change to what was before, is what the stats of that period are', async (t) => {
  const [all = []] = fc.sample(listingHistories, { seed: 5, numRuns: 1 });
  const service = await serviceWith(t, all);
  const series = [
    'interval=month&periods=15',
    'interval=week&from=2025-10-06&to=2025-12-29',
    'interval=quarter&periods=5',
    'interval=year&from=2024-01-01&to=2026-01-01',
    'interval=month&periods=6&window=P30D',
  ];
  for (const listingType of TYPES) {
    for (const query of series) {
      const path = `/v1/market/history?listingType=${listingType}&${query}&limit=100`;
      const { points }: History = await service.json(path, service.keys.internal);
      assert.ok(points.length > 1, query);
      for (const { start, end, metrics } of points) {
        const { metrics: alone } = await statsOf(
          service,
          `listingType=${listingType}&from=${start}&to=${end}`,
        );
        assert.deepEqual(metrics, alone, `${query} ${start}`);
      }
      for (const [index, { metrics }] of query.includes('window') ? [] : points.slice(1).entries()) {
        const earlier = points[index]?.metrics.inventory?.value ?? 0;
        const now = metrics.inventory;
        near(now?.change?.previous ?? null, earlier === 0 ? null : (now?.value ?? 0) / earlier - 1, 'change');
      }
    }
  }
});

test('the stored timeline is the one computed anew from listings and history, whatever was written in whatever order', async (t) => {
  for (const [all, gone] of fc.sample(
    fc.tuple(listingHistories, fc.integer({ min: 0, max: 20 })),
    runs(2, 23),
  )) {
    const service = await serviceWith(t, all.slice(0, 60));
    const { database } = service;
    const catalogue = createCatalogue(database);
    const keys = all.slice(0, gone).map(({ key }) => key);
    await database.transaction((tx) => catalogue.write(tx, 'test', [], END, keys));
    const kept = await facts(service);
    assert.ok(kept.periods.length > 20 && kept.events.length > 60);
    await database.write((sql) => sql`delete from market_period`);
    await database.write((sql) => sql`delete from market_event where listing_type = 'sale'`);
    assert.notDeepEqual(await facts(service), kept);
    await database.transaction(async (tx) => {
      const properties = await tx<{ id: string }[]>`select id from property`;
      await rebuildTimelines(
        tx,
        properties.map(({ id }) => id),
      );
    });
    assert.deepEqual(await facts(service), kept);
  }
});

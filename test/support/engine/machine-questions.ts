// Questions of the engine's proof: of every kind, held to PostgreSQL and, where a listing's facts decide, to a plain loop.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isSameAnswer } from '../../../src/cli/doctor/same-answer.ts';
import type { Row } from '../catalogue/random-market.ts';
import type { Filter, Query } from '../oracle/filters.ts';
import { compareBy, SORTS, sortArbitrary } from '../oracle/order.ts';
import { FILTERS } from '../oracle/search-oracle.ts';
import { cellsOf, counted, FACETS, medianOf, pricesOf, type ValueCount } from '../oracle/summaries.ts';
import { type Market, ZONE } from './machine-market.ts';
import type { AskOptions, ListingType, MachineStage } from './machine-stage.ts';

/** What the past of a listing decides, of which the loop knows nothing: there PostgreSQL judges alone. */
const OF_THE_PAST = /updated|DaysOnMarket|daysOld|daysOnMarket|priceChange|PriceDrop|^providerId$/;
const isJudged = (query: Query): boolean =>
  !Object.keys(query).some((name) => OF_THE_PAST.test(name)) && !OF_THE_PAST.test(query.sort ?? '');

/** Searches of listings on the market: other statuses are PostgreSQL's alone. */
const STATUSES = ['ACTIVE,ACTIVE_UNDER_CONTRACT,COMING_SOON', 'COMING_SOON', 'ACTIVE_UNDER_CONTRACT,ACTIVE'];
const statusArbitrary = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  { weight: 3, arbitrary: fc.constantFrom(...STATUSES).map((status) => ({ status })) },
);

const isAsked = ({ parameters, alone }: Filter): boolean =>
  !alone && !['ids', 'status', 'areaId', 'currency'].some((name) => parameters.includes(name));
const filtersOf = (type: ListingType): Filter[] =>
  FILTERS.filter((each) => isAsked(each) && !(type === 'sale' ? each.rentalOnly : each.saleOnly));

const areaArbitrary = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('county-ring', 'metro-dateline', 'city-aldern', 'state-umbra', ZONE)
      .map((areaId) => ({ areaId })),
  },
);
const sortOf = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(...Object.keys(SORTS)).chain((key) => fc.constantFrom(key, `-${key}`)),
  },
  { weight: 1, arbitrary: sortArbitrary },
);

/** A search with an order. */
export const searchArbitrary = fc.constantFrom<ListingType>('sale', 'rental').chain((type) =>
  fc
    .tuple(
      statusArbitrary,
      areaArbitrary,
      sortOf.map((sort) => ({ sort })),
      fc.constantFrom({}, {}, { display: 'ignore' }),
      fc
        .subarray(filtersOf(type), { maxLength: 2 })
        .chain((filters) => fc.tuple(...filters.map(({ values }) => values))),
    )
    .map(([status, area, sort, display, own]) => {
      const query: Query = Object.assign({}, status, area, sort, display, ...own);
      return { type, query };
    }),
);
export type Search = typeof searchArbitrary extends fc.Arbitrary<infer S> ? S : never;

export const questionArbitrary = fc.record({
  search: searchArbitrary,
  limit: fc.constantFrom(1, 3, 7, 60),
  zoom: fc.constantFrom(0, 3, 8, 20),
});
export type Question = typeof questionArbitrary extends fc.Arbitrary<infer Q> ? Q : never;

interface Told {
  readonly data: readonly { readonly id: string }[];
  readonly page: {
    readonly hasMore: boolean;
    readonly nextCursor: string | null;
    readonly prevCursor: string | null;
  };
  readonly total: { readonly value: number } | null;
  readonly facets: Readonly<Record<string, unknown>>;
  readonly stats: Readonly<Record<string, { readonly value: number | null; readonly n: number }>>;
  readonly explain: { readonly filters: readonly { readonly parameter: string }[] };
  readonly clusters: readonly {
    readonly geohash: string;
    readonly lat: number;
    readonly lng: number;
    readonly count: number;
    readonly medianPrice: number | null;
  }[];
}

export interface Judge {
  readonly stage: MachineStage;
  readonly market: Market;
  /** How many answers were held to PostgreSQL, to the loop, and how many of them found something. */
  readonly counts: { asked: number; judged: number; found: number };
}

/** The search as far as it can be asked now: nobody can name an area that was never drawn. */
export function askable({ type, query }: Search, { market }: Judge): Search {
  const unasked = query.areaId === ZONE && !market.hasZone ? ['areaId'] : [];
  // A duration and a date may be in either order, as the clock stands.
  for (const [from, to] of SPANS) {
    const ends = [query[from], query[to]].filter((end) => end !== undefined);
    if (ends.length === 2 && new Set(ends.map((end) => end.startsWith('P'))).size === 2) unasked.push(to);
  }
  return {
    type,
    query: Object.fromEntries(Object.entries(query).filter(([name]) => !unasked.includes(name))),
  };
}

const SPANS = [
  ['listedSince', 'listedBefore'],
  ['updatedSince', 'updatedBefore'],
  ['closedSince', 'closedBefore'],
  ['openHouseFrom', 'openHouseTo'],
] as const;

/** Asks a question of either side, and holds the answers to each other and to the loop. */
export async function ask(judge: Judge, { search, limit, zoom }: Question): Promise<void> {
  const { type, query } = askable(search, judge);
  const wanted = {
    ...query,
    limit: String(limit),
    fields: 'id,price,status',
    count: 'exact',

    facets: [...Object.keys(FACETS), 'priceBucket'].join(),
    stats: 'inventory,median_list_price',
    explain: 'true',
  };
  const told = await askBoth(judge, type, wanted);
  const { sort: _, ...unsorted } = query;
  const box = query.bbox ?? '-180,-90,180,90';
  const { polygon, radius, ...mapped } = unsorted;
  const cluster = { ...mapped, bbox: box, cluster: 'true', zoom: String(zoom), limit: '500' };
  const hasShape = polygon !== undefined || radius !== undefined;
  const clustered = hasShape ? null : await askBoth(judge, type, cluster);
  if (!isJudged(query)) return;
  judge.counts.judged++;
  const { market, stage } = judge;
  const now = stage.clock.now();
  const rows = market.found(type, query, now);
  const sorted = rows.toSorted((a, b) => compareBy(query.sort ?? '', a, b, now, query));
  const ids = sorted.slice(0, limit).map(({ id }) => id);
  assert.deepEqual(
    told.data.map(({ id }) => id),
    ids,
    JSON.stringify(query),
  );
  assert.equal(told.total?.value, rows.length);
  assert.equal(told.page.hasMore, rows.length > limit);
  judgeSummaries(told, rows, market);
  if (clustered !== null) judgeCells(clustered, market.found(type, { ...mapped, bbox: box }, now));
  if (rows.length > 0) judge.counts.found++;
}

async function askBoth(judge: Judge, type: ListingType, query: Query): Promise<Told> {
  judge.counts.asked++;
  const [engine, sql] = await Promise.all([
    judge.stage.ask('engine', type, query),
    judge.stage.ask('sql', type, query),
  ]);
  if (!isSameAnswer(comparable(engine), comparable(sql)))
    assert.deepEqual(comparable(engine), comparable(sql), `${type} ${JSON.stringify(query)}`);
  assertSameCentres(engine as Told, sql as Told);
  return engine as Told;
}

/** Without what belongs to a request alone; a cursor counts by being there. Centres are sums that are rounded, and compared apart. */
function comparable(answer: unknown): unknown {
  const { meta: _, page, clusters = [], ...rest } = answer as Told & { readonly meta: unknown };
  const { nextCursor, prevCursor, ...others } = page;
  return {
    ...rest,
    page: { ...others, nextCursor: nextCursor !== null, prevCursor: prevCursor !== null },
    clusters: clusters.map(({ lat, lng, ...cluster }) => cluster),
  };
}

function assertSameCentres({ clusters = [] }: Told, { clusters: others = [] }: Told): void {
  for (const [at, { lat, lng }] of clusters.entries()) {
    const other = others[at] ?? assert.fail();
    assert.ok(Math.abs(lat - other.lat) < 1e-5 && Math.abs(lng - other.lng) < 1e-5);
  }
}

const sortable = (list: unknown): string[] => (list as unknown[]).map((each) => JSON.stringify(each)).sort();

/** Names may be written in several ways. */
const inLowerCase = (list: unknown) =>
  (list as ValueCount[]).map((each) => ({ ...each, value: String(each.value).toLowerCase() }));

function judgeSummaries({ facets, stats }: Told, rows: readonly Row[], market: Market): void {
  for (const [facet, read] of Object.entries(FACETS)) {
    const zone = facet === 'areaId' ? rows.filter((row) => market.isInZone(row)).map(() => ZONE) : [];
    const shown = facet === 'city' ? inLowerCase(facets[facet]) : facets[facet];
    assert.deepEqual(sortable(shown), sortable(counted([...rows.flatMap(read), ...zone])), facet);
  }
  const prices = pricesOf(rows);
  assert.equal(stats.inventory?.value, rows.length);
  assert.equal(stats.median_list_price?.n, prices.length);
  assertSameMoney(stats.median_list_price?.value ?? null, prices.length < 5 ? null : medianOf(prices));
}

function judgeCells({ clusters }: Told, rows: readonly Row[]): void {
  const expected = cellsOf(rows, clusters[0]?.geohash.length ?? 1);
  const shown = clusters.toSorted((a, b) => (a.geohash < b.geohash ? -1 : 1));
  assert.deepEqual(
    shown.map(({ geohash, count }) => [geohash, count]),
    expected.map(({ hash, count }) => [hash, count]),
  );
  for (const [at, { medianPrice }] of shown.entries())
    assertSameMoney(medianPrice, expected[at]?.median ?? null);
}

/** Half a cent may be rounded either way. */
function assertSameMoney(shown: number | null, expected: number | null): void {
  const isSame =
    shown === expected || (shown !== null && expected !== null && Math.abs(shown - expected) < 0.011);
  assert.ok(isSame, `${shown} is shown, and it is ${expected}`);
}

/** A page of either side. */
export const askPage = async (
  { stage }: Judge,
  side: 'engine' | 'sql',
  { type, query }: Search,
  options: AskOptions,
): Promise<Told> => (await stage.ask(side, type, { ...query, fields: 'id,price,status' }, options)) as Told;

export const isWalkable = ({ query }: Search): boolean => isJudged(query) && query.areaId !== ZONE;

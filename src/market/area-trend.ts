// Trend of an area: what is on the market now and at the ends of the last twelve months, for pages that show an area in passing.

import type { Reach } from '../access/tiers/reach.ts';
import { QueryCache } from '../lib/query-cache.ts';
import type { RunTask } from '../lib/scheduler.ts';
import { DEFAULT_TIME_ZONE } from '../listings/local-time.ts';
import type { CachedReads } from '../listings/property-cache.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import { abortableDatabase } from '../postgres/client/database.ts';
import { EXPENSIVE_AFTER } from '../search/engine/questions/scan.ts';
import { type AnalyticsQueue, OWN_ACCOUNT } from '../search/summaries/analytics-queue.ts';
import { addDays, today } from './calendar.ts';
import type { MetricFigure } from './compute-metrics.ts';
import { oneState } from './facts/market-facts.ts';
import { getHistory, getStats } from './handlers.ts';
import type { MarketReads } from './market-scope.ts';
import type { MarketQuery } from './parameters.ts';

/** A figure now, and at the end of each month before, oldest first; null: fewer than five homes, or none. */
export interface Trend {
  readonly now: number | null;
  readonly months: readonly (number | null)[];
}

export interface AreaTrend {
  /** Null where no listing says it. */
  readonly currency: string | null;
  /** Of rentals the rent of a month. */
  readonly medianPrice: Trend;
  /** Per square foot. */
  readonly medianPricePerArea: Trend;
  /** Homes on the market. */
  readonly inventory: Trend;
}

export interface AreaTrends {
  /**
   * Of an area; null: of everything. Throws INVALID_PARAMETER for an area that there is not and where no currency can be chosen,
   * OVERLOADED while there is no room in the queue.
   */
  read(
    areaId: string | null,
    listingType: ListingType,
    reach: Reach,
    signal: AbortSignal,
  ): Promise<AreaTrend>;
}

interface AreaTrendOptions
  extends Pick<MarketReads, 'database' | 'findCurrencies' | 'defaultCurrency' | 'areas' | 'facts'> {
  readonly analytics: AnalyticsQueue;
  readonly cache: Pick<CachedReads, 'version'>;
  readonly clock: { now(): number; monotonic(): number };
}

const METRIC_IDS = {
  sale: ['median_list_price', 'median_price_per_area', 'inventory'],
  rental: ['median_rent', 'median_rent_per_area', 'inventory'],
} as const;

const MONTHS = 12;
const REMEDY = 'Try again in a few seconds.';
const MAX_CACHED = 2_000;

export function createAreaTrends(options: AreaTrendOptions): AreaTrends {
  const { clock, cache } = options;
  const trends = new QueryCache<AreaTrend>({
    version: () => cache.version(),
    monotonic: () => clock.monotonic(),
    max: MAX_CACHED,
  });
  return {
    read: (areaId, listingType, reach, signal) =>
      trends.get(
        [areaId ?? '', listingType, reach.key],
        (left) => readTrend(options, areaId, listingType, reach, left),
        signal,
      ),
  };
}

async function readTrend(
  { analytics, clock, facts, findCurrencies, defaultCurrency, areas }: AreaTrendOptions,
  areaId: string | null,
  listingType: ListingType,
  reach: Reach,
  signal: AbortSignal,
): Promise<AreaTrend> {
  const asker = { caller: OWN_ACCOUNT, request: {}, remedy: REMEDY };
  const now = clock.now();
  const [price, perArea, inventory] = METRIC_IDS[listingType];
  const ids = areaId === null ? [] : [areaId];
  const query = {
    listingType,
    areaId: areaId === null ? undefined : ids,
    metrics: [price, perArea, inventory],
  };
  const nos = (await areas.named(ids, false)).map(({ no }) => no);
  const [zone = DEFAULT_TIME_ZONE] = await areas.zonesOf(nos, false);
  const day = today(now, zone ?? DEFAULT_TIME_ZONE);
  const runScan =
    (within: AbortSignal): RunTask =>
    (work) =>
      analytics.scan(asker, { expensiveAfter: EXPENSIVE_AFTER.summary, signal: within }, work);
  return analytics.within(REMEDY, signal, async (within) => {
    const request = {
      database: abortableDatabase(analytics.database(asker), within),
      signal: within,
      findCurrencies,
      defaultCurrency,
      areas,
      fresh: false,
      facts: oneState(facts),
      scan: runScan(within),
      reach,
      limit: MONTHS,
      now,
    };
    const current = { ...query, from: addDays(day, -29), to: addDays(day, 1) } as MarketQuery;
    const stats = await getStats({ ...request, query: current });
    const history = await getHistory({ ...request, query: { ...query, periods: MONTHS } as MarketQuery });
    const trendOf = (id: string): Trend => ({
      now: shown(stats.metrics[id]),
      months: history.points.map(({ metrics }) => shown(metrics[id])),
    });
    return {
      currency: stats.scope.currency,
      medianPrice: trendOf(price),
      medianPricePerArea: trendOf(perArea),
      inventory: trendOf(inventory),
    };
  });
}

/** A suppressed figure has no value to show. */
const shown = (figure: MetricFigure | undefined): number | null =>
  figure === undefined || figure.suppressed ? null : figure.value;

// One figure of one area as of now: the newest value of a metric, or its change from one window to the next.

import type { Reach } from '../access/tiers/reach.ts';
import { invalidParameter, Problem } from '../lib/problem.ts';
import { roundTo } from '../lib/round.ts';
import type { ListingType, PropertyType } from '../listings/vocabulary.ts';
import { type AnalyticsQueue, OWN_ACCOUNT } from '../search/summaries/analytics-queue.ts';
import type { CurrencyChoice } from '../search/summaries/currency.ts';
import {
  type FigureUnit,
  isMoney,
  type Metric,
  NO_FIGURE,
  shownFigure,
} from '../search/summaries/metrics.ts';
import { addDays, type Period, today } from './calendar.ts';
import { loadMetrics } from './compute-metrics.ts';
import { NO_FACTS } from './facts/market-facts.ts';
import { formatScope, type MarketReads, resolveScope, type Scope } from './market-scope.ts';
import { parseMetric } from './parameters.ts';

export interface FigureRequest {
  readonly areaId: string;
  readonly listingType: ListingType;
  /** The id of a metric. */
  readonly metric: string;
  readonly propertyType: PropertyType | null;
  readonly bedrooms: number | null;
  /** ISO 4217; null: the only one of the listings. */
  readonly currency: string | null;
  /** Days; null: the value itself. */
  readonly window: number | null;
}

/** What a request means at one time. */
interface ResolvedFigure {
  readonly scope: Scope;
  readonly metric: Metric;
  /** The days that a request to GET /v1/market/stats would name. */
  readonly period: Period;
}

/** How a request was understood. */
export interface FigureInterpretation {
  readonly areas: readonly { readonly id: string; readonly name: string }[];
  readonly timeZone: string;
  /** ISO 4217; null for a metric without money, and where no listing tells it yet. */
  readonly currency: string | null;
  /** Why it is that one of several; null: the target names it, or there was no other. */
  readonly currencyChoice: CurrencyChoice | null;
  readonly unit: FigureUnit;
}

/** Figures for those who watch them. `now` in milliseconds. */
export interface MarketFigures {
  /** Throws INVALID_PARAMETER for an area, metric or currency that there is not. */
  interpret(request: FigureRequest, now: number, reach: Reach): Promise<FigureInterpretation>;
  /**
   * The value, or its change in percent to the window before; null: suppressed, or unknown. In square feet. Throws OVERLOADED
   * while there is no room in the queue.
   */
  compute(request: FigureRequest, now: number, reach: Reach): Promise<number | null>;
}

/** What one figure is computed with. */
interface FigureOptions extends MarketReads {
  readonly reach: Reach;
}

const REMEDY = 'Watch a smaller place, or a shorter window.';

/** Figures are computed in the queue of heavy reads; for those who watch, nothing is held in memory. */
export function createMarketFigures({
  database,
  findCurrencies,
  defaultCurrency,
  analytics,
  areas,
}: Pick<MarketReads, 'database' | 'findCurrencies' | 'defaultCurrency' | 'areas'> & {
  readonly analytics: AnalyticsQueue;
}): MarketFigures {
  const queued = analytics.database({ caller: OWN_ACCOUNT, remedy: REMEDY });
  const reads = { database, findCurrencies, defaultCurrency, areas, facts: NO_FACTS, fresh: true };
  return {
    interpret: (request, now, reach) => interpretFigure({ ...reads, reach }, request, now),
    compute: (request, now, reach) =>
      computeFigure({ ...reads, database: queued, reach }, request, now).catch(nullIfMeaningless),
  };
}

/** Days of a figure without a window. */
const DEFAULT_WINDOW = 30;

/** Null for a request that has lost its meaning: its area is gone, or its prices are in several currencies by now. */
function nullIfMeaningless(error: unknown): null {
  if (error instanceof Problem && error.code === 'INVALID_PARAMETER') return null;
  throw error;
}

async function resolveFigure(
  options: FigureOptions,
  request: FigureRequest,
  now: number,
): Promise<ResolvedFigure> {
  const { areaId, listingType, metric: id, propertyType, bedrooms, currency, window } = request;
  const { metric, change } = parseMetric(id, listingType, 'metric');
  if (change !== null) throw invalidParameter('metric', `${id} is a change, not a metric`, metric.id);
  const query = {
    listingType,
    areaId: [areaId],
    ...(propertyType !== null && { propertyType: [propertyType] }),
    ...(bedrooms !== null && { bedrooms: [bedrooms] }),
    ...(currency !== null && { currency }),
  };
  const scope = await resolveScope({ ...options, query }, { now, currency: null }, isMoney(metric));
  const day = today(now, scope.timeZone);
  // What is on the market is counted as it is now; what happened, over days that have ended.
  const end = isStock(metric) ? addDays(day, 1) : day;
  const period = { start: addDays(end, -(window ?? DEFAULT_WINDOW)), end };
  return { scope, metric, period };
}

async function interpretFigure(
  options: FigureOptions,
  request: FigureRequest,
  now: number,
): Promise<FigureInterpretation> {
  const { scope, metric } = await resolveFigure(options, request, now);
  const { areas, timeZone, currency, currencyChoice } = formatScope(scope);
  const unit = request.window === null ? shownFigure(metric, NO_FIGURE, scope.units).unit : 'percent';
  const money = isMoney(metric) ? { currency, currencyChoice } : { currency: null, currencyChoice: null };
  return { areas, timeZone, ...money, unit };
}

/** Whether a metric sums up what is on the market at one moment. */
const isStock = ({ set, over }: Metric): boolean => set === 'inventory' && over === undefined;

async function computeFigure(
  options: FigureOptions,
  request: FigureRequest,
  now: number,
): Promise<number | null> {
  const { scope, metric, period } = await resolveFigure(options, request, now);
  const requested = { id: metric.id, metric, change: null };
  const loaded = await loadMetrics(options, scope, [requested], [period]);
  const figure = loaded.compute(period)[metric.id];
  if (request.window === null) return figure?.value ?? null;
  const change = figure?.change?.previous ?? null;
  return change === null ? null : roundTo(change * 100, 4);
}

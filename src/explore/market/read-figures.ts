// Figures of the market page: those that the API answers, read in this process, without the sources that it names beside them.

import type { Area } from '../../areas/area.ts';
import type { MarketAnswers, MarketCall } from '../../market/answers.ts';
import type { MetricFigure } from '../../market/compute-metrics.ts';
import { distributionIn, historyOf } from '../../market/handlers.ts';
import { resolveScope } from '../../market/market-scope.ts';
import type { MarketQuery } from '../../market/parameters.ts';
import { BUCKETS } from './api-requests.ts';
import { seriesMetrics } from './metric-choice.ts';
import type { MarketView } from './page-query.ts';

/** A month of a series. */
export interface Point {
  /** First day of the month, and of the month after it. */
  readonly start: string;
  readonly end: string;
  readonly metrics: Readonly<Record<string, MetricFigure>>;
}

export interface Series {
  readonly points: readonly Point[];
  /** ISO 4217; null where no home has a price. */
  readonly currency: string | null;
}

export type Distribution = Awaited<ReturnType<typeof distributionIn>>;

export interface MarketFigures {
  readonly series: Series;
  /** Null: there is no second area. */
  readonly second: Series | null;
  readonly distribution: Distribution;
}

/** Who reads, and how long. */
export type Reader = Pick<MarketCall, 'account' | 'reach' | 'signal'>;

export async function readFigures(
  answers: MarketAnswers,
  view: MarketView,
  second: Area | null,
  reader: Reader,
): Promise<MarketFigures> {
  const { listingType, areaId, months, currency } = view;
  const metrics = seriesMetrics(listingType);
  const [series, other, distribution] = await Promise.all([
    readSeries(answers, { listingType, areaId, months, currency, metrics }, reader),
    second === null
      ? null
      : readSeries(answers, { listingType, areaId: second.id, months, currency, metrics }, reader),
    readDistribution(answers, view, reader),
  ]);
  return { series, second: other, distribution };
}

export interface SeriesRequest {
  readonly listingType: MarketView['listingType'];
  /** Null: the whole market. */
  readonly areaId: string | null;
  readonly months: number;
  /** Null: the only one. */
  readonly currency: string | null;
  readonly metrics: readonly string[];
}

/** What GET /v1/market/history answers, all points at once. */
export async function readSeries(
  answers: MarketAnswers,
  { listingType, areaId, months, currency, metrics }: SeriesRequest,
  reader: Reader,
): Promise<Series> {
  const query: MarketQuery = {
    listingType,
    ...inArea(areaId),
    ...inCurrency(currency),
    periods: months,
    metrics,
  };
  const { points, scope } = await answers.get('explore history', historyOf, {
    ...reader,
    query,
    limit: months,
  });
  return { points, currency: scope.plan.currency };
}

export function readDistribution(
  answers: MarketAnswers,
  { listingType, areaId, currency }: Pick<MarketView, 'listingType' | 'areaId' | 'currency'>,
  reader: Reader,
): Promise<Distribution> {
  const query: MarketQuery = {
    listingType,
    ...inArea(areaId),
    ...inCurrency(currency),
    measure: 'price',
    buckets: BUCKETS,
  };
  return answers.get('explore distribution', distributionIn, { ...reader, query, limit: BUCKETS });
}

const inArea = (areaId: string | null) => (areaId === null ? {} : { areaId: [areaId] });
export const inCurrency = (currency: string | null) => (currency === null ? {} : { currency });

/** Currencies of the homes of a view. */
export interface Currencies {
  /** Those that there are, in the order of the alphabet; one or none: there is nothing to choose. */
  readonly all: readonly string[];
  /** The one of the figures; null: it goes without saying. */
  readonly current: string | null;
}

/** The currencies that a view has to choose from, whose figures are in one: the one that it names, else the default, else that of most homes. */
export async function readCurrencies(
  answers: MarketAnswers,
  { listingType, areaId, currency }: Pick<MarketView, 'listingType' | 'areaId' | 'currency'>,
  reader: Reader,
): Promise<Currencies> {
  const query: MarketQuery = { listingType, ...inArea(areaId) };
  const { plan, currencyChoice } = await answers.get(
    'explore currencies',
    (request) => resolveScope({ ...request, choosesMost: true }, { now: request.now, currency: null }, true),
    { ...reader, query, limit: 1 },
  );
  if (currencyChoice === null || plan.currency === null) return { all: [], current: currency };
  const all = [plan.currency, ...currencyChoice.otherCurrencies].sort();
  return { all, current: currency ?? plan.currency };
}

/** Without the months at the beginning in which there was nothing; a year is left. */
export function withoutEmptyStart(series: Series, second: Series | null): readonly [Series, Series | null] {
  const isEmpty = ({ metrics }: Point): boolean => Object.values(metrics).every(({ n }) => n === 0);
  const first = series.points.findIndex((point, at) => {
    const other = second?.points[at];
    return !isEmpty(point) || (other !== undefined && !isEmpty(other));
  });
  const from = Math.max(0, Math.min(first === -1 ? series.points.length : first, series.points.length - 12));
  const cut = (each: Series): Series => ({ ...each, points: each.points.slice(from) });
  return [cut(series), second && cut(second)];
}

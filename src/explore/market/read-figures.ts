// Figures of the market page: those that the API answers, read in this process, without the sources that it names beside them.

import type { Area } from '../../areas/area.ts';
import type { MarketAnswers, MarketCall } from '../../market/answers.ts';
import type { MetricFigure } from '../../market/compute-metrics.ts';
import { distributionIn, historyOf } from '../../market/handlers.ts';
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
  const { listingType, areaId, months } = view;
  const metrics = seriesMetrics(listingType);
  const [series, other, distribution] = await Promise.all([
    readSeries(answers, { listingType, areaId, months, metrics }, reader),
    second === null ? null : readSeries(answers, { listingType, areaId: second.id, months, metrics }, reader),
    readDistribution(answers, view, reader),
  ]);
  return { series, second: other, distribution };
}

export interface SeriesRequest {
  readonly listingType: MarketView['listingType'];
  /** Null: the whole market. */
  readonly areaId: string | null;
  readonly months: number;
  readonly metrics: readonly string[];
}

/** What GET /v1/market/history answers, all points at once. */
export async function readSeries(
  answers: MarketAnswers,
  { listingType, areaId, months, metrics }: SeriesRequest,
  reader: Reader,
): Promise<Series> {
  const query: MarketQuery = { listingType, ...inArea(areaId), periods: months, metrics };
  const { points, scope } = await answers.get('explore history', historyOf, {
    ...reader,
    query,
    limit: months,
  });
  return { points, currency: scope.plan.currency };
}

export function readDistribution(
  answers: MarketAnswers,
  { listingType, areaId }: Pick<MarketView, 'listingType' | 'areaId'>,
  reader: Reader,
): Promise<Distribution> {
  const query: MarketQuery = { listingType, ...inArea(areaId), measure: 'price', buckets: BUCKETS };
  return answers.get('explore distribution', distributionIn, { ...reader, query, limit: BUCKETS });
}

const inArea = (areaId: string | null) => (areaId === null ? {} : { areaId: [areaId] });

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

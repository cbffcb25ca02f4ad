// Requests to the API that give the figures of the market page. Pure.

import { CHOICES, CLOSED, NEW } from './metric-choice.ts';
import type { FigureTable, MarketView } from './page-query.ts';

/** Intervals of the histogram. */
export const BUCKETS = 60;
/** Months of the sparklines: a year and the month that it is compared with. */
export const SPARK_MONTHS = 13;

/** Paths with their queries, without a slash at the beginning. */
export interface ApiRequests extends Readonly<Record<Exclude<FigureTable, 'areas'>, string>> {
  /** All series of the page in one request. */
  readonly series: string;
  /** The series of the second area; null: there is none. */
  readonly second: string | null;
}

export function apiRequests(view: MarketView, metrics: readonly string[]): ApiRequests {
  const { areaId, withId, listingType, months, currency } = view;
  const { price, charts } = CHOICES[listingType];
  const history = (ids: readonly string[], area = areaId): string =>
    request('history', {
      listingType,
      areaId: area,
      periods: String(months),
      currency,
      metrics: ids.join(),
    });
  const chart = (table: FigureTable): string =>
    history(charts.filter((each) => each.table === table).map(({ id }) => id));
  return {
    series: history(metrics),
    second: withId === null ? null : history(metrics, withId),
    price: history([price.id]),
    activity: history([NEW, CLOSED]),
    distribution: request('distribution', {
      listingType,
      areaId,
      currency,
      measure: 'price',
      buckets: String(BUCKETS),
    }),
    days: chart('days'),
    supply: chart('supply'),
    drops: chart('drops'),
    outcome: chart('outcome'),
  };
}

/** The comparison of these areas. */
export function compareRequest(
  { listingType, currency }: MarketView,
  areaIds: readonly string[],
  metrics: readonly string[],
): string {
  return request('compare', { listingType, areaId: areaIds.join(), currency, metrics: metrics.join() });
}

function request(name: string, parameters: Readonly<Record<string, string | null>>): string {
  const sent = Object.entries(parameters).filter((each): each is [string, string] => each[1] !== null);
  return `v1/market/${name}?${sent.map(([key, value]) => `${key}=${encodeURIComponent(value).replaceAll('%2C', ',')}`).join('&')}`;
}

// Query parameters of market statistics: their schemas, and the metrics and periods parsed from them. Pure.

import { type Static, type TSchema, Type } from 'typebox';
import { readAll } from '../http/input/faults.ts';
import { optional } from '../http/input/parameter-kinds.ts';
import { invalidParameter } from '../lib/problem.ts';
import { unitsParameter } from '../listings/common-parameters.ts';
import { CURSOR_HINTS } from '../listings/paging.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import { RentalSearchQuery, SaleSearchQuery, type SearchQuery } from '../search/query/parameters.ts';
import { type Metric, metricOf, metricsFor, suggestMetric } from '../search/summaries/metrics.ts';
import { INTERVALS, type Interval } from './calendar.ts';

/** Parameters of a search that are no filters, or that filter by the current state of a listing. */
export const NOT_FILTERS = [
  'status',
  'underContract',
  'ids',
  'sort',
  'limit',
  'cursor',
  'count',
  'includeTotalCount',
  'fields',

  'include',
  'display',
  'facets',
  'priceBucket',
  'stats',
  'cluster',
  'zoom',
  'explain',
  'format',
  'units',
] as const;

const isFilter = ([name]: [string, TSchema]): boolean => !NOT_FILTERS.some((other) => other === name);
const filtersOf = (schema: { readonly properties: Record<string, TSchema> }): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(schema.properties).filter(isFilter));

const RENTAL_FILTERS = filtersOf(RentalSearchQuery);
const SALE_FILTERS = filtersOf(SaleSearchQuery);
export const FILTERS: Readonly<Record<ListingType, readonly string[]>> = {
  rental: Object.keys(RENTAL_FILTERS),
  sale: Object.keys(SALE_FILTERS),
};

const day = (description: string) => optional(Type.String({ format: 'date', description }));
const oneOf = <T extends string>(values: readonly T[], options: object) =>
  Type.Unsafe<T>({ type: 'string', enum: [...values], ...options });

const listingType = oneOf<ListingType>(['rental', 'sale'], {
  description: 'Listing type of the statistics.',
  aliases: ['dataType'],
  caseInsensitive: true,
});
const period = {
  from: day('First day. Default without `from` and `to`: the last full calendar month.'),
  to: day('The day after the last day.'),
};
const metrics = optional(
  Type.Array(Type.String({ maxLength: 60 }), {
    description:
      'Ids of metrics. Default: all. With the suffix `_mom` or `_yoy`: the change to the month or year before.',
    maxItems: 100,
    uniqueItems: true,
  }),
);
const groupBy = optional(
  Type.Array(oneOf(['propertyType', 'bedrooms'] as const, {}), {
    description: 'Also returns statistics for each property type, number of bedrooms, or both.',
    uniqueItems: true,
  }),
);
const limit = (what: string) =>
  optional(
    Type.Integer({ minimum: 1, description: `${what} in the response, capped at the tier’s maximum.` }),
  );
const cursor = optional(
  Type.String({
    maxLength: 2_000,
    hints: CURSOR_HINTS,
    description: 'The nextCursor of a page. Send the same parameters with it.',
  }),
);
/** The filters of both listing types; a request may use those of its listingType. */
const scope = { ...RENTAL_FILTERS, ...SALE_FILTERS, units: unitsParameter };
const { areaId: area, ...within } = { ...RENTAL_FILTERS, ...SALE_FILTERS };
/** Filters with the same meaning for rentals and sales; prices and times on the market differ. */
const shared = Object.fromEntries(
  Object.entries(RENTAL_FILTERS).filter(
    ([name]) => name in SALE_FILTERS && !/price|market|listed|updated/i.test(name),
  ),
);

export const StatsQuery = Type.Object({
  listingType,
  ...scope,
  ...period,
  metrics,
  groupBy,
  limit: limit('Groups'),
  cursor,
});

/** A rolling window of up to 999 days. */
export const WINDOW_PATTERN = '^P[1-9][0-9]{0,2}D$';

export const HistoryQuery = Type.Object({
  listingType,
  ...scope,
  metrics,
  interval: optional(
    oneOf<Interval>(INTERVALS, {
      default: 'month',
      description: 'Length of each point’s period. Weeks begin on Monday.',
    }),
  ),
  from: day('First day of the first point; must be the first day of an interval.'),
  to: day('The day after the last point. Default: the end of the last full interval.'),
  periods: optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_200,
      aliases: ['historyRange'],
      description: 'Number of points before `to`. Default: 12.',
    }),
  ),
  window: optional(
    Type.String({
      maxLength: 5,
      pattern: WINDOW_PATTERN,
      description:
        'Rolling window such as `P30D`: each point covers that many days up to its end, whatever the interval.',
    }),
  ),
  limit: limit('Points'),
  cursor,
});

const comparedAreas = Type.Array(Type.String({ maxLength: 200 }), {
  maxItems: 50,
  uniqueItems: true,
  aliases: (area as { aliases?: string[] } | undefined)?.aliases ?? [],
  description: 'The areas to compare.',
});

export const CompareQuery = Type.Object({
  listingType,
  areaId: comparedAreas,
  ...within,
  units: unitsParameter,
  ...period,
  metrics,
  limit: limit('Areas'),
  cursor,
});

export const YieldQuery = Type.Object({
  ...shared,
  units: unitsParameter,
  ...period,
  limit: limit('Bands'),
  cursor,
});

export const MEASURES = ['price', 'pricePerArea', 'livingArea', 'daysOnMarket'] as const;
export type MeasureName = (typeof MEASURES)[number];

export const DistributionQuery = Type.Object({
  listingType,
  ...scope,
  ...period,
  measure: oneOf<MeasureName>(MEASURES, {
    description: 'Measure, over the inventory at the end of the period. Rents are per month.',
  }),
  buckets: optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Number of buckets of equal width.' }),
  ),
});

/** A parsed query of any of them; each route's schema decides which members there can be. */
export type MarketQuery = SearchQuery & {
  readonly listingType?: ListingType;
  readonly from?: string;
  readonly to?: string;
  readonly metrics?: readonly string[];
  readonly groupBy?: Static<typeof groupBy>;
  readonly interval?: Interval;
  readonly periods?: number;
  readonly window?: string;
  readonly measure?: MeasureName;
  readonly buckets?: number;
};

/** A requested metric: its value, or its change since the month or year before. */
export interface RequestedMetric {
  readonly id: string;
  readonly metric: Metric;
  readonly change: 'mom' | 'yoy' | null;
}

/** The requested metrics; by default all of the listing type. Throws INVALID_PARAMETER. */
export function parseMetrics({ metrics: texts, listingType: type = 'sale' }: MarketQuery): RequestedMetric[] {
  if (!texts) return metricsFor(type).map((metric) => ({ id: metric.id, metric, change: null }));
  return readAll(texts.map((id) => () => parseMetric(id, type)));
}

/** One requested metric. Throws INVALID_PARAMETER about `parameter`. */
export function parseMetric(id: string, type: ListingType, parameter = 'metrics'): RequestedMetric {
  const [, base = id, change] = /^(.+)_(mom|yoy)$/.exec(id) ?? [];
  const metric = metricOf(base);
  if (!metric) {
    const suggested = suggestMetric(
      base,
      metricsFor(type).map((each) => each.id),
    );
    const suggestion = suggested && change ? `${suggested}_${change}` : suggested;
    throw invalidParameter(
      parameter,
      `there is no metric "${id}"; GET /v1/market/metrics lists all`,
      suggestion,
    );
  }
  if (metric.statistic === 'yield')
    throw invalidParameter(parameter, `${id} compares rentals with sales: use GET /v1/market/yield`);
  if (!metric.types.includes(type))
    throw invalidParameter(parameter, `${id} does not exist for listingType=${type}`);
  return { id, metric, change: change === 'mom' || change === 'yoy' ? change : null };
}

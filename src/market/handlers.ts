// Handlers of the requests for market statistics.

import { findSourceIds } from '../listings/provenance/data-source-store.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import { isMoney, METRICS, type Metric, MINIMUM_SAMPLE } from '../search/summaries/metrics.ts';
import { loadMetrics, loadMetricsOfEach, type MetricFigure } from './compute-metrics.ts';
import { findDistribution } from './distribution.ts';
import type { Group } from './load-summaries.ts';
import {
  formatScope,
  listingScopeOf,
  resolveRentalsAndSales,
  resolveScope,
  type Scope,
  type ScopeRequest,
} from './market-scope.ts';
import { type Offset, paginate, parseOffset } from './offset-paging.ts';
import { type MeasureName, parseMetrics, type RequestedMetric } from './parameters.ts';
import { parsePeriod, parseSeries } from './periods.ts';
import { samePropertyYield, yieldBands } from './yield-store.ts';

/** A request with its page size and the time of its arrival in milliseconds. */
export interface MarketRequest extends ScopeRequest {
  readonly limit: number;
  readonly now: number;
}

const isMonetary = ({ metric }: RequestedMetric): boolean => isMoney(metric);

/** The offset with the currency of all pages. */
const inCurrency = (offset: Offset, { plan: { currency } }: Scope): Offset => ({ ...offset, currency });

export async function getStats(request: MarketRequest) {
  const { query, limit, now } = request;
  const offset = parseOffset('stats', query, now);
  const metrics = parseMetrics(query);
  const scope = await resolveScope(request, offset, metrics.some(isMonetary));
  const period = parsePeriod(query, offset.now, scope.timeZone);
  const whole = await loadMetrics(request, scope, metrics, [period]);
  const { groupBy } = query;
  const grouped = groupBy?.length ? await loadMetrics(request, scope, metrics, [period], groupBy) : null;
  const sorted = grouped?.groups(period).sort(compareGroups) ?? [];
  const { items, page } = paginate(sorted, inCurrency(offset, scope), limit);
  const groups = items.map((group) => ({
    by: Object.fromEntries((groupBy ?? []).map((name, at) => [name, group[at] ?? null])),
    metrics: grouped?.compute(period, group),
  }));
  return {
    object: 'market_stats',
    scope: formatScope(scope),
    period,
    metrics: whole.compute(period),
    groups,
    page,
    ...(await findProvenance(request.database, [scope], metrics)),
  };
}

/** Orders groups by name and number, unknown values last. */
function compareGroups(a: Group, b: Group): number {
  for (const [at, one] of a.entries()) {
    const other = b[at] ?? null;
    if (one === other) continue;
    if (one === null || other === null) return one === null ? 1 : -1;
    return one < other ? -1 : 1;
  }
  return 0;
}

export async function getHistory(request: MarketRequest) {
  const { metrics, scope, ...history } = await historyOf(request);
  const { interval = 'month', window = null } = request.query;
  const provenance = await findProvenance(request.database, [scope], metrics);
  return {
    object: 'market_history',
    scope: formatScope(scope),
    interval,
    window,
    ...history,
    ...provenance,
  };
}

/** The points of a history without what they rest on. */
export async function historyOf(request: MarketRequest) {
  const { query, limit, now } = request;
  const offset = parseOffset('history', query, now);
  const metrics = parseMetrics(query);
  const scope = await resolveScope(request, offset, metrics.some(isMonetary));
  const series = parseSeries(query, offset.now, scope.timeZone);
  const { items, page } = paginate(series, inCurrency(offset, scope), limit);
  const loaded = await loadMetrics(request, scope, metrics, items);
  const points = items.map((period) => ({ ...period, metrics: loaded.compute(period) }));
  return { metrics, scope, points, page };
}

/** The figures of one of several areas. */
export interface ComparedArea {
  readonly areaId: string;
  readonly name: string;
  /** ISO 4217; null where no figure is money. */
  readonly currency: string | null;
  readonly currencyChoice: Scope['currencyChoice'];
  readonly metrics: Readonly<Record<string, MetricFigure>>;
}

export async function getComparison(request: MarketRequest) {
  const { metrics, scope, ...comparison } = await comparisonOf(request);
  return {
    object: 'market_comparison',
    scope: formatScope(scope),
    ...comparison,
    ...(await findProvenance(request.database, [scope], metrics)),
  };
}

/** A comparison without what it rests on. Each area in its own currency, unless the request names one or filters by price. */
export async function comparisonOf(request: MarketRequest) {
  const { query, limit, now } = request;
  const offset = parseOffset('compare', query, now);
  const metrics = parseMetrics(query);
  const scope = await resolveScope(request, offset, false);
  const period = parsePeriod(query, offset.now, scope.timeZone);
  const { items, page } = paginate(scope.resolved.areas, inCurrency(offset, scope), limit);
  const scopes = await scopesOfEach(request, inCurrency(offset, scope), items, metrics);
  const loaded = await loadMetricsOfEach(request, scopes, metrics, [period], true);
  const areas = items.map(({ id, name }, at): ComparedArea => {
    const { plan, currencyChoice } = scopes[at] ?? scope;
    const figures = loaded[at]?.compute(period) ?? {};
    return { areaId: id, name, currency: plan.currency, currencyChoice, metrics: figures };
  });
  return { metrics, scope, period, areas, page };
}

/** The points of each area's own history, without changes, by its id. */
export async function historiesOf(request: MarketRequest) {
  const { query, now } = request;
  const offset = parseOffset('history', query, now);
  const metrics = parseMetrics(query);
  const { resolved, timeZone } = await resolveScope(request, offset, false);
  const series = parseSeries(query, now, timeZone);
  const scopes = await scopesOfEach(request, offset, resolved.areas, metrics);
  const loaded = await loadMetricsOfEach(request, scopes, metrics, series, false);
  return new Map(
    resolved.areas.map(({ id }, at) => [
      id,
      series.map((period) => ({ ...period, metrics: loaded[at]?.compute(period) ?? {} })),
    ]),
  );
}

/** The scope of each of these areas by itself. */
async function scopesOfEach(
  request: MarketRequest,
  offset: Offset,
  areas: readonly { readonly id: string; readonly name: string }[],
  metrics: readonly RequestedMetric[],
): Promise<Scope[]> {
  const needsCurrency = metrics.some(isMonetary);
  const scopes: Scope[] = [];
  for (const { id, name } of areas) {
    const single = { ...request, query: { ...request.query, areaId: [id] } };
    scopes.push(await resolveScope(single, offset, needsCurrency, `in ${name}`));
  }
  return scopes;
}

const YIELDS = METRICS.filter(({ statistic }) => statistic === 'yield').map((metric) => ({ metric }));

/** Rents and prices must be in one currency. */
export async function getYield(request: MarketRequest) {
  const { query, limit, now } = request;
  const offset = parseOffset('yield', query, now);
  const { rentals, sales } = await resolveRentalsAndSales(request, offset);
  const period = parsePeriod(query, offset.now, sales.timeZone);
  const bands = await yieldBands(request, rentals, sales, period);
  const { items, page } = paginate(bands, inCurrency(offset, sales), limit);
  const { listingType: _, ...scope } = formatScope(sales);
  return {
    object: 'market_yield',
    label: 'asking',
    scope,
    period,
    bands: items,
    sameProperty: await samePropertyYield(request, rentals, sales, period),
    page,
    ...(await findProvenance(request.database, [rentals, sales], YIELDS)),
  };
}

export async function getDistribution(request: MarketRequest) {
  const { scope, ...distribution } = await distributionIn(request);
  const metrics = metricsOfDistribution(scope.listingType, distribution.measure);
  return {
    object: 'market_distribution',
    scope: formatScope(scope),
    ...distribution,
    ...(await findProvenance(request.database, [scope], metrics)),
  };
}

/** A distribution without what it rests on. */
export async function distributionIn(request: MarketRequest) {
  const { query, now } = request;
  const { measure = 'price', buckets = 20 } = query;
  const isOfMoney = measure === 'price' || measure === 'pricePerArea';
  const scope = await resolveScope(request, { now, currency: null }, isOfMoney);
  const period = parsePeriod(query, now, scope.timeZone);
  const found = await findDistribution(
    request,
    listingScopeOf(scope),
    { measure, buckets, units: scope.units },
    period.end,
  );
  return { scope, period, asOf: period.end, measure, ...found };
}

/** All metrics. */
export function listMetrics(publicUrl: string) {
  const data = METRICS.map(({ id, unit, kind, types, formula, snapshot }) => ({
    id,
    unit,
    kind,
    listingTypes: types,
    formula,
    minimumSample: unit === 'count' || kind === 'sum' ? null : MINIMUM_SAMPLE,
    snapshot: snapshot === true,
    definition: definitionUrl(publicUrl, id),
  }));
  return { object: 'list', data };
}

/** What a response rests on. */
export interface Provenance {
  /** Of the sources of which a listing is in the scopes. */
  readonly sourceIds: readonly string[];
  /** Distinct ids of the metrics in the response. */
  readonly metricIds: readonly string[];
}

/** The provenance of a response about these scopes. */
async function findProvenance(
  database: Database,
  scopes: readonly Scope[],
  metrics: readonly { readonly metric: Pick<Metric, 'id'> }[],
): Promise<Provenance> {
  const wheres = scopes.map((scope) => listingScopeOf(scope).where);
  return {
    sourceIds: await findSourceIds(database, wheres),
    metricIds: [...new Set(metrics.map(({ metric }) => metric.id))],
  };
}

const MEDIAN_AGE = 'median_age_of_inventory';
const MEDIANS: Readonly<Record<ListingType, Readonly<Partial<Record<MeasureName, string>>>>> = {
  sale: { price: 'median_list_price', pricePerArea: 'median_price_per_area', daysOnMarket: MEDIAN_AGE },
  rental: { price: 'median_rent', pricePerArea: 'median_rent_per_area', daysOnMarket: MEDIAN_AGE },
};

/** The metrics that a distribution details: the inventory, and the median of the measure if it is a metric. */
function metricsOfDistribution(type: ListingType, measure: MeasureName) {
  const median = MEDIANS[type][measure];
  return ['inventory', ...(median === undefined ? [] : [median])].map((id) => ({ metric: { id } }));
}

/** The page that explains a metric. */
export const definitionUrl = (publicUrl: string, id: string): string => `${publicUrl}/docs/metrics#${id}`;

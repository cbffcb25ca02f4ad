// Handlers of the requests for market statistics.

import { findOrigin, type Origin } from '../listings/provenance/data-source-store.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import { isMoney, METRICS, MINIMUM_SAMPLE } from '../search/summaries/metrics.ts';
import { computeMetrics, periodsFor } from './compute-metrics.ts';
import { findDistribution, formatDistribution } from './distribution-store.ts';
import { type Group, loadSummaries } from './load-summaries.ts';
import {
  formatScope,
  inOneCurrency,
  listingScopeOf,
  resolvePair,
  resolveScope,
  type Scope,
  type ScopeRequest,
} from './market-scope.ts';
import { type Offset, paginate, parseOffset } from './offset-paging.ts';
import {
  type MarketQuery,
  type MeasureName,
  parseMetrics,
  parsePeriod,
  parseSeries,
  type RequestedMetric,
} from './parameters.ts';
import { samePropertyYield, yieldBands } from './yield-store.ts';

/** A request with its page size and the time of its arrival in milliseconds. */
export interface MarketRequest extends ScopeRequest {
  readonly limit: number;
  readonly now: number;
}

const ALL: Group = [];
const typeOf = ({ listingType }: MarketQuery): ListingType => listingType ?? 'sale';

const isMonetary = ({ metric }: RequestedMetric): boolean => isMoney(metric);

/** The scope of a request, in one currency if a requested metric needs one; `where` names the scope in errors. */
async function scopeOf(
  request: MarketRequest,
  { now, currency: frozen }: Pick<Offset, 'now' | 'currency'>,
  needsCurrency: boolean,
  where?: string,
): Promise<Scope> {
  const scope = await resolveScope(request, typeOf(request.query), now);
  return inOneCurrency(request, scope, {
    needsCurrency,
    frozen,
    ...(where !== undefined && { place: where }),
  });
}

/** The offset with the currency of all pages. */
const inCurrency = (offset: Offset, { plan: { currency } }: Scope): Offset => ({ ...offset, currency });

export async function getStats(request: MarketRequest) {
  const { database, query, limit, now } = request;
  const offset = parseOffset('stats', query, now);
  const metrics = parseMetrics(query.metrics, typeOf(query));
  const scope = await scopeOf(request, offset, metrics.some(isMonetary));
  const period = parsePeriod(query, offset.now, scope.timeZone);
  const definitions = metrics.map(({ metric }) => metric);
  const periods = periodsFor(period, metrics);
  const whole = await loadSummaries(database, listingScopeOf(scope), definitions, periods);
  const { groupBy = [] } = query;
  const grouped =
    groupBy.length === 0
      ? null
      : await loadSummaries(database, listingScopeOf(scope, groupBy), definitions, periods);
  const { items, page } = paginate(
    grouped?.groups(period).sort(compareGroups) ?? [],
    inCurrency(offset, scope),
    limit,
  );
  const groups = items.map((group) => ({
    by: Object.fromEntries(groupBy.map((name, at) => [name, group[at] ?? null])),
    metrics: grouped ? computeMetrics(grouped, metrics, period, group, scope.units) : {},
  }));
  return {
    ...{ object: 'market_stats', scope: formatScope(scope), period },
    metrics: computeMetrics(whole, metrics, period, ALL, scope.units),
    ...{ groups, page },
    ...(await findProvenance(database, [scope], idsOf(metrics))),
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
  const { database, query, limit, now } = request;
  const offset = parseOffset('history', query, now);
  const metrics = parseMetrics(query.metrics, typeOf(query));
  const scope = await scopeOf(request, offset, metrics.some(isMonetary));
  const series = parseSeries(query, offset.now, scope.timeZone);
  const { items, page } = paginate(series, inCurrency(offset, scope), limit);
  const loaded = await loadSummaries(
    database,
    listingScopeOf(scope),
    metrics.map(({ metric }) => metric),
    items.flatMap((period) => periodsFor(period, metrics)),
  );
  const points = items.map((period) => ({
    ...period,
    metrics: computeMetrics(loaded, metrics, period, ALL, scope.units),
  }));
  return {
    ...{ object: 'market_history', scope: formatScope(scope), interval: query.interval ?? 'month' },
    ...{ window: query.window ?? null, points, page },
    ...(await findProvenance(database, [scope], idsOf(metrics))),
  };
}

/** Each area in its own currency, unless the request names one or filters by price. */
export async function getComparison(request: MarketRequest) {
  const { database, query, limit, now } = request;
  const offset = parseOffset('compare', query, now);
  const metrics = parseMetrics(query.metrics, typeOf(query));
  const shared = await scopeOf(request, offset, false);
  const period = parsePeriod(query, offset.now, shared.timeZone);
  const definitions = metrics.map(({ metric }) => metric);
  const { items, page } = paginate(shared.resolved.areas, inCurrency(offset, shared), limit);
  const areas: unknown[] = [];
  for (const { id, name } of items) {
    const single = { ...request, query: { ...query, areaId: [id] } };
    const scope = await scopeOf(single, inCurrency(offset, shared), metrics.some(isMonetary), `in ${name}`);
    const loaded = await loadSummaries(
      database,
      listingScopeOf(scope),
      definitions,
      periodsFor(period, metrics),
    );
    const { currency } = scope.plan;
    areas.push({
      ...{ areaId: id, name, currency },
      metrics: computeMetrics(loaded, metrics, period, ALL, scope.units),
    });
  }
  const basis = await findProvenance(database, [shared], idsOf(metrics));
  return { object: 'market_comparison', scope: formatScope(shared), period, areas, page, ...basis };
}

const YIELDS = METRICS.flatMap(({ id, statistic }) => (statistic === 'yield' ? [id] : []));

/** Rents and prices must be in one currency. */
export async function getYield(request: MarketRequest) {
  const { database, query, limit, now } = request;
  const offset = parseOffset('yield', query, now);
  const { rentals, sales } = await resolvePair(request, offset);
  const period = parsePeriod(query, offset.now, sales.timeZone);
  const bands = await yieldBands(database, rentals, sales, period);
  const { items, page } = paginate(bands, inCurrency(offset, sales), limit);
  const { listingType: _, ...scope } = formatScope(sales);
  return {
    ...{ object: 'market_yield', label: 'asking', scope, period, bands: items },
    sameProperty: await samePropertyYield(database, rentals, sales, period),
    page,
    ...(await findProvenance(database, [rentals, sales], YIELDS)),
  };
}

export async function getDistribution(request: MarketRequest) {
  const { database, query, now } = request;
  const { measure = 'price', buckets = 20 } = query;
  const isOfMoney = measure === 'price' || measure === 'pricePerArea';
  const scope = await scopeOf(request, { now, currency: null }, isOfMoney);
  const period = parsePeriod(query, now, scope.timeZone);
  const row = await database.read((sql) =>
    findDistribution(sql, listingScopeOf(scope), measure, period.end, buckets),
  );
  return {
    ...{ object: 'market_distribution', scope: formatScope(scope), period, measure },
    ...formatDistribution(row, measure, buckets, scope.units),
    ...(await findProvenance(database, [scope], idsOfDistribution(scope.listingType, measure))),
  };
}

/** All metrics. */
export function listMetrics(publicUrl: string) {
  const data = METRICS.map(({ id, unit, kind, types, formula, snapshot }) => ({
    ...{ id, unit, kind, listingTypes: types, formula },
    minimumSample: unit === 'count' || kind === 'sum' ? null : MINIMUM_SAMPLE,
    snapshot: snapshot === true,
    definition: definitionUrl(publicUrl, id),
  }));
  return { object: 'list', data };
}

export interface Basis {
  readonly origin: Origin;
  /** Distinct ids of the metrics in the response. */
  readonly defined: readonly string[];
}

/** The provenance of a response about these scopes. */
export async function findProvenance(
  database: Database,
  scopes: readonly Scope[],
  metricIds: readonly string[],
): Promise<Basis> {
  const origin = await findOrigin(
    database,
    scopes.map((scope) => listingScopeOf(scope).where),
  );
  return { origin, defined: [...new Set(metricIds)] };
}

export const idsOf = (metrics: readonly RequestedMetric[]): string[] =>
  metrics.map(({ metric }) => metric.id);

const MEDIAN_AGE = 'median_age_of_inventory';
const MEDIANS: Readonly<Record<ListingType, Readonly<Partial<Record<MeasureName, string>>>>> = {
  sale: { price: 'median_list_price', pricePerArea: 'median_price_per_area', daysOnMarket: MEDIAN_AGE },
  rental: { price: 'median_rent', pricePerArea: 'median_rent_per_area', daysOnMarket: MEDIAN_AGE },
};

/** The metrics that a distribution details: the inventory, and the median of the measure if it is a metric. */
export function idsOfDistribution(type: ListingType, measure: MeasureName): string[] {
  const median = MEDIANS[type][measure];
  return ['inventory', ...(median === undefined ? [] : [median])];
}

/** The page that explains a metric. */
export const definitionUrl = (publicUrl: string, id: string): string => `${publicUrl}/docs/metrics#${id}`;

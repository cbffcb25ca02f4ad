// Handlers of the requests for market statistics.

import type { ListingType } from '../listings/vocabulary.ts';
import { isMoney, METRICS, MINIMUM_SAMPLE } from '../search/summaries/metrics.ts';
import { formatDistribution } from './distribution.ts';
import { findDistribution } from './distribution-store.ts';
import { type Asked, computeMetrics, periodsFor } from './figures.ts';
import { type Group, gather } from './load-summaries.ts';
import { parseMetrics, parsePeriod, parseSeries } from './metric-params.ts';
import { cut, type Place, parseOffset } from './paging.ts';
import type { MarketQuery } from './parameters.ts';
import { definitionUrl, findProvenance, idsOf, idsOfDistribution } from './provenance.ts';
import {
  fieldOf,
  formatScope,
  inOneCurrency,
  resolvePair,
  resolveScope,
  type Scope,
  type ScopeRequest,
} from './scope.ts';
import { samePropertyYield, yieldBands } from './yield.ts';

/** A request: what was asked, how much fits a page, and when it came, in milliseconds. */
export interface Request extends ScopeRequest {
  readonly limit: number;
  readonly now: number;
}

const ALL: Group = [];
const typeOf = ({ listingType }: MarketQuery): ListingType => listingType ?? 'sale';

const tellsMoney = ({ metric }: Asked): boolean => isMoney(metric);

/** The scope of a request, in one currency where money is told of it; `where` names it in a refusal. */
async function scopeOf(
  request: Request,
  { now, currency: frozen }: Pick<Place, 'now' | 'currency'>,
  tellsMoney: boolean,
  where?: string,
): Promise<Scope> {
  const scope = await resolveScope(request, typeOf(request.asked), now);
  return inOneCurrency(request, scope, { tellsMoney, frozen, ...(where !== undefined && { place: where }) });
}

/** Where pages go on, with the currency that they are all in. */
const onPlace = (place: Place, { plan: { currency } }: Scope): Place => ({ ...place, currency });

export async function getStats(request: Request) {
  const { database, asked, limit, now } = request;
  const place = parseOffset('stats', asked, now);
  const metrics = parseMetrics(asked.metrics, typeOf(asked));
  const scope = await scopeOf(request, place, metrics.some(tellsMoney));
  const period = parsePeriod(asked, place.now, scope.timeZone);
  const definitions = metrics.map(({ metric }) => metric);
  const periods = periodsFor(period, metrics);
  const whole = await gather(database, fieldOf(scope), definitions, periods);
  const { groupBy = [] } = asked;
  const grouped =
    groupBy.length === 0 ? null : await gather(database, fieldOf(scope, groupBy), definitions, periods);
  const { part, page } = cut(grouped?.groups(period).sort(compareGroups) ?? [], onPlace(place, scope), limit);
  const groups = part.map((group) => ({
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

/** By name and number; what is unknown comes last. */
function compareGroups(a: Group, b: Group): number {
  for (const [at, one] of a.entries()) {
    const other = b[at] ?? null;
    if (one === other) continue;
    if (one === null || other === null) return one === null ? 1 : -1;
    return one < other ? -1 : 1;
  }
  return 0;
}

export async function getHistory(request: Request) {
  const { database, asked, limit, now } = request;
  const place = parseOffset('history', asked, now);
  const metrics = parseMetrics(asked.metrics, typeOf(asked));
  const scope = await scopeOf(request, place, metrics.some(tellsMoney));
  const series = parseSeries(asked, place.now, scope.timeZone);
  const { part, page } = cut(series, onPlace(place, scope), limit);
  const gathered = await gather(
    database,
    fieldOf(scope),
    metrics.map(({ metric }) => metric),
    part.flatMap((period) => periodsFor(period, metrics)),
  );
  const points = part.map((period) => ({
    ...period,
    metrics: computeMetrics(gathered, metrics, period, ALL, scope.units),
  }));
  return {
    ...{ object: 'market_history', scope: formatScope(scope), interval: asked.interval ?? 'month' },
    ...{ window: asked.window ?? null, points, page },
    ...(await findProvenance(database, [scope], idsOf(metrics))),
  };
}

/** Each area in its own currency, unless one is asked for or prices are bounded. */
export async function getComparison(request: Request) {
  const { database, asked, limit, now } = request;
  const place = parseOffset('compare', asked, now);
  const metrics = parseMetrics(asked.metrics, typeOf(asked));
  const together = await scopeOf(request, place, false);
  const period = parsePeriod(asked, place.now, together.timeZone);
  const definitions = metrics.map(({ metric }) => metric);
  const { part, page } = cut(together.resolved.areas, onPlace(place, together), limit);
  const areas: unknown[] = [];
  for (const { id, name } of part) {
    const alone = { ...request, asked: { ...asked, areaId: [id] } };
    const scope = await scopeOf(alone, onPlace(place, together), metrics.some(tellsMoney), `in ${name}`);
    const gathered = await gather(database, fieldOf(scope), definitions, periodsFor(period, metrics));
    const { currency } = scope.plan;
    areas.push({
      ...{ areaId: id, name, currency },
      metrics: computeMetrics(gathered, metrics, period, ALL, scope.units),
    });
  }
  const basis = await findProvenance(database, [together], idsOf(metrics));
  return { object: 'market_comparison', scope: formatScope(together), period, areas, page, ...basis };
}

const YIELDS = METRICS.flatMap(({ id, statistic }) => (statistic === 'yield' ? [id] : []));

/** Rents and prices in one currency: what is let in one and sold in another has no yield. */
export async function getYield(request: Request) {
  const { database, asked, limit, now } = request;
  const place = parseOffset('yield', asked, now);
  const { rentals, sales } = await resolvePair(request, place);
  const period = parsePeriod(asked, place.now, sales.timeZone);
  const bands = await yieldBands(database, rentals, sales, period);
  const { part, page } = cut(bands, onPlace(place, sales), limit);
  const { listingType: _, ...scope } = formatScope(sales);
  return {
    ...{ object: 'market_yield', label: 'asking', scope, period, bands: part },
    sameProperty: await samePropertyYield(database, rentals, sales, period),
    page,
    ...(await findProvenance(database, [rentals, sales], YIELDS)),
  };
}

export async function getDistribution(request: Request) {
  const { database, asked, now } = request;
  const { measure = 'price', buckets = 20 } = asked;
  const isOfMoney = measure === 'price' || measure === 'pricePerArea';
  const scope = await scopeOf(request, { now, currency: null }, isOfMoney);
  const period = parsePeriod(asked, now, scope.timeZone);
  const spread = await database.read((sql) =>
    findDistribution(sql, fieldOf(scope), measure, period.end, buckets),
  );
  return {
    ...{ object: 'market_distribution', scope: formatScope(scope), period, measure },
    ...formatDistribution(spread, measure, buckets, scope.units),
    ...(await findProvenance(database, [scope], idsOfDistribution(scope.listingType, measure))),
  };
}

/** The whole table of metrics. */
export function listMetrics(publicUrl: string) {
  const data = METRICS.map(({ id, unit, kind, types, formula, snapshot }) => ({
    ...{ id, unit, kind, listingTypes: types, formula },
    minimumSample: unit === 'count' || kind === 'sum' ? null : MINIMUM_SAMPLE,
    snapshot: snapshot === true,
    definition: definitionUrl(publicUrl, id),
  }));
  return { object: 'list', data };
}

// Owns how each request about the market is answered: asked for, gathered, cut into pages.

import { METRICS, MINIMUM_SAMPLE } from '../catalogue/metrics.ts';
import type { ListingType } from '../catalogue/vocabulary.ts';
import type { Database } from '../postgres/database.ts';
import { readMetrics, readPeriod, readSeries } from './asking.ts';
import { shownSpread } from './distribution.ts';
import { answersFor, periodsFor } from './figures.ts';
import { type Group, gather } from './gather.ts';
import { cut, readPlace } from './paging.ts';
import { findSpread } from './pair-store.ts';
import type { MarketQuery } from './parameters.ts';
import { fieldOf, readScope, shownScope } from './scope.ts';
import { samePropertyYield, yieldBands } from './yield.ts';

/** A request: what was asked, how much fits a page, and when it came, in milliseconds. */
export interface Request {
  readonly database: Database;
  readonly asked: MarketQuery;
  readonly limit: number;
  readonly now: number;
}

const ALL: Group = [];
const typeOf = ({ listingType }: MarketQuery): ListingType => listingType ?? 'sale';

export async function statsAnswer({ database, asked, limit, now }: Request) {
  const place = readPlace('stats', asked, now);
  const scope = await readScope(database, asked, typeOf(asked), place.now);
  const period = readPeriod(asked, place.now, scope.timeZone);
  const metrics = readMetrics(asked.metrics, scope.listingType);
  const definitions = metrics.map(({ metric }) => metric);
  const periods = periodsFor(period, metrics);
  const whole = await gather(database, fieldOf(scope), definitions, periods);
  const { groupBy = [] } = asked;
  const grouped =
    groupBy.length === 0 ? null : await gather(database, fieldOf(scope, groupBy), definitions, periods);
  const { part, page } = cut(grouped?.groups(period).sort(compareGroups) ?? [], place, limit);
  const groups = part.map((group) => ({
    by: Object.fromEntries(groupBy.map((name, at) => [name, group[at] ?? null])),
    metrics: grouped ? answersFor(grouped, metrics, period, group, scope.units) : {},
  }));
  return {
    ...{ object: 'market_stats', scope: shownScope(scope), period },
    metrics: answersFor(whole, metrics, period, ALL, scope.units),
    ...{ groups, page },
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

export async function historyAnswer({ database, asked, limit, now }: Request) {
  const place = readPlace('history', asked, now);
  const scope = await readScope(database, asked, typeOf(asked), place.now);
  const series = readSeries(asked, place.now, scope.timeZone);
  const metrics = readMetrics(asked.metrics, scope.listingType);
  const { part, page } = cut(series, place, limit);
  const gathered = await gather(
    database,
    fieldOf(scope),
    metrics.map(({ metric }) => metric),
    part.flatMap((period) => periodsFor(period, metrics)),
  );
  const points = part.map((period) => ({
    ...period,
    metrics: answersFor(gathered, metrics, period, ALL, scope.units),
  }));
  return {
    ...{ object: 'market_history', scope: shownScope(scope), interval: asked.interval ?? 'month' },
    ...{ window: asked.window ?? null, points, page },
  };
}

export async function compareAnswer({ database, asked, limit, now }: Request) {
  const place = readPlace('compare', asked, now);
  const together = await readScope(database, asked, typeOf(asked), place.now);
  const period = readPeriod(asked, place.now, together.timeZone);
  const metrics = readMetrics(asked.metrics, together.listingType);
  const definitions = metrics.map(({ metric }) => metric);
  const { part, page } = cut(together.lookedUp.areas, place, limit);
  const areas: unknown[] = [];
  for (const { id, name } of part) {
    const scope = await readScope(database, { ...asked, areaId: [id] }, together.listingType, place.now);
    const gathered = await gather(database, fieldOf(scope), definitions, periodsFor(period, metrics));
    areas.push({ areaId: id, name, metrics: answersFor(gathered, metrics, period, ALL, scope.units) });
  }
  return { object: 'market_comparison', scope: shownScope(together), period, areas, page };
}

export async function yieldAnswer({ database, asked, limit, now }: Request) {
  const place = readPlace('yield', asked, now);
  const rentals = await readScope(database, asked, 'rental', place.now);
  const sales = await readScope(database, asked, 'sale', place.now);
  const period = readPeriod(asked, place.now, sales.timeZone);
  const bands = await yieldBands(database, rentals, sales, period);
  const { part, page } = cut(bands, place, limit);
  const { listingType: _, ...scope } = shownScope(sales);
  return {
    ...{ object: 'market_yield', label: 'asking', scope, period, bands: part },
    sameProperty: await samePropertyYield(database, rentals, sales, period),
    page,
  };
}

export async function distributionAnswer({ database, asked, now }: Request) {
  const scope = await readScope(database, asked, typeOf(asked), now);
  const period = readPeriod(asked, now, scope.timeZone);
  const { measure = 'price', buckets = 20 } = asked;
  const spread = await database.read((sql) => findSpread(sql, fieldOf(scope), measure, period.end, buckets));
  return {
    ...{ object: 'market_distribution', scope: shownScope(scope), period, measure },
    ...shownSpread(spread, measure, buckets, scope.units),
  };
}

/** The whole table of metrics. */
export function metricsAnswer() {
  const data = METRICS.map(({ id, unit, kind, types, formula, snapshot }) => ({
    ...{ id, unit, kind, listingTypes: types, formula },
    minimumSample: unit === 'count' || kind === 'sum' ? null : MINIMUM_SAMPLE,
    snapshot: snapshot === true,
  }));
  return { object: 'list', data };
}

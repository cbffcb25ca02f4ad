// Statistics of a search: metrics of all its results as they stand.

import { Type } from 'typebox';
import { nearest } from '../../lib/nearest.ts';
import { invalidParameter } from '../../lib/problem.ts';
import { nullable, oneOf } from '../../listings/record.ts';
import type { ListingType, UnitSystem } from '../../listings/vocabulary.ts';
import type { Database, Sql, SqlFragment } from '../../postgres/client/database.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import { whereSql } from '../sql/condition-sql.ts';
import { readSummaries, type SummaryRow, summaryColumns } from './metric-sql.ts';
import { FIGURE_UNITS, figureOver, METRICS, type Metric, type ShownFigure, shownFigure } from './metrics.ts';

export const FigureUnitSchema = oneOf(
  FIGURE_UNITS,
  'Unit of value, p25 and p75. Money is in the currency of the response; rents are per month.',
);

const figure = nullable(Type.Number());

export const StatsSchema = Type.Record(
  Type.String(),
  Type.Object({
    ...{ value: figure, n: Type.Integer(), excluded: Type.Integer(), p25: figure, p75: figure },
    suppressed: Type.Boolean(),
    unit: FigureUnitSchema,
  }),
  {
    description:
      'Statistics by id. `n`: listings used; `excluded`: listings with an unknown value; `suppressed`: too few ' +
      'listings.',
  },
);

/** The metrics with these ids over all results. Throws INVALID_PARAMETER for an id that searches do not have. */
export async function computeStats(
  database: Database,
  { plan, resolved }: ResolvedSearch,
  ids: readonly string[],
): Promise<Record<string, ShownFigure>> {
  const known = snapshotMetrics(plan.listingType);
  const metrics = [...new Set(ids)].map((id) => {
    const metric = known.find((each) => each.id === id);
    if (metric) return metric;
    const names = known.map((each) => each.id);
    throw invalidParameter('stats', `must be one of ${names.join(', ')}`, nearest(id, names));
  });
  return database.read((sql) =>
    findSnapshot(sql, whereSql(sql, plan, resolved), metrics, plan.startedAt, plan.units),
  );
}

/** The metrics that exist for any set of listings of this type. */
export function snapshotMetrics(type: ListingType): Metric[] {
  return METRICS.filter((metric) => metric.snapshot === true && metric.types.includes(type));
}

/**
 * The figures of these `snapshotMetrics` by their ids, over the rows of listing_search that meet `where`. Ages are
 * counted to `now`, in milliseconds.
 */
export async function findSnapshot(
  sql: Sql,
  where: SqlFragment,
  metrics: readonly Metric[],
  now: number,
  units: UnitSystem,
): Promise<Record<string, ShownFigure>> {
  const measures = [...new Set(metrics.flatMap(({ measure }) => measure ?? []))];
  const rows = await sql<SummaryRow[]>`
    select ${summaryColumns(sql, measures)} from (
      select price, living_area, case when days_on_market_start is not null then greatest(0, floor(extract(epoch from
        coalesce(days_on_market_end, ${new Date(now).toISOString()}::timestamptz) - days_on_market_start)::double precision / 86400)) end as age
      from listing_search where ${where}) as member`;
  const set = rows[0] ? readSummaries(rows[0], measures) : null;
  return Object.fromEntries(
    metrics.map((metric) => [metric.id, shownFigure(metric, figureOver(metric, set), units)]),
  );
}

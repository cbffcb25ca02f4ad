// SQL of the metrics of a set of listings as they stand, in one statement.

import type { ListingType, UnitSystem } from '../../listings/vocabulary.ts';
import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { readSummaries, type SummaryRow, summaryColumns } from './metric-sql.ts';
import { figureOver, type ShownFigure, shownFigure } from './metric-values.ts';
import { METRICS, type Metric } from './metrics.ts';

/** The metrics that can be asked of any set of listings of this kind. */
export function snapshotMetrics(type: ListingType): Metric[] {
  return METRICS.filter((metric) => metric.snapshot === true && metric.types.includes(type));
}

/**
 * The figures of these metrics, by their ids, over the rows of listing_search that meet `where`. `now` in milliseconds
 * is when ages are counted to. Metrics must be of `snapshotMetrics`.
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

// Metrics as SQL aggregates over any relation that has the columns named here. Pure.

import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import type { Measure, Summaries } from '../query/measures.ts';

/** Over the columns price, living_area, age, days, ratio, original_ratio, dropped and months_free; null: not known. */
function measureSql(sql: Sql, measure: Measure): SqlFragment {
  switch (measure) {
    case 'price':
      return sql`case when price > 0 then price end`;
    case 'perArea':
      return sql`case when price > 0 and living_area > 0 then price / living_area end`;
    case 'age':
      return sql`age`;
    case 'days':
      return sql`days`;
    case 'ratio':
      return sql`case when ratio between 0.5 and 1.5 then ratio end`;
    case 'originalRatio':
      return sql`case when original_ratio between 0.5 and 1.5 then original_ratio end`;
    case 'above':
      return sql`case when ratio is not null then (ratio > 1)::int::double precision end`;
    case 'dropped':
      return sql`dropped::int::double precision`;
    case 'percent':
      return sql`ratio`;
    case 'fast':
      return sql`coalesce(days <= 14, false)::int::double precision`;
    case 'concession':
      return sql`coalesce(months_free > 0, false)::int::double precision`;
    case 'monthsFree':
      return sql`case when months_free > 0 then months_free end`;
  }
}

/** Either 0 or 1: sorting them for their quartiles would be for nothing. */
const FLAGS: readonly Measure[] = ['above', 'dropped', 'fast', 'concession'];

/** Columns of an aggregation: how many members, then for each measure m: m_n, m_mean, m_sum and m_quartiles (null of flags). */
export function summaryColumns(sql: Sql, measures: readonly Measure[]): SqlFragment {
  const columns = measures.map((measure) => {
    const value = measureSql(sql, measure);
    const quartiles = FLAGS.includes(measure)
      ? sql`null::double precision[]`
      : sql`percentile_cont(array[0.25, 0.5, 0.75]::double precision[]) within group (order by ${value})`;
    return sql`, count(${value})::double precision as ${sql(`${measure}_n`)},
      avg(${value}) as ${sql(`${measure}_mean`)}, sum(${value}) as ${sql(`${measure}_sum`)},
      ${quartiles} as ${sql(`${measure}_quartiles`)}`;
  });
  return sql`count(*)::double precision as total ${joinSql(columns)}`;
}

/** A row with the columns above, and whatever else was selected. */
export type SummaryRow = Readonly<Record<string, unknown>>;

export function readSummaries(row: SummaryRow, measures: readonly Measure[]): Summaries {
  return {
    total: Number(row.total),
    measures: new Map(
      measures.map((measure) => {
        const [low, middle, high] = (row[`${measure}_quartiles`] ?? []) as number[];
        return [
          measure,
          {
            n: Number(row[`${measure}_n`]),
            mean: numberOrNull(row[`${measure}_mean`]),
            sum: numberOrNull(row[`${measure}_sum`]),
            quartiles: low == null || middle == null || high == null ? null : [low, middle, high],
          },
        ];
      }),
    ),
  };
}

const numberOrNull = (value: unknown): number | null => (value == null ? null : Number(value));

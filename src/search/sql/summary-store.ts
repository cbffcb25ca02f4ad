// SQL of summaries: all results as they stand, summed up in measures.

import type { Database } from '../../postgres/client/database.ts';
import type { Measure, Summaries } from '../query/measures.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import { daysSql, whereSql } from './condition-sql.ts';
import { readSummaries, type SummaryRow, summaryColumns } from './metric-sql.ts';

/** For the measures `price`, `perArea` and `age`; ages count to the start of the plan. */
export async function summarize(
  database: Database,
  { plan, resolved }: ResolvedSearch,
  measures: readonly Measure[],
): Promise<Summaries> {
  const [row = {}] = await database.read(
    (sql) => sql<SummaryRow[]>`
      select ${summaryColumns(sql, measures)} from (
        select price, living_area, ${daysSql(sql, plan.startedAt)} as age
        from listing_search where ${whereSql(sql, plan, resolved)}) as member`,
  );
  return readSummaries(row, measures);
}

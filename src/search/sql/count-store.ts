// SQL of counts: all results, and listings that meet each of several sets of conditions.

import { HIDDEN_STATUSES } from '../../listings/vocabulary.ts';
import type { Database, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import { type Condition, isCurrency } from '../query/condition.ts';
import { numberSets } from '../query/condition-sets.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import { allOf, conditionsSql, shownSql, whereSql } from './condition-sql.ts';

/** How many results there are. */
export async function countAll(database: Database, { plan, resolved }: ResolvedSearch): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`
      select count(*)::double precision as count from listing_search where ${whereSql(sql, plan, resolved)}`,
  );
  return row?.count ?? 0;
}

/** How many listings meet each set of conditions, of all that a search may show in the plan's currency; in one pass. */
export async function countEach(
  database: Database,
  { plan, resolved }: ResolvedSearch,
  all: readonly (readonly Condition[])[],
): Promise<number[]> {
  if (all.length === 0) return [];
  const currency = plan.conditions.filter(isCurrency);
  const [row] = await database.read((sql) => {
    const { conditions, sets } = numberSets(all);
    const column = (number: number): SqlFragment => sql(`m${number}`);
    const met = conditions.map(
      (each, number) => sql`(${conditionsSql(sql, [each], plan, resolved)}) as ${column(number)}`,
    );
    const counts = sets.map(
      (set, at) => sql`count(*) filter (where ${allOf(sql, set.map(column))})
      ::double precision as ${sql(`c${at}`)}`,
    );
    return sql<Readonly<Record<string, number>>[]>`
    select ${joinSql(counts, ', ')} from (
      select ${joinSql(met, ', ')} from listing_search
      where ${shownSql(sql, plan)} and ${conditionsSql(sql, currency, plan, resolved)}
        and status <> all(${[...HIDDEN_STATUSES]}::text[]) offset 0) as met`;
  });
  return all.map((_, at) => row?.[`c${at}`] ?? 0);
}

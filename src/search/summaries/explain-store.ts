// SQL that counts what several sets of conditions leave, in one pass over the listings.

import { HIDDEN_STATUSES } from '../../listings/vocabulary.ts';
import type { Database, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import { type Condition, isShape } from '../query/conditions.ts';
import type { SearchPlan } from '../query/plan.ts';
import type { ResolvedQuery } from '../query/resolved-query.ts';
import { allOf, conditionsSql, shownSql } from '../sql/condition-sql.ts';
import { isCurrency } from './currency.ts';

/** How many listings each set of conditions leaves, of all that a search may show in the plan's currency. */
export async function countEach(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  sets: readonly (readonly Condition[])[],
): Promise<number[]> {
  if (sets.length === 0) return [];
  const currency = plan.conditions.filter(isCurrency);
  const [row] = await database.read((sql) => {
    // Sets share most of their conditions: each is written, and looked at for a listing, once.
    const columns = new Map<unknown, SqlFragment>();
    const conditions: SqlFragment[] = [];
    const columnOf = (condition: Condition): SqlFragment => {
      // Shapes are the same objects in all sets, and long.
      const key = isShape(condition) ? condition : JSON.stringify(condition);
      const known = columns.get(key);
      if (known !== undefined) return known;
      const name = sql`${sql(`m${columns.size}`)}`;
      conditions.push(sql`(${conditionsSql(sql, [condition], plan, resolved)}) as ${name}`);
      columns.set(key, name);
      return name;
    };
    const counts = sets.map(
      (set, at) => sql`count(*) filter (where ${allOf(sql, set.map(columnOf))})
      ::double precision as ${sql(`c${at}`)}`,
    );
    return sql<Readonly<Record<string, number>>[]>`
    select ${joinSql(counts, ', ')} from (
      select ${joinSql(conditions, ', ')} from listing_search
      where ${shownSql(sql, plan)} and ${conditionsSql(sql, currency, plan, resolved)}
        and status <> all(${[...HIDDEN_STATUSES]}::text[]) offset 0) as met`;
  });
  return sets.map((_, at) => row?.[`c${at}`] ?? 0);
}

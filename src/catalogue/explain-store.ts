// Owns the SQL that counts what several sets of conditions leave, in one pass over the listings.

import type { Database } from '../postgres/database.ts';
import { conditionsSql, shownSql } from './condition-sql.ts';
import type { SearchPlan } from './search.ts';
import type { Condition } from './search-conditions.ts';
import type { Meanings } from './text-sql.ts';
import { HIDDEN_STATUSES } from './vocabulary.ts';

/** How many listings each set of conditions leaves, of all that a search may show. */
export async function countEach(
  database: Database,
  plan: SearchPlan,
  meanings: Meanings,
  sets: readonly (readonly Condition[])[],
): Promise<number[]> {
  if (sets.length === 0) return [];
  const [row] = await database.read(
    (sql) => sql<Readonly<Record<string, number>>[]>`
      select ${sets.map(
        (
          set,
          at,
        ) => sql`${at === 0 ? sql`` : sql`,`} count(*) filter (where ${conditionsSql(sql, set, plan, meanings)})
          ::double precision as ${sql(`c${at}`)}`,
      )} from listing_search where ${shownSql(sql, plan)} and status <> all(${[...HIDDEN_STATUSES]}::text[])`,
  );
  return sets.map((_, at) => row?.[`c${at}`] ?? 0);
}

// Cost of polygons in SQL: each of their parts is asked for each row in their boxes, which no index bounds.

import { invalidParameter } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { Condition } from '../query/condition.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import { whereSql } from './condition-sql.ts';

/** Nanoseconds that PostgreSQL takes for a row: for each ring, and for each of its corners. */
const RING = 100;
const CORNER = 10;
/** From so many on a page is as expensive as a query about all results. */
export const EXPENSIVE_POINT = 1_500;
/** From so many on rows are counted before they are asked: below, there are hardly enough of them. */
const DEAR_POINT = 5_000;
/** What all rows of a statement may take. */
const BUDGET = 2_000_000_000;

type Polygon = Extract<Condition, { readonly kind: 'polygon' }>;

const polygonsOf = (conditions: readonly Condition[]): Polygon[] =>
  conditions.filter((condition) => condition.kind === 'polygon');

const ringsOf = ({ parts }: Polygon) => parts.flatMap(({ shell, holes }) => [shell, ...holes]);

/** About how many nanoseconds the polygons take for one row. */
export const pointCost = (conditions: readonly Condition[]): number =>
  polygonsOf(conditions)
    .flatMap(ringsOf)
    .reduce((sum, ring) => sum + RING + CORNER * ring.length, 0);

/**
 * Throws INVALID_PARAMETER for a polygon of so many corners, with so many listings in its boxes that also meet the other
 * conditions, that no time would be enough. Looks at no more rows than it allows. `budget`: other nanoseconds, for tests.
 */
export async function requireAffordable(
  database: Database,
  { plan, resolved }: Pick<ResolvedSearch, 'plan' | 'resolved'>,
  budget = BUDGET,
): Promise<void> {
  const cost = pointCost(plan.conditions);
  if (cost < DEAR_POINT) return;
  const most = Math.floor(budget / cost);
  const conditions = plan.conditions.map(
    (each): Condition => (each.kind === 'polygon' ? { kind: 'boxes', boxes: each.boxes } : each),
  );
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`
      select count(*)::double precision as count from (select from listing_search
        where ${whereSql(sql, { ...plan, conditions }, resolved)} limit ${most + 1}) as near`,
  );
  if ((row?.count ?? 0) <= most) return;
  const rings = polygonsOf(plan.conditions).flatMap(ringsOf);
  const corners = rings.reduce((sum, ring) => sum + ring.length, 0);
  throw invalidParameter(
    'polygon',
    `has ${rings.length} rings with ${corners} corners around more than ${most.toLocaleString('en-US')} listings, ` +
      'which is too much to compute: use fewer of both, or further filters such as a status, a price or an area',
  );
}

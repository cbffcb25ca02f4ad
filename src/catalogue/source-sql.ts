// Owns where a search reads its listings from: their search rows, or, within one area, the rows that it has side by side.

import type { Sql, SqlFragment } from '../postgres/database.ts';
import { allOf, conditionsSql, whereSql } from './condition-sql.ts';
import type { SearchPlan } from './search.ts';
import type { Condition } from './search-conditions.ts';
import { columnOf } from './search-keys-sql.ts';
import type { Meanings } from './text-sql.ts';

/** What area_listing holds, by the API's names. */
const HELD = {
  listedAt: 'listed',
  price: 'asked',
  bedrooms: 'beds',
  bathrooms: 'baths',
  livingArea: 'size',
  propertyType: 'kind',
  city: 'town',
} as const;

/** A column of listing_search by the API's name. */
export type Column = Parameters<typeof columnOf>[0];

/** A relation and a condition on it, with the names that an id and columns have there. */
export interface Source {
  readonly from: SqlFragment;
  readonly where: SqlFragment;
  readonly id: SqlFragment;
  column(name: Column): SqlFragment;
}

/** Where the plan's listings are; `reads` names what is read besides conditions. */
export function sourceOf(
  sql: Sql,
  plan: SearchPlan,
  meanings: Meanings,
  reads: readonly (Column | 'other')[],
): Source {
  const areaNo = onlyArea(plan, meanings);
  if (areaNo === null) {
    const where = whereSql(sql, plan, meanings);
    const column = (name: Column): SqlFragment => sql`${sql(columnOf(name))}`;
    return { from: sql`listing_search`, where, id: sql`id`, column };
  }
  // The rest is met by the area, which holds what is active and may be shown.
  const asked = plan.conditions.filter(({ kind }) => kind !== 'statuses' && kind !== 'areas');
  const whole = reads.every(isHeld) && asked.every(isOfHeld);
  const conditions = conditionsSql(sql, asked, { ...plan, columns: HELD }, meanings);
  return {
    from: whole ? sql`area_listing` : sql`area_listing join listing_search on id = listing_id`,
    where: allOf(sql, [sql`area_no = ${areaNo} and of_type = ${plan.listingType}`, conditions]),
    id: sql`listing_id`,
    column: (name) => sql`${sql(isHeld(name) ? HELD[name] : columnOf(name))}`,
  };
}

const isHeld = (name: string): name is keyof typeof HELD => Object.hasOwn(HELD, name);

const isOfHeld = (condition: Condition): boolean =>
  (condition.kind === 'range' || condition.kind === 'numbers' || condition.kind === 'words') &&
  isHeld(condition.column);

/** The number of the one area that a plan asks for, where it asks for what is active and may be shown; else null. */
function onlyArea({ conditions, ignoreDisplayRules }: SearchPlan, { areaNos }: Meanings): number | null {
  const [areaNo = null, ...others] = areaNos;
  const areas = conditions.filter(({ kind }) => kind === 'areas');
  const active = conditions.some((each) => each.kind === 'statuses' && each.statuses.join() === 'ACTIVE');
  return active && areas.length === 1 && others.length === 0 && !ignoreDisplayRules ? areaNo : null;
}

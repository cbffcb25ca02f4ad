// Relation that a search reads: the search rows, those of one area, or those that have its words.

import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { activeWord, areaWord } from '../../text/tokenize.ts';
import type { Column, Condition, ReadColumn } from '../query/condition.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import { allOf, columnOf, conditionsSql, whereSql } from './condition-sql.ts';
import { textQueries, togetherQuery } from './text-sql.ts';

/** What area_listing and listing_text hold, by our names. */
const HELD = {
  listedAt: 'listed',
  price: 'asked',
  bedrooms: 'beds',
  bathrooms: 'baths',
  livingArea: 'size',
  propertyType: 'kind',
  city: 'town',
} as const;

/** What area_listing holds. */
const OF_AREA = { ...HELD, daysOnMarketStart: 'began' } as const;

/** A relation and a condition on it, with the names that an id and columns have there. */
export interface Source {
  readonly from: SqlFragment;
  readonly where: SqlFragment;
  readonly id: SqlFragment;
  /** Whether it has the words of the listing, as text.words. */
  readonly holdsWords: boolean;
  column(name: Column): SqlFragment;
}

/** Where the plan's listings are found the quickest; `reads` names what is read besides conditions. */
export function sourceOf(
  sql: Sql,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  reads: readonly ReadColumn[],
): Source {
  if (plan.text && isActive(plan))
    return wordsSource(sql, plan, resolved, reads, textQueries(plan.text, resolved.words));
  const areaNo = onlyArea(plan, resolved);
  if (areaNo === null) return rowsSource(sql, whereSql(sql, plan, resolved));
  const conditions = conditionsSql(sql, besidesArea(plan), { ...plan, columns: HELD }, resolved);
  return {
    from: isOfAreas(plan, reads)
      ? sql`area_listing`
      : sql`area_listing join listing_search on id = listing_id`,
    where: allOf(sql, [ofAreaSql(sql, plan, areaNo), conditions]),
    ...{ id: sql`listing_id`, holdsWords: false },
    column: (name) => sql`${sql(isHeldOfArea(name) ? OF_AREA[name] : columnOf(name))}`,
  };
}

/** Of area_listing all that lies in an area. */
export const ofAreaSql = (sql: Sql, { listingType }: SearchPlan, areaNo: number): SqlFragment =>
  sql`area_no = ${areaNo} and of_type = ${listingType}`;

/** What of a plan the rows of an area do not meet, which hold what is active and may be shown. */
const besidesArea = ({ conditions }: SearchPlan): Condition[] =>
  conditions.filter(({ kind }) => kind !== 'statuses' && kind !== 'areas');

/** Whether all that is asked and read lies with the areas. */
export const isOfAreas = (plan: SearchPlan, reads: readonly ReadColumn[]): boolean =>
  reads.every(isHeldOfArea) && besidesArea(plan).every(isOfHeld);

/** The search rows. */
export function rowsSource(sql: Sql, where: SqlFragment): Source {
  const column = (name: Column): SqlFragment => sql`${sql(columnOf(name))}`;
  return { from: sql`listing_search`, where, id: sql`id`, holdsWords: false, column };
}

/** Whether only what is active and may be shown is asked for. */
export function isActive({ conditions, ignoreDisplayRules }: SearchPlan): boolean {
  const active = conditions.some((each) => each.kind === 'statuses' && each.statuses.join() === 'ACTIVE');
  return active && !ignoreDisplayRules;
}

/** Queries of words within what is active, of the type, and in one of the areas: all must be met. */
function wholeQueries(
  { listingType, conditions }: SearchPlan,
  { areaNos }: Pick<ResolvedQuery, 'areaNos'>,
  [first = '', ...others]: readonly string[],
): string[] {
  const areas = conditions.some(({ kind }) => kind === 'areas');
  const within = areas ? [`(${areaNos.map((no) => `'${areaWord(no)}'`).join('|')})`] : [];
  return [`'${activeWord(listingType)}'&(${first})`, ...within, ...others];
}

/** The same as one query. */
export const wholeQuery = (
  plan: SearchPlan,
  resolved: Pick<ResolvedQuery, 'areaNos'>,
  queries: readonly string[],
): string => togetherQuery(wholeQueries(plan, resolved, queries));

/** What of a plan the words and what lies with them do not meet. */
const besidesWords = ({ conditions }: SearchPlan): Condition[] =>
  conditions.filter(({ kind }) => kind !== 'statuses' && kind !== 'areas' && kind !== 'text');

/** Whether all that is asked and read lies with the words. */
export const isOfWords = (plan: SearchPlan, reads: readonly ReadColumn[]): boolean =>
  reads.every((name) => name === 'words' || isHeld(name)) && besidesWords(plan).every(isOfHeld);

/** What is active and meets all queries of words, with the other conditions of the plan. */
export function wordsSource(
  sql: Sql,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  reads: readonly ReadColumn[],
  queries: readonly string[],
): Source {
  const conditions = conditionsSql(sql, besidesWords(plan), { ...plan, columns: HELD }, resolved);
  // A condition for each word: of one query for all, the index would ask every listing that has one of them.
  const words = wholeQueries(plan, resolved, queries).map((query) => sql`text.words @@ ${query}::tsquery`);
  return {
    from: isOfWords(plan, reads)
      ? sql`listing_text as text`
      : sql`listing_text as text join listing_search on id = listing_id`,
    where: allOf(sql, [...words, conditions]),
    ...{ id: sql`listing_id`, holdsWords: true },
    column: (name) => sql`${sql(isHeld(name) ? HELD[name] : columnOf(name))}`,
  };
}

const isHeldOfArea = (name: string): name is keyof typeof OF_AREA => Object.hasOwn(OF_AREA, name);

const isHeld = (name: string): name is keyof typeof HELD => Object.hasOwn(HELD, name);

const isOfHeld = (condition: Condition): boolean =>
  (condition.kind === 'range' || condition.kind === 'numbers' || condition.kind === 'words') &&
  isHeld(condition.column);

/** The number of the one area that a plan asks for, where it asks for what is active and may be shown; else null. */
export function onlyArea(plan: SearchPlan, { areaNos }: ResolvedQuery): number | null {
  const [areaNo = null, ...others] = areaNos;
  const areas = plan.conditions.filter(({ kind }) => kind === 'areas');
  return isActive(plan) && areas.length === 1 && others.length === 0 ? areaNo : null;
}

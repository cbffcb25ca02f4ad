// Relation that a search reads: the search rows, those of one area, or those that have its words.

import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { activeWord, areaWord } from '../../text/tokenize.ts';
import { type Column, type Condition, columnOf, type ReadColumn } from '../query/condition.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import { allOf, conditionsSql, whereSql } from './condition-sql.ts';
import { textQueries, togetherQuery } from './text-sql.ts';

/** Columns of both area_listing and listing_text by their names in the API. */
const HELD = {
  listedAt: 'listed',
  price: 'asked',
  bedrooms: 'beds',
  bathrooms: 'baths',
  livingArea: 'size',
  propertyType: 'kind',
  city: 'town',
} as const;

/** Columns of area_listing. */
const OF_AREA = { ...HELD, daysOnMarketStart: 'began' } as const;

/** A relation, a condition on it, and its names of the id and other columns. */
export interface Source {
  readonly from: SqlFragment;
  readonly where: SqlFragment;
  readonly id: SqlFragment;
  /** Whether it has the words of the listing, as text.words. */
  readonly holdsWords: boolean;
  column(name: Column): SqlFragment;
}

/** The fastest source for a plan; `reads` are the columns read besides its conditions. */
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

/** All rows of area_listing in an area. */
export const ofAreaSql = (sql: Sql, { listingType }: SearchPlan, areaNo: number): SqlFragment =>
  sql`area_no = ${areaNo} and of_type = ${listingType}`;

/** The conditions that rows of area_listing do not imply: they are active and may be shown. */
const besidesArea = ({ conditions }: SearchPlan): Condition[] =>
  conditions.filter(({ kind }) => kind !== 'statuses' && kind !== 'areas');

/** Whether area_listing has all columns that are read. */
export const isOfAreas = (plan: SearchPlan, reads: readonly ReadColumn[]): boolean =>
  reads.every(isHeldOfArea) && besidesArea(plan).every(isOfHeld);

/** The search rows. */
export function rowsSource(sql: Sql, where: SqlFragment): Source {
  const column = (name: Column): SqlFragment => sql`${sql(columnOf(name))}`;
  return { from: sql`listing_search`, where, id: sql`id`, holdsWords: false, column };
}

/** Whether a plan finds only active listings that may be shown. */
export function isActive({ conditions, ignoreDisplayRules }: SearchPlan): boolean {
  const active = conditions.some((each) => each.kind === 'statuses' && each.statuses.join() === 'ACTIVE');
  return active && !ignoreDisplayRules;
}

/** The queries of words within the plan's type and areas; all must match. */
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

/** The conditions that queries of words do not imply. */
const besidesWords = ({ conditions }: SearchPlan): Condition[] =>
  conditions.filter(({ kind }) => kind !== 'statuses' && kind !== 'areas' && kind !== 'text');

/** Whether listing_text has all columns that are read. */
export const isOfWords = (plan: SearchPlan, reads: readonly ReadColumn[]): boolean =>
  reads.every((name) => name === 'words' || isHeld(name)) && besidesWords(plan).every(isOfHeld);

/** Active listings that match all queries of words and the other conditions of the plan. */
export function wordsSource(
  sql: Sql,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  reads: readonly ReadColumn[],
  queries: readonly string[],
): Source {
  const conditions = conditionsSql(sql, besidesWords(plan), { ...plan, columns: HELD }, resolved);
  // A condition for each word: for one query of all, the index would read every listing that has one of them.
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

/** The number of the only area of a plan for active listings that may be shown; otherwise null. */
export function onlyArea(plan: SearchPlan, { areaNos }: ResolvedQuery): number | null {
  const [areaNo = null, ...others] = areaNos;
  const areas = plan.conditions.filter(({ kind }) => kind === 'areas');
  return isActive(plan) && areas.length === 1 && others.length === 0 ? areaNo : null;
}

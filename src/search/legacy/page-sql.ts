// SQL of a page: from where, and by which plan, its rows are found. Pure.

import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import { columnReadBy } from '../query/sort.ts';
import { allOf, conditionsSql, shownSql } from '../sql/condition-sql.ts';
import {
  isActive,
  isOfWords,
  ofAreaSql,
  onlyArea,
  rowsSource,
  type Source,
  sourceOf,
  wordsSource,
} from '../sql/source-sql.ts';
import { type TextClass, textClasses, textQueries, togetherQuery } from '../sql/text-sql.ts';
import { daysWalkSql } from './days-walk-sql.ts';
import { FEW, isByDays, isCrowded, isSparse, MANY, NEAR, NEXT } from './page-ways.ts';
import { type Place, pageWalk, sortedSql, type Walk, walkSql } from './search-sql.ts';

/** A page's rows: ids in order, with the values they are sorted by (s0, s1, ...), one more than asked if there is one. */
export function pageSql(sql: Sql, plan: SearchPlan, resolved: ResolvedQuery, place: Place): SqlFragment {
  const { text, order } = plan;
  const page = { plan, resolved, place };
  if (!text || !isActive(plan)) {
    const source = sourceOf(sql, plan, resolved, order.map(columnReadBy));
    const walk = walkThrough(sql, page, source);
    if (isSparse(plan, resolved)) return sortedSql(sql, walk);
    const found = inOrder(sql, page, walk);
    return isCrowded(plan, resolved)
      ? nextOr(sql, page, { source, all: shownRows(sql, plan), ...SEARCH_ROWS }, found)
      : found;
  }
  const queries = textQueries(text, resolved.words);
  const classes =
    order[0]?.key === 'relevance' && sizeOf(page, queries) > FEW ? textClasses(text, resolved.words) : null;
  return classes === null ? foundBy(sql, page, queries) : inClasses(sql, page, classes);
}

/** The page out of the rows next in the order: they hold it where it is full. */
export function nextSql(sql: Sql, plan: SearchPlan, resolved: ResolvedQuery, place: Place): SqlFragment {
  const source = sourceOf(sql, plan, resolved, plan.order.map(columnReadBy));
  const areaNo = onlyArea(plan, resolved);
  const next =
    areaNo === null
      ? { source, all: shownRows(sql, plan), ...SEARCH_ROWS }
      : { source, all: { ...source, where: ofAreaSql(sql, plan, areaNo) }, ...AREA_ROWS };
  return nearSql(sql, { plan, resolved, place }, next, NEXT);
}

const inOrder = (sql: Sql, { plan }: Page, walk: Walk): SqlFragment =>
  isByDays(plan) ? daysWalkSql(sql, walk, plan.startedAt) : walkSql(sql, walk);

/** All listings that are active and may be shown. */
const shownRows = (sql: Sql, plan: SearchPlan): Source =>
  rowsSource(sql, sql`${shownSql(sql, plan)} and status = 'ACTIVE'`);

const SEARCH_ROWS = { relation: 'listing_search', name: 'listing_search' };
const AREA_ROWS = { relation: 'area_listing', name: 'area_listing' };

/** A page of a plan; within one class of relevance its place is another than the plan's. */
interface Page {
  readonly plan: SearchPlan;
  readonly resolved: ResolvedQuery;
  readonly place: Place;
}

const sizeOf = ({ resolved }: Page, queries: readonly string[]): number =>
  resolved.sizes.get(togetherQuery(queries)) ?? 0;

const walkThrough = (sql: Sql, { plan, resolved, place }: Page, source: Source) =>
  pageWalk(sql, plan, resolved, source, place);

/** Listings that meet all queries of words, by the way that suits how many have them. */
function foundBy(sql: Sql, page: Page, queries: readonly string[]): SqlFragment {
  const { plan, resolved } = page;
  const size = sizeOf(page, queries);
  const reads = plan.order.map(columnReadBy);
  const source = wordsSource(sql, plan, resolved, reads, queries);
  const sorted = sortedSql(sql, walkThrough(sql, page, source));
  if (size <= FEW) return sorted;
  const rest = size <= MANY ? sorted : rowByRow(sql, page, togetherQuery(queries));
  const [only, ...others] = plan.order;
  const isNewest = only?.key === 'listedAt' && only.descending && others.length === 0;
  if (!isNewest || !isOfWords(plan, reads)) return rest;
  const all = {
    ...source,
    from: sql`listing_text`,
    where: sql`active and of_type = ${plan.listingType}`,
  };
  return nextOr(sql, page, { source, all, relation: 'listing_text', name: 'text' }, rest);
}

/** In the order of the search rows, each of which is asked for its words. */
function rowByRow(sql: Sql, page: Page, query: string): SqlFragment {
  const { plan, resolved } = page;
  const conditions = plan.conditions.filter(({ kind }) => kind !== 'text');
  const where = allOf(sql, [
    shownSql(sql, plan),
    conditionsSql(sql, conditions, plan, resolved),
    sql`exists (select from listing_text as text where text.listing_id = id and text.words @@ ${query}::tsquery)`,
  ]);
  return inOrder(sql, page, walkThrough(sql, page, rowsSource(sql, where)));
}

/** What is searched, and the rows next in the order, by the relation's name and another name for it. */
interface Next {
  readonly source: Source;
  readonly all: Source;
  readonly relation: string;
  readonly name: string;
}

/** Those of so many rows next in the order that meet all conditions, as many as a page has. */
function nearSql(sql: Sql, page: Page, { source, all, relation, name }: Next, looked: number): SqlFragment {
  const next = { ...walkThrough(sql, page, all), columns: sql`${sql(relation)}.*`, rows: looked };
  const { columns, rows } = walkThrough(sql, page, source);
  return sql`select ${columns} from (${inOrder(sql, page, next)}) as ${sql(name)} where ${source.where} limit ${rows}`;
}

/** The page out of the rows that come next in the order, where it is full of them; else out of the rest. */
function nextOr(sql: Sql, page: Page, next: Next, rest: SqlFragment): SqlFragment {
  return sql`
    with near as materialized (${nearSql(sql, page, next, NEAR)}),
    missing as materialized (select count(*) < ${page.plan.limit + 1} as few from near)
    select * from near where not (select few from missing)
    union all select * from (${rest}) as rest where (select few from missing)`;
}

/** One class of relevance after the other, from the one that the page begins in. */
function inClasses(sql: Sql, page: Page, classes: readonly TextClass[]): SqlFragment {
  const { plan, place } = page;
  const [first, ...others] = plan.order;
  const [at, ...values] = place.cursor?.values ?? [];
  const ways = first?.descending === place.backwards ? classes.toReversed() : classes;
  const begin = ways.findIndex(({ relevance }) => relevance === at);
  const names = others.map((_, key) => sql`, ${sql(`s${key}`)} as ${sql(`s${key + 1}`)}`);
  const selects = ways.slice(Math.max(0, begin)).map(({ relevance, query }) => {
    const cursor = place.cursor && relevance === at ? { ...place.cursor, values } : null;
    const within = { ...page, plan: { ...plan, order: others }, place: { ...place, cursor } };
    const found = foundBy(sql, within, [query]);
    return sql`(select id, ${relevance}::double precision as s0 ${joinSql(names)} from (${found}) as found)`;
  });
  return sql`select * from (${joinSql(selects, ' union all ')}) as classes limit ${plan.limit + 1}`;
}

// SQL of sort orders and of keyset conditions. Pure: fragments are only put together here, and run by the store.

import type { Cursor, SortValue } from '../../http/input/cursor.ts';
import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import type { TextCondition } from '../query/condition.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import { areIdsDescending, columnReadBy, isStoredDescending, type SortTerm } from '../query/sort.ts';
import { daysSinceSql, daysSql, distanceSql } from '../sql/condition-sql.ts';
import { isActive, type Source } from '../sql/source-sql.ts';
import { relevanceSql } from '../sql/text-sql.ts';
import { isKeptOrder } from './page-ways.ts';

/** A key of the order with the value it sorts by; the id comes last. */
export interface Key {
  readonly value: SqlFragment;
  readonly type: SqlFragment;
  readonly falling: boolean;
  readonly isId: boolean;
  /** Whether the index that is kept for it falls; null: there is none. */
  readonly kept: 'rising' | 'falling' | null;
  /** Whether unknown values are taken to lie where that index has them. */
  readonly asKept?: boolean;
}

function keysOf(sql: Sql, plan: SearchPlan, resolved: ResolvedQuery, source: Source): Key[] {
  const keys = plan.order.map((by) => ({
    ...{ falling: by.descending, isId: false, value: valueSql(sql, by.key, plan, resolved, source) },
    type: by.key.endsWith('At') ? sql`timestamptz` : sql`double precision`,
    kept: keptFor(by),
  }));
  const id = {
    value: source.id,
    type: sql`text`,
    falling: areIdsDescending(plan.order),
    isId: true,
    kept: null,
  };
  return [...keys, id];
}

function keptFor(by: SortTerm): Key['kept'] {
  if (!isKeptOrder(columnReadBy(by))) return null;
  return isStoredDescending(by) ? 'falling' : 'rising';
}

/** The value that a key sorts by. */
function valueSql(
  sql: Sql,
  key: SortTerm['key'],
  plan: SearchPlan,
  resolved: ResolvedQuery,
  source: Source,
): SqlFragment {
  if (key === 'daysOnMarket')
    return isActive(plan)
      ? daysSinceSql(sql, source.column('daysOnMarketStart'), plan.startedAt)
      : daysSql(sql, plan.startedAt);
  if (key === 'distance') return plan.centre ? distanceSql(sql, plan.centre) : sql`null::double precision`;
  if (key === 'relevance')
    return plan.text ? relevanceOf(sql, plan.text, resolved, source) : sql`null::double precision`;
  return source.column(key);
}

function relevanceOf(
  sql: Sql,
  text: TextCondition,
  resolved: ResolvedQuery,
  { id, holdsWords }: Source,
): SqlFragment {
  const relevance = relevanceSql(sql, text, resolved);
  return holdsWords
    ? relevance
    : sql`(select ${relevance} from listing_text as text where text.listing_id = ${id})`;
}

/** Where a walk goes on, if it has begun, and which way. */
export interface Place {
  readonly cursor: Pick<Cursor, 'values' | 'id'> | null;
  readonly backwards: boolean;
  /** Of rows beyond the cursor those alone whose first key is known, or those behind them where it is not; default both. */
  readonly first?: 'known' | 'unknown';
}

export const placeOf = ({ cursor }: SearchPlan): Place => ({
  cursor,
  backwards: cursor?.direction === 'previous',
});

/** What is walked through, and from where. */
export interface Walk extends Place {
  readonly source: Source;
  readonly keys: readonly Key[];
  /** What is selected of each row. */
  readonly columns: SqlFragment;
  /** The most rows. */
  readonly rows: number;
}

/** The walk of a page through one source: ids in order, with the values they are sorted by (s0, s1, ...). */
export function pageWalk(
  sql: Sql,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  source: Source,
  place: Place = placeOf(plan),
): Walk {
  const keys = keysOf(sql, plan, resolved, source);
  // One row more than asked, if there is one.
  return { source, keys, columns: valueColumns(sql, source, keys), ...place, rows: plan.limit + 1 };
}

function valueColumns(sql: Sql, source: Source, keys: readonly Key[]): SqlFragment {
  const values = keys.filter(({ isId }) => !isId);
  return sql`${source.id} as id ${joinSql(
    values.map((key, place) => sql`, ${key.value} as ${sql(`s${place}`)}`),
  )}`;
}

/** The rows of a walk, in the order of an index where there is one for it. */
export function walkSql(sql: Sql, walk: Walk): SqlFragment {
  const { source, keys, columns, cursor, backwards, rows } = walk;
  const select = sql`select ${columns} from ${source.from} where ${source.where}`;
  const limit = sql`limit ${rows}`;
  const parts = cursor ? branchesAfter(sql, keys, { ...walk, cursor }) : partsOf(sql, walk);
  if (parts === null) return sql`${select} order by ${orderSql(sql, keys, backwards)} ${limit}`;
  // One branch after the other, each a plain range of one index. PostgreSQL runs them in this order and stops at the
  // limit, so the later ones are read only when the earlier ones do not fill the page.
  const orderBy = orderSql(sql, asKept(keys), backwards);
  const branches = parts.map((part) => sql`(${select} and ${part} order by ${orderBy} ${limit})`);
  return sql`select * from (${joinSql(branches, ' union all ')}) as branches ${limit}`;
}

/**
 * Where an index is walked against its way, what is unknown would come first, and must come last: what is known and what
 * is not by themselves. Null where the index has all as it should be, and where there is none.
 */
function partsOf(sql: Sql, { keys: [key], backwards, first }: Walk): SqlFragment[] | null {
  if (!key?.kept || runsAsKept(key, backwards) !== backwards) return null;
  const known = first === 'unknown' ? [] : [sql`${key.value} is not null`];
  const unknown = first === 'known' ? [] : [sql`${key.value} is null`];
  return backwards ? [...unknown, ...known] : [...known, ...unknown];
}

const runsAsKept = ({ falling, kept }: Key, backwards: boolean): boolean =>
  (falling !== backwards) === (kept === 'falling');

/** The keys where unknown values of the first are not among the others, and so may be taken to lie as in the index. */
const asKept = ([first, ...others]: readonly Key[]): Key[] =>
  first ? [{ ...first, asKept: true }, ...others] : [];

/** The rows of a walk, all found first and then sorted: for what is found by an index that knows no order. */
export function sortedSql(sql: Sql, { source, keys, columns, cursor, backwards, rows }: Walk): SqlFragment {
  const named = keys.map((key, place) => ({
    ...key,
    value: key.isId ? sql`id` : sql`${sql(`s${place}`)}`,
  }));
  const { values = [], id = '' } = cursor ?? {};
  const beyond = cursor ? sql`where ${restSql(sql, named, [...values, id], backwards)}` : sql``;
  return sql`with met as materialized (select ${columns} from ${source.from} where ${source.where})
    select * from met ${beyond} order by ${orderSql(sql, named, backwards)} limit ${rows}`;
}

export function orderSql(sql: Sql, keys: readonly Key[], backwards: boolean): SqlFragment {
  const parts = keys.map((key, place) => {
    const direction = key.falling === backwards ? sql`asc` : sql`desc`;
    const unknownFirst = key.asKept && key.kept ? !runsAsKept(key, backwards) : backwards;
    const nulls = key.isId ? sql`` : unknownFirst ? sql`nulls first` : sql`nulls last`;
    return sql`${place === 0 ? sql`` : sql`,`} ${key.value} ${direction} ${nulls}`;
  });
  return joinSql(parts);
}

/** What lies beyond the cursor, in the order of the walk: rows that tie on the first key, then those past it. */
function branchesAfter(
  sql: Sql,
  keys: readonly Key[],
  { cursor, backwards, first: asked }: Place & { readonly cursor: NonNullable<Place['cursor']> },
): SqlFragment[] {
  const [first, ...others] = keys;
  const [value = null, ...values] = cursor.values;
  if (!first) return [];
  const rest = restSql(sql, others, [...values, cursor.id], backwards);
  const tie = sql`${equals(sql, first, value)} and ${rest}`;
  // Unknown values come last, so nothing lies beyond them, and all that is known lies before them.
  if (value === null) return backwards ? [tie, sql`${first.value} is not null`] : [tie];
  const past = compare(sql, first, value, backwards);
  const known = asked === 'unknown' ? [] : [tie, past];
  return backwards || asked === 'known' ? known : [...known, sql`${first.value} is null`];
}

/** Rows after the values in the order of the remaining keys: past the first of them, or equal in it and after in the rest. */
export function restSql(
  sql: Sql,
  keys: readonly Key[],
  values: readonly SortValue[],
  backwards: boolean,
): SqlFragment {
  const [key, ...others] = keys;
  const [value = null, ...more] = values;
  if (!key) return sql`false`;
  const past = pastSql(sql, key, value, backwards);
  if (others.length === 0) return past;
  return sql`(${past} or (${equals(sql, key, value)} and ${restSql(sql, others, more, backwards)}))`;
}

function pastSql(sql: Sql, key: Key, value: SortValue, backwards: boolean): SqlFragment {
  if (key.isId)
    return key.falling === backwards ? sql`${key.value} > ${value}` : sql`${key.value} < ${value}`;
  if (value === null) return backwards ? sql`${key.value} is not null` : sql`false`;
  const past = compare(sql, key, value, backwards);
  return backwards ? past : sql`(${past} or ${key.value} is null)`;
}

function compare(sql: Sql, key: Key, value: SortValue, backwards: boolean): SqlFragment {
  const bound = sql`${value}::${key.type}`;
  return key.falling === backwards ? sql`${key.value} > ${bound}` : sql`${key.value} < ${bound}`;
}

function equals(sql: Sql, key: Key, value: SortValue): SqlFragment {
  return value === null ? sql`${key.value} is null` : sql`${key.value} = ${value}::${key.type}`;
}

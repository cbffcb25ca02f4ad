// SQL of a page's order: the values that it sorts by, and the rows beyond a cursor. Pure.

import type { Cursor, SortValue } from '../../http/input/cursor.ts';
import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import { columnOf } from '../query/condition.ts';
import { areIdsDescending, isStoredDescending, type ResolvedSearch, type SortTerm } from '../query/plan.ts';
import { daysSql, distanceSql, whereSql } from './condition-sql.ts';
import { relevanceSql } from './text-sql.ts';

/** A key of the order with the value it sorts by; the id comes last. */
interface Key {
  readonly value: SqlFragment;
  readonly type: SqlFragment;
  readonly falling: boolean;
  readonly isId: boolean;
  /** Whether an index has its values falling; null: no index has them in order. */
  readonly storedFalling: boolean | null;
}

/** A part of the rows, in the order that they have on the page. */
interface Branch {
  readonly where: SqlFragment;
  readonly orderBy: SqlFragment;
}

/** Ids of listing_search in the order of the page with the values they are sorted by (s0, s1, ...), one more than it holds. */
export function pageSql(sql: Sql, search: ResolvedSearch): SqlFragment {
  const { plan, resolved } = search;
  const [first, ...others] = keysOf(sql, search);
  const keys = [first, ...others];
  const values = keys.filter(({ isId }) => !isId);
  const select = sql`
    select id ${joinSql(values.map(({ value }, place) => sql`, ${value} as ${sql(`s${place}`)}`))}
    from listing_search where ${whereSql(sql, plan, resolved)}`;
  const limit = sql`limit ${plan.limit + 1}`;
  const backwards = plan.cursor?.direction === 'previous';
  const nulls = indexNulls(first, backwards);
  if (plan.cursor === null && nulls === 'last')
    return sql`${select} order by ${orderSql(sql, keys, backwards)} ${limit}`;
  // Each part is a range of one index where there is one for the order. PostgreSQL runs them one after the other and stops
  // at the limit, so the later ones are read only where the earlier ones do not fill the page.
  const known = {
    where: knownSql(sql, keys, plan.cursor),
    orderBy: orderSql(sql, keys, backwards, nulls),
  };
  const unknown = {
    where: unknownSql(sql, keys, plan.cursor),
    orderBy: orderSql(sql, others, backwards),
  };
  const branches: Branch[] = [];
  if (known.where) branches.push({ ...known, where: known.where });
  if (unknown.where) branches.push({ ...unknown, where: unknown.where });
  if (backwards) branches.reverse();
  const parts = branches.map(
    ({ where, orderBy }) => sql`(${select} and ${where} order by ${orderBy} ${limit})`,
  );
  return sql`select * from (${joinSql(parts, ' union all ')}) as branches ${limit}`;
}

function keysOf(sql: Sql, search: ResolvedSearch): readonly [Key, ...Key[]] {
  const { order } = search.plan;
  const keys = order.map((by) => ({
    falling: by.descending,
    isId: false,
    value: valueSql(sql, by, search),
    type: by.key.endsWith('At') ? sql`timestamptz` : sql`double precision`,
    storedFalling: COMPUTED.has(by.key) ? null : isStoredDescending(by),
  }));
  const id: Key = {
    value: sql`id`,
    type: sql`text`,
    falling: areIdsDescending(order),
    isId: true,
    storedFalling: null,
  };
  const [first = id, ...others] = keys;
  return first === id ? [id] : [first, ...others, id];
}

/** Keys that are no columns. */
const COMPUTED: ReadonlySet<SortTerm['key']> = new Set(['daysOnMarket', 'distance', 'relevance']);

function valueSql(sql: Sql, { key }: SortTerm, { plan, resolved }: ResolvedSearch): SqlFragment {
  const unknown = sql`null::double precision`;
  if (key === 'daysOnMarket') return daysSql(sql, plan.startedAt);
  if (key === 'distance') return plan.centre ? distanceSql(sql, plan.centre) : unknown;
  if (key === 'relevance') return plan.text ? relevanceSql(sql, plan.text, resolved) : unknown;
  return sql`${sql(columnOf(key))}`;
}

/** Where the index of the key has unknown values, read in the direction of the walk. */
function indexNulls({ falling, storedFalling }: Key, backwards: boolean): 'first' | 'last' {
  const natural = backwards ? 'first' : 'last';
  if (storedFalling === null) return natural;
  return (falling !== backwards) === storedFalling ? 'last' : 'first';
}

/** `nulls`: where the unknown values of the first key are put, if there are any; others come last on the page. */
function orderSql(sql: Sql, keys: readonly Key[], backwards: boolean, nulls?: 'first' | 'last'): SqlFragment {
  const natural = backwards ? 'first' : 'last';
  const parts = keys.map(({ value, falling, isId }, place) => {
    const direction = falling === backwards ? sql`asc` : sql`desc`;
    if (isId) return sql`${value} ${direction}`;
    const at = (place === 0 && nulls) || natural;
    return sql`${value} ${direction} ${at === 'first' ? sql`nulls first` : sql`nulls last`}`;
  });
  return joinSql(parts, ', ');
}

/** Which of the rows whose first key is known lie beyond the cursor; null: none does. Unknown values come last. */
function knownSql(sql: Sql, [first, ...others]: readonly Key[], cursor: Cursor | null): SqlFragment | null {
  if (first === undefined) return null;
  const [value = null, ...values] = cursor?.values ?? [];
  if (cursor === null || value === null)
    return cursor === null || cursor.direction === 'previous' ? sql`${first.value} is not null` : null;
  const backwards = cursor.direction === 'previous';
  const bound = sql`${value}::${first.type}`;
  const operator = first.falling === backwards ? sql`>` : sql`<`;
  const [id, ...more] = others;
  // The id runs the way of the last key, so both are one range of the index.
  if (id?.isId && more.length === 0)
    return sql`(${first.value}, ${id.value}) ${operator} (${bound}, ${cursor.id}::text)`;
  const rest = restSql(sql, others, [...values, cursor.id], backwards);
  return sql`${first.value} ${operator}= ${bound} and (${first.value} ${operator} ${bound} or ${rest})`;
}

/** The same of the rows whose first key is not known. */
function unknownSql(sql: Sql, [first, ...others]: readonly Key[], cursor: Cursor | null): SqlFragment | null {
  if (first === undefined) return null;
  const unknown = sql`${first.value} is null`;
  const [value = null, ...values] = cursor?.values ?? [];
  const backwards = cursor?.direction === 'previous';
  if (cursor === null) return unknown;
  if (value !== null) return backwards ? null : unknown;
  return sql`${unknown} and ${restSql(sql, others, [...values, cursor.id], backwards)}`;
}

/** Rows after the values in the order of these keys: past the first of them, or equal in it and after in the rest. */
function restSql(
  sql: Sql,
  [key, ...others]: readonly Key[],
  [value = null, ...values]: readonly SortValue[],
  backwards: boolean,
): SqlFragment {
  if (!key) return sql`false`;
  const past = pastSql(sql, key, value, backwards);
  if (others.length === 0) return past;
  const equal = value === null ? sql`${key.value} is null` : sql`${key.value} = ${value}::${key.type}`;
  return sql`(${past} or (${equal} and ${restSql(sql, others, values, backwards)}))`;
}

function pastSql(sql: Sql, key: Key, value: SortValue, backwards: boolean): SqlFragment {
  if (value === null) return backwards ? sql`${key.value} is not null` : sql`false`;
  const past = sql`${key.value} ${key.falling === backwards ? sql`>` : sql`<`} ${value}::${key.type}`;
  return backwards || key.isId ? past : sql`(${past} or ${key.value} is null)`;
}

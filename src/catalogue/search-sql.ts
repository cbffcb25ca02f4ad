// Owns how the order and the page of a plan become SQL. Pure: fragments are only put together here, and run by the store.

import type { Sql, SqlFragment } from '../postgres/database.ts';
import { together } from '../postgres/fragments.ts';
import type { Cursor, SortValue } from './cursor.ts';
import type { SearchPlan } from './search.ts';
import { daysSql, distanceSql } from './search-keys-sql.ts';
import type { Order } from './search-order.ts';
import { type Source, sourceOf } from './source-sql.ts';
import { type Meanings, relevanceSql } from './text-sql.ts';

/** A key of the order with the value it sorts by; the id comes last. */
interface Key {
  readonly value: SqlFragment;
  readonly type: SqlFragment;
  readonly falling: boolean;
  readonly isId: boolean;
}

function keysOf(sql: Sql, plan: SearchPlan, meanings: Meanings, source: Source): Key[] {
  const keys = plan.order.map(({ key, falling }) => ({
    ...{ falling, isId: false, value: valueSql(sql, key, plan, meanings, source) },
    type: key.endsWith('At') ? sql`timestamptz` : sql`double precision`,
  }));
  return [...keys, { value: source.id, type: sql`text`, falling: false, isId: true }];
}

/** The value that a key sorts by. */
function valueSql(
  sql: Sql,
  key: Order['key'],
  plan: SearchPlan,
  meanings: Meanings,
  source: Source,
): SqlFragment {
  if (key === 'daysOnMarket') return daysSql(sql, plan.startedAt);
  if (key === 'distance') return plan.centre ? distanceSql(sql, plan.centre) : sql`null::double precision`;
  if (key === 'relevance')
    return plan.text ? relevanceSql(sql, plan.text, meanings) : sql`null::double precision`;
  return source.column(key);
}

/** The column that a key is read from, where it is one. */
const readBy = ({ key }: Order) =>
  key === 'daysOnMarket' || key === 'distance' || key === 'relevance' ? 'other' : key;

/** A page's rows: ids in order, with the values they are sorted by (s0, s1, ...), one more than asked if there is one. */
export function pageSql(sql: Sql, plan: SearchPlan, meanings: Meanings): SqlFragment {
  const backwards = plan.cursor?.direction === 'previous';
  const source = sourceOf(sql, plan, meanings, plan.order.map(readBy));
  const keys = keysOf(sql, plan, meanings, source);
  const values = keys.filter(({ isId }) => !isId);
  const select = sql`select ${source.id} as id ${values.map((key, place) => sql`, ${key.value} as ${sql(`s${place}`)}`)} from ${source.from} where ${source.where}`;
  const orderBy = orderSql(sql, keys, backwards);
  const limit = sql`limit ${plan.limit + 1}`;
  if (!plan.cursor) return sql`${select} order by ${orderBy} ${limit}`;
  // One branch after the other, each a plain range of one index. PostgreSQL runs them in this order and stops at the
  // limit, so the later ones are read only when the earlier ones do not fill the page.
  const branches = branchesAfter(sql, keys, plan.cursor).map(
    (branch) => sql`(${select} and ${branch} order by ${orderBy} ${limit})`,
  );
  const [first = sql``, ...rest] = branches;
  const all = together(
    sql,
    rest.map((branch) => sql`union all ${branch}`),
  );
  return sql`select * from (${first} ${all}) as branches ${limit}`;
}

function orderSql(sql: Sql, keys: readonly Key[], backwards: boolean): SqlFragment {
  const parts = keys.map((key, place) => {
    const direction = key.falling === backwards ? sql`asc` : sql`desc`;
    const nulls = key.isId ? sql`` : backwards ? sql`nulls first` : sql`nulls last`;
    return sql`${place === 0 ? sql`` : sql`,`} ${key.value} ${direction} ${nulls}`;
  });
  return together(sql, parts);
}

/** What lies beyond the cursor, in the order of the walk: rows that tie on the first key, then those past it. */
function branchesAfter(sql: Sql, keys: readonly Key[], cursor: Cursor): SqlFragment[] {
  const [first, ...others] = keys;
  const [value = null, ...values] = cursor.values;
  if (!first) return [];
  const backwards = cursor.direction === 'previous';
  const rest = restSql(sql, others, [...values, cursor.id], backwards);
  const tie = sql`${equals(sql, first, value)} and ${rest}`;
  // Unknown values come last, so nothing lies beyond them, and all that is known lies before them.
  if (value === null) return backwards ? [tie, sql`${first.value} is not null`] : [tie];
  const past = compare(sql, first, value, backwards);
  return backwards ? [tie, past] : [tie, past, sql`${first.value} is null`];
}

/** Rows after the values in the order of the remaining keys: past the first of them, or equal in it and after in the rest. */
function restSql(
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
  if (key.isId) return backwards ? sql`${key.value} < ${value}` : sql`${key.value} > ${value}`;
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

// SQL of a page by days on market: along the moments when listings came on it, one whole day at the end sorted. Pure.

import type { Cursor } from '../../http/input/cursor.ts';
import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import { allOf, daysSinceSql, instantSql } from '../sql/condition-sql.ts';
import { type Key, orderSql, restSql, type Walk } from './search-sql.ts';

/**
 * The rows of a walk whose one key is days on market, of listings whose clock runs. Listings of one day stand by their ids
 * and not by their moments: so the moment of the last row that is wanted is looked for, and all of its day are sorted.
 */
export function daysWalkSql(sql: Sql, walk: Walk, startedAt: number): SqlFragment {
  const { cursor, backwards, first: asked, rows } = walk;
  const isUnknown = cursor !== null && cursor.values[0] == null;
  const known =
    asked === 'unknown' || (isUnknown && !backwards) ? [] : [knownSql(sql, walk, startedAt, isUnknown)];
  const unknown =
    asked === 'known' || (cursor !== null && !isUnknown && backwards)
      ? []
      : [unknownSql(sql, walk, isUnknown ? cursor : null)];
  const parts = backwards ? [...unknown, ...known] : [...known, ...unknown];
  return sql`select * from (${joinSql(
    parts.map((part) => sql`(${part})`),
    ' union all ',
  )}) as branches limit ${rows}`;
}

/** Those whose days are known; from the start of the walk's way where the cursor stands among the unknown. */
function knownSql(sql: Sql, walk: Walk, startedAt: number, fromStart: boolean): SqlFragment {
  const { source, columns, rows, keys, backwards } = walk;
  const cursor = fromStart ? null : walk.cursor;
  const start = source.column('daysOnMarketStart');
  const rising = isRising(keys, backwards);
  const beyond = cursor ? [beyondSql(sql, walk, cursor, startedAt)] : [];
  const met = allOf(sql, [source.where, sql`${start} is not null`, ...beyond]);
  const latest = sql`(select days from latest)`;
  const within = rising
    ? sql`${start} > ${instantSql(sql, startedAt)} - (${latest} + 1) * interval '24 hours'`
    : sql`${start} <= ${notAfterSql(sql, startedAt, latest)}`;
  return sql`
    with edge as materialized (
      select ${start} as moment from ${source.from} where ${met}
      order by ${start} ${rising ? sql`desc nulls last` : sql`asc nulls first`} limit ${rows}),
    latest as materialized (
      select ${daysSinceSql(sql, rising ? sql`min(moment)` : sql`max(moment)`, startedAt)} as days from edge)
    select ${columns} from ${source.from} where ${met} and ${within}
    order by ${orderSql(sql, keys, backwards)} limit ${rows}`;
}

function unknownSql(
  sql: Sql,
  { source, columns, rows, keys, backwards }: Walk,
  cursor: Pick<Cursor, 'id'> | null,
): SqlFragment {
  const id = keys.slice(1);
  const beyond = cursor ? [restSql(sql, id, [cursor.id], backwards)] : [];
  const met = allOf(sql, [source.where, sql`${source.column('daysOnMarketStart')} is null`, ...beyond]);
  return sql`select ${columns} from ${source.from} where ${met} order by ${orderSql(sql, id, backwards)} limit ${rows}`;
}

/** Beyond the cursor: by moments, as far as those tell, which is what an index knows, and then exactly. */
function beyondSql(
  sql: Sql,
  { source, keys, backwards }: Walk,
  { values, id }: Pick<Cursor, 'values' | 'id'>,
  startedAt: number,
): SqlFragment {
  const [asked] = values;
  const exactly = restSql(sql, keys, [...values, id], backwards);
  // A cursor that was made up may tell of more days than any calendar has.
  if (typeof asked !== 'number' || asked < 0 || asked > MOST_DAYS) return exactly;
  const start = source.column('daysOnMarketStart');
  const days = sql`${asked}::double precision`;
  const near = isRising(keys, backwards)
    ? sql`${start} <= ${notAfterSql(sql, startedAt, days)}`
    : sql`${start} > ${instantSql(sql, startedAt)} - (${days} + 1) * interval '24 hours'`;
  return sql`${near} and ${exactly}`;
}

/** Some twenty-seven centuries: the earliest moment that a walk may have begun at, less this, is still a date. */
const MOST_DAYS = 1_000_000;

const isRising = ([days]: readonly Key[], backwards: boolean): boolean => days?.falling === backwards;

/** The last moment that is so many days ago; what has not begun yet counts as begun today. */
const notAfterSql = (sql: Sql, startedAt: number, days: SqlFragment): SqlFragment =>
  sql`case when ${days} = 0 then 'infinity' else ${instantSql(sql, startedAt)} - ${days} * interval '24 hours' end`;

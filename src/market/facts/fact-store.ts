// SQL of the facts of the market: listings with their periods and events, copied in the order of their ids.

import { headSequence } from '../../changes/change-store.ts';
import { CopyFields } from '../../postgres/client/copy-fields.ts';
import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import { FLAGS } from '../../search/engine/columns/columns.ts';
import { columnOf } from '../../search/query/condition.ts';
import type { FactAppender } from './fact-appender.ts';
import { HELD_CODES, HELD_NUMBERS } from './held-columns.ts';

/** Appends all listings; returns the sequence of the log that they were read at. Within a transaction of its own. */
export async function copyAllFacts(sql: Sql, appender: FactAppender): Promise<number> {
  await readOneSnapshot(sql);
  const sequence = await headSequence(sql);
  await copyFacts(sql, appender, sql`true`, sql`true`);
  return sequence;
}

/** Appends the listings of some properties. Within a transaction of its own. */
export async function copyFactsOf(
  sql: Sql,
  appender: FactAppender,
  propertyIds: readonly string[],
): Promise<void> {
  await readOneSnapshot(sql);
  // A COPY has no values to bind.
  await sql`select set_config('freehold.properties', ${propertyIds.join(' ')}, true)`;
  const isOne = sql`property_id = any(string_to_array(current_setting('freehold.properties'), ' '))`;
  const ids = sql`(select listing_id from market_listing where ${isOne})`;
  await copyFacts(sql, appender, sql`id in ${ids}`, sql`listing_id in ${ids}`);
}

/** `ofListings`: a condition on listing_search; `ofFacts`: the same on market_period and market_event. */
async function copyFacts(
  sql: Sql,
  appender: FactAppender,
  ofListings: SqlFragment,
  ofFacts: SqlFragment,
): Promise<void> {
  const numbers = HELD_NUMBERS.map((column) => {
    if (column === 'lng') return sql`location[0]`;
    return column === 'lat' ? sql`location[1]` : sql`${sql(columnOf(column))}`;
  });
  const words = [...HELD_CODES, ...FLAGS].map((column) => sql`${sql(columnOf(column))}`);
  await copy(
    sql,
    sql`select listing_type = 'sale', id, ${joinSql([...numbers, ...words], ', ')}, area_nos, property_id
      from listing_search left join (select listing_id, property_id from market_listing) as home on listing_id = id
      where ${ofListings} order by id`,
    (fields) => appender.addListing(fields),
  );
  appender.beginFacts();
  await copy(
    sql,
    sql`select listing_id, started_at, ended_at, superseded_at, days_on_market_start, price, months_free
      from market_period where ${ofFacts} order by listing_id`,
    (fields) => appender.addPeriod(fields),
  );
  appender.beginFacts();
  await copy(
    sql,
    sql`select listing_id, array_position('{new,relisted,pending,closed,delisted,left,ended,drop}'::text[], kind),
        at, day, price, days, ratio, original_ratio
      from market_event where ${ofFacts} order by listing_id`,
    (fields) => appender.addEvent(fields),
  );
}

async function copy(sql: Sql, rows: SqlFragment, add: (fields: CopyFields) => void): Promise<void> {
  const fields = new CopyFields();
  await sql.copy(sql`copy (${rows}) to stdout (format binary)`, (bytes) => {
    fields.take(bytes);
    while (fields.nextRow()) add(fields);
  });
}

const readOneSnapshot = (sql: Sql) => sql`set transaction isolation level repeatable read, read only`;

/** About how many listings there are. */
export async function expectedListings(sql: Sql): Promise<number> {
  const [row] = await sql<{ rows: number }[]>`
    select greatest(0, reltuples)::double precision as rows from pg_class where oid = 'listing_search'::regclass`;
  return row?.rows ?? 0;
}

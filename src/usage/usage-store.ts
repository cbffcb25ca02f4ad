// SQL that writes the record of use: hours and, in the same transaction, days.

import { DAY } from '../lib/clock.ts';
import type { Database, Sql, SqlFragment, Transaction } from '../postgres/client/database.ts';
import { createDayPartitions, dayOf, dropDayPartitions } from '../postgres/client/day-partitions.ts';
import type { UsageRow } from './usage-counter.ts';

/** Days that hours and their sums by day are kept. */
export const HOUR_DAYS = 90;
export const SUM_DAYS = 400;

/** The id of this transaction, to ask later whether it was committed. */
export async function readTransactionId(tx: Transaction): Promise<string> {
  const [row] = await tx<{ id: string }[]>`select pg_current_xact_id()::text as id`;
  if (row === undefined) throw new Error('The transaction has no id');
  return row.id;
}

/** `committed`, `aborted`, `in progress`; null: it is too long ago to tell. */
export async function findTransactionState(sql: Sql, id: string): Promise<string | null> {
  const [row] = await sql<{ state: string | null }[]>`select pg_xact_status(${id}::xid8) as state`;
  return row?.state ?? null;
}

/** Adds rows to their hours and days. Every process adds in one order, so that none waits for another that waits for it. */
export async function addUsage(tx: Transaction, rows: readonly UsageRow[]): Promise<void> {
  await tx`
    insert into usage_hour as known (day, hour, account, client, tier, channel, operation, status, source, requests, listings, bytes)
    select (hour at time zone 'UTC')::date, hour, account, client, tier, channel, operation, status, source, requests, listings, bytes
    from (${amounts(tx, rows)}) as added
    order by account, hour, channel, operation, status, source, client, tier
    on conflict (account, hour, channel, operation, status, source, client, tier, day) do update set
      requests = known.requests + excluded.requests, listings = known.listings + excluded.listings,
      bytes = known.bytes + excluded.bytes`;
  await tx`
    insert into usage_day as known (day, account, client, tier, channel, operation, status, source, requests, listings, bytes)
    select (hour at time zone 'UTC')::date as day, account, client, tier, channel, operation, status, source,
      sum(requests), sum(listings), sum(bytes)
    from (${amounts(tx, rows)}) as added
    group by 1, 2, 3, 4, 5, 6, 7, 8
    order by account, day, channel, operation, status, source, client, tier
    on conflict (account, day, channel, operation, status, source, client, tier) do update set
      requests = known.requests + excluded.requests, listings = known.listings + excluded.listings,
      bytes = known.bytes + excluded.bytes`;
}

/** The rows as a query. */
function amounts(sql: Sql, rows: readonly UsageRow[]): SqlFragment {
  const texts = (value: (row: UsageRow) => string): SqlFragment => sql`${rows.map(value)}::text[]`;
  const numbers = (value: (row: UsageRow) => number): SqlFragment => sql`${rows.map(value)}::float8[]`;
  return sql`
    select to_timestamp(hour / 1000) as hour, account, client, tier, channel, operation, status::smallint as status, source,
      requests::bigint as requests, listings::bigint as listings, bytes::bigint as bytes
    from unnest(${numbers(({ hour }) => hour)}, ${texts(({ account }) => account)}, ${texts(({ client }) => client)},
      ${texts(({ tier }) => tier)}, ${texts(({ channel }) => channel)}, ${texts(({ operation }) => operation)},
      ${numbers(({ status }) => status)}, ${texts(({ source }) => source)}, ${numbers(({ requests }) => requests)},
      ${numbers(({ listings }) => listings)}, ${numbers(({ bytes }) => bytes)})
      as row (hour, account, client, tier, channel, operation, status, source, requests, listings, bytes)`;
}

/** Makes room for the next days, and deletes what is older than it is kept. `now` in milliseconds. */
export async function keepUsage(database: Database, now: number): Promise<void> {
  for (const table of ['usage_hour', 'agent_query'] as const) {
    await createDayPartitions(database, table, now);
    await dropDayPartitions(database, table, dayOf(now - HOUR_DAYS * DAY));
  }
  await database.write((sql) => sql`delete from usage_day where day < ${dayOf(now - SUM_DAYS * DAY)}::date`, {
    timeout: 60_000,
  });
}

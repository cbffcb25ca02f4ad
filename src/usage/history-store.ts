// SQL that reads the record of use: sums by time and by what was called.

import type { Sql } from '../postgres/client/database.ts';

/** What sums can be grouped by: at most one stretch of time, and others. */
export const GROUPS = [
  'hour',
  'day',
  'month',
  'channel',
  'operation',
  'source',
  'status',
  'tier',
  'client',
  'account',
] as const;
export type UsageGroup = (typeof GROUPS)[number];

export interface UsageQuestion {
  /** Null: of everybody. */
  readonly accounts: readonly string[] | null;
  /** Days in UTC, YYYY-MM-DD, both included. */
  readonly from: string;
  readonly to: string;
  readonly groups: readonly UsageGroup[];
  /** Sums to read at most. */
  readonly limit: number;
}

/** Sums. Members that they are not grouped by are null. */
export interface UsageSum {
  /** The start of the hour as RFC 3339, the day as YYYY-MM-DD, or the month as YYYY-MM. */
  readonly start: string | null;
  readonly channel: string | null;
  readonly operation: string | null;
  /** Empty: the requests and bytes, which are of no source. */
  readonly source: string | null;
  readonly status: number | null;
  readonly tier: string | null;
  readonly client: string | null;
  readonly account: string | null;
  readonly requests: number;
  readonly listings: number;
  readonly bytes: number;
}

/** The sums, in the order of what they are grouped by. */
export function findUsage(
  sql: Sql,
  { accounts, from, to, groups, limit }: UsageQuestion,
): Promise<readonly UsageSum[]> {
  const column = (name: UsageGroup) => (groups.includes(name) ? sql(name) : sql`null::text`);
  const start = groups.includes('hour')
    ? sql`to_char(hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00"Z"')`
    : groups.includes('month')
      ? sql`to_char(day, 'YYYY-MM')`
      : groups.includes('day')
        ? sql`day::text`
        : sql`null::text`;
  return sql<UsageSum[]>`
    select ${start} as start, ${column('channel')} as channel, ${column('operation')} as operation, ${column('source')} as source,
      ${groups.includes('status') ? sql`status` : sql`null::smallint`} as status, ${column('tier')} as tier,
      ${column('client')} as client, ${column('account')} as account,
      sum(requests)::bigint as requests, sum(listings)::bigint as listings, sum(bytes)::bigint as bytes
    from ${groups.includes('hour') ? sql`usage_hour` : sql`usage_day`}
    where day between ${from}::date and ${to}::date
      ${accounts === null ? sql`` : sql`and account = any(${[...accounts]}::text[])`}
    group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 3, 4, 5, 6, 7, 8 limit ${limit}`;
}

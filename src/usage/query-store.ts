// SQL of what agents asked: written with the record of use, kept as long as hours, read by operators.

import type { Sql, Transaction } from '../postgres/client/database.ts';
import type { AgentQuery } from './agent-query.ts';

export async function insertQueries(tx: Transaction, queries: readonly AgentQuery[]): Promise<void> {
  if (queries.length === 0) return;
  const texts = (value: (query: AgentQuery) => string): string[] => queries.map(value);
  await tx`
    insert into agent_query (day, at, account, client, address, tool, arguments, outcome)
    select (to_timestamp(at / 1000) at time zone 'UTC')::date, to_timestamp(at / 1000), account, client, address, tool, arguments, outcome
    from unnest(${queries.map(({ at }) => at)}::float8[], ${texts(({ account }) => account)}::text[],
      ${texts(({ client }) => client)}::text[], ${texts(({ address }) => address)}::text[], ${texts(({ tool }) => tool)}::text[],
      ${texts((query) => query.arguments)}::text[], ${texts(({ outcome }) => outcome)}::text[])
      as row (at, account, client, address, tool, arguments, outcome)`;
}

/** A question as operators read it; `at` is RFC 3339. */
export interface RecordedQuery extends Omit<AgentQuery, 'at'> {
  readonly at: string;
}

export interface QueryRange {
  /** Null: of everybody. */
  readonly account: string | null;
  /** Days in UTC, YYYY-MM-DD, both included. */
  readonly from: string;
  readonly to: string;
  readonly limit: number;
}

/** The newest questions of these days, the newest first. */
export function findQueries(
  sql: Sql,
  { account, from, to, limit }: QueryRange,
): Promise<readonly RecordedQuery[]> {
  return sql<RecordedQuery[]>`
    select at, account, client, address, tool, arguments, outcome from agent_query
    where day between ${from}::date and ${to}::date ${account === null ? sql`` : sql`and account = ${account}`}
    order by at desc, tool limit ${limit}`;
}

// SQL of the processes on one database.

import type { Sql, Transaction } from '../postgres/client/database.ts';

/** What a process says of itself. */
export interface NodeFacts {
  /** Host and process id. */
  readonly name: string;
  readonly version: string;
  /** Kind of the source of its settings. */
  readonly source: string;
  readonly searchState: string;
  /** Null while searches are not answered from memory. */
  readonly searchLagMs: number | null;
}

export interface Node extends NodeFacts {
  /** RFC 3339. */
  readonly startedAt: string;
  /** Milliseconds since it was seen last. */
  readonly unseenMs: number;
  readonly isAlive: boolean;
  /** Names of the work that it does for all. */
  readonly leases: readonly string[];
}

/** Milliseconds after which a process that is not seen is gone. */
export const GONE_AFTER = 10_000;

/** Writes the facts of a process, as of now. */
export async function writeNode(
  sql: Sql,
  { name, version, source, searchState, searchLagMs }: NodeFacts,
): Promise<void> {
  await sql`
    insert into node (name, version, source, started_at, seen_at, search_state, search_lag_ms)
    values (${name}, ${version}, ${source}, clock_timestamp(), clock_timestamp(), ${searchState},
      ${searchLagMs === null ? null : Math.round(searchLagMs)})
    on conflict (name) do update set version = excluded.version, source = excluded.source, seen_at = excluded.seen_at,
      search_state = excluded.search_state, search_lag_ms = excluded.search_lag_ms`;
}

export async function removeNode(sql: Sql, name: string): Promise<void> {
  await sql`delete from node where name = ${name}`;
}

/** Removes those that ended long ago, and former ones of this name. One process at a time joins, until the transaction ends. */
export async function prepareToJoin(tx: Transaction, name: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('freehold nodes', 0))`;
  await tx`delete from node where name = ${name} or seen_at < clock_timestamp() - interval '1 hour'`;
}

/** All, those alive first. */
export async function findNodes(sql: Sql): Promise<Node[]> {
  return sql<Node[]>`
    select name, version, source, to_json(started_at at time zone 'UTC') #>> '{}' || 'Z' as "startedAt", search_state as "searchState",
      search_lag_ms::float8 as "searchLagMs",
      greatest(0, extract(epoch from clock_timestamp() - seen_at) * 1000)::float8 as "unseenMs",
      seen_at > clock_timestamp() - ${GONE_AFTER} * interval '1 millisecond' as "isAlive",
      array(select lease.name from work_lease as lease
        where split_part(lease.holder, ' ', 1) = node.name and leased_until > clock_timestamp()
        order by lease.name) as leases
    from node order by "isAlive" desc, started_at, name`;
}

// SQL of `freehold doctor`.

import type { ListingType, Status } from '../../listings/vocabulary.ts';
import type { Sql } from '../../postgres/client/database.ts';
import { INDEXED_STATUSES } from '../../search/engine/columns/columns.ts';
import { MATCHING_LEASE } from '../../watch/events/position-store.ts';

export interface CatalogueCounts {
  readonly listings: number;
  readonly active: number;
  readonly areas: number;
  /** Imports that were stopped half-way. */
  readonly unfinished: number;
}

export async function countCatalogue(sql: Sql): Promise<CatalogueCounts> {
  const [row] = await sql<CatalogueCounts[]>`
    select (select count(*) from listing_search)::int as listings,
      (select count(*) from listing_search where status = 'ACTIVE')::int as active,
      (select count(*) from area)::int as areas,
      (select count(*) from import_run where finished_at is null)::int as unfinished`;
  return row ?? { listings: 0, active: 0, areas: 0, unfinished: 0 };
}

/** Connections of the PostgreSQL server. */
export interface ServerConnections {
  /** How many this role may have open to this database. */
  readonly max: number;
  /** How many others than those of this service are open. */
  readonly others: number;
}

export async function countConnections(sql: Sql): Promise<ServerConnections> {
  const [row] = await sql<ServerConnections[]>`
    select least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
          - coalesce(current_setting('reserved_connections', true)::int, 0),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
      ) as max,
      (select count(*) from pg_stat_activity
        where backend_type = 'client backend' and application_name not like 'freehold %')::int as others`;
  return row ?? { max: 0, others: 0 };
}

/** Listings that the search engine holds. */
export async function countOnMarket(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from listing_search where status = any(${[...INDEXED_STATUSES]}::text[])`;
  return row?.count ?? 0;
}

/** How far the matching of watchers is. */
export interface MatchingState {
  readonly watchers: number;
  /** Whether a process matches. */
  readonly isMatched: boolean;
  /** Sequence of the last change that has become events. */
  readonly position: number;
}

export async function findMatchingState(sql: Sql): Promise<MatchingState> {
  const [row] = await sql<MatchingState[]>`
    select (select count(*) from watcher where status = 'active')::int as watchers, position,
      exists (select from work_lease where name = ${MATCHING_LEASE} and leased_until > clock_timestamp()) as "isMatched"
    from watch_position`;
  return row ?? { watchers: 0, isMatched: false, position: 0 };
}

/** The days that have a partition of a table. */
export async function findDays(sql: Sql, table: string): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select to_char(to_date(right(relname, 8), 'YYYYMMDD'), 'YYYY-MM-DD') as day
    from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = to_regclass(${table}) and relname ~ '_[0-9]{8}$'`;
  return rows.map(({ day }) => day);
}

/** What random searches are made from. */
export interface DrawnListing {
  readonly type: ListingType;
  readonly status: Status;
  readonly price: number | null;
  readonly bedrooms: number | null;
  readonly city: string | null;
  readonly lat: number | null;
  readonly lng: number | null;
}

/** Random listings on the market. */
export async function drawListings(sql: Sql, limit: number): Promise<readonly DrawnListing[]> {
  return sql<DrawnListing[]>`
    select listing_type as type, status, price, bedrooms, city, location[1] as lat, location[0] as lng
    from listing_search where status = any(${[...INDEXED_STATUSES]}::text[]) order by random() limit ${limit}`;
}

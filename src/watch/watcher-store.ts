// SQL of watchers: created, read, changed and deleted, each by its owner.

import { parseTime } from '../lib/clock.ts';
import type { Sql, SqlFragment, Transaction } from '../postgres/client/database.ts';
import { toJson } from '../postgres/client/value-types.ts';
import type { WatcherStatus } from './matching/watcher-definition.ts';
import type { Watcher } from './watcher.ts';
import { deliveryColumn } from './webhooks/webhook-store.ts';

/** A watcher to create; the database gives its number. */
export type NewWatcher = Omit<
  Watcher,
  'no' | 'delivery' | 'status' | 'statusReason' | 'version' | 'createdAt' | 'updatedAt'
>;

/** A watcher as SQL returns it: times are RFC 3339. */
export type WatcherRow = Omit<Watcher, 'expiresAt' | 'createdAt' | 'updatedAt'> & {
  readonly expiresAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

/** The columns of a watcher, of the table or alias `watcher`. */
export function watcherColumns(sql: Sql): SqlFragment {
  return sql`watcher.no, watcher.id, watcher.owner, watcher.allowance, watcher.subscription,
    watcher.grant_id as "grant", watcher.name, watcher.target, watcher.search, watcher.interpretation, watcher.events,
    watcher.cadence, watcher.requested_cadence as "requestedCadence", watcher.time_zone as "timeZone",
    watcher.events_per_hour as "eventsPerHour",
    watcher.ignore_display_rules as "ignoreDisplayRules", watcher.backfill, watcher.status,
    watcher.status_reason as "statusReason", watcher.expires_at as "expiresAt", watcher.metadata,
    watcher.initial_match_count as "initialMatchCount", watcher.version, watcher.created_at as "createdAt",
    watcher.updated_at as "updatedAt", ${deliveryColumn(sql)}`;
}

export function watcherOf(row: WatcherRow): Watcher {
  const { expiresAt, createdAt, updatedAt } = row;
  return {
    ...row,
    expiresAt: parseTime(expiresAt),
    createdAt: Date.parse(createdAt),
    updatedAt: Date.parse(updatedAt),
  };
}

/**
 * Waits until this transaction alone changes the watchers of an allowance. Every change of a status takes the lock, so
 * that limits are exact and the log has changes in their order.
 */
export async function lockAllowance(tx: Transaction, allowance: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`watchers ${allowance}`}, 0))`;
}

/** Watchers that count against an allowance: all but expired ones. */
export async function countWatchers(sql: Sql, allowance: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from watcher where allowance = ${allowance} and status <> 'expired'`;
  return row?.count ?? 0;
}

/** Watchers of an owner that have not expired. */
export async function countWatchersOf(sql: Sql, owner: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from watcher where owner = ${owner} and status <> 'expired'`;
  return row?.count ?? 0;
}

/** How many of an allowance's watchers are older than this one. */
export async function countOlder(sql: Sql, { allowance, no }: Watcher): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from watcher where allowance = ${allowance} and status <> 'expired' and no < ${no}`;
  return row?.count ?? 0;
}

export async function insertWatcher(tx: Transaction, watcher: NewWatcher, now: Date): Promise<Watcher> {
  const { id, owner, allowance, subscription, grant, name, target, search, events } = watcher;
  const [row] = await tx<WatcherRow[]>`
    insert into watcher (id, owner, allowance, subscription, grant_id, name, target_type, target, search, interpretation,
      events, cadence, requested_cadence, time_zone, events_per_hour, ignore_display_rules, backfill, status, expires_at, metadata,
      initial_match_count, version, created_at, updated_at)
    values (${id}, ${owner}, ${allowance}, ${subscription}, ${grant}, ${name}, ${target.type},
      ${toJson(target)}::text::json, ${search && toJson(search)}::text::json,
      ${watcher.interpretation === null ? null : toJson(watcher.interpretation)}::text::json, ${[...events]}::text[],
      ${watcher.cadence}, ${watcher.requestedCadence}, ${watcher.timeZone}, ${watcher.eventsPerHour}, ${watcher.ignoreDisplayRules}, ${watcher.backfill}, 'active',
      ${dateOf(watcher.expiresAt)}, ${toJson(watcher.metadata)}::text::json, ${watcher.initialMatchCount}, 1,
      ${now}, ${now})
    returning ${watcherColumns(tx)}`;
  if (row === undefined) throw new Error('The watcher was not written');
  return watcherOf(row);
}

/** The watcher, if it is this owner's; null for unknown and foreign ids alike. */
export async function findWatcher(sql: Sql, owner: string, id: string): Promise<Watcher | null> {
  const [row] = await sql<WatcherRow[]>`
    select ${watcherColumns(sql)} from watcher where id = ${id} and owner = ${owner}`;
  return row === undefined ? null : watcherOf(row);
}

/** The same, for a transaction that changes it. */
export async function findWatcherForUpdate(
  tx: Transaction,
  owner: string,
  id: string,
): Promise<Watcher | null> {
  const [row] = await tx<WatcherRow[]>`
    select ${watcherColumns(tx)} from watcher where id = ${id} and owner = ${owner} for update`;
  return row === undefined ? null : watcherOf(row);
}

export interface WatcherListRequest {
  readonly owner: string;
  readonly status: WatcherStatus | undefined;
  /** Number of the watcher that the page continues after; null: the first page. */
  readonly from: number | null;
  readonly direction: 'next' | 'previous';
  readonly limit: number;
}

/** Watchers of an owner, the newest first; backwards, those nearest to `from`, the oldest first. */
export async function listWatchers(sql: Sql, request: WatcherListRequest): Promise<Watcher[]> {
  const { owner, status, from, direction, limit } = request;
  const isStatus = status === undefined ? sql`` : sql`and status = ${status}`;
  const isNext = direction === 'next';
  const beyond = from === null ? sql`` : isNext ? sql`and no < ${from}` : sql`and no > ${from}`;
  const rows = await sql<WatcherRow[]>`
    select ${watcherColumns(sql)} from watcher where owner = ${owner} ${isStatus} ${beyond}
    order by no ${isNext ? sql`desc` : sql`asc`} limit ${limit}`;
  return rows.map(watcherOf);
}

/** Members that an owner can change, with those that follow from its pauses and resumptions. */
export type WatcherChange = Pick<
  Watcher,
  | 'name'
  | 'events'
  | 'cadence'
  | 'requestedCadence'
  | 'timeZone'
  | 'expiresAt'
  | 'metadata'
  | 'status'
  | 'statusReason'
>;

/** Writes a change, and returns the watcher with its next version. */
export async function updateWatcher(
  tx: Transaction,
  { no }: Watcher,
  change: WatcherChange,
  now: Date,
): Promise<Watcher> {
  const [row] = await tx<WatcherRow[]>`
    update watcher set name = ${change.name}, events = ${[...change.events]}::text[], cadence = ${change.cadence},
      requested_cadence = ${change.requestedCadence}, time_zone = ${change.timeZone},
      expires_at = ${dateOf(change.expiresAt)}, metadata = ${toJson(change.metadata)}::text::json,
      status = ${change.status}, status_reason = ${change.statusReason}, version = version + 1, updated_at = ${now}
    where no = ${no} returning ${watcherColumns(tx)}`;
  if (row === undefined) throw new Error('The watcher is gone');
  return watcherOf(row);
}

export async function deleteWatcher(tx: Transaction, { no }: Watcher): Promise<void> {
  await tx`delete from watcher where no = ${no}`;
}

const dateOf = (at: number | null): Date | null => (at === null ? null : new Date(at));

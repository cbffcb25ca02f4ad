// SQL of budgets: what was used of late, in slots of each window, and what sources said of their limits.

import type { Sql, Transaction } from '../../postgres/client/database.ts';
import { type SlotUse, slotAt, slotsOf } from './windows.ts';

/** Whose windows a request uses: those of all requests, or those of photos where they have their own. */
export type Share = 'requests' | 'media';

export interface BudgetState {
  /** Milliseconds since the epoch, by the clock of the database: all processes have the same. */
  readonly now: number;
  /** Milliseconds since the epoch; null: requests may be sent. */
  readonly blockedUntil: number | null;
  /** Since when a source that suspends credentials refuses this one, RFC 3339; null: it does not. */
  readonly suspendedAt: string | null;
  /** Requests that windows may have, as the source said: by `share:seconds`. */
  readonly quotas: Readonly<Record<string, number>>;
  /** What was used of a share, by the seconds of its windows. */
  readonly uses: ReadonlyMap<number, readonly SlotUse[]>;
}

interface StateRow {
  readonly now: number;
  readonly blockedUntil: number | null;
  readonly suspendedAt: string | null;
  readonly quotas: Record<string, number> | null;
}

/** The budget as it is, locked until this transaction ends. */
export async function lockBudget(tx: Transaction, connection: string, share: Share): Promise<BudgetState> {
  await tx`select pg_advisory_xact_lock(hashtext('source_use'), hashtext(${connection}))`;
  return readBudget(tx, connection, share);
}

export async function readBudget(sql: Sql, connection: string, share: Share): Promise<BudgetState> {
  const [state] = await sql<StateRow[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
      (extract(epoch from blocked_until) * 1000)::float8 as "blockedUntil", suspended_at as "suspendedAt", quotas
    from (select ${connection}::text as connection) as named left join source_budget using (connection)`;
  if (state === undefined) throw new Error('The database gave no time');
  const rows = await sql<(SlotUse & { readonly seconds: number })[]>`
    select seconds, slot::float8 as slot, requests, bytes::float8 as bytes from source_use
    where connection = ${connection} and share = ${share}`;
  return { ...state, quotas: state.quotas ?? {}, uses: Map.groupBy(rows, ({ seconds }) => seconds) };
}

/** Adds to the present slot of each of these windows, and forgets slots that no longer count. */
export async function addUse(
  tx: Transaction,
  connection: string,
  share: Share,
  now: number,
  windows: readonly { readonly seconds: number; readonly requests: number; readonly bytes: number }[],
): Promise<void> {
  if (windows.length === 0) return;
  const seconds = windows.map((window) => window.seconds);
  const slots = seconds.map((length) => slotAt(length, now));
  const first = seconds.map((length, at) => (slots[at] ?? 0) - slotsOf(length) + 1);
  await tx`
    with changed as (select * from unnest(${seconds}::int[], ${slots}::bigint[], ${first}::bigint[],
        ${windows.map(({ requests }) => requests)}::int[], ${windows.map(({ bytes }) => bytes)}::bigint[])
        as t (seconds, slot, first, requests, bytes)),
      forgotten as (delete from source_use as used using changed
        where used.connection = ${connection} and used.share = ${share} and used.seconds = changed.seconds and used.slot < changed.first)
    insert into source_use as present (connection, share, seconds, slot, requests, bytes)
    select ${connection}, ${share}, seconds, slot, requests, bytes from changed
    on conflict (connection, share, seconds, slot) do update
      set requests = present.requests + excluded.requests, bytes = present.bytes + excluded.bytes`;
}

/**
 * Notes what an answer said: the requests that windows may have, milliseconds for which none is wanted, and whether the credential is
 * refused as one that is suspended.
 */
export async function writeStatements(
  tx: Transaction,
  connection: string,
  quotas: Readonly<Record<string, number>>,
  blockedFor: number | null,
  isSuspended: boolean,
): Promise<void> {
  await tx`
    insert into source_budget as known (connection, blocked_until, suspended_at, quotas)
    values (${connection}, clock_timestamp() + ${blockedFor}::float8 * interval '1 millisecond',
      case when ${isSuspended} then clock_timestamp() end, ${JSON.stringify(quotas)}::text::json)
    on conflict (connection) do update set blocked_until = greatest(known.blocked_until, excluded.blocked_until),
      suspended_at = case when ${isSuspended} then coalesce(known.suspended_at, excluded.suspended_at) end,
      quotas = excluded.quotas`;
}

// SQL of watchers for the operator: those of every owner, and their move to another owner.

import type { Sql, Transaction } from '../postgres/client/database.ts';
import type { Watcher } from './watcher.ts';
import { type WatcherRow, watcherColumns, watcherOf } from './watcher-store.ts';

const MAX_LISTED = 1_000;

export interface WatcherFilter {
  readonly owner?: string | undefined;
  readonly status?: string | undefined;
}

/** Watchers of every owner, the newest first, at most a thousand. */
export async function listAllWatchers(sql: Sql, { owner, status }: WatcherFilter): Promise<Watcher[]> {
  const rows = await sql<WatcherRow[]>`
    select ${watcherColumns(sql)} from watcher
    where ${owner === undefined ? sql`true` : sql`owner = ${owner}`}
      and ${status === undefined ? sql`true` : sql`status = ${status}`}
    order by no desc limit ${MAX_LISTED}`;
  return rows.map(watcherOf);
}

/** A watcher of any owner; null: there is none. */
export async function findAnyWatcher(sql: Sql, id: string): Promise<Watcher | null> {
  const [row] = await sql<WatcherRow[]>`select ${watcherColumns(sql)} from watcher where id = ${id}`;
  return row === undefined ? null : watcherOf(row);
}

/** Gives up to `max` watchers that have not expired to another owner, with a subscription of its own. */
export async function moveWatchers(
  tx: Transaction,
  from: string,
  to: { readonly owner: string; readonly subscription: string },
  { now, max }: { readonly now: Date; readonly max: number },
): Promise<Watcher[]> {
  const rows = await tx<WatcherRow[]>`
    update watcher set owner = ${to.owner}, allowance = ${to.owner}, subscription = ${to.subscription}, grant_id = null,
      version = version + 1, updated_at = ${now}
    where no in (
      select no from watcher where owner = ${from} and status <> 'expired' order by no limit ${max} for update)
    returning ${watcherColumns(tx)}`;
  return rows.map(watcherOf);
}

// SQL of the schedule of digests: when each is due, and the due ones handed to the log of changes.

import type { Cadence } from '../../access/tiers/tiers.ts';
import { appendPrivateEntries } from '../../changes/change-store.ts';
import type { Sql, Transaction } from '../../postgres/client/database.ts';
import { definitionColumns } from '../matching/definition-store.ts';
import { type DefinitionRow, definitionOf } from '../matching/watcher-definition.ts';
import { nextDigestAt } from './digest-schedule.ts';

interface WaitingRow {
  readonly watcherId: string;
  readonly heldSince: string;
  /** When the last digest of the watcher was handed to the log; null: none is in it. */
  readonly handedAt: string | null;
  /** Null: the watcher is gone. */
  readonly cadence: Cadence | null;
  readonly timeZone: string | null;
}

/**
 * Computes when up to `max` digests are due that nobody has computed yet, and returns how many those were. Matching writes the
 * last digest of a watcher without any more: its row is deleted.
 */
export async function scheduleDigests(tx: Transaction, max: number): Promise<number> {
  const rows = await tx<WaitingRow[]>`
    select watcher_id as "watcherId", held_since as "heldSince", cadence, time_zone as "timeZone", (
      select at from change where change.watcher_id = watch_digest.watcher_id and action = 'digest'
      order by batch_id desc limit 1) as "handedAt"
    from watch_digest left join watcher on id = watcher_id
    where due_at is null order by watcher_id limit ${max} for update of watch_digest skip locked`;
  const ended = rows.filter(({ cadence }) => cadence === null || cadence === 'instant');
  if (ended.length > 0)
    await tx`delete from watch_digest where watcher_id = any(${ended.map(({ watcherId }) => watcherId)}::text[])`;
  const due = rows.flatMap(({ watcherId, heldSince, handedAt, cadence, timeZone }) => {
    if (cadence === null || cadence === 'instant') return [];
    // Events that happened before a digest may come to wait after it: it has them, or they are of the next period.
    const after = Math.max(Date.parse(heldSince), Date.parse(handedAt ?? heldSince));
    return [{ watcherId, at: nextDigestAt(after, cadence, timeZone ?? 'UTC') }];
  });
  if (due.length > 0)
    await tx`
      update watch_digest set due_at = to_timestamp(at / 1000)
      from unnest(${due.map(({ watcherId }) => watcherId)}::text[], ${due.map(({ at }) => at)}::float8[]) as due (id, at)
      where watcher_id = id`;
  return rows.length;
}

/**
 * Appends an entry for up to `max` digests that are due, and returns how many; one whose watcher is being changed waits for
 * the next round. A deleted watcher has had its last digest.
 */
export async function appendDueDigests(
  tx: Transaction,
  { now, max }: { readonly now: Date; readonly max: number },
): Promise<number> {
  // Locked, so that no later change of the watcher is in the log before this entry.
  const rows = await tx<DefinitionRow[]>`
    select ${definitionColumns(tx)} from watch_digest join watcher on id = watcher_id
    where due_at <= ${now} order by due_at limit ${max}
    for update of watch_digest skip locked for share of watcher skip locked`;
  const definitions = rows.map(definitionOf);
  await appendPrivateEntries(
    tx,
    definitions.map((data) => ({ watcherId: data.id, action: 'digest', data })),
    now.getTime(),
  );
  await tx`
    delete from watch_digest where watcher_id = any(${definitions.map(({ id }) => id)}::text[])
      or (due_at <= ${now} and not exists (select from watcher where id = watcher_id))`;
  return rows.length;
}

/** Makes the digests of watchers due again: their cadence or time zone was changed. */
export async function restartDigests(tx: Transaction, ids: readonly string[], now: Date): Promise<void> {
  await tx`
    update watch_digest set due_at = null, held_since = greatest(held_since, ${now})
    where watcher_id = any(${[...ids]}::text[])`;
}

/** When the oldest digest was due that is not in the log yet, as RFC 3339; null: none is due. */
export async function findOldestDue(sql: Sql, now: Date): Promise<string | null> {
  const [row] = await sql<{ at: string | null }[]>`
    select min(due_at) as at from watch_digest where due_at <= ${now}`;
  return row?.at ?? null;
}

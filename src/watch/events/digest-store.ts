// SQL of digests: written with what waits for them, started by the first event that waits, and found by their position.

import type { Sql } from '../../postgres/client/database.ts';
import { dayOf } from '../../postgres/client/day-partitions.ts';
import type { LogRange } from './cursor.ts';
import { compareText, type EventDraft, type EventPosition } from './event.ts';
import { isLostAfter } from './position-store.ts';

/** Where the events of a digest stand: after one sequence and before its own. */
export interface DigestRange {
  readonly watcherId: string;
  readonly after: number;
  readonly sequence: number;
}

/**
 * Writes the digests behind which events wait; none is written for nothing. A digest is of the held events between the digest
 * before it and itself, so each of them is in exactly one.
 */
export async function insertDigests(tx: Sql, digests: readonly EventDraft[]): Promise<void> {
  if (digests.length === 0) return;
  await tx`
    insert into watch_event (day, sequence, watcher_id, type, ordinal, owner, listing_id, matched_on, data, at, held)
    select day, sequence, watcher_id, 'watcher.digest', 0, owner, null, '',
      json_build_object('after', start, 'count', waiting.count), at, false
    from (
      select batch.*, greatest(
        (select dropped_through from watch_event_retention),
        (select max(earlier.sequence) from watch_event as earlier where earlier.watcher_id = batch.watcher_id
          and earlier.type = 'watcher.digest' and earlier.sequence < batch.sequence),
        lag(batch.sequence) over (partition by batch.watcher_id order by batch.sequence)) as start
      from (
        select day::date, sequence, watcher_id, owner, to_timestamp(at / 1000) as at
        from unnest(${digests.map(({ at }) => dayOf(at))}::text[], ${digests.map(({ sequence }) => sequence)}::bigint[],
          ${digests.map(({ watcherId }) => watcherId)}::text[], ${digests.map(({ owner }) => owner)}::text[],
          ${digests.map(({ at }) => at)}::float8[]) as drafts (day, sequence, watcher_id, owner, at)
      ) as batch
    ) as digest, lateral (
      select count(*)::integer from watch_event as event where held and event.watcher_id = digest.watcher_id
        and event.sequence > start and event.sequence < digest.sequence
    ) as waiting
    where waiting.count > 0
    on conflict do nothing`;
  // What came to wait since the digest was handed over is in it.
  await tx`
    delete from watch_digest where watcher_id = any(${digests.map(({ watcherId }) => watcherId)}::text[])`;
}

/** Makes the digests of watchers due for which events begin to wait here. */
export async function startDigests(tx: Sql, events: readonly EventDraft[]): Promise<void> {
  const waiting = new Map<string, number>();
  // In the order of the log: a digest among these events has those before it.
  for (const { watcherId, held, type, at } of events.toSorted((a, b) => a.sequence - b.sequence))
    if (type === 'watcher.digest') waiting.delete(watcherId);
    else if (held && !waiting.has(watcherId)) waiting.set(watcherId, at);
  if (waiting.size === 0) return;
  const ordered = [...waiting].sort(([a], [b]) => compareText(a, b));
  await tx`
    insert into watch_digest (watcher_id, held_since)
    select watcher_id, to_timestamp(at / 1000)
    from unnest(${ordered.map(([watcherId]) => watcherId)}::text[], ${ordered.map(([, at]) => at)}::float8[])
      as batch (watcher_id, at)
    where not exists (select from watch_digest as started where started.watcher_id = batch.watcher_id)
    on conflict do nothing`;
}

/** The digest at a position of the log, null if there is none of this owner; and how far the log reaches. */
export async function findDigest(
  sql: Sql,
  owner: string,
  event: EventPosition,
): Promise<LogRange & { readonly digest: DigestRange | null }> {
  const { sequence, watcherId } = event;
  const [row] = await sql<(LogRange & { readonly after: number | null })[]>`
    select log.*, event.after from (
      select position, dropped_through as "droppedThrough", ${isLostAfter(sql, event)} as "isLost"
      from watch_position, watch_event_retention
    ) as log left join lateral (
      select (data ->> 'after')::bigint as after from watch_event
      where watcher_id = ${watcherId} and sequence = ${sequence} and type = 'watcher.digest' and owner = ${owner}
        and not held and sequence <= log.position
    ) as event on true`;
  const { after = null, position = 0, droppedThrough = 0, isLost = false } = row ?? {};
  return { position, droppedThrough, isLost, digest: after === null ? null : { watcherId, sequence, after } };
}

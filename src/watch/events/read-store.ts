// SQL that reads the event log, in order and never past its slowest shard.

import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import type { EventPosition } from './event.ts';
import type { EventType } from './event-types.ts';

/** Whose events to read: of one owner, of one of its watchers, or all. A watcher that was moved has events of two owners. */
export interface EventScope {
  readonly owner?: string;
  readonly watcherId?: string;
}

/** An event as it is stored. Times are RFC 3339. */
export interface EventRow extends EventPosition {
  readonly type: EventType;
  readonly day: string;
  readonly owner: string;
  readonly listingId: string | null;
  /** Names of parameters, separated by commas. */
  readonly matchedOn: string;
  /** JSON. */
  readonly data: string | null;
  /** Of `watcher.throttled`: the events that were dropped in that hour. */
  readonly dropped: number | null;
  readonly at: string;
}

/** The JSON of a listing as the events of a change show it; null where it may not be shown. */
export interface ContentRow {
  readonly sequence: number;
  readonly listingId: string;
  readonly object: string | null;
  readonly previous: string | null;
  /** Names of members, separated by commas. */
  readonly changedFields: string;
}

/** Part of the log: events in order, with what each of them shows. */
export interface EventPage {
  readonly rows: readonly EventRow[];
  readonly contents: readonly ContentRow[];
  /** The place of the last event that was read, where there may be more; null: these were all. */
  readonly next: EventPosition | null;
  /** Sequence up to which the log is complete. */
  readonly horizon: number;
  /** Sequence up to which events may have been dropped. */
  readonly droppedThrough: number;
}

export interface EventRange {
  readonly scope: EventScope;
  /** Null: only the state of the log, no events. */
  readonly after: EventPosition | null;
  readonly types?: readonly EventType[] | undefined;
  readonly limit: number;
  /** Events to leave out when they are read, with what they show. */
  readonly isWanted?: (row: EventRow) => boolean;
}

/** State of the log, with an event or without any. */
type LogRow = Pick<EventPage, 'horizon' | 'droppedThrough'> & (EventRow | { readonly sequence: null });

/** The next events of a range, the oldest first. */
export async function readEvents(sql: Sql, range: EventRange): Promise<EventPage> {
  // One statement, and so one snapshot: what the positions say is written can be read.
  const found = await sql<LogRow[]>`
    select log.horizon, log.dropped_through as "droppedThrough", event.*
    from (
      select (select min(position) from watch_shard) as horizon, dropped_through from watch_event_retention
    ) as log
    left join lateral (${eventsAfter(sql, range)}) as event on true
    order by event.sequence, event."watcherId", event.type, event.ordinal`;
  const read = found.filter((row): row is LogRow & EventRow => row.sequence !== null);
  const rows = range.isWanted === undefined ? read : read.filter(range.isWanted);
  const next = read.length === range.limit ? (read.at(-1) ?? null) : null;
  const { horizon = 0, droppedThrough = 0 } = found[0] ?? {};
  return { rows, contents: await readContents(sql, rows), next, horizon, droppedThrough };
}

function eventsAfter(sql: Sql, { scope, after, types, limit }: EventRange): SqlFragment {
  const start = after ?? { sequence: 0, watcherId: '', type: '', ordinal: 0 };
  return sql`
    select day, sequence, watcher_id as "watcherId", type, ordinal, owner, listing_id as "listingId",
      matched_on as "matchedOn", data::text, at, case when type = 'watcher.throttled' then (
        select dropped from watch_hour
        where watch_hour.owner = watch_event.owner and hour = date_trunc('hour', at, 'UTC')) end as dropped
    from watch_event
    where (sequence, watcher_id, type, ordinal)
        > (${start.sequence}::bigint, ${start.watcherId}, ${start.type}, ${start.ordinal}::int)
      and sequence <= log.horizon ${scopeCondition(sql, scope)}
      ${types === undefined ? sql`` : sql`and type = any(${[...types]}::text[])`}
    order by sequence, watcher_id, type, ordinal
    limit ${after === null ? 0 : limit}`;
}

function scopeCondition(sql: Sql, { owner, watcherId }: EventScope): SqlFragment {
  const isOwners = owner === undefined ? sql`` : sql`and owner = ${owner}`;
  return watcherId === undefined ? isOwners : sql`${isOwners} and watcher_id = ${watcherId}`;
}

/** What these events show, each listing of a change once. */
async function readContents(sql: Sql, rows: readonly EventRow[]): Promise<readonly ContentRow[]> {
  const wanted = new Map(
    rows.flatMap(({ day, sequence, listingId }) =>
      listingId === null ? [] : [[`${sequence} ${listingId}`, { day, sequence, listingId }]],
    ),
  );
  if (wanted.size === 0) return [];
  const keys = [...wanted.values()];
  return sql<ContentRow[]>`
    select content.sequence, content.listing_id as "listingId", object::text, previous::text,
      changed_fields as "changedFields"
    from unnest(${keys.map(({ day }) => day)}::text[], ${keys.map(({ sequence }) => sequence)}::bigint[],
      ${keys.map(({ listingId }) => listingId)}::text[]) as wanted (day, sequence, listing_id),
      lateral (select * from watch_event_content as stored where stored.day = wanted.day::date
        and stored.sequence = wanted.sequence and stored.listing_id = wanted.listing_id limit 1) as content`;
}

/** Whether a watcher is this owner's. */
export async function isOwnWatcher(sql: Sql, owner: string, watcherId: string): Promise<boolean> {
  const rows = await sql`select from watcher where id = ${watcherId} and owner = ${owner}`;
  return rows.length > 0;
}

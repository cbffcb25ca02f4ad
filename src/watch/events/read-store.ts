// SQL that reads the event log, in order and never past the position of the matching.

import type { Reach } from '../../access/tiers/reach.ts';
import { type CreditParts, creditPartsSql } from '../../listings/provenance/credits-store.ts';
import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import type { DigestRange } from './digest-store.ts';
import type { EventPosition } from './event.ts';
import type { EventType } from './event-types.ts';
import { isLostAfter } from './position-store.ts';

/**
 * Whose events to read: of one owner, of one of its watchers, or all. A watcher that was moved has events of two owners. Events
 * that wait for a digest, or are in one, are in that digest's scope alone.
 */
export interface EventScope {
  readonly owner?: string;
  readonly watcherId?: string;
  readonly digest?: DigestRange;
}

/** An event as it is stored. Times are RFC 3339. */
export interface EventRow extends EventPosition {
  readonly type: EventType;
  readonly day: string;
  readonly owner: string;
  readonly listingId: string | null;
  /** Number of the licence that the listing is under; null: there is none, or no listing any more. */
  readonly licenceNo: number | null;
  /** Names of parameters, separated by commas. */
  readonly matchedOn: string;
  /** JSON. */
  readonly data: string | null;
  /** Of `watcher.throttled`: the events that were dropped in that hour. */
  readonly dropped: number | null;
  readonly at: string;
}

/** An event of a digest; `digest` is the sequence of that. */
export type HeldRow = EventRow & { readonly digest: number };

/** The JSON of a listing as the events of a change show it; null where it may not be shown. */
export interface ContentRow {
  readonly sequence: number;
  readonly listingId: string;
  readonly object: string | null;
  readonly previous: string | null;
  /** Names of members, separated by commas. */
  readonly changedFields: string;
  /** Of the listing as it is now; null: there is none any more. */
  readonly credits: CreditParts | null;
}

/** Part of the log: events in order, with what each of them shows. */
export interface EventPage {
  readonly rows: readonly EventRow[];
  readonly contents: readonly ContentRow[];
  /** The first events of the digests among the rows. */
  readonly held: readonly HeldRow[];
  /** The position of the last event that was read, where there may be more; null: these were all. */
  readonly next: EventPosition | null;
  /** Sequence up to which the log is complete. */
  readonly position: number;
  /** Sequence up to which events may have been dropped. */
  readonly droppedThrough: number;
  /** Whether the range begins among events that a restored backup does not have. */
  readonly isLost: boolean;
}

export interface EventRange {
  readonly scope: EventScope;
  /** Null: only the state of the log, no events. */
  readonly after: EventPosition | null;
  readonly types?: readonly EventType[] | undefined;
  readonly limit: number;
  /** True: the newest events after `after`, the newest first. */
  readonly newestFirst?: boolean;
  /** Events to leave out when they are read, with what they show. */
  readonly isWanted?: (row: EventRow) => boolean;
  /** Which events of a digest it counts; default: all. */
  readonly isOpen?: IsOpenEvent;
}

/** Whether the owner of an event may see its listing. */
export type IsOpenEvent = (row: Pick<EventRow, 'owner' | 'licenceNo'>) => boolean;

/** Whether an event is about no listing, or about one that is open to the reader. */
export const isOpenTo =
  (reach: Reach) =>
  ({ licenceNo }: Pick<EventRow, 'licenceNo'>): boolean =>
    licenceNo === null || reach.has(licenceNo);

/** Digests of one read, and events that are read with each. */
const MAX_DIGESTS = 10;
const MAX_HELD = 100;

/** State of the log, with an event or without any. */
type LogRow = Pick<EventPage, 'position' | 'droppedThrough' | 'isLost'> &
  (EventRow | { readonly sequence: null });

/** The next events of a range, the oldest first unless it says otherwise. */
export async function readEvents(sql: Sql, range: EventRange): Promise<EventPage> {
  const order = range.newestFirst ? sql`desc` : sql`asc`;
  // One statement, and so one snapshot: what the position says is written can be read.
  const found = await sql<LogRow[]>`
    select log.position, log.dropped_through as "droppedThrough", log.is_lost as "isLost", event.*
    from (
      select position, dropped_through, ${isLostAfter(sql, range.after)} as is_lost
      from watch_position, watch_event_retention
    ) as log
    left join lateral (${eventsAfter(sql, range)}) as event on true
    order by event.sequence ${order}, event."watcherId" ${order}, event.type ${order}, event.ordinal ${order}`;
  const { owner, digest } = range.scope;
  const present = found.filter((row): row is LogRow & EventRow => row.sequence !== null);
  // A watcher may have been moved while they waited.
  const read =
    digest === undefined || owner === undefined ? present : present.map((row) => ({ ...row, owner }));
  const wanted = range.isWanted === undefined ? read : read.filter(range.isWanted);
  const rows = limitDigests(wanted);
  const last = rows.length < wanted.length ? rows.at(-1) : read.at(range.limit - 1);
  const { position = 0, droppedThrough = 0, isLost = false } = found[0] ?? {};
  const waiting = await readHeld(sql, rows);
  const { isOpen } = range;
  const held = isOpen === undefined ? waiting : waiting.filter(isOpen);
  const shown = isOpen === undefined ? rows : await withOpenDigests(sql, rows, held, isOpen);
  const contents = await readContents(sql, [...shown, ...held]);
  return { rows: shown, contents, held, next: last ?? null, position, droppedThrough, isLost };
}

/** The first of these events: no more than a page can have of digests, which are large. */
function limitDigests<Row extends EventRow>(rows: readonly Row[]): readonly Row[] {
  let digests = 0;
  const end = rows.findIndex(({ type }) => type === 'watcher.digest' && ++digests > MAX_DIGESTS);
  return end === -1 ? rows : rows.slice(0, end);
}

function eventsAfter(sql: Sql, { scope, after, types, limit, newestFirst }: EventRange): SqlFragment {
  const order = newestFirst ? sql`desc` : sql`asc`;
  const start = after ?? { sequence: 0, watcherId: '', type: '', ordinal: 0 };
  return sql`
    select ${eventColumns(sql)}, case when type = 'watcher.throttled' then (
        select dropped from watch_hour
        where watch_hour.owner = watch_event.owner and hour = date_trunc('hour', at, 'UTC')) end as dropped
    from watch_event
    where (sequence, watcher_id, type, ordinal)
        > (${start.sequence}::bigint, ${start.watcherId}, ${start.type}, ${start.ordinal}::int)
      and sequence <= log.position ${scopeCondition(sql, scope)}
      ${types === undefined ? sql`` : sql`and type = any(${[...types]}::text[])`}
    order by sequence ${order}, watcher_id ${order}, type ${order}, ordinal ${order}
    limit ${after === null ? 0 : limit}`;
}

function scopeCondition(sql: Sql, { owner, watcherId, digest }: EventScope): SqlFragment {
  if (digest !== undefined)
    return sql`and held and watcher_id = ${digest.watcherId} and sequence > ${digest.after}
      and sequence < ${digest.sequence}`;
  const isOwners = owner === undefined ? sql`and not held` : sql`and not held and owner = ${owner}`;
  return watcherId === undefined ? isOwners : sql`${isOwners} and watcher_id = ${watcherId}`;
}

const eventColumns = (sql: Sql): SqlFragment => sql`
  day, sequence, watcher_id as "watcherId", type, ordinal, owner, listing_id as "listingId", matched_on as "matchedOn",
  data::text, at, (select licence_no from listing where listing.id = listing_id) as "licenceNo"`;

/** The first events of the digests among these rows, in order. They go to the owner of the digest. */
export async function readHeld(sql: Sql, rows: readonly EventRow[]): Promise<readonly HeldRow[]> {
  const digests = rows.filter(({ type }) => type === 'watcher.digest');
  if (digests.length === 0) return [];
  return sql<HeldRow[]>`
    select event.*, digest.owner, digest.sequence as digest, null as dropped
    from unnest(${digests.map(({ watcherId }) => watcherId)}::text[], ${digests.map(({ owner }) => owner)}::text[],
      ${digests.map(({ sequence }) => sequence)}::bigint[], ${digests.map(startOf)}::bigint[])
      as digest (watcher_id, owner, sequence, start),
      lateral (select ${eventColumns(sql)} from watch_event where held and watcher_id = digest.watcher_id
        and sequence > start and sequence < digest.sequence
        order by sequence, type, ordinal limit ${MAX_HELD}) as event
    order by digest.sequence, event."watcherId", event.sequence, event.type, event.ordinal`;
}

const startOf = ({ data }: EventRow): number => (JSON.parse(data ?? '{}') as { after: number }).after;

/** The rows with digests that count what is open now; those of which nothing is are left out. */
async function withOpenDigests(
  sql: Sql,
  rows: readonly EventRow[],
  held: readonly HeldRow[],
  isOpen: IsOpenEvent,
): Promise<readonly EventRow[]> {
  const counts = await countOpen(sql, rows, held, isOpen);
  return rows.flatMap((row) => withOpenCount(row, counts) ?? []);
}

/** How many events of each digest are open, by `digestKey`. */
export type OpenCounts = ReadonlyMap<string, number>;

const digestKey = ({ sequence, watcherId }: Pick<EventRow, 'sequence' | 'watcherId'>): string =>
  `${sequence} ${watcherId}`;

/** An event as its owner may see it now; null: a digest of which nothing is open any more. */
export function withOpenCount<Row extends EventRow>(row: Row, counts: OpenCounts): Row | null {
  if (row.type !== 'watcher.digest') return row;
  const count = counts.get(digestKey(row)) ?? 0;
  return count === 0 ? null : { ...row, data: JSON.stringify({ ...JSON.parse(row.data ?? '{}'), count }) };
}

/** Counts what is open of the digests among these rows; `held`: the first events of each that are open. */
export async function countOpen(
  sql: Sql,
  rows: readonly EventRow[],
  held: readonly HeldRow[],
  isOpen: IsOpenEvent,
): Promise<OpenCounts> {
  const digests = rows.filter(({ type }) => type === 'watcher.digest');
  const counts = new Map(digests.map((row) => [digestKey(row), 0]));
  const add = (key: string, count: number) => counts.set(key, (counts.get(key) ?? 0) + count);
  const [large, small] = [true, false].map((isLarge) =>
    digests.filter(
      ({ data }) => (JSON.parse(data ?? '{}') as { count: number }).count > MAX_HELD === isLarge,
    ),
  );
  const ofSmall = new Set(small?.map(digestKey));
  for (const { digest, watcherId } of held) {
    const key = digestKey({ sequence: digest, watcherId });
    if (ofSmall.has(key)) add(key, 1);
  }
  if (large === undefined || large.length === 0) return counts;
  const found = await sql<
    (Pick<EventRow, 'sequence' | 'watcherId' | 'owner' | 'licenceNo'> & { count: number })[]
  >`
    select digest.sequence, digest.watcher_id as "watcherId", digest.owner, licence_no as "licenceNo", count(*)::int as count
    from unnest(${large.map(({ watcherId }) => watcherId)}::text[], ${large.map(({ owner }) => owner)}::text[],
      ${large.map(({ sequence }) => sequence)}::bigint[], ${large.map(startOf)}::bigint[])
      as digest (watcher_id, owner, sequence, start),
      lateral (select (select licence_no from listing where listing.id = listing_id) as licence_no from watch_event
        where held and watcher_id = digest.watcher_id and sequence > start and sequence < digest.sequence) as event
    group by 1, 2, 3, 4`;
  for (const row of found) if (isOpen(row)) add(digestKey(row), row.count);
  return counts;
}

/** What these events show, each listing of a change once. */
export async function readContents(sql: Sql, rows: readonly EventRow[]): Promise<readonly ContentRow[]> {
  const wanted = new Map(
    rows.flatMap(({ day, sequence, listingId }) =>
      listingId === null ? [] : [[`${sequence} ${listingId}`, { day, sequence, listingId }]],
    ),
  );
  if (wanted.size === 0) return [];
  const keys = [...wanted.values()];
  return sql<ContentRow[]>`
    select content.sequence, content.listing_id as "listingId", object::text, previous::text,
      changed_fields as "changedFields", ${creditPartsSql(sql, sql`content.listing_id`)} as credits
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

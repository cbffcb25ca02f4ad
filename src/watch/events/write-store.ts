// SQL that writes events: within the hourly limits, and without withdrawn listings.

import { HOUR } from '../../lib/clock.ts';
import type { Sql, Transaction } from '../../postgres/client/database.ts';
import { dayOf } from '../../postgres/client/day-partitions.ts';
import { notify } from '../../postgres/client/listen.ts';
import { toJson } from '../../postgres/client/value-types.ts';
import { insertDigests, startDigests } from './digest-store.ts';
import {
  comparePositions,
  compareText,
  type EventBatch,
  type EventContent,
  type EventDraft,
  type Withdrawal,
} from './event.ts';
import { isAboutWatcher } from './event-types.ts';
import { wakeWebhooks } from './wake-webhooks-store.ts';

/** Channel that wakes readers: events were written, or may be read now. */
export const EVENTS_CHANNEL = 'watch_events';

/**
 * Writes events and their contents. The caller moves the position in the same transaction. Events beyond an owner's hourly limit are
 * counted instead, and the first of them in an hour becomes `watcher.throttled`. A `watcher.digest` is written where events
 * wait for it. An event that is there already stays as it is.
 */
export async function writeEvents(tx: Transaction, batch: EventBatch): Promise<void> {
  const events = await limitByHour(tx, batch.events);
  await deleteContent(tx, batch.withdrawals);
  const shown = new Set(events.map(contentKey));
  await insertContents(
    tx,
    batch.contents.filter((content) => shown.has(contentKey(content))),
  );
  const digests = events.filter(({ type }) => type === 'watcher.digest');
  await insertEvents(
    tx,
    events.filter(({ type }) => type !== 'watcher.digest'),
  );
  await wakeWebhooks(
    tx,
    events.filter(({ held }) => !held),
  );
  await insertDigests(tx, digests);
  await startDigests(tx, events);
  await notify(tx, EVENTS_CHANNEL, '');
}

const contentKey = ({ sequence, listingId }: Pick<EventDraft, 'sequence' | 'listingId'>): string =>
  `${sequence} ${listingId}`;

/** Drafts of one owner and hour that count against its limit. */
interface HourGroup {
  readonly owner: string;
  readonly hour: number;
  readonly limit: number;
  readonly drafts: EventDraft[];
}

/** The events to write: those within the limits, and the announcements of limits that are reached. */
async function limitByHour(tx: Sql, drafts: readonly EventDraft[]): Promise<EventDraft[]> {
  const groups = new Map<string, HourGroup>();
  const admitted: EventDraft[] = [];
  for (const draft of drafts) {
    const { owner, eventsPerHour: limit, type, at } = draft;
    if (limit === null || isAboutWatcher(type)) {
      admitted.push(draft);
      continue;
    }
    const hour = at - (at % HOUR);
    const key = hourKey(owner, hour);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { owner, hour, limit, drafts: [draft] });
    else group.drafts.push(draft);
  }
  if (groups.size > 0) admitted.push(...(await admitGroups(tx, [...groups.values()])));
  return admitted;
}

async function admitGroups(tx: Sql, groups: readonly HourGroup[]): Promise<EventDraft[]> {
  const counts = await lockHours(tx, groups);
  const updated: HourCount[] = [];
  const admitted: EventDraft[] = [];
  for (const { owner, hour, limit, drafts } of groups) {
    const count = counts.get(hourKey(owner, hour)) ?? { owner, hour, events: 0, dropped: 0 };
    const room = Math.max(0, limit - count.events);
    const ordered = drafts.length > room ? drafts.toSorted(comparePositions) : drafts;
    const within = ordered.slice(0, room);
    const first = ordered[room];
    admitted.push(...within);
    if (first !== undefined && count.dropped === 0) admitted.push(throttled(first, limit, hour));
    const { events, dropped } = count;
    updated.push({
      owner,
      hour,
      events: events + within.length,
      dropped: dropped + drafts.length - within.length,
    });
  }
  await updateHours(tx, updated);
  return admitted;
}

/** The announcement that is written instead of the first event beyond the limit. */
function throttled(first: EventDraft, limit: number, hour: number): EventDraft {
  const [from, until] = [new Date(hour).toISOString(), new Date(hour + HOUR).toISOString()];
  return {
    ...first,
    type: 'watcher.throttled',
    ordinal: 0,
    listingId: null,
    matchedOn: [],
    held: false,
    data: { limit, from, until },
  };
}

interface HourCount {
  readonly owner: string;
  readonly hour: number;
  readonly events: number;
  readonly dropped: number;
}

const hourKey = (owner: string, hour: number): string => `${hour} ${owner}`;

/** The counts of these hours, locked until the transaction ends. */
async function lockHours(tx: Sql, groups: readonly HourGroup[]): Promise<Map<string, HourCount>> {
  const rows = await tx<{ owner: string; hour: string; events: number; dropped: number }[]>`
    insert into watch_hour (owner, hour)
    select owner, to_timestamp(hour / 1000)
    from unnest(${groups.map(({ owner }) => owner)}::text[], ${groups.map(({ hour }) => hour)}::float8[]) as batch (owner, hour)
    on conflict (owner, hour) do update set owner = excluded.owner
    returning owner, hour, events, dropped`;
  return new Map(
    rows.map(({ owner, hour, events, dropped }) => {
      const at = Date.parse(hour);
      return [hourKey(owner, at), { owner, hour: at, events, dropped }];
    }),
  );
}

async function updateHours(tx: Sql, counts: readonly HourCount[]): Promise<void> {
  await tx`
    update watch_hour set events = batch.events, dropped = batch.dropped
    from unnest(${counts.map(({ owner }) => owner)}::text[], ${counts.map(({ hour }) => hour)}::float8[],
      ${counts.map(({ events }) => events)}::int[], ${counts.map(({ dropped }) => dropped)}::int[])
      as batch (owner, hour, events, dropped)
    where watch_hour.owner = batch.owner and watch_hour.hour = to_timestamp(batch.hour / 1000)`;
}

/** Deletes what is stored about listings that were withdrawn from view, up to the change that withdrew them. */
async function deleteContent(tx: Sql, withdrawals: readonly Withdrawal[]): Promise<void> {
  if (withdrawals.length === 0) return;
  await tx`
    update watch_event_content as content set object = null, previous = null, changed_fields = ''
    from unnest(${withdrawals.map(({ listingId }) => listingId)}::text[],
      ${withdrawals.map(({ sequence }) => sequence)}::bigint[]) as withdrawn (listing_id, sequence)
    where content.listing_id = withdrawn.listing_id and content.sequence < withdrawn.sequence
      and content.object is not null`;
}

async function insertContents(tx: Sql, contents: readonly EventContent[]): Promise<void> {
  if (contents.length === 0) return;
  const ordered = contents.toSorted(
    (a, b) => a.sequence - b.sequence || compareText(a.listingId, b.listingId),
  );
  const stored = ordered.map(limitSize);
  await tx`
    insert into watch_event_content (day, sequence, listing_id, object, previous, changed_fields)
    select day::date, sequence, listing_id, object::json, previous::json, changed_fields
    from unnest(${ordered.map(({ at }) => dayOf(at))}::text[], ${ordered.map(({ sequence }) => sequence)}::bigint[],
      ${ordered.map(({ listingId }) => listingId)}::text[], ${stored.map(({ object }) => object)}::text[],
      ${stored.map(({ previous }) => previous)}::text[], ${ordered.map(({ changedFields }) => changedFields.join())}::text[])
      as batch (day, sequence, listing_id, object, previous, changed_fields)
    on conflict do nothing`;
}

async function insertEvents(tx: Sql, events: readonly EventDraft[]): Promise<void> {
  if (events.length === 0) return;
  await tx`
    insert into watch_event (day, sequence, watcher_id, type, ordinal, owner, listing_id, matched_on, data, at, held)
    select day::date, sequence, watcher_id, type, ordinal, owner, listing_id, matched_on, data::json, to_timestamp(at / 1000),
      held = 1
    from unnest(${events.map(({ at }) => dayOf(at))}::text[], ${events.map(({ sequence }) => sequence)}::bigint[],
      ${events.map(({ watcherId }) => watcherId)}::text[], ${events.map(({ type }) => type)}::text[],
      ${events.map(({ ordinal }) => ordinal)}::int[], ${events.map(({ owner }) => owner)}::text[],
      ${events.map(({ listingId }) => listingId)}::text[], ${events.map(({ matchedOn }) => matchedOn.join())}::text[],
      ${events.map(({ data }) => (data === undefined ? null : toJson(data)))}::text[],
      ${events.map(({ at }) => at)}::float8[], ${events.map(({ held }) => Number(held))}::int[])
      as batch (day, sequence, watcher_id, type, ordinal, owner, listing_id, matched_on, data, at, held)
    on conflict do nothing`;
}

/** Bytes of the two listings of an event; with the rest of it an event stays below 20 kB. */
const MAX_CONTENT_BYTES = 18_000;

/** The JSON of a content. One that is too large loses its open houses, then all but its id, so that every event is below 20 kB. */
function limitSize({ object, previous, listingId }: EventContent): {
  readonly object: string | null;
  readonly previous: string | null;
} {
  for (const reduce of [(each: object) => each, withoutOpenHouses]) {
    const reduced = {
      object: object === null ? null : toJson(reduce(object)),
      previous: previous === null ? null : toJson(reduce(previous)),
    };
    const size = Buffer.byteLength(reduced.object ?? '') + Buffer.byteLength(reduced.previous ?? '');
    if (size <= MAX_CONTENT_BYTES) return reduced;
  }
  return { object: toJson({ id: listingId }), previous: null };
}

const withoutOpenHouses = (listing: object): object => ({ ...listing, openHouses: undefined });

// SQL that reads what claimed webhooks have to send: tests, redeliveries, and the events behind their positions.

import { creditPartsSql } from '../../listings/provenance/credits-store.ts';
import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { eventId, type PresentedEvent, presentEvents } from '../events/presenter.ts';
import {
  type ContentRow,
  countOpen,
  type EventRow,
  type IsOpenEvent,
  readContents,
  readHeld,
  withOpenCount,
} from '../events/read-store.ts';
import type { ClaimedWebhook, Occasion, QueuedEvent, WebhookState } from './claimed-webhook.ts';

/** What one webhook has to send, in the order in which it is sent. */
export interface WebhookWork {
  readonly events: readonly QueuedEvent[];
  /** Whether its queue may have more, as one has that was not read since its webhook rests or is not verified. */
  readonly hasMore: boolean;
}

/** An event of a claimed webhook. */
interface WebhookEventRow extends EventRow {
  /** Of the webhook. */
  readonly no: number;
  readonly occasion: Occasion;
}

interface JudgedRow extends WebhookEventRow {
  /** Whether its owner may see nothing of it any more. */
  readonly isClosed: boolean;
}

/** An event of a queue, with what it shows: each listing of a change with its first row. */
interface QueueRow extends WebhookEventRow, Pick<ContentRow, 'object' | 'previous' | 'credits'> {
  /** Null: its content is not there, or with an earlier row. */
  readonly changedFields: string | null;
}

interface WorkRequest {
  /** Milliseconds. */
  readonly now: number;
  /** Events to read of one queue at most. */
  readonly limit: number;
  readonly publicUrl: string;
  /** Whether the owner of an event may see its listing. */
  readonly isOpen: IsOpenEvent;
}

/** Redeliveries of one webhook at once. */
const MAX_REDELIVERIES = 10;

/** What claimed webhooks have to send, by their numbers: tests and redeliveries, then their queues. */
export async function readWork(
  sql: Sql,
  webhooks: readonly ClaimedWebhook[],
  { now, limit, publicUrl, isOpen }: WorkRequest,
): Promise<ReadonlyMap<number, WebhookWork>> {
  const outOfTurn = await readOutOfTurn(sql, webhooks);
  const open = webhooks.filter(({ state }) => isQueueOpen(state, now));
  const queued = await readQueues(sql, open, limit);
  const written: readonly WebhookEventRow[] = [...outOfTurn, ...limitDigests(queued)];
  const held = (await readHeld(sql, written)).filter(isOpen);
  const counts = await countOpen(sql, written, held, isOpen);
  // What has been closed since is passed over in its turn.
  const rows = written.map((row) => {
    const counted = withOpenCount(row, counts);
    return { ...(counted ?? row), isClosed: counted === null || !isOpen(row) };
  });
  const shown = outOfTurn.filter(isOpen);
  const contents = [...contentsOf(queued.filter(isOpen)), ...(await readContents(sql, [...shown, ...held]))];
  const presented = presentEvents({ rows, contents, held }, publicUrl);
  const events = presented.map((event, at) => queuedOf(rows[at], event));
  const byWebhook = Map.groupBy(events, (_, at) => rows[at]?.no ?? 0);
  return new Map(
    webhooks.map(({ no, state }) => {
      const ofOne = byWebhook.get(no) ?? [];
      const queue = ofOne.filter(({ occasion }) => occasion === 'queue');
      const isCut = queue.length === limit || queue.at(-1)?.position.type === 'watcher.digest';
      return [no, { events: ofOne, hasMore: isCut || !isQueueOpen(state, now) }];
    }),
  );
}

const isQueueOpen = ({ status, retryAt }: WebhookState, now: number): boolean =>
  status !== 'unverified' && (retryAt === null || retryAt <= now);

/** Tests, then redeliveries, of those that have any. */
async function readOutOfTurn(
  sql: Sql,
  claimed: readonly ClaimedWebhook[],
): Promise<readonly WebhookEventRow[]> {
  const webhooks = claimed.filter(({ state, hasRedelivery }) => state.testSequence !== null || hasRedelivery);
  if (webhooks.length === 0) return [];
  const verified = webhooks.filter(({ state }) => state.status !== 'unverified');
  return sql<WebhookEventRow[]>`
    select webhook.no, 'test' as occasion, ${eventColumns(sql)}
    from unnest(${webhooks.map(({ no }) => no)}::bigint[], ${webhooks.map(({ watcherId }) => watcherId)}::text[],
      ${webhooks.map(({ state }) => state.testSequence)}::bigint[]) as webhook (no, watcher_id, test_sequence)
    join watch_event on watch_event.sequence = test_sequence and watch_event.watcher_id = webhook.watcher_id
      and watch_event.type = 'watcher.test'
    union all
    select webhook.no, 'redelivery', ${eventColumns(sql)}
    from unnest(${verified.map(({ no }) => no)}::bigint[], ${verified.map(({ watcherId }) => watcherId)}::text[])
        as webhook (no, watcher_id)
      cross join lateral (
        select day, sequence, type, ordinal from webhook_delivery
        where webhook_no = webhook.no and redeliver_at is not null order by redeliver_at limit ${MAX_REDELIVERIES}
      ) as requested
      join watch_event using (day, sequence, type, ordinal)
    where watch_event.watcher_id = webhook.watcher_id
    order by no, occasion desc, sequence, type, ordinal`;
}

/**
 * The queues of these webhooks. Events are written in order: all that can be seen is complete. The first day is a value of the statement, so that it opens no partitions before; the comparison
 * begins with the watcher, so that it does not walk the index of all watchers.
 */
async function readQueues(
  sql: Sql,
  webhooks: readonly ClaimedWebhook[],
  limit: number,
): Promise<readonly QueueRow[]> {
  if (webhooks.length === 0) return [];
  const of = <T>(value: (webhook: ClaimedWebhook) => T): T[] => webhooks.map(value);
  const days = of(({ state }) => state.positionDay);
  // '-infinity' is the first of texts too.
  const [firstDay = ''] = days.toSorted();
  return sql<QueueRow[]>`
    select event.*, content.* from (
      select webhook.no, 'queue' as occasion, event.*,
        row_number() over (partition by event.sequence, event."listingId") = 1 as "isFirst"
      from unnest(${of(({ no }) => no)}::bigint[], ${of(({ watcherId }) => watcherId)}::text[],
          ${of(({ state }) => state.position.sequence)}::bigint[], ${of(({ state }) => state.position.type)}::text[],
          ${of(({ state }) => state.position.ordinal)}::int[], ${days}::text[])
          as webhook (no, watcher_id, position_sequence, position_type, position_ordinal, position_day),
        lateral (
          select ${eventColumns(sql)} from watch_event
          where watch_event.watcher_id = webhook.watcher_id and (watch_event.watcher_id, sequence, type, ordinal)
              > (webhook.watcher_id, position_sequence, position_type, position_ordinal)
            and day >= ${firstDay}::date - 1 and day >= position_day::date - 1 and type <> 'watcher.test' and not held
          order by sequence, type, ordinal limit ${limit}
        ) as event
    ) as event left join lateral (
      select object::text, previous::text, changed_fields as "changedFields",
        ${creditPartsSql(sql, sql`stored.listing_id`)} as credits
      from watch_event_content as stored
      where stored.day >= ${firstDay}::date - 1 and stored.day = event.day and stored.sequence = event.sequence
        and stored.listing_id = event."listingId" limit 1
    ) as content on "isFirst"
    order by no, sequence, type, ordinal`;
}

/** What the rows show, each listing of a change once. */
function contentsOf(rows: readonly QueueRow[]): readonly ContentRow[] {
  return rows.flatMap(({ sequence, listingId, object, previous, changedFields, credits }) =>
    listingId === null || changedFields === null
      ? []
      : [{ sequence, listingId, object, previous, changedFields, credits }],
  );
}

/** Digests are large: what follows one in its queue is read the next time. */
function limitDigests(rows: readonly QueueRow[]): readonly QueueRow[] {
  const cut = new Set<number>();
  return rows.filter(({ no, type }) => {
    if (cut.has(no)) return false;
    if (type === 'watcher.digest') cut.add(no);
    return true;
  });
}

const eventColumns = (sql: Sql): SqlFragment => sql`
  watch_event.day, watch_event.sequence, watch_event.watcher_id as "watcherId", watch_event.type, watch_event.ordinal,
  watch_event.owner, listing_id as "listingId", matched_on as "matchedOn", data::text, watch_event.at,
  (select licence_no from listing where listing.id = listing_id) as "licenceNo",
  case when watch_event.type = 'watcher.throttled' then (
    select dropped from watch_hour where watch_hour.owner = watch_event.owner
      and hour = date_trunc('hour', watch_event.at, 'UTC')) end as dropped`;

function queuedOf(
  row: JudgedRow | undefined,
  { json, shown }: Pick<PresentedEvent, 'json' | 'shown'>,
): QueuedEvent {
  if (row === undefined) throw new Error('An event without a row');
  const { occasion, sequence, type, ordinal, day, owner, isClosed } = row;
  return {
    occasion,
    isClosed,
    day,
    json,
    owner,
    shown,
    position: { sequence, type, ordinal },
    at: Date.parse(row.at),
    id: eventId(row),
  };
}

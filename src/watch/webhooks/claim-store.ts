// SQL of claims: webhooks that are due, each for one process and one time. Claims are by the clock of the database.

import { parseTime } from '../../lib/clock.ts';
import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import type { IsOpenEvent } from '../events/read-store.ts';
import type { ClaimedWebhook, WebhookState } from './claimed-webhook.ts';
import type { HostUse } from './host-slots.ts';
import { readWork, type WebhookWork } from './queue-store.ts';

export interface ClaimRequest {
  /** Unknown to any other claim. */
  readonly claim: string;
  readonly now: Date;
  /** Milliseconds. */
  readonly lifetime: number;
  /** Webhooks to claim at most. */
  readonly max: number;
  /** Failing ones among them. */
  readonly maxFailing: number;
  /** To one host. */
  readonly perHost: number;
  readonly perFailingHost: number;
  /** What the hosts have now. */
  readonly hosts: readonly HostUse[];
  /** Events to read at most, divided among the queues; of one of them at least and at most. */
  readonly maxEvents: number;
  readonly minQueue: number;
  readonly maxQueue: number;
  readonly publicUrl: string;
  /** Whether the owner of an event may see its listing. */
  readonly isOpen: IsOpenEvent;
}

export interface Claim {
  readonly webhook: ClaimedWebhook;
  readonly work: WebhookWork;
}

export interface Claims {
  readonly claims: readonly Claim[];
  /** Whether more may be due. */
  readonly hasMore: boolean;
}

interface WebhookRow
  extends Omit<ClaimedWebhook, 'state' | 'claim' | 'previousSecretUntil' | 'verifyStartedAt'> {
  readonly previousSecretUntil: string | null;
  readonly verifyStartedAt: string | null;
  readonly status: WebhookState['status'];
  readonly positionSequence: number;
  readonly positionType: string;
  readonly positionOrdinal: number;
  readonly positionDay: string;
  readonly attempt: number;
  readonly failures: number;
  readonly retryAt: string | null;
  readonly failingSince: string | null;
  readonly lastSuccessAt: string | null;
  readonly lastError: string | null;
  readonly pendingSince: string | null;
  readonly testSequence: number | null;
  readonly hasRedelivery: boolean;
  readonly candidates: number;
}

/** Rows that are looked at for each that is wanted: a host with many does not hide the others for long. */
const SCAN = 4;

/**
 * Claims webhooks that are due, the longest first, and of one host no more than it has room for; then reads what they have to
 * send, which so has every event that the claim counts. A claim that a crash of the database forgets costs a repeated delivery
 * at most, so nobody waits until it is on disk.
 */
export async function claimWebhooks(sql: Sql, request: ClaimRequest): Promise<Claims> {
  const { claim, now, lifetime, max, maxEvents, minQueue, maxQueue, publicUrl, isOpen } = request;
  const rows = await sql<WebhookRow[]>`
    with ${chosenWebhooks(sql, request)}, claimed as (
      update webhook set claim = ${claim}, claimed_until = clock_timestamp() + ${lifetime}::int * interval '1 millisecond'
      from chosen where webhook.no = chosen.no and set_config('synchronous_commit', 'off', true) is not null
      returning webhook.*
    )
    select no, id, watcher_id as "watcherId", url, host, is_inner as "isInner", status, secret,
      previous_secret as "previousSecret", previous_secret_until as "previousSecretUntil",
      verify_started_at as "verifyStartedAt", wakes, updated_at as "updatedAt", position_sequence as "positionSequence",
      position_type as "positionType", position_ordinal as "positionOrdinal", position_day::text as "positionDay", attempt,
      failures, retry_at as "retryAt", failing_since as "failingSince", last_success_at as "lastSuccessAt",
      last_error as "lastError", pending_since as "pendingSince", test_sequence as "testSequence",
      (select watcher.status_reason = 'owner' and watcher.status = 'paused' from watcher
        where watcher.no = watcher_no) is true as "isPaused",
      exists (select from webhook_delivery where webhook_no = claimed.no and redeliver_at is not null) as "hasRedelivery",
      (select count(*)::int from candidate) as candidates
    from claimed`;
  const webhooks = rows.map((row) => claimedOf(row, claim));
  const limit = Math.max(minQueue, Math.min(maxQueue, Math.floor(maxEvents / Math.max(rows.length, 1))));
  const work = await readWork(sql, webhooks, { now: now.getTime(), limit, publicUrl, isOpen });
  const candidates = rows[0]?.candidates ?? 0;
  return {
    claims: webhooks.map((webhook) => ({
      webhook,
      work: work.get(webhook.no) ?? { events: [], hasMore: false },
    })),
    hasMore: rows.length > 0 && (candidates > rows.length || candidates === max * SCAN),
  };
}

/** CTEs up to `chosen`: the webhooks to claim, locked as this statement sees them. */
function chosenWebhooks(sql: Sql, request: ClaimRequest): SqlFragment {
  const { now, max, hosts, perHost, perFailingHost } = request;
  const full = (isFailing: boolean) =>
    hosts
      .filter((each) => each.isFailing === isFailing && each.used >= (isFailing ? perFailingHost : perHost))
      .map(({ host }) => host);
  return sql`
    busy as (
      select host, failing = 1 as failing, used from unnest(${hosts.map(({ host }) => host)}::text[],
        ${hosts.map(({ isFailing }) => Number(isFailing))}::int[], ${hosts.map(({ used }) => used)}::int[]) as busy (host, failing, used)
    ), candidate as materialized (
      select no, host, due_at, failures > 0 as failing, xmin as version from webhook
      where due_at <= ${now} and (claimed_until is null or claimed_until < clock_timestamp())
        and case when failures > 0 then ${request.maxFailing}::int > 0 and host <> all(${full(true)}::text[]) else host <> all(${full(false)}::text[]) end
      order by due_at limit ${max * SCAN}
    ), ranked as (
      select no, failing, version,
        coalesce(used, 0) + row_number() over (partition by host, failing order by due_at, no) as host_place,
        row_number() over (partition by failing order by due_at, no) as class_place
      from candidate left join busy using (host, failing)
    ), chosen as (
      select webhook.no from webhook join ranked using (no)
      where host_place <= case when failing then ${perFailingHost}::int else ${perHost}::int end
        and (not failing or class_place <= ${request.maxFailing}::int)
        and webhook.xmin = version and due_at <= ${now}
      order by due_at limit ${max} for update of webhook skip locked
    )`;
}

/** Renews claims for `lifetime` milliseconds from now; returns the numbers of the webhooks that are still claimed so. */
export async function renewClaims(
  sql: Sql,
  claimed: readonly Pick<ClaimedWebhook, 'no' | 'claim'>[],
  lifetime: number,
): Promise<ReadonlySet<number>> {
  const rows = await sql<{ no: number }[]>`
    with item as (
      select * from unnest(${claimed.map(({ no }) => no)}::bigint[], ${claimed.map(({ claim }) => claim)}::text[]) as item (no, claim)
    ), claimed as (
      select webhook.no from webhook join item on webhook.no = item.no and webhook.claim = item.claim
      order by webhook.no for update of webhook
    )
    update webhook set claimed_until = clock_timestamp() + ${lifetime}::int * interval '1 millisecond'
    from claimed where webhook.no = claimed.no and set_config('synchronous_commit', 'off', true) is not null
    returning webhook.no`;
  return new Set(rows.map(({ no }) => no));
}

function claimedOf(row: WebhookRow, claim: string): ClaimedWebhook {
  const { no, id, watcherId, url, host, isInner, secret, previousSecret, isPaused, wakes, updatedAt } = row;
  const { hasRedelivery, status, positionDay, attempt, failures, lastError, testSequence } = row;
  const position = { sequence: row.positionSequence, type: row.positionType, ordinal: row.positionOrdinal };
  const state: WebhookState = {
    status,
    position,
    positionDay,
    attempt,
    failures,
    lastError,
    testSequence,
    retryAt: parseTime(row.retryAt),
    failingSince: parseTime(row.failingSince),
    lastSuccessAt: parseTime(row.lastSuccessAt),
    pendingSince: parseTime(row.pendingSince),
  };
  return {
    no,
    id,
    watcherId,
    url,
    host,
    isInner,
    secret,
    previousSecret,
    isPaused,
    hasRedelivery,
    wakes,
    updatedAt,
    state,
    claim,
    previousSecretUntil: parseTime(row.previousSecretUntil),
    verifyStartedAt: parseTime(row.verifyStartedAt),
  };
}

/** When the next webhook becomes due after a time, in milliseconds; null: none does. */
export async function findNextDue(sql: Sql, now: Date): Promise<number | null> {
  const [row] = await sql<{ at: string | null }[]>`
    select min(due_at) as at from webhook where due_at > ${now}`;
  return parseTime(row?.at ?? null);
}

/** Time of the oldest event that waits to be delivered, in milliseconds; null: none waits. */
export async function findOldestPending(sql: Sql): Promise<number | null> {
  const [row] = await sql<{ at: string | null }[]>`
    select min(pending_since) as at from webhook where due_at is not null and status in ('active', 'failing')`;
  return parseTime(row?.at ?? null);
}

/** Whether there is a webhook at all. */
export async function isAnyWebhook(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`select exists (select from webhook) as found`;
  return row?.found === true;
}

// SQL that writes what came of deliveries: those of many webhooks in one statement, each only under the claim it was made with.

import { parseTime } from '../../lib/clock.ts';
import type { Sql } from '../../postgres/client/database.ts';
import { toJson } from '../../postgres/client/value-types.ts';
import type { AttemptOutcome } from './attempt-rules.ts';
import type { Attempt, ClaimedWebhook, QueuedEvent, WebhookState } from './claimed-webhook.ts';

/** What is to be written about one webhook. */
export interface Outcome {
  readonly webhook: ClaimedWebhook;
  readonly state: WebhookState;
  /** Null: there was no attempt. */
  readonly delivery: Delivery | null;
  /** Gives the webhook back; null: the claim continues. */
  readonly release: Release | null;
}

/** An attempt to record. */
export interface Delivery extends Pick<AttemptOutcome, 'status' | 'nextAttemptAt'> {
  readonly id: string;
  readonly event: QueuedEvent;
  readonly attempt: Attempt;
}

export interface Release {
  /** When it is to be looked at next, in milliseconds; null: once there is something to send. */
  readonly dueAt: number | null;
}

/** What a webhook is after its outcome was written; absent: the claim was lost, and nothing was written. */
export interface RecordedWebhook {
  readonly isPaused: boolean;
  readonly updatedAt: string;
  /** Milliseconds; null: nothing is to be sent. */
  readonly dueAt: number | null;
}

interface HeldRow extends Omit<RecordedWebhook, 'dueAt'> {
  readonly no: number;
  readonly dueAt: string | null;
}

export interface OutcomeOptions {
  /** Milliseconds from now until which a claim that is not given back lasts. */
  readonly lifetime: number;
  readonly now: Date;
}

/**
 * At most one outcome of a webhook. Results in the order of the outcomes. An outcome that a crash of the database forgets costs
 * a repeated delivery at most, so nobody waits until it is on disk.
 */
export async function writeOutcomes(
  sql: Sql,
  outcomes: readonly Outcome[],
  { lifetime, now }: OutcomeOptions,
): Promise<readonly (RecordedWebhook | undefined)[]> {
  const rows = await sql<HeldRow[]>`
    with item as (
      select * from json_to_recordset(${toJson(outcomes.map(itemOf))}::text::json) as item (no bigint, claim text, wakes bigint,
        status text, sequence bigint, type text, ordinal int, day date, attempt int, failures int, "retryAt" float8,
        "failingSince" float8, "lastSuccessAt" float8, "lastError" text, "pendingSince" float8, "testBefore" bigint,
        "testAfter" bigint, "isReleased" boolean, "dueAt" float8, delivery json)
    ), recorded as (
      select webhook.no from webhook join item on webhook.no = item.no and webhook.claim = item.claim
      order by webhook.no for update of webhook
    ), written as (
      update webhook set status = item.status, position_sequence = item.sequence, position_type = item.type,
        position_ordinal = item.ordinal, position_day = item.day, attempt = item.attempt, failures = item.failures,
        retry_at = to_timestamp("retryAt" / 1000), failing_since = to_timestamp("failingSince" / 1000),
        last_success_at = to_timestamp("lastSuccessAt" / 1000), last_error = "lastError",
        pending_since = case when webhook.wakes = item.wakes then to_timestamp("pendingSince" / 1000)
          else coalesce(to_timestamp("pendingSince" / 1000), ${now}) end,
        test_sequence = case when test_sequence is not distinct from "testBefore" then "testAfter" else test_sequence end,
        claim = case when "isReleased" then null else webhook.claim end,
        claimed_until = case when "isReleased" then null else clock_timestamp() + ${lifetime}::int * interval '1 millisecond' end,
        due_at = case when not "isReleased" then due_at when webhook.wakes = item.wakes then to_timestamp("dueAt" / 1000)
          else ${now} end
      from item join recorded on recorded.no = item.no
      where webhook.no = item.no and set_config('synchronous_commit', 'off', true) is not null
      returning webhook.no, watcher_no, watcher_id, webhook.updated_at, due_at, item.delivery
    ), logged as (
      insert into webhook_delivery (day, id, webhook_no, watcher_id, sequence, type, ordinal, event_id, status, attempt,
        http_status, latency_ms, response, error, at, next_attempt_at)
      select attempt.day, attempt.id, no, watcher_id, attempt.sequence, attempt.type, attempt.ordinal, "eventId", attempt.status, 1,
        "httpStatus", latency, response, error, to_timestamp(at / 1000), to_timestamp("nextAttemptAt" / 1000)
      from written, json_to_record(delivery) as attempt (day date, id text, sequence bigint, type text, ordinal int,
        "eventId" text, status text, "httpStatus" smallint, latency int, response text, error text, at float8,
        "nextAttemptAt" float8)
      where delivery is not null
      on conflict (id, day) do update set status = excluded.status, attempt = webhook_delivery.attempt + 1,
        http_status = excluded.http_status, latency_ms = excluded.latency_ms, response = excluded.response,
        error = excluded.error, at = excluded.at, next_attempt_at = excluded.next_attempt_at, redeliver_at = null
    )
    select written.no, written.updated_at as "updatedAt", written.due_at as "dueAt",
      watcher.status = 'paused' and watcher.status_reason = 'owner' as "isPaused"
    from written left join watcher on watcher.no = watcher_no`;
  const recorded = new Map(rows.map((row) => [row.no, { ...row, dueAt: parseTime(row.dueAt) }]));
  return outcomes.map(({ webhook }) => recorded.get(webhook.no));
}

/** What the statement reads of an outcome. Times in milliseconds. */
function itemOf({ webhook, state, delivery, release }: Outcome) {
  const { position, positionDay, testSequence, ...members } = state;
  return {
    ...members,
    ...position,
    day: positionDay,
    testBefore: webhook.state.testSequence,
    testAfter: testSequence,
    no: webhook.no,
    claim: webhook.claim,
    wakes: webhook.wakes,
    isReleased: release !== null,
    dueAt: release?.dueAt ?? null,
    delivery: delivery === null ? null : deliveryOf(delivery),
  };
}

function deliveryOf({ id, event, attempt, status, nextAttemptAt }: Delivery) {
  const { httpStatus, response, error, at } = attempt;
  return {
    id,
    eventId: event.id,
    day: event.day,
    ...event.position,
    status,
    nextAttemptAt,
    httpStatus,
    latency: Math.round(attempt.latency),
    response,
    error,
    at,
  };
}

// SQL of the inbox: events of payment services, stored once each, claimed by one process at a time. All times are the database's.

import type { Sql } from '../postgres/client/database.ts';

/** Channel of notifications about events that are due; without a payload. */
export const BILLING_CHANNEL = 'billing_events';

export type ProviderName = 'polar' | 'stripe';

export interface NewEvent {
  readonly provider: ProviderName;
  /** As the service names it. */
  readonly id: string;
  readonly type: string;
  /** What to fetch, each as kind:id. */
  readonly subjects: readonly string[];
}

/** Stores an event and wakes every process; false: it was stored before, and nothing changes. */
export async function insertEvent(sql: Sql, { provider, id, type, subjects }: NewEvent): Promise<boolean> {
  const rows = await sql`
    with added as (
      insert into billing_event (provider, id, type, subjects, received_at, due_at)
      values (${provider}, ${id}, ${type}, ${[...subjects]}::text[], ${now(sql)}, ${now(sql)})
      on conflict (provider, id) do nothing returning no
    )
    select pg_notify(${BILLING_CHANNEL}, '') from added`;
  return rows.length > 0;
}

/** An event that this process works on until its claim ends. */
export interface ClaimedEvent {
  readonly no: number;
  readonly type: string;
  readonly subjects: readonly string[];
  /** Tries before this one. */
  readonly attempts: number;
}

export interface ClaimRequest {
  readonly provider: ProviderName;
  /** A UUID, unknown to any other claim. */
  readonly claim: string;
  /** Milliseconds. */
  readonly lifetime: number;
  readonly max: number;
}

/** Claims events that are due, the longest first. While one is claimed it is due at the end of its claim, whatever becomes of us. */
export async function claimEvents(
  sql: Sql,
  { provider, claim, lifetime, max }: ClaimRequest,
): Promise<readonly ClaimedEvent[]> {
  return sql<ClaimedEvent[]>`
    with chosen as materialized (
      select no from billing_event where due_at <= clock_timestamp() and provider = ${provider}
      order by due_at limit ${max} for update skip locked
    )
    update billing_event set claim = ${claim}, due_at = ${after(sql, lifetime)}
    from chosen where billing_event.no = chosen.no
    returning billing_event.no, type, subjects, attempts`;
}

/** Lets the events that are still claimed be so for longer. */
export async function prolongClaim(sql: Sql, claim: string, lifetime: number): Promise<void> {
  await sql`update billing_event set due_at = ${after(sql, lifetime)} where claim = ${claim} and due_at is not null`;
}

/** What became of a claimed event. `released`: it was not tried, and is due at once. */
export type EventOutcome =
  | { readonly kind: 'handled' }
  | { readonly kind: 'released' }
  | { readonly kind: 'failed'; readonly error: string; readonly pause: number };

const MAX_ERROR_LENGTH = 500;

/** Writes what became of an event and ends its claim; false: the claim is another's by now, and nothing was written. */
export async function finishEvent(
  sql: Sql,
  { no, claim }: { readonly no: number; readonly claim: string },
  outcome: EventOutcome,
): Promise<boolean> {
  const changes = {
    handled: () => sql`handled_at = ${now(sql)}, due_at = null, attempts = attempts + 1, last_error = null`,
    released: () => sql`due_at = ${now(sql)}`,
    failed: () => {
      const { error, pause } = outcome as Extract<EventOutcome, { kind: 'failed' }>;
      return sql`due_at = ${after(sql, pause)}, attempts = attempts + 1, last_error = ${error.slice(0, MAX_ERROR_LENGTH)}`;
    },
  };
  const { count } = await sql`
    update billing_event set ${changes[outcome.kind]()}, claim = null where no = ${no} and claim = ${claim}`;
  return count === 1;
}

/** References of the subscriptions in force that we know this customer by. */
export async function findReferencesOf(
  sql: Sql,
  provider: ProviderName,
  customer: string,
): Promise<readonly string[]> {
  const rows = await sql<{ reference: string }[]>`
    select reference from provider_subscription where provider = ${provider} and customer = ${customer} order by reference`;
  return rows.map(({ reference }) => reference);
}

/** Milliseconds for which the oldest event that is not handled has waited; null: none waits. */
export async function findOldestWaiting(sql: Sql, provider: ProviderName): Promise<number | null> {
  const [row] = await sql<{ age: number | null }[]>`
    select extract(epoch from clock_timestamp() - min(received_at))::float8 * 1000 as age
    from billing_event where due_at is not null and provider = ${provider}`;
  return row?.age ?? null;
}

/** Days for which handled events are kept. */
const KEPT_DAYS = 30;

/** Deletes handled events of long ago, and events of a service that is not asked any more. */
export async function deleteOldEvents(sql: Sql, provider: ProviderName): Promise<void> {
  await sql`
    delete from billing_event
    where received_at < clock_timestamp() - make_interval(days => ${KEPT_DAYS})
      and (handled_at is not null or provider <> ${provider})`;
}

/** An event as the operator sees it. Times in RFC 3339. */
export interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly subjects: readonly string[];
  readonly receivedAt: string;
  /** Null: it waits. */
  readonly handledAt: string | null;
  readonly attempts: number;
  /** Of the next try, or of the end of the one under way; null: it is handled. */
  readonly dueAt: string | null;
  readonly lastError: string | null;
}

/** The events that came last, the newest first. */
export async function listEvents(
  sql: Sql,
  { provider, isWaiting, max }: { provider: ProviderName; isWaiting: boolean; max: number },
): Promise<readonly EventRow[]> {
  return sql<EventRow[]>`
    select ${columns(sql)} from billing_event
    where provider = ${provider} ${isWaiting ? sql`and due_at is not null` : sql``}
    order by no desc limit ${max}`;
}

/** Makes an event due now, handled or not, and wakes every process; null: there is none with this id. */
export async function replayEvent(sql: Sql, provider: ProviderName, id: string): Promise<EventRow | null> {
  const [row] = await sql<EventRow[]>`
    with replayed as (
      update billing_event set handled_at = null, due_at = ${now(sql)}, claim = null
      where provider = ${provider} and id = ${id} returning *
    )
    select ${columns(sql)} from replayed, pg_notify(${BILLING_CHANNEL}, '')`;
  return row ?? null;
}

const columns = (sql: Sql) => sql`
  id, type, subjects, received_at as "receivedAt", handled_at as "handledAt", attempts, due_at as "dueAt",
  last_error as "lastError"`;

/** Rounded down: what is due now must not be a fraction of a millisecond ahead. */
const now = (sql: Sql) => sql`date_trunc('milliseconds', clock_timestamp())`;

const after = (sql: Sql, milliseconds: number) =>
  sql`date_trunc('milliseconds', clock_timestamp() + ${milliseconds}::float8 * interval '1 millisecond')`;

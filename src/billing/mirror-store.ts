// SQL of the mirror: what a payment service says of its subscriptions, read with its age and replaced in the order of requests.

import { SUBSCRIPTIONS_CHANNEL } from '../access/providers/subscription-store.ts';
import type { RefusalReason, SubscriptionStatus } from '../access/tiers/provider.ts';
import type { Plan } from '../access/tiers/tiers.ts';
import type { Sql, Transaction } from '../postgres/client/database.ts';
import type { PaymentService, ProviderSubscription } from './payment-service.ts';

type ServiceName = PaymentService['name'];

/** A request to the payment service, numbered and dated by the database before it begins. */
export interface NumberedRequest {
  /** Grows with each request of any process. */
  readonly number: number;
  /** RFC 3339, rounded down. */
  readonly checkedAt: string;
}

/** A row of the mirror. */
export interface MirroredSubscription extends ProviderSubscription {
  /** Milliseconds since its request began, and the tolerance; infinite for a row from the future. */
  readonly age: number;
  /** Of its request. */
  readonly number: number;
}

export interface SaveOptions {
  /** Whether processes are notified of new subscriptions, too; default: not. */
  readonly notifiesNew?: boolean;
  /** Called at the end of the transaction; throws where it must not be committed. */
  readonly hold?: (tx: Transaction) => Promise<void>;
}

interface Row {
  readonly reference: string;
  readonly keyHash: Buffer | null;
  readonly state: SubscriptionStatus['state'];
  readonly reason: RefusalReason | null;
  readonly customer: string | null;
  readonly tier: Plan | null;
  /** Milliseconds. */
  readonly endsAt: number | null;
  /** Milliseconds; negative: the row is from the future. */
  readonly age: number;
  readonly number: number;
}

/** Milliseconds that are added to each age. */
const TOLERANCE = 250;

/** A number and a date for a request that follows. */
export async function numberRequest(sql: Sql): Promise<NumberedRequest> {
  const [row] = await sql<NumberedRequest[]>`
    select nextval('subscription_question') as number,
      date_trunc('milliseconds', clock_timestamp()) as "checkedAt"`;
  if (row === undefined) throw new Error('The database returned no number');
  return row;
}

/** Notifies every process that these subscriptions have changed, once the transaction is committed. */
export async function notifyChanges(tx: Transaction, references: readonly string[]): Promise<void> {
  if (references.length === 0) return;
  await tx`select pg_notify(${SUBSCRIPTIONS_CHANNEL}, reference) from unnest(${[...references]}::text[]) as reference`;
}

/** The rows of these keys, in their order; null where there is none. */
export async function findByKeyHashes(
  sql: Sql,
  service: ServiceName,
  keyHashes: readonly Buffer[],
): Promise<readonly (MirroredSubscription | null)[]> {
  const rows = await sql<Row[]>`
    select ${columns(sql)} from provider_subscription
    where provider = ${service} and key_hash = any(${[...keyHashes]}::bytea[])`;
  const byHash = new Map(rows.map((row) => [row.keyHash?.toString('hex'), subscriptionOf(row)]));
  return keyHashes.map((keyHash) => byHash.get(keyHash.toString('hex')) ?? null);
}

/** The rows of these references, in their order. */
export async function findByReferences(
  sql: Sql,
  service: ServiceName,
  references: readonly string[],
): Promise<readonly (MirroredSubscription | null)[]> {
  const rows = await sql<Row[]>`
    select ${columns(sql)} from provider_subscription
    where provider = ${service} and reference = any(${[...references]}::text[])`;
  const byReference = new Map(rows.map((row) => [row.reference, subscriptionOf(row)]));
  return references.map((reference) => byReference.get(reference) ?? null);
}

/** The rows of these references, locked in their order. */
export async function lockRows(
  tx: Transaction,
  service: ServiceName,
  references: readonly string[],
): Promise<ReadonlyMap<string, MirroredSubscription>> {
  const rows = await tx<Row[]>`
    select ${columns(tx)} from provider_subscription
    where provider = ${service} and reference = any(${[...references]}::text[]) order by reference for update`;
  return new Map(rows.map((row) => [row.reference, subscriptionOf(row)]));
}

/** A subscription that has a key which another one was given. */
export interface KeyHolder {
  readonly reference: string;
  /** In hexadecimal. */
  readonly keyHash: string;
  /** Of its request. */
  readonly number: number;
}

/** The rows of other subscriptions that have these keys, locked. */
export async function lockHolders(
  tx: Transaction,
  service: ServiceName,
  subscriptions: readonly ProviderSubscription[],
): Promise<readonly KeyHolder[]> {
  const withKey = subscriptions.filter(({ keyHash }) => keyHash !== null);
  // Locked one by one, each is found by its key. Joined with a list, a table without statistics would be read whole.
  return tx<KeyHolder[]>`
    select holder.reference, encode(given.key_hash, 'hex') as "keyHash", holder.question as number
    from unnest(${withKey.map(({ reference }) => reference)}::text[], ${withKey.map(({ keyHash }) => keyHash)}::bytea[])
      as given (reference, key_hash)
    cross join lateral (
      select reference, question from provider_subscription as stored
      where stored.provider = ${service} and stored.key_hash = given.key_hash and stored.reference <> given.reference
      for update) as holder`;
}

/** Takes the keys of these subscriptions from them. */
export async function releaseKeys(
  tx: Transaction,
  service: ServiceName,
  references: readonly string[],
): Promise<void> {
  if (references.length === 0) return;
  await tx`
    update provider_subscription set key_hash = null
    where provider = ${service} and reference = any(${[...references]}::text[])`;
}

/** Writes rows where none of a larger number is there, and returns their references. */
export async function writeRows(
  tx: Transaction,
  service: ServiceName,
  subscriptions: readonly ProviderSubscription[],
  { number, checkedAt }: NumberedRequest,
): Promise<ReadonlySet<string>> {
  const rows = subscriptions.map(rowOf);
  const written = await tx<{ reference: string }[]>`
    insert into provider_subscription as stored
      (provider, reference, key_hash, state, reason, customer, tier, ends_at, checked_at, question)
    select ${service}, reference, key_hash, state, reason, customer, tier, to_timestamp(ends_at / 1000),
      ${checkedAt}::timestamptz, ${number}::bigint
    from unnest(${rows.map(({ reference }) => reference)}::text[], ${rows.map(({ keyHash }) => keyHash)}::bytea[],
      ${rows.map(({ state }) => state)}::text[], ${rows.map(({ reason }) => reason)}::text[],
      ${rows.map(({ customer }) => customer)}::text[], ${rows.map(({ tier }) => tier)}::text[],
      ${rows.map(({ endsAt }) => endsAt)}::float8[])
      as given (reference, key_hash, state, reason, customer, tier, ends_at)
    order by reference
    on conflict (provider, reference) do update set key_hash = excluded.key_hash, state = excluded.state,
      reason = excluded.reason, customer = excluded.customer, tier = excluded.tier, ends_at = excluded.ends_at,
      checked_at = excluded.checked_at, question = excluded.question
    where stored.question < excluded.question
    returning reference`;
  return new Set(written.map(({ reference }) => reference));
}

export interface MirrorCounts {
  readonly active: number;
  /** Milliseconds since the request of the oldest active one; 0 without any. */
  readonly oldest: number;
  /** Those that a list of all names: in force, or to be paid. */
  readonly listed: number;
}

export async function countRows(sql: Sql, service: ServiceName): Promise<MirrorCounts> {
  const [row] = await sql<MirrorCounts[]>`
    select count(*) filter (where state = 'active')::int as active,
      count(*) filter (where state = 'active' or reason is not null)::int as listed,
      coalesce(extract(epoch from clock_timestamp() - min(checked_at) filter (where state = 'active')) * 1000, 0)::float8
        as oldest
    from provider_subscription where provider = ${service}`;
  return row ?? { active: 0, oldest: 0, listed: 0 };
}

function rowOf({ reference, keyHash, status }: ProviderSubscription) {
  const common = { reference, keyHash, state: status.state };
  if (status.state === 'active') {
    const { customer, tier, endsAt } = status;
    return { ...common, reason: null, customer, tier, endsAt };
  }
  const reason = status.state === 'unknown' ? (status.reason ?? null) : null;
  return { ...common, reason, customer: null, tier: null, endsAt: null };
}

function subscriptionOf(row: Row): MirroredSubscription {
  const { reference, keyHash, age, number } = row;
  return {
    reference,
    keyHash,
    number,
    status: statusOf(row),
    age: age < 0 ? Number.POSITIVE_INFINITY : age + TOLERANCE,
  };
}

function statusOf({ reference, state, reason, customer, tier, endsAt }: Row): SubscriptionStatus {
  if (state === 'active' && tier !== null) return { state, subscription: reference, customer, tier, endsAt };
  if (state === 'expired') return { state };
  return reason === null ? { state: 'unknown' } : { state: 'unknown', reason };
}

function columns(sql: Sql) {
  return sql`reference, key_hash as "keyHash", state, reason, customer, tier,
    (extract(epoch from ends_at) * 1000)::float8 as "endsAt",
    (extract(epoch from clock_timestamp() - checked_at) * 1000)::float8 as age, question as number`;
}

/**
 * Lets no row count any more, whatever its date: each key is confirmed by the payment service before its next use. Calls that
 * were counted before are forgotten.
 */
export async function expireMirror(tx: Transaction): Promise<void> {
  await tx`update provider_subscription set checked_at = 'epoch'`;
  await tx`delete from provider_call`;
}

// Verdicts of payment services as all processes share them: the SQL that reads, saves and dates them.

import type { RefusalReason, SubscriptionStatus } from '../access/tiers/provider.ts';
import type { Plan } from '../access/tiers/tiers.ts';
import type { Sql, Transaction } from '../postgres/client/database.ts';
import type { PaymentService, Verdict } from './payment-service.ts';

type ServiceName = PaymentService['name'];

/** When a service is asked: before it is. */
export interface Question {
  /** Grows with each question of any process. */
  readonly question: number;
  /** Shared time, in milliseconds. */
  readonly now: number;
}

/** A verdict as the table holds it. */
export interface StoredVerdict extends Verdict {
  readonly question: number;
  /** Shared time of the question, in milliseconds. */
  readonly askedAt: number;
  /** Shared time of the question that was first answered with this state, in milliseconds. */
  readonly since: number;
}

/** What is looked up: the subscription that a key opens, or one by its reference. */
export type Subject = { readonly keyHash: Buffer } | { readonly reference: string };

interface VerdictRow {
  readonly reference: string;
  readonly keyHash: Buffer | null;
  readonly state: SubscriptionStatus['state'];
  readonly reason: RefusalReason | null;
  readonly customer: string | null;
  readonly tier: Plan | null;
  /** Milliseconds. */
  readonly endsAt: number | null;
  readonly askedAt: number;
  readonly since: number;
  readonly question: number;
}

/** What is known of a subject, and a number and date for a question that may follow. */
export async function readVerdict(
  sql: Sql,
  service: ServiceName,
  subject: Subject,
): Promise<Question & { readonly stored: StoredVerdict | null }> {
  const condition =
    'keyHash' in subject ? sql`key_hash = ${subject.keyHash}` : sql`reference = ${subject.reference}`;
  const [row] = await sql<(VerdictRow & Question & { newQuestion: number })[]>`
    select asking.now, asking.question as "newQuestion", found.*
    from (select ${timeOf(sql)} as now, nextval('subscription_question') as question) asking
    left join (select ${columns(sql)} from subscription_verdict where provider = ${service} and ${condition}) found on true`;
  if (row === undefined) throw new Error('The database returned no time');
  const stored = row.reference === null ? null : storedVerdict(row);
  return { question: row.newQuestion, now: row.now, stored };
}

/** Which of these keys are active as far as anybody knows, in their order. */
export async function areActive(
  sql: Sql,
  service: ServiceName,
  keyHashes: readonly Buffer[],
): Promise<readonly boolean[]> {
  const rows = await sql<{ active: boolean }[]>`
    select coalesce((
      select state = 'active' from subscription_verdict where provider = ${service} and key_hash = given.key_hash
    ), false) as active
    from unnest(${[...keyHashes]}::bytea[]) with ordinality as given (key_hash, place) order by place`;
  return rows.map(({ active }) => active);
}

/** A number and date for a question about many. */
export async function beginQuestion(sql: Sql): Promise<Question> {
  const [row] = await sql<Question[]>`
    select ${timeOf(sql)} as now, nextval('subscription_question') as question`;
  if (row === undefined) throw new Error('The database returned no time');
  return row;
}

/** Moves the shared time on to a date, in milliseconds, if it is earlier. */
export async function moveTimeOn(sql: Sql, date: number): Promise<void> {
  await sql`
    update subscription_clock set ahead = ceil(${date}::float8 - extract(epoch from clock_timestamp()) * 1000)::bigint
    where extract(epoch from clock_timestamp()) * 1000 + ahead < ${date}::float8`;
}

/** The stored verdicts of these references, locked in their order. */
export async function lockVerdicts(
  tx: Transaction,
  service: ServiceName,
  references: readonly string[],
): Promise<ReadonlyMap<string, StoredVerdict>> {
  const rows = await tx<VerdictRow[]>`
    select ${columns(tx)} from subscription_verdict
    where provider = ${service} and reference = any(${[...references]}::text[]) order by reference for update`;
  return new Map(rows.map((row) => [row.reference, storedVerdict(row)]));
}

/** Takes these keys from all subscriptions but their own, and returns the references of those that had one. */
export async function releaseKeys(
  tx: Transaction,
  service: ServiceName,
  verdicts: readonly Verdict[],
): Promise<readonly string[]> {
  const held = verdicts.filter(({ keyHash }) => keyHash !== null);
  // Locked one by one, each is found by its key. Joined with a list, a table without statistics would be read whole.
  const holders = await tx<{ reference: string }[]>`
    select holder.reference
    from unnest(${held.map(({ reference }) => reference)}::text[], ${held.map(({ keyHash }) => keyHash)}::bytea[])
      as taken (reference, key_hash)
    cross join lateral (
      select reference from subscription_verdict as stored
      where stored.provider = ${service} and stored.key_hash = taken.key_hash and stored.reference <> taken.reference
      for update) as holder`;
  const references = holders.map(({ reference }) => reference);
  if (references.length > 0)
    await tx`
      update subscription_verdict set key_hash = null
      where provider = ${service} and reference = any(${references}::text[])`;
  return references;
}

/** Inserts those that are not there, and returns their references: without the ones that another process has just inserted. */
export async function insertVerdicts(
  tx: Transaction,
  service: ServiceName,
  verdicts: readonly Verdict[],
  question: Question,
): Promise<ReadonlySet<string>> {
  const rows = await tx<{ reference: string }[]>`
    insert into subscription_verdict (provider, reference, key_hash, state, reason, customer, tier, ends_at, asked_at, since, question)
    select ${service}, given.*, ${dateOf(question)}, ${dateOf(question)}, ${question.question}::bigint from ${given(tx, verdicts)} on conflict do nothing returning reference`;
  return new Set(rows.map(({ reference }) => reference));
}

/** Updates rows that this transaction has locked. */
export async function updateVerdicts(
  tx: Transaction,
  service: ServiceName,
  verdicts: readonly Verdict[],
  question: Question,
): Promise<void> {
  const references = verdicts.map(({ reference }) => reference);
  // The references are named once more: from a join alone, a table without statistics is read whole.
  await tx`
    update subscription_verdict as stored set key_hash = given.key_hash, state = given.state, reason = given.reason,
      customer = given.customer, tier = given.tier, ends_at = given.ends_at, asked_at = ${dateOf(question)},
      since = case when stored.state = given.state then stored.since else ${dateOf(question)} end,
      question = ${question.question}::bigint
    from ${given(tx, verdicts)} where stored.provider = ${service} and stored.reference = any(${references}::text[])
      and stored.reference = given.reference`;
}

export interface VerdictCounts {
  readonly active: number;
  /** Milliseconds since the question of the oldest active one; 0 without any. */
  readonly oldest: number;
}

/** How many verdicts are active, and how old they are. */
export async function countVerdicts(
  sql: Sql,
  service: ServiceName,
): Promise<VerdictCounts & { readonly now: number }> {
  const [row] = await sql<{ active: number; oldest: number; now: number }[]>`
    select count(asked_at)::int as active, now,
      coalesce(now - min(extract(epoch from asked_at) * 1000)::float8, 0)::float8 as oldest
    from (select ${timeOf(sql)} as now) asking
    left join subscription_verdict on provider = ${service} and state = 'active' group by now`;
  if (row === undefined) throw new Error('The database returned no time');
  return row;
}

/** Verdicts as a table. */
function given(tx: Transaction, verdicts: readonly Verdict[]) {
  const rows = verdicts.map(rowOf);
  return tx`(
    select reference, key_hash, state, reason, customer, tier, to_timestamp(ends_at / 1000) as ends_at
    from unnest(${rows.map(({ reference }) => reference)}::text[], ${rows.map(({ keyHash }) => keyHash)}::bytea[],
      ${rows.map(({ state }) => state)}::text[], ${rows.map(({ reason }) => reason)}::text[],
      ${rows.map(({ customer }) => customer)}::text[], ${rows.map(({ tier }) => tier)}::text[],
      ${rows.map(({ endsAt }) => endsAt)}::float8[])
      as listed (reference, key_hash, state, reason, customer, tier, ends_at)
  ) as given`;
}

function rowOf({ reference, keyHash, status }: Verdict) {
  const common = {
    reference,
    keyHash,
    state: status.state,
    reason: null,
    customer: null,
    tier: null,
    endsAt: null,
  };
  if (status.state === 'unknown') return { ...common, reason: status.reason ?? null };
  if (status.state === 'expired') return common;
  const { customer, tier, endsAt } = status;
  return { ...common, customer, tier, endsAt };
}

function storedVerdict(row: VerdictRow): StoredVerdict {
  const { reference, keyHash, askedAt, since, question } = row;
  return { reference, keyHash, askedAt, since, question, status: statusOf(row) };
}

function statusOf({ reference, state, reason, customer, tier, endsAt }: VerdictRow): SubscriptionStatus {
  if (state === 'active' && tier !== null) return { state, subscription: reference, customer, tier, endsAt };
  if (state === 'expired') return { state };
  return reason === null ? { state: 'unknown' } : { state: 'unknown', reason };
}

function dateOf({ now }: Question): Date {
  return new Date(Math.floor(now));
}

/** In milliseconds, with fractions. */
function timeOf(sql: Sql) {
  return sql`(extract(epoch from subscription_time()) * 1000)::float8`;
}

function columns(sql: Sql) {
  return sql`reference, key_hash as "keyHash", state, reason, customer, tier,
    (extract(epoch from ends_at) * 1000)::float8 as "endsAt", (extract(epoch from asked_at) * 1000)::float8 as "askedAt", (extract(epoch from since) * 1000)::float8 as since, question`;
}

// Subscriptions that this service issues itself: their keys, plans and ends, and the SQL that stores them.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { batch } from '../../postgres/client/batch.ts';
import type { Database, Sql, Transaction } from '../../postgres/client/database.ts';
import { notify } from '../../postgres/client/listen.ts';
import {
  ProviderUnavailable,
  type SubscriptionProvider,
  type SubscriptionStatus,
} from '../tiers/provider.ts';
import type { Plan } from '../tiers/tiers.ts';

export interface SubscriptionRow {
  readonly id: string;
  readonly tier: Plan;
  /** Whoever holds it; null: not known. */
  readonly customer: string | null;
  /** The key's last four characters. */
  readonly keyHint: string;
  readonly label: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly endsAt: string | null;
  readonly revokedAt: string | null;
}

/** Channel of notifications about changed subscriptions; the payload is the id. */
export const SUBSCRIPTIONS_CHANNEL = 'subscriptions';

export interface NewSubscription {
  readonly plan: Plan;
  /** Whoever holds it, the same over all of theirs; 200 characters at most. */
  readonly customer?: string | null;
  /** Name for people; 200 characters at most. */
  readonly label?: string;
  readonly endsAt?: Date;
  readonly sample?: boolean;
}

/** A new subscription. The key is shown once and never stored. */
export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

/** Their transactions do nothing but a statement. */
const REPEATABLE = { repeatable: true };

/** Subscriptions as the operator manages them. Methods with an id return undefined when there is none. */
export interface LocalSubscriptions {
  readonly provider: SubscriptionProvider;
  create(wanted: NewSubscription): Promise<IssuedKey>;
  find(id: string): Promise<SubscriptionRow | undefined>;
  changePlan(id: string, plan: Plan): Promise<SubscriptionRow | undefined>;
  /** Ends it at that date, or now; null removes the end. Its key is then refused as expired. */
  end(id: string, at?: Date | null): Promise<SubscriptionRow | undefined>;
  /** Revokes it for ever: its key is refused as unknown. */
  revoke(id: string): Promise<SubscriptionRow | undefined>;
}

export function createLocalSubscriptions(database: Database, clock: Clock): LocalSubscriptions {
  const date = () => new Date(clock.now());
  const resolveStatus = async (query: Promise<SubscriptionRow | undefined>): Promise<SubscriptionStatus> => {
    const row = await query.catch((error: unknown) => {
      throw new ProviderUnavailable(error);
    });
    return statusOf(row, clock.now());
  };
  const findById = batch((ids: readonly string[]) =>
    database.read((sql) => findSubscriptions(sql, ids), { planned: 'once' }),
  );
  const findByKey = batch((hashes: readonly Buffer[]) =>
    database.read((sql) => findByKeyHashes(sql, hashes), { planned: 'once' }),
  );
  return {
    provider: {
      validate: (key) => resolveStatus(findByKey(keyHash(key))),
      refresh: (subscription) => resolveStatus(findById(subscription)),
    },
    create: (wanted) => database.write((sql) => issueKey(sql, wanted, date())),
    find: findById,
    changePlan: (id, tier) => database.transaction((tx) => updateSubscription(tx, id, { tier }), REPEATABLE),
    end: (id, at = date()) =>
      database.transaction((tx) => updateSubscription(tx, id, { endsAt: at }), REPEATABLE),
    revoke: (id) =>
      database.transaction((tx) => updateSubscription(tx, id, { revokedAt: date() }), REPEATABLE),
  };
}

/** Creates a subscription and its key, of which only the hash and the last four characters are stored. */
export async function issueKey(sql: Sql, wanted: NewSubscription, now: Date): Promise<IssuedKey> {
  const id = `sub_${randomBytes(12).toString('hex')}`;
  const key = `SERVICE-${randomUUID()}`.toUpperCase();
  await insertSubscription(sql, {
    id,
    tier: wanted.plan,
    customer: wanted.customer ?? null,
    keyHash: keyHash(key),
    keyHint: key.slice(-4),
    label: wanted.label ?? '',
    sample: wanted.sample ?? false,
    createdAt: now,
    endsAt: wanted.endsAt ?? null,
  });
  return { id, key };
}

/** Hash under which a key is stored; keys are case-insensitive. */
export function keyHash(key: string): Buffer {
  return createHash('sha256').update(key.toUpperCase()).digest();
}

function statusOf(row: SubscriptionRow | undefined, now: number): SubscriptionStatus {
  if (row === undefined || row.revokedAt !== null) return { state: 'unknown' };
  const endsAt = row.endsAt === null ? null : Date.parse(row.endsAt);
  if (endsAt !== null && endsAt <= now) return { state: 'expired' };
  return { state: 'active', subscription: row.id, customer: row.customer, tier: row.tier, endsAt };
}

async function insertSubscription(
  sql: Sql,
  row: {
    readonly id: string;
    readonly tier: Plan;
    readonly customer: string | null;
    readonly keyHash: Buffer;
    readonly keyHint: string;
    readonly label: string;
    readonly sample: boolean;
    readonly createdAt: Date;
    readonly endsAt: Date | null;
  },
): Promise<void> {
  await sql`
    insert into subscription (id, tier, customer, key_hash, key_hint, label, sample, created_at, ends_at)
    values (${row.id}, ${row.tier}, ${row.customer}, ${row.keyHash}, ${row.keyHint}, ${row.label}, ${row.sample},
      ${row.createdAt}, ${row.endsAt})`;
}

/** The subscriptions of these keys, in the same order. */
async function findByKeyHashes(
  sql: Sql,
  keyHashes: readonly Buffer[],
): Promise<readonly (SubscriptionRow | undefined)[]> {
  const rows = await sql<(SubscriptionRow & { hash: string })[]>`
    select ${columns(sql)}, encode(key_hash, 'hex') as hash from subscription
    where key_hash = any(${[...keyHashes]}::bytea[])`;
  const byHash = new Map(rows.map(({ hash, ...row }) => [hash, row]));
  return keyHashes.map((keyHash) => byHash.get(keyHash.toString('hex')));
}

/** The subscriptions of these ids, in the same order. */
export async function findSubscriptions(
  sql: Sql,
  ids: readonly string[],
): Promise<readonly (SubscriptionRow | undefined)[]> {
  const rows = await sql<SubscriptionRow[]>`
    select ${columns(sql)} from subscription where id = any(${[...ids]}::text[])`;
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id));
}

/** Updates a subscription and notifies every process; undefined when there is none with this id. */
async function updateSubscription(
  tx: Transaction,
  id: string,
  change: { readonly tier?: Plan; readonly endsAt?: Date | null; readonly revokedAt?: Date },
): Promise<SubscriptionRow | undefined> {
  const [row] = await tx<SubscriptionRow[]>`
    update subscription set
      tier = coalesce(${change.tier ?? null}, tier),
      ends_at = case when ${change.endsAt !== undefined} then ${change.endsAt ?? null}::timestamptz else ends_at end,
      revoked_at = coalesce(revoked_at, ${change.revokedAt ?? null})
    where id = ${id} returning ${columns(tx)}`;
  if (row !== undefined) await notify(tx, SUBSCRIPTIONS_CHANNEL, id);
  return row;
}

/** Locks subscriptions, so that two processes that start together create one set of sample keys. */
export async function lockSamples(tx: Transaction): Promise<void> {
  await tx`lock table subscription in share row exclusive mode`;
}

/** Ends the active sample subscriptions and notifies every process. */
export async function endSamples(tx: Transaction, now: Date): Promise<void> {
  const ended = await tx<{ id: string }[]>`
    update subscription set ends_at = ${now}
    where sample and (ends_at is null or ends_at > ${now}) returning id`;
  for (const { id } of ended) await notify(tx, SUBSCRIPTIONS_CHANNEL, id);
}

/** How many of these keys have a subscription, active or not. */
export async function countKnownKeys(sql: Sql, keyHashes: readonly Buffer[]): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from subscription where key_hash = any(${[...keyHashes]}::bytea[])`;
  return row?.count ?? 0;
}

/** Whether there was ever a subscription, active or not. */
export async function hasSubscriptions(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`select exists (select from subscription) as found`;
  return row?.found === true;
}

function columns(sql: Sql) {
  return sql`id, tier, customer, key_hint as "keyHint", label, created_at as "createdAt", ends_at as "endsAt",
    revoked_at as "revokedAt"`;
}

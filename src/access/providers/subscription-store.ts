// SQL of the subscriptions that this service issues.

import type { Sql, Transaction } from '../../postgres/client/database.ts';
import { notify } from '../../postgres/client/listen.ts';
import type { Plan } from '../tiers/tiers.ts';

export interface SubscriptionRow {
  readonly id: string;
  readonly tier: Plan;
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

const MAX_LISTED = 1_000;

export async function insertSubscription(
  sql: Sql,
  row: {
    readonly id: string;
    readonly tier: Plan;
    readonly keyHash: Buffer;
    readonly keyHint: string;
    readonly label: string;
    readonly sample: boolean;
    readonly createdAt: Date;
    readonly endsAt: Date | null;
  },
): Promise<void> {
  await sql`
    insert into subscription (id, tier, key_hash, key_hint, label, sample, created_at, ends_at)
    values (${row.id}, ${row.tier}, ${row.keyHash}, ${row.keyHint}, ${row.label}, ${row.sample},
      ${row.createdAt}, ${row.endsAt})`;
}

export async function findByKeyHash(sql: Sql, keyHash: Buffer): Promise<SubscriptionRow | undefined> {
  const [row] = await sql<
    SubscriptionRow[]
  >`select ${columns(sql)} from subscription where key_hash = ${keyHash}`;
  return row;
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

/** The newest subscriptions first; a thousand at most. */
export async function listSubscriptions(sql: Sql): Promise<readonly SubscriptionRow[]> {
  return sql<SubscriptionRow[]>`
    select ${columns(sql)} from subscription order by created_at desc, id limit ${MAX_LISTED}`;
}

/** Updates a subscription and notifies every process; undefined when there is none with this id. */
export async function updateSubscription(
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
  return sql`id, tier, key_hint as "keyHint", label, created_at as "createdAt", ends_at as "endsAt",
    revoked_at as "revokedAt"`;
}

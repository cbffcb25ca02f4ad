// Keys that this service makes for subscriptions at Stripe, which issues none: the SQL that stores them, by their hash.

import { randomBytes } from 'node:crypto';
import type { Sql } from '../../postgres/client/database.ts';

export interface IssuedKey {
  /** `key_` and 24 hexadecimal digits: what Stripe gets, since it must not see the key. */
  readonly id: string;
  /** `pending`: not paid for yet. `ended`: its subscription has another key. */
  readonly state: 'pending' | 'active' | 'ended';
  /** Null while it is pending. */
  readonly subscription: string | null;
  /** The session in which it is paid for; null: the operator issued it. */
  readonly checkout: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
}

export interface NewKey {
  readonly id: string;
  readonly keyHash: Buffer;
  /** The key's last four characters. */
  readonly keyHint: string;
  readonly createdAt: Date;
}

const PROVIDER = 'stripe';

/** The number of a new key, before it is stored. */
export function newKeyId(): string {
  return `key_${randomBytes(12).toString('hex')}`;
}

export function isKeyId(text: string): boolean {
  return /^key_[0-9a-f]{24}$/.test(text);
}

/** Stores a key that is shown before its payment. */
export async function insertPendingKey(
  sql: Sql,
  key: NewKey & { readonly checkout: string; readonly expiresAt: Date },
): Promise<void> {
  await sql`
    insert into issued_key (id, provider, key_hash, key_hint, state, checkout, created_at, expires_at)
    values (${key.id}, ${PROVIDER}, ${key.keyHash}, ${key.keyHint}, 'pending', ${key.checkout}, ${key.createdAt},
      ${key.expiresAt})`;
}

/**
 * Binds a pending key to the subscription that was bought with it; does nothing to one that is bound. It begins as ended
 * if the subscription has a key by now. Fails with a violated constraint if that one is just being stored.
 */
export async function activateKey(sql: Sql, id: string, subscription: string, now: Date): Promise<void> {
  const hasKey = sql`exists (
    select from issued_key where provider = ${PROVIDER} and subscription = ${subscription} and state = 'active')`;
  await sql`
    update issued_key set
      state = case when ${hasKey} then 'ended' else 'active' end,
      ended_at = case when ${hasKey} then ${now}::timestamptz end,
      subscription = ${subscription}, activated_at = ${now}, expires_at = null
    where id = ${id} and state = 'pending'`;
}

/**
 * Stores a new active key of a subscription, and ends its earlier one. Fails with a violated constraint if another one is
 * just being stored.
 */
export async function replaceActiveKey(sql: Sql, key: NewKey, subscription: string): Promise<void> {
  await sql`
    update issued_key set state = 'ended', ended_at = ${key.createdAt}
    where provider = ${PROVIDER} and subscription = ${subscription} and state = 'active'`;
  await sql`
    insert into issued_key (id, provider, key_hash, key_hint, state, subscription, created_at, activated_at)
    values (${key.id}, ${PROVIDER}, ${key.keyHash}, ${key.keyHint}, 'active', ${subscription}, ${key.createdAt},
      ${key.createdAt})`;
}

export async function findKeyByHash(sql: Sql, keyHash: Buffer): Promise<IssuedKey | undefined> {
  const [row] = await sql<IssuedKey[]>`
    select ${columns(sql)} from issued_key where provider = ${PROVIDER} and key_hash = ${keyHash}`;
  return row;
}

/** Hashes of the active keys of these subscriptions. */
export async function hasCheckout(sql: Sql, session: string): Promise<boolean> {
  const [row] =
    await sql`select from issued_key where provider = ${PROVIDER} and checkout = ${session} limit 1`;
  return row !== undefined;
}

export async function findActiveHashes(
  sql: Sql,
  subscriptions: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await sql<{ subscription: string; keyHash: Buffer }[]>`
    select subscription, key_hash as "keyHash" from issued_key
    where provider = ${PROVIDER} and subscription = any(${[...subscriptions]}::text[]) and state = 'active'`;
  return new Map(rows.map((row) => [row.subscription, row.keyHash]));
}

/** Subscriptions whose keys were bound last, in any state. */
export async function findNewestSubscriptions(sql: Sql, limit: number): Promise<readonly string[]> {
  const rows = await sql<{ subscription: string }[]>`
    select subscription from issued_key
    where provider = ${PROVIDER} and state = 'active' order by activated_at desc limit ${limit}`;
  return rows.map(({ subscription }) => subscription);
}

/** Pending keys whose sessions should be over by a date, the oldest first. */
export async function findOverdueKeys(sql: Sql, date: Date, limit: number): Promise<readonly IssuedKey[]> {
  return sql<IssuedKey[]>`
    select ${columns(sql)} from issued_key
    where provider = ${PROVIDER} and state = 'pending' and expires_at < ${date} order by expires_at limit ${limit}`;
}

/** Looks at a pending key again only after this date. */
export async function postponeKey(sql: Sql, id: string, until: Date): Promise<void> {
  await sql`update issued_key set expires_at = ${until} where id = ${id} and state = 'pending'`;
}

/** Deletes a key that nobody paid for; one that was paid for meanwhile stays. */
export async function deletePendingKey(sql: Sql, id: string): Promise<void> {
  await sql`delete from issued_key where id = ${id} and state = 'pending'`;
}

function columns(sql: Sql) {
  return sql`id, state, subscription, checkout, created_at as "createdAt"`;
}

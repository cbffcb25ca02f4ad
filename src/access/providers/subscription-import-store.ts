// SQL of the import of keys that people have already: subscriptions of our own, or keys for those of Stripe.

import { randomBytes } from 'node:crypto';
import type { Sql, Transaction } from '../../postgres/client/database.ts';
import type { Plan } from '../tiers/tiers.ts';
import { SUBSCRIPTIONS_CHANNEL } from './subscription-store.ts';

/** A key, of which only its hash and its last four characters are known here. */
export interface ImportedKey {
  /** Where people find it in their file. */
  readonly place: number;
  /** SHA-256 of the key in upper case, in hexadecimal. */
  readonly keyHash: string;
  readonly keyHint: string;
}

/** A key with its subscription. Absent members leave what is known as it is. */
export interface ImportedSubscription extends ImportedKey {
  readonly plan: Plan;
  /** RFC 3339; null: no end. */
  readonly endsAt?: string | null;
  readonly customer?: string;
  readonly label?: string;
}

/** A key of a subscription that Stripe keeps. */
export interface ImportedStripeKey extends ImportedKey {
  readonly subscription: string;
}

export interface ImportOutcome {
  readonly created: number;
  readonly changed: number;
  /** Not written, each with a reason that continues a sentence about it. */
  readonly refused: readonly { readonly place: number; readonly reason: string }[];
}

/** Writes a batch of subscriptions with their keys. A key that is known keeps its subscription, which follows the file. */
export async function importSubscriptions(
  tx: Transaction,
  rows: readonly ImportedSubscription[],
  now: Date,
): Promise<ImportOutcome> {
  const given = subscriptionsGiven(tx, rows);
  const created = await tx<{ hash: string }[]>`
    insert into subscription (id, tier, customer, key_hash, key_hint, label, created_at, ends_at)
    select id, plan, customer, hash, "keyHint", coalesce(label, ''), ${now}, "endsAt" from ${given}
    order by hash
    on conflict (key_hash) do nothing
    returning encode(key_hash, 'hex') as hash`;
  const fresh = created.map(({ hash }) => hash);
  const refused = await tx<{ place: number; reason: string }[]>`
    select place, case when s.revoked_at is not null then 'is of a subscription that was revoked, which is for ever: issue a new key'
      else 'has another customer than before, and a customer never changes: correct it, or leave it out' end as reason
    from ${given} join subscription s on s.key_hash = hash
    where s.revoked_at is not null or (given.customer is not null and given.customer is distinct from s.customer)
    order by place`;
  const places = refused.map(({ place }) => place);
  const changed = await tx<{ id: string }[]>`
    update subscription s set tier = plan, ends_at = case when "hasEnd" then "endsAt" else s.ends_at end,
      label = coalesce(given.label, s.label)
    from ${given}
    where s.key_hash = hash and not place = any(${places}::int[]) and encode(hash, 'hex') <> all(${fresh}::text[])
      and (s.tier, s.ends_at, s.label) is distinct from
        (plan, case when "hasEnd" then "endsAt" else s.ends_at end, coalesce(given.label, s.label))
    returning s.id`;
  // A key that was refused before it was imported is asked about again within half a minute by itself.
  await tx`
    select pg_notify(${SUBSCRIPTIONS_CHANNEL}, id) from unnest(${changed.map(({ id }) => id)}::text[]) as id`;
  return { created: created.length, changed: changed.length, refused };
}

/** The rows as a table `given`, in the order of their hashes: everybody locks them in that order. */
function subscriptionsGiven(sql: Sql, rows: readonly ImportedSubscription[]) {
  const items = rows.map((row) => ({ ...row, id: `sub_${newId()}`, hasEnd: row.endsAt !== undefined }));
  return sql`(
    select *, decode("keyHash", 'hex') as hash from json_to_recordset(${JSON.stringify(items)}::text::json) as row
      (id text, place int, "keyHash" text, "keyHint" text, plan text, "endsAt" timestamptz(3), "hasEnd" boolean,
        customer text, label text)
    order by "keyHash") given`;
}

/** Writes a batch of keys for subscriptions of Stripe. Each subscription has one key. */
export async function importStripeKeys(
  tx: Transaction,
  rows: readonly ImportedStripeKey[],
  now: Date,
): Promise<ImportOutcome> {
  const items = rows.map((row) => ({ ...row, id: `key_${newId()}` }));
  const given = tx`(
    select *, decode("keyHash", 'hex') as hash from json_to_recordset(${JSON.stringify(items)}::text::json) as row
      (id text, place int, "keyHash" text, "keyHint" text, subscription text)
    order by "keyHash") given`;
  const { count: created } = await tx`
    insert into issued_key (id, provider, key_hash, key_hint, state, subscription, created_at, activated_at)
    select id, 'stripe', hash, "keyHint", 'active', subscription, ${now}, ${now} from ${given}
    order by hash
    on conflict do nothing`;
  const refused = await tx<{ place: number; reason: string }[]>`
    select place, case
      when k.key_hash is null
        then 'is of a subscription that has another key: \`freehold subscriptions create --for\` replaces that one'
      when k.state = 'ended' then 'was replaced by another key of its subscription, and opens nothing any more'
      when k.subscription is null then 'was made by a purchase that is not paid for yet'
      else 'is of another subscription, ' || k.subscription end as reason
    from ${given} left join issued_key k on k.key_hash = hash
    where k.key_hash is null or k.state <> 'active' or k.subscription <> given.subscription
    order by place`;
  return { created, changed: 0, refused };
}

function newId(): string {
  return randomBytes(12).toString('hex');
}

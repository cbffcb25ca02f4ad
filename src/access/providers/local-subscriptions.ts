// Subscriptions that this service issues itself: their keys, plans and ends.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { batch } from '../../postgres/client/batch.ts';
import type { Database, Sql } from '../../postgres/client/database.ts';
import {
  ProviderUnavailable,
  type SubscriptionProvider,
  type SubscriptionStatus,
} from '../tiers/provider.ts';
import type { Plan } from '../tiers/tiers.ts';
import {
  findByKeyHash,
  findSubscriptions,
  insertSubscription,
  listSubscriptions,
  type SubscriptionRow,
  updateSubscription,
} from './subscription-store.ts';

export interface NewSubscription {
  readonly plan: Plan;
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

/** Subscriptions as the operator manages them. Methods with an id return undefined when there is none. */
export interface LocalSubscriptions {
  readonly provider: SubscriptionProvider;
  create(wanted: NewSubscription): Promise<IssuedKey>;
  /** The newest first, a thousand at most. */
  list(): Promise<readonly SubscriptionRow[]>;
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
  return {
    provider: {
      validate: (key) => resolveStatus(database.read((sql) => findByKeyHash(sql, keyHash(key)))),
      refresh: (subscription) => resolveStatus(findById(subscription)),
    },
    create: (wanted) => database.write((sql) => issueKey(sql, wanted, date())),
    list: () => database.read(listSubscriptions),
    changePlan: (id, tier) => database.transaction((tx) => updateSubscription(tx, id, { tier })),
    end: (id, at = date()) => database.transaction((tx) => updateSubscription(tx, id, { endsAt: at })),
    revoke: (id) => database.transaction((tx) => updateSubscription(tx, id, { revokedAt: date() })),
  };
}

/** Creates a subscription and its key, of which only the hash and the last four characters are stored. */
export async function issueKey(sql: Sql, wanted: NewSubscription, now: Date): Promise<IssuedKey> {
  const id = `sub_${randomBytes(12).toString('hex')}`;
  const key = `SERVICE-${randomUUID()}`.toUpperCase();
  await insertSubscription(sql, {
    id,
    tier: wanted.plan,
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
  return { state: 'active', subscription: row.id, tier: row.tier, endsAt };
}

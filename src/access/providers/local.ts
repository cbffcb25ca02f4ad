// Owns the subscriptions that this service issues itself: their keys, their plans and their ends.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { batch } from '../../postgres/client/batch.ts';
import type { Database, Sql } from '../../postgres/client/database.ts';
import { ProviderUnavailable, type SubscriptionProvider, type Verdict } from '../tiers/provider.ts';
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
  /** What people call it; 200 characters at most. */
  readonly label?: string;
  readonly endsAt?: Date;
  readonly sample?: boolean;
}

/** A subscription just made. The key is told this once and kept nowhere. */
export interface IssuedKey {
  readonly id: string;
  readonly key: string;
}

/** The operator's side. Methods that take an id give undefined when there is no such subscription. */
export interface LocalSubscriptions {
  readonly provider: SubscriptionProvider;
  create(wanted: NewSubscription): Promise<IssuedKey>;
  /** The newest first, a thousand at most. */
  list(): Promise<readonly SubscriptionRow[]>;
  changePlan(id: string, plan: Plan): Promise<SubscriptionRow | undefined>;
  /** Ends it at that date, or now; null takes an end back. Its key is then refused as expired. */
  end(id: string, at?: Date | null): Promise<SubscriptionRow | undefined>;
  /** For good: its key is refused as unknown. */
  revoke(id: string): Promise<SubscriptionRow | undefined>;
}

export function localSubscriptions(database: Database, clock: Clock): LocalSubscriptions {
  const date = () => new Date(clock.now());
  const judge = async (finding: Promise<SubscriptionRow | undefined>): Promise<Verdict> => {
    const row = await finding.catch((error: unknown) => {
      throw new ProviderUnavailable(error);
    });
    return verdictOf(row, clock.now());
  };
  const findById = batch((ids: readonly string[]) =>
    database.read((sql) => findSubscriptions(sql, ids), { planned: 'once' }),
  );
  return {
    provider: {
      validate: (key) => judge(database.read((sql) => findByKeyHash(sql, keyHash(key)))),
      refresh: (subscription) => judge(findById(subscription)),
    },
    create: (wanted) => database.write((sql) => issueKey(sql, wanted, date())),
    list: () => database.read(listSubscriptions),
    changePlan: (id, tier) => database.transaction((tx) => updateSubscription(tx, id, { tier })),
    end: (id, at = date()) => database.transaction((tx) => updateSubscription(tx, id, { endsAt: at })),
    revoke: (id) => database.transaction((tx) => updateSubscription(tx, id, { revokedAt: date() })),
  };
}

/** Makes a subscription and its key, of which only the hash and the last four characters are stored. */
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

/** How a key is stored: keys are the same in any case. */
export function keyHash(key: string): Buffer {
  return createHash('sha256').update(key.toUpperCase()).digest();
}

function verdictOf(row: SubscriptionRow | undefined, now: number): Verdict {
  if (row === undefined || row.revokedAt !== null) return { state: 'unknown' };
  const endsAt = row.endsAt === null ? null : Date.parse(row.endsAt);
  if (endsAt !== null && endsAt <= now) return { state: 'expired' };
  return { state: 'active', subscription: row.id, tier: row.tier, endsAt };
}

// Issued keys: made before the payment, bound to the subscription that was bought with them, and replaced by the operator.

import { randomUUID } from 'node:crypto';
import { keyHash } from '../../access/providers/subscription-store.ts';
import { ProviderUnavailable } from '../../access/tiers/provider.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../../postgres/client/database.ts';
import {
  activateKey,
  deletePendingKey,
  findActiveHashes,
  findKeyByHash,
  findNewestSubscriptions,
  findOverdueKeys,
  hasCheckout,
  type IssuedKey,
  insertPendingKey,
  newKeyId,
  postponeKey,
  replaceActiveKey,
} from './issued-key-store.ts';

/** Transactions that may follow each other for the one active key of a subscription. */
const MAX_RACES = 5;
const UNIQUE_VIOLATION = '23505';

/** A key that is in nobody's hands yet. */
export interface FreshKey {
  readonly id: string;
  readonly key: string;
}

export function makeKey(): FreshKey {
  return { id: newKeyId(), key: `SERVICE-${randomUUID()}`.toUpperCase() };
}

/** The issued keys of a database. Throws ProviderUnavailable while that is away. */
export class IssuedKeys {
  readonly #database: Database;
  readonly #clock: Clock;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  findByKey(key: string): Promise<IssuedKey | undefined> {
    return answered(this.#database.read((sql) => findKeyByHash(sql, keyHash(key))));
  }

  /** Whether a key was made with this session. */
  hasCheckout(session: string): Promise<boolean> {
    return answered(this.#database.read((sql) => hasCheckout(sql, session)));
  }

  /** The hash of the active key of each subscription that has one. */
  findHashes(subscriptions: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    return answered(this.#database.read((sql) => findActiveHashes(sql, subscriptions)));
  }

  /** Subscriptions whose keys were bound last. */
  findNewest(limit: number): Promise<readonly string[]> {
    return answered(this.#database.read((sql) => findNewestSubscriptions(sql, limit)));
  }

  /** Stores a key that is shown before its payment. */
  async savePending({ id, key }: FreshKey, checkout: string, expiresAt: number): Promise<void> {
    const row = { ...this.#newRow({ id, key }), checkout, expiresAt: new Date(expiresAt) };
    await answered(this.#database.write((sql) => insertPendingKey(sql, row)));
  }

  /** Binds a pending key to its subscription, once over all processes; one that is bound stays as it is. */
  async activate(id: string, subscription: string): Promise<void> {
    const now = new Date(this.#clock.now());
    await untilDecided(() => this.#database.write((sql) => activateKey(sql, id, subscription, now)));
  }

  /** Issues a key of a subscription, in place of the one that it has. */
  async issue(subscription: string): Promise<FreshKey> {
    const fresh = makeKey();
    await untilDecided(() =>
      this.#database.transaction((tx) => replaceActiveKey(tx, this.#newRow(fresh), subscription)),
    );
    return fresh;
  }

  /** Pending keys whose sessions were to end before a time. */
  findOverdue(time: number, limit: number): Promise<readonly IssuedKey[]> {
    return answered(this.#database.read((sql) => findOverdueKeys(sql, new Date(time), limit)));
  }

  async postpone(id: string, until: number): Promise<void> {
    await answered(this.#database.write((sql) => postponeKey(sql, id, new Date(until))));
  }

  async deletePending(id: string): Promise<void> {
    await answered(this.#database.write((sql) => deletePendingKey(sql, id)));
  }

  #newRow({ id, key }: FreshKey) {
    const createdAt = new Date(this.#clock.now());
    return { id, keyHash: keyHash(key), keyHint: key.slice(-4), createdAt };
  }
}

/**
 * Repeats work that lost the race for the one active key of a subscription: by then the winner is there, and the work
 * decides with it in sight.
 */
async function untilDecided(work: () => Promise<void>): Promise<void> {
  for (let race = 1; ; race++) {
    try {
      return await work();
    } catch (error) {
      const isLost = error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION;
      if (!isLost || race === MAX_RACES) throw new ProviderUnavailable(error);
    }
  }
}

/** Nothing is known of a key while the database is away. */
function answered<Answer>(query: Promise<Answer>): Promise<Answer> {
  return query.catch((error: unknown) => {
    throw new ProviderUnavailable(error);
  });
}

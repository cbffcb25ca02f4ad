// Owns what this process remembers of refresh tokens that it issued: whose they are, which never changes.

import { LRUCache } from 'lru-cache';
import type { GrantFacts } from './token-store.ts';

const REMEMBERED = 50_000;

/** What a refresh token leads to for good; whether it still does is never remembered. */
export type KnownGrant = Omit<GrantFacts, 'tier' | 'revokedAt'>;

/**
 * Most tokens come back to the process that issued them, an hour later: it then need not ask whose they are before it asks
 * their provider. Whether they are still good is decided by the statement that rotates them.
 */
export class KnownGrants {
  /** By hash: the tokens themselves are kept nowhere. */
  readonly #known = new LRUCache<string, KnownGrant>({ max: REMEMBERED });

  get(refreshHash: string): KnownGrant | undefined {
    return this.#known.get(refreshHash);
  }

  set(refreshHash: string, { grant, clientId, scope, resources, subscription, createdAt }: KnownGrant): void {
    this.#known.set(refreshHash, { grant, clientId, scope, resources, subscription, createdAt });
  }

  /** A token that was replaced is seldom shown again, and its successor will be. */
  replace(refreshHash: string, successorHash: string, facts: KnownGrant): void {
    this.#known.delete(refreshHash);
    this.set(successorHash, facts);
  }
}

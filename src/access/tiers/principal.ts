// Principal: an identified caller, by key, token or address.

import { addressGroup } from '../../lib/ip-address.ts';

export type Tier = 'anonymous' | 'free' | 'pro' | 'business' | 'internal';

export type Scope = 'listings:read' | 'listings:live' | 'watchers';

export interface Principal {
  readonly kind: 'anonymous' | 'key' | 'token';
  readonly tier: Tier;
  /** What limits are counted against: `sub:<subscription>`, `ip:<address or /64>`, or `free:<digest of such an address>`. */
  readonly account: string;
  /** The provider's reference; null for anonymous callers, and for tokens of the Free tier without a key. */
  readonly subscription: string | null;
  /** What a token was granted; null: everything its tier allows. */
  readonly scopes: ReadonlySet<Scope> | null;
}

/** The principal of a client address: IPv6 addresses of one /64 are one caller. */
export function anonymous(address: string): Principal {
  return {
    kind: 'anonymous',
    tier: 'anonymous',
    account: `ip:${addressGroup(address)}`,
    subscription: null,
    scopes: null,
  };
}

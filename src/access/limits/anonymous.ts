// Owns the callers without credentials: each address is one of them.
import { addressGroup } from '../../lib/address.ts';
import type { Principal } from '../tiers/principal.ts';

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

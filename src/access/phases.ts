// Access phases of every request: identify, allow, limit.

import type { Access, Incoming, Phases } from '../http/frame/route.ts';
import { Problem } from '../lib/problem.ts';
import type { RateLimiter } from './limits/rate-limiter.ts';
import { atLeast, isTier, type Principal, SCOPES, type Scope, tierName } from './tiers/tiers.ts';

export interface PhasesOptions {
  readonly identify: (incoming: Incoming, access: Access) => Promise<Principal> | Principal;
  readonly rateLimiter: RateLimiter;
}

/** A response to credentials is private and revalidated each time. */
const PRIVATE = Object.freeze({ 'cache-control': 'private, no-cache', vary: 'Authorization' });
/** Caches must not serve an anonymous response to a caller with credentials. */
const OPEN = Object.freeze({ vary: 'Authorization' });

export function createPhases({ identify, rateLimiter }: PhasesOptions): Phases<Principal> {
  return {
    identify,
    allow: refusalOf,
    // A caller that is refused anyway gets that refusal, not TOO_MANY_STREAMS.
    limit: (caller, access, isAllowed) =>
      rateLimiter.admit(caller, isAllowed ? access : { ...access, stream: false }),
    headers: (caller) => (caller.kind === 'anonymous' ? OPEN : PRIVATE),
    describe: ({ kind, tier, subscription }) =>
      subscription === null ? { kind, tier } : { kind, tier, subscription },
  };
}

/** Why this caller may not use the route: no credentials, too low a tier, or a missing scope. Null: it may. */
function refusalOf(caller: Principal, access: Access): Problem | null {
  if (access.credentials === 'required' && caller.kind === 'anonymous') {
    return new Problem(
      'MISSING_API_KEY',
      'This endpoint needs credentials: Authorization: Bearer <credential>.',
    );
  }
  if (access.tier !== undefined && !atLeast(caller.tier, access.tier))
    return tierRefusal(caller, access.tier);
  if (access.scope === undefined || caller.scopes === null || hasScope(caller.scopes, access.scope))
    return null;
  return new Problem('INSUFFICIENT_SCOPE', `This endpoint needs a token with the scope ${access.scope}.`);
}

function tierRefusal(caller: Principal, needed: string): Problem {
  const name = isTier(needed) ? tierName(needed) : needed;
  return new Problem(
    'TIER_RESTRICTED',
    `This endpoint needs the ${name} tier or higher; these credentials have the ${tierName(caller.tier)} tier.`,
  );
}

function hasScope(scopes: ReadonlySet<Scope>, needed: string): boolean {
  if (!Object.hasOwn(SCOPES, needed)) throw new Error(`There is no scope called ${needed}`);
  return scopes.has(needed as Scope);
}

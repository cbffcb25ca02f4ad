// Owns the phases handed to the web server: who calls, whether they may, what it is counted against.
import type { Access, Incoming, Phases } from '../http/frame/route.ts';
import { Problem } from '../lib/problem.ts';
import type { Limits } from './limits/limits.ts';
import type { Principal, Scope } from './tiers/principal.ts';
import { atLeast, isTier, SCOPES, tierName } from './tiers/tiers.ts';

export interface PhasesOptions {
  readonly identify: (incoming: Incoming, access: Access) => Promise<Principal> | Principal;
  readonly limits: Limits;
}

/** An answer to credentials is for its receiver alone, and asked for again each time. */
const PRIVATE = Object.freeze({ 'cache-control': 'private, no-cache', vary: 'Authorization' });
/** A cache must not hand an anonymous answer to a caller with credentials, whose answer may hold more. */
const OPEN = Object.freeze({ vary: 'Authorization' });

export function createPhases({ identify, limits }: PhasesOptions): Phases<Principal> {
  return {
    identify,
    allow: refusalOf,
    // A caller that is refused anyway must not be told that its streams are too many.
    limit: async (caller, access, isAllowed) =>
      limits.admit(caller, isAllowed ? access : { ...access, stream: false }),
    headers: (caller) => (caller.kind === 'anonymous' ? OPEN : PRIVATE),
    describe: ({ kind, tier, subscription }) =>
      subscription === null ? { kind, tier } : { kind, tier, subscription },
  };
}

/** Why this caller may not use a route of this access: no credentials, too low a tier, a scope not granted. Null: it may. */
function refusalOf(caller: Principal, access: Access): Problem | null {
  if (access.credentials === 'required' && caller.kind === 'anonymous') {
    return new Problem(
      'MISSING_API_KEY',
      'This endpoint needs credentials: Authorization: Bearer <credential>.',
    );
  }
  if (access.tier !== undefined && !atLeast(caller.tier, access.tier))
    return tierRefusal(caller, access.tier);
  if (access.scope === undefined || caller.scopes === null || holds(caller.scopes, access.scope)) return null;
  return new Problem('INSUFFICIENT_SCOPE', `This endpoint needs a token with the scope ${access.scope}.`);
}

function tierRefusal(caller: Principal, needed: string): Problem {
  const name = isTier(needed) ? tierName(needed) : needed;
  return new Problem(
    'TIER_RESTRICTED',
    `This endpoint needs the ${name} tier or higher; these credentials have the ${tierName(caller.tier)} tier.`,
  );
}

function holds(scopes: ReadonlySet<Scope>, needed: string): boolean {
  if (!Object.hasOwn(SCOPES, needed)) throw new Error(`There is no scope called ${needed}`);
  return scopes.has(needed as Scope);
}

// Access phases of every request: identify, allow, limit.

import type { Access, Incoming, Phases } from '../http/frame/route.ts';
import type { Headers } from '../http/output/reply.ts';
import { Problem } from '../lib/problem.ts';
import type { CredentialVerifier } from './keys/key-verifier.ts';
import type { FailureThrottle } from './limits/failure-throttle.ts';
import type { PushLimit } from './limits/push-limit.ts';
import type { RateLimiter } from './limits/rate-limiter.ts';
import { type Channel, isChannel, NOTHING, type Reach } from './tiers/reach.ts';
import { anonymous, atLeast, isTier, type Principal, SCOPES, type Scope, tierName } from './tiers/tiers.ts';

export interface PhasesOptions {
  readonly identify: (incoming: Incoming, access: Access) => Promise<Principal> | Principal;
  readonly findReach: FindCallerReach;
  readonly rateLimiter: RateLimiter;
  readonly admitLook: ExplorerLimit;
  readonly pushLimit: Pick<PushLimit, 'admit'>;
}

/** Charges one look at the explorer, and returns headers for the response. Throws why the caller may not look, or not now. */
export type ExplorerLimit = (caller: Principal, counts: 'views' | 'homes' | 'tiles') => Promise<Headers>;

/** A response to credentials is private and revalidated each time. */
const PRIVATE = Object.freeze({ 'cache-control': 'private, no-cache', vary: 'Authorization' });
/** Caches must not serve an anonymous response to a caller with credentials. */
const OPEN = Object.freeze({ vary: 'Authorization' });

/** The listings that a caller may see by the channel of a route. */
export type FindCallerReach = (caller: Principal, channel: Channel) => Reach;

export function createPhases({
  identify,
  findReach,
  rateLimiter,
  admitLook,
  pushLimit,
}: PhasesOptions): Phases<Principal> {
  return {
    async identify(incoming, access) {
      const caller = await identify(incoming, access);
      const reach = isChannel(access.channel) ? findReach(caller, access.channel) : NOTHING;
      return { ...caller, reach };
    },
    allow: refusalOf,
    look: (caller) => rateLimiter.look(caller),
    // A caller that is refused anyway gets that refusal, not TOO_MANY_STREAMS.
    async limit(caller, access, isAllowed) {
      if (caller.source !== undefined) return pushLimit.admit(caller.source.id);
      return access.counts === 'views' || access.counts === 'homes' || access.counts === 'tiles'
        ? admitLook(caller, access.counts)
        : rateLimiter.admit(caller, isAllowed ? access : { ...access, stream: false });
    },
    headers: (caller) => (caller.kind === 'anonymous' ? OPEN : PRIVATE),
    describe: ({ kind, tier, subscription, source }) => {
      if (source !== undefined) return { kind, source: source.id };
      return subscription === null ? { kind, tier } : { kind, tier, subscription };
    },
  };
}

export interface IdentifyOptions {
  readonly verifiers: readonly CredentialVerifier[];
  readonly failures: FailureThrottle;
}

/**
 * Creates the identify phase. A credential that is missing where it is required, or invalid anywhere, is a 401 and charged
 * to the caller's address; an invalid one never makes an anonymous caller. The output adds the challenge.
 */
export function createIdentify({ verifiers, failures }: IdentifyOptions) {
  return async function identify(incoming: Incoming, access: Access): Promise<Principal> {
    if (access.credentials === 'none') return anonymous(incoming.address);
    const header = incoming.headers.authorization;
    const misplaced = header === undefined ? misplacedKey(incoming) : undefined;
    if (header === undefined && misplaced === undefined && access.credentials === 'optional')
      return anonymous(incoming.address);
    const attempt = failures.attempt(incoming.address);
    try {
      const credential = readCredential(header, misplaced);
      return await findVerifier(verifiers, credential).verify(credential, attempt, access.resource);
    } catch (error) {
      // A refused credential is charged to its address; `fail` throws RATE_LIMITED instead where it was one too many.
      if (error instanceof Problem && error.status === 401) await attempt.fail();
      throw error;
    } finally {
      attempt.end();
    }
  };
}

function findVerifier(verifiers: readonly CredentialVerifier[], credential: string): CredentialVerifier {
  const verifier = verifiers.find((each) => each.matches(credential));
  if (verifier !== undefined) return verifier;
  throw new Problem('INVALID_TOKEN', 'The credential is neither an API key nor a valid access token.');
}

const REMEDY = 'Send an API key or an access token: Authorization: Bearer <credential>.';

/** Headers in which other services read keys: in lower case, and as people write them. */
const KEY_HEADERS = {
  'x-api-key': 'X-Api-Key',
  'api-key': 'Api-Key',
  apikey: 'Apikey',
  'x-auth-token': 'X-Auth-Token',
  'x-access-token': 'X-Access-Token',
} as const;

/** A header with a key that this service does not read; its value is never looked at. */
function misplacedKey({ headers }: Incoming): string | undefined {
  for (const [name, label] of Object.entries(KEY_HEADERS)) if (headers[name] !== undefined) return label;
  return undefined;
}

function readCredential(header: string | undefined, misplaced: string | undefined): string {
  if (misplaced !== undefined)
    throw new Problem('MISSING_API_KEY', `The header ${misplaced} is not supported. ${REMEDY}`);
  if (header === undefined)
    throw new Problem('MISSING_API_KEY', `This endpoint needs credentials. ${REMEDY}`);
  const [, scheme = '', credential = ''] = /^ *([^ ]*) *(.*)$/.exec(header) ?? [];
  if (scheme === '') throw new Problem('MISSING_API_KEY', `The Authorization header is empty. ${REMEDY}`);
  if (scheme.toLowerCase() !== 'bearer') {
    throw new Problem('INVALID_TOKEN', `The Authorization header must use the scheme Bearer. ${REMEDY}`);
  }
  if (credential === '') throw new Problem('MISSING_API_KEY', `No credential follows Bearer. ${REMEDY}`);
  return credential;
}

/** Why this caller may not use the route: no credentials, too low a tier, or a missing scope. Null: it may. */
export function refusalOf(caller: Principal, access: Access): Problem | null {
  if (access.credentials === 'required' && caller.kind === 'anonymous') {
    return new Problem(
      'MISSING_API_KEY',
      'This endpoint needs credentials: Authorization: Bearer <credential>.',
    );
  }
  if (access.source === true || caller.kind === 'source') return sourceRefusal(caller, access);
  if (access.tier !== undefined && !atLeast(caller.tier, access.tier))
    return tierRefusal(caller, access.tier);
  if (access.scope === undefined || caller.scopes === null || hasScope(caller.scopes, access.scope))
    return null;
  return new Problem('INSUFFICIENT_SCOPE', `This endpoint needs a token with the scope ${access.scope}.`);
}

function sourceRefusal({ kind }: Principal, access: Access): Problem | null {
  if (kind !== 'source')
    return new Problem(
      'INSUFFICIENT_SCOPE',
      'This endpoint needs the token of a source (src_…). The operator makes one: freehold sources create.',
    );
  if (access.source === true) return null;
  return new Problem(
    'INSUFFICIENT_SCOPE',
    'The token of a source writes the listings of that source, and reads nothing else. Use an API key here.',
  );
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

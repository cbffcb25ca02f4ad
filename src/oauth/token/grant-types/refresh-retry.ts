// Owns what becomes of a refresh token that was replaced before: the same pair again for a retry, the end for a reuse.

import type { Verdict } from '../../../access/tiers/provider.ts';
import type { Problem } from '../../../lib/problem.ts';
import { hashPrefix } from '../../protocol/audit.ts';
import { ACCESS_LIFETIME } from '../../protocol/lifetimes.ts';
import type { RefreshOutcome } from '../../protocol/metrics.ts';
import { secretHash } from '../../protocol/secret.ts';
import type { KnownGrant } from '../known-grants.ts';
import { type Pair, successorOf } from '../succession.ts';
import { endFamily, invalidGrant, type TokenAnswer, type TokenParts } from '../token-parts.ts';
import { findSuccessor } from '../token-store.ts';

/** A refresh token that is its client's, and what is to come of it. */
export interface Shown {
  readonly token: string;
  readonly hash: string;
  readonly facts: KnownGrant;
  /** Wall-clock milliseconds. */
  readonly now: number;
  /** Of the new access token; parted by spaces. */
  readonly scope: string;
  readonly resources: readonly string[];
  /** What the provider says of the subscription; `free` where there is none. */
  readonly verdict: () => Promise<Verdict | 'free'>;
}

/**
 * A retry within the grace gets the same pair again, so that a lost answer or two processes of one client cost nobody a
 * session, and no second line of tokens begins. Once the pair was used its predecessor has no business here any more.
 */
export async function repeat(
  parts: TokenParts,
  shown: Shown,
  rotatedAt: string,
  nonce: string | null,
): Promise<TokenAnswer> {
  const elapsed = shown.now - Date.parse(rotatedAt);
  if (elapsed >= parts.rules.grace || nonce === null) return reused(parts, shown);
  const pair = successorOf(shown.token, nonce);
  const [refresh, access] = [secretHash(pair.refreshToken), secretHash(pair.accessToken)];
  const successor = await parts.database.read((sql) => findSuccessor(sql, refresh, access));
  if (successor === undefined || successor.rotated) return reused(parts, shown);
  parts.metrics.refreshed('repeated');
  const left = successor.accessExpires
    ? Date.parse(successor.accessExpires) - shown.now
    : ACCESS_LIFETIME - elapsed;
  return answerOf(pair, successor.scope ?? shown.facts.scope, left);
}

/** Somebody holds a token that its client has replaced: who of the two is the thief cannot be told, so both go. */
async function reused(parts: TokenParts, { facts, hash }: Shown): Promise<never> {
  const { grant, clientId } = facts;
  parts.audit('refresh_reuse', { grant, client: clientId, hash: hashPrefix(hash) });
  await endFamily(parts, facts, 'refresh_reuse');
  throw unusable(parts, 'reused');
}

const REASONS = {
  unknown: 'The refresh token is unknown.',
  foreign_client: 'The refresh token was issued to another client.',
  expired: 'The refresh token has expired.',
  revoked: 'The refresh token has been revoked.',
  reused: 'The refresh token was already used, so everything issued with it has been revoked.',
  subscription_ended: 'The subscription behind this refresh token has ended.',
} as const satisfies { readonly [outcome in RefreshOutcome]?: string };

/** The invalid_grant for a token that leads to nothing any more; counted. */
export function unusable({ metrics }: TokenParts, outcome: keyof typeof REASONS): Problem {
  metrics.refreshed(outcome);
  return invalidGrant(REASONS[outcome]);
}

export function answerOf(pair: Pair, scope: string, life: number): TokenAnswer {
  return {
    access_token: pair.accessToken,
    token_type: 'Bearer',
    expires_in: Math.max(0, Math.floor(life / 1000)),
    refresh_token: pair.refreshToken,
    scope,
  };
}

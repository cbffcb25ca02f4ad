// Owns the exchange of a refresh token for a new pair: asked afresh, rotated once, repeated for a retry, ended on reuse.

import type { Plan } from '../../access/tiers.ts';
import { askFresh } from '../../access/verdict.ts';
import type { Problem } from '../../lib/problem.ts';
import { hashPrefix } from '../audit.ts';
import { oauthError, tooMany } from '../errors.ts';
import { ACCESS_LIFETIME, expiriesOf, RENEWAL_STEP } from '../lifetimes.ts';
import type { RefreshOutcome } from '../metrics.ts';
import { narrowResources, narrowScope } from '../narrowing.ts';
import { type Pair, seal, unseal } from '../sealed.ts';
import { isSecret, newSecret, secretHash } from '../secret.ts';
import {
  endFamily,
  type GrantType,
  invalidGrant,
  invalidRequest,
  type TokenAnswer,
  type TokenParts,
} from '../token-parts.ts';
import { findRefreshToken, findSuccessor, type RefreshRow, rotate } from '../token-store.ts';

/** Seconds after which a client may ask again while nobody knows whether its subscription is in force. */
const RETRY_AFTER = '5';

/** A refresh token that was found, and is its client's. */
interface Shown {
  readonly token: string;
  readonly hash: Buffer;
  readonly row: RefreshRow;
  readonly now: number;
  /** What the new access token is to hold. */
  readonly scope: string;
  readonly resources: readonly string[];
}

/** Throws invalid_request, invalid_grant, invalid_scope, invalid_target, temporarily_unavailable. */
export const exchangeRefreshToken: GrantType = async (parts, clientId, fields) => {
  const token = fields.refresh_token;
  if (token === undefined) throw invalidRequest('The field refresh_token is missing.');
  const hash = secretHash(token);
  const row = isSecret('rt', token)
    ? await parts.database.read((sql) => findRefreshToken(sql, hash))
    : undefined;
  if (row === undefined) throw ended(parts, 'unknown', 'The refresh token is not known.');
  if (row.clientId !== clientId) throw foreign(parts, row, clientId, hash);
  const wait = parts.perGrant.take(String(row.grant));
  if (wait > 0) throw tooMany(wait);
  const scope = narrowScope(row.scope, fields.scope);
  if (scope === null) throw oauthError('invalid_scope', 'The field scope asks for more than was granted.');
  const resources = narrowResources(row.resources, fields.resource ?? []);
  if (resources === null)
    throw oauthError('invalid_target', 'The field resource names what was not granted.');
  return answer(parts, { token, hash, row, now: parts.clock.now(), scope, resources });
};

/** Decides by the state of the token: ended, replaced, or current. */
async function answer(parts: TokenParts, shown: Shown): Promise<TokenAnswer> {
  const { row, now } = shown;
  if (row.revokedAt !== null) throw ended(parts, 'revoked', 'The refresh token has been revoked.');
  if (row.rotatedAt !== null) return repeat(parts, shown, row.rotatedAt, row.successor);
  if (now >= Date.parse(row.expiresAt)) throw ended(parts, 'expired', 'The refresh token has expired.');
  return replace(parts, shown, await currentTier(parts, row));
}

/** The tier of the subscription as its provider sees it now. Nothing has been spent when this throws. */
async function currentTier(parts: TokenParts, row: RefreshRow): Promise<Plan> {
  if (row.subscription === null) return 'free';
  const verdict = await askFresh(parts, row.subscription).catch((cause: unknown) => {
    parts.metrics.refreshed('unavailable');
    throw oauthError('temporarily_unavailable', 'The subscription cannot be checked now; try again later.', {
      headers: { 'retry-after': RETRY_AFTER },
      cause,
    });
  });
  if (verdict.state === 'active') return verdict.tier;
  await endFamily(parts, row, 'subscription_ended');
  throw ended(parts, 'subscription_ended', 'The subscription behind this refresh token has ended.');
}

async function replace(parts: TokenParts, shown: Shown, tier: Plan): Promise<TokenAnswer> {
  const { hash, row, now, scope, resources } = shown;
  const pair: Pair = { accessToken: newSecret('at'), refreshToken: newSecret('rt') };
  const expiries = expiriesOf(now, Date.parse(row.createdAt), parts.rules);
  const rotation = {
    presentedHash: hash,
    successor: seal(shown.token, pair),
    accessHash: secretHash(pair.accessToken),
    refreshHash: secretHash(pair.refreshToken),
    tier,
    scope: scope === row.scope ? null : scope,
    resources: resources.length === row.resources.length ? null : resources,
    accessExpires: expiries.access,
    refreshExpires: expiries.refresh,
    grantExpires: expiries.grant,
    renewBefore: new Date(now - RENEWAL_STEP),
    now: new Date(now),
  };
  if (!(await parts.database.write((sql) => rotate(sql, rotation)))) return overtaken(parts, shown);
  parts.metrics.issued('refresh_token');
  parts.metrics.refreshed('rotated');
  return answerOf(pair, scope, expiries.access.getTime() - now);
}

/** Somebody replaced the token, or ended its grant, while its provider was asked: what they left decides. */
async function overtaken(parts: TokenParts, shown: Shown): Promise<TokenAnswer> {
  const row = await parts.database.read((sql) => findRefreshToken(sql, shown.hash));
  const now = parts.clock.now();
  if (row?.rotatedAt && row.revokedAt === null) {
    return repeat(parts, { ...shown, row, now }, row.rotatedAt, row.successor);
  }
  throw ended(parts, 'revoked', 'The refresh token has been revoked or has expired.');
}

/**
 * A retry within the grace gets the same pair again, so that a lost answer or two processes of one client cost nobody a
 * session, and no second line of tokens begins. Once the pair was used its predecessor has no business here any more.
 */
async function repeat(
  parts: TokenParts,
  shown: Shown,
  rotatedAt: string,
  sealed: Buffer | null,
): Promise<TokenAnswer> {
  const elapsed = shown.now - Date.parse(rotatedAt);
  if (elapsed >= parts.rules.grace || sealed === null) return reused(parts, shown);
  const pair = unseal(shown.token, sealed);
  const [refresh, access] = [secretHash(pair.refreshToken), secretHash(pair.accessToken)];
  const successor = await parts.database.read((sql) => findSuccessor(sql, refresh, access));
  if (successor === undefined || successor.rotated) return reused(parts, shown);
  parts.metrics.refreshed('repeated');
  const left = successor.accessExpires
    ? Date.parse(successor.accessExpires) - shown.now
    : ACCESS_LIFETIME - elapsed;
  return answerOf(pair, successor.scope ?? shown.row.scope, left);
}

/** Somebody holds a token that its client has replaced: who of the two is the thief cannot be told, so both go. */
async function reused(parts: TokenParts, { row, hash }: Shown): Promise<never> {
  const { grant, clientId } = row;
  parts.audit('refresh_reuse', { grant, client: clientId, hash: hashPrefix(hash) });
  await endFamily(parts, row, 'refresh_reuse');
  throw ended(
    parts,
    'reused',
    'The refresh token was used before, so all that was issued with it is revoked.',
  );
}

/** The id of a public client proves nothing, so another's is no reason to end the family. */
function foreign(parts: TokenParts, row: RefreshRow, clientId: string, hash: Buffer): Problem {
  const { grant } = row;
  parts.audit('refresh_foreign_client', { grant, client: clientId, hash: hashPrefix(hash) });
  return ended(parts, 'foreign_client', 'The refresh token was issued to another client.');
}

function ended({ metrics }: TokenParts, outcome: RefreshOutcome, description: string): Problem {
  metrics.refreshed(outcome);
  return invalidGrant(description);
}

function answerOf(pair: Pair, scope: string, life: number): TokenAnswer {
  return {
    access_token: pair.accessToken,
    token_type: 'Bearer',
    expires_in: Math.max(0, Math.floor(life / 1000)),
    refresh_token: pair.refreshToken,
    scope,
  };
}

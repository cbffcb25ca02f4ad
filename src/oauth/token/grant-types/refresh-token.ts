// Owns the exchange of a refresh token for a new pair: its provider is asked afresh, and then it is replaced once.

import { askFresh } from '../../../access/keys/verdict.ts';
import type { Verdict } from '../../../access/tiers/provider.ts';
import type { Plan } from '../../../access/tiers/tiers.ts';
import { hashPrefix } from '../../protocol/audit.ts';
import { oauthError, tooMany } from '../../protocol/errors.ts';
import { expiriesOf, RENEWAL_STEP } from '../../protocol/lifetimes.ts';
import { isSecret, secretHash } from '../../protocol/secret.ts';
import type { KnownGrant } from '../known-grants.ts';
import { narrowResources, narrowScope } from '../narrowing.ts';
import { newNonce, successorOf } from '../succession.ts';
import {
  endFamily,
  type GrantType,
  invalidRequest,
  type TokenAnswer,
  type TokenParts,
} from '../token-parts.ts';
import type { RefreshRow } from '../token-store.ts';
import { answerOf, repeat, type Shown, unusable } from './refresh-retry.ts';

/** Seconds after which a client may ask again while nobody knows whether its subscription is in force. */
const RETRY_AFTER = '5';

/** Throws invalid_request, invalid_grant, invalid_scope, invalid_target, temporarily_unavailable. */
export const exchangeRefreshToken: GrantType = async (parts, clientId, fields) => {
  const token = fields.refresh_token;
  if (token === undefined) throw invalidRequest('The field refresh_token is missing.');
  if (!isSecret('rt', token)) throw unusable(parts, 'unknown');
  const hash = secretHash(token);
  const known = parts.known.get(hash);
  const row = known === undefined ? await parts.exchanges.findRefreshToken(hash) : null;
  const facts = known ?? row;
  if (facts === undefined || facts === null) throw unusable(parts, 'unknown');
  refuseForeign(parts, facts, clientId, hash);
  const wait = parts.perGrant.take(String(facts.grant));
  if (wait > 0) throw tooMany(wait);
  const asked = narrowed(facts, fields);
  const shown: Shown = {
    ...asked,
    token,
    hash,
    facts,
    now: parts.clock.now(),
    verdict: judgeOnce(parts, facts),
  };
  if (row !== null && row !== undefined) return decide(parts, shown, row);
  return (
    (await replaceKnown(parts, shown)) ?? decide(parts, shown, await parts.exchanges.findRefreshToken(hash))
  );
};

/** The id of a public client proves nothing, so another's is no reason to end the family. */
function refuseForeign(
  parts: TokenParts,
  { grant, clientId }: KnownGrant,
  sender: string,
  hash: string,
): void {
  if (sender === clientId) return;
  parts.audit('refresh_foreign_client', { grant, client: sender, hash: hashPrefix(hash) });
  throw unusable(parts, 'foreign_client');
}

/** What the new access token is to hold. */
function narrowed(facts: KnownGrant, fields: Parameters<GrantType>[2]): Pick<Shown, 'scope' | 'resources'> {
  const scope = narrowScope(facts.scope, fields.scope);
  if (scope === null) throw oauthError('invalid_scope', 'The field scope requests more than was granted.');
  const resources = narrowResources(facts.resources, fields.resource ?? []);
  if (resources !== null) return { scope, resources };
  throw oauthError('invalid_target', 'The field resource names a resource that was not granted.');
}

/** Asks the provider when first called, and never twice in one request. Without a subscription nobody is asked. */
function judgeOnce(parts: TokenParts, { subscription }: KnownGrant): () => Promise<Verdict | 'free'> {
  let verdict: Promise<Verdict | 'free'> | undefined;
  return () => {
    verdict ??= subscription === null ? Promise.resolve('free') : askFresh(parts, subscription);
    return verdict;
  };
}

/** No look at a token whose grant is known here; null where there is more to say than "replaced". */
async function replaceKnown(parts: TokenParts, shown: Shown): Promise<TokenAnswer | null> {
  if (parts.provider.inDatabase === true) return replace(parts, shown, null);
  const verdict = await shown.verdict().catch(() => null);
  if (verdict === 'free') return replace(parts, shown, 'free');
  return verdict?.state === 'active' ? replace(parts, shown, verdict.tier) : null;
}

/** Decides by the state of the token: ended, replaced, or current. */
async function decide(parts: TokenParts, shown: Shown, row: RefreshRow | undefined): Promise<TokenAnswer> {
  if (row === undefined) throw unusable(parts, 'unknown');
  if (row.revokedAt !== null) throw unusable(parts, 'revoked');
  if (row.rotatedAt !== null) return repeat(parts, shown, row.rotatedAt, row.nonce);
  if (shown.now >= Date.parse(row.expiresAt)) throw unusable(parts, 'expired');
  return (
    (parts.provider.inDatabase === true ? await replace(parts, shown, null) : null) ??
    (await replace(parts, shown, await currentTier(parts, shown))) ??
    overtaken(parts, shown)
  );
}

/** The tier of the subscription as its provider sees it now. Nothing has been spent when this throws. */
async function currentTier(parts: TokenParts, { facts, verdict }: Shown): Promise<Plan> {
  const found = await verdict().catch((cause: unknown) => {
    parts.metrics.refreshed('unavailable');
    throw oauthError(
      'temporarily_unavailable',
      'The subscription cannot be checked at the moment; try again later.',
      {
        headers: { 'retry-after': RETRY_AFTER },
        cause,
      },
    );
  });
  if (found === 'free') return 'free';
  if (found.state === 'active') return found.tier;
  await endFamily(parts, facts, 'subscription_ended');
  throw unusable(parts, 'subscription_ended');
}

/**
 * Null where the token had been replaced already, has expired, or its grant has ended. A tier of null stands for that of
 * the subscription in the database as the token is replaced, which then has to be in force.
 */
async function replace(parts: TokenParts, shown: Shown, tier: Plan | null): Promise<TokenAnswer | null> {
  const { hash, facts, now, scope, resources } = shown;
  const nonce = newNonce();
  const pair = successorOf(shown.token, nonce);
  const expiries = expiriesOf(now, Date.parse(facts.createdAt), parts.rules);
  const rotation = {
    presentedHash: hash,
    nonce,
    accessHash: secretHash(pair.accessToken),
    refreshHash: secretHash(pair.refreshToken),
    tier,
    scope: scope === facts.scope ? null : scope,
    resources: resources.length === facts.resources.length ? null : resources,
    accessExpires: expiries.access,
    refreshExpires: expiries.refresh,
    grantExpires: expiries.grant,
    renewBefore: now - RENEWAL_STEP,
    now,
  };
  if (!(await parts.exchanges.rotate(rotation))) return null;
  parts.known.replace(hash, rotation.refreshHash, facts);
  parts.metrics.issued('refresh_token');
  parts.metrics.refreshed('rotated');
  return answerOf(pair, scope, expiries.access - now);
}

/** Somebody replaced the token, or ended its grant, while its provider was asked: what they left decides. */
async function overtaken(parts: TokenParts, shown: Shown): Promise<TokenAnswer> {
  const row = await parts.exchanges.findRefreshToken(shown.hash);
  if (row?.rotatedAt && row.revokedAt === null) {
    return repeat(parts, { ...shown, now: parts.clock.now() }, row.rotatedAt, row.nonce);
  }
  throw unusable(parts, 'revoked');
}

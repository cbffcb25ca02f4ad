// Refresh token grant: ordered checks, the status of the subscription, then one statement replaces the token.

import { fetchStatus } from '../../../access/keys/subscription-cache.ts';
import { ProviderUnavailable } from '../../../access/tiers/provider.ts';
import type { Plan } from '../../../access/tiers/tiers.ts';
import type { Problem } from '../../../lib/problem.ts';
import { hashSecret } from '../../../lib/secrets.ts';
import { setGrantCustomer } from '../../consents/grant-store.ts';
import { hashPrefix, type RefreshOutcome } from '../../protocol/audit.ts';
import { clientKind } from '../../protocol/client-kind.ts';
import { oauthError } from '../../protocol/errors.ts';
import { requireLowRate } from '../../protocol/throttle.ts';
import {
  computeExpiries,
  deriveTokenPair,
  downscope,
  isSecret,
  RENEWAL_INTERVAL,
  selectResources,
  type TokenPair,
} from '../../protocol/tokens.ts';
import {
  endGrant,
  type GrantType,
  invalidGrant,
  invalidRequest,
  type TokenContext,
  type TokenFields,
  type TokenResponse,
} from '../token-context.ts';
import type { RefreshTokenRow, RotationResult } from '../token-store.ts';

/** Seconds, while the subscription cannot be checked. */
const RETRY_AFTER = '5';

/** A refresh token that exists. */
interface PresentedToken {
  readonly row: RefreshTokenRow;
  readonly token: string;
  readonly hash: string;
}

/** Of the new access token. */
interface TokenRights {
  readonly scope: string;
  readonly resources: readonly string[];
}

/** Throws invalid_request, invalid_grant, invalid_scope, invalid_target, temporarily_unavailable. */
export const exchangeRefreshToken: GrantType = async (context, clientId, fields) => {
  const presented = await findPresentedToken(context, fields.refresh_token);
  const { row, token, hash } = presented;
  requireSameClient(context, presented, clientId);
  await requireLowRate(context.grantThrottle, String(row.grant));
  const rights = resolveRights(row, fields);
  // A retry gets what was issued before, whatever has become of the subscription.
  const tier = row.state === 'current' ? await fetchTier(context, row) : null;
  const pair = deriveTokenPair(token, row.nonce);
  const now = context.clock.now();
  const result = await rotate(context, presented, pair, { ...rights, tier, now });
  context.metrics.refreshed(result.outcome, clientKind(row));
  switch (result.outcome) {
    case 'rotated':
      context.metrics.issued('refresh_token');
      return createResponse(pair, result, { row, now });
    case 'repeated':
      return createResponse(pair, result, { row, now });
    case 'reused':
      // Two parties hold the token. Which one stole it is unknown, so the grant ends for both.
      context.audit('refresh_reuse', { grant: row.grant, client: row.clientId, hash: hashPrefix(hash) });
      await endGrant(context, row, 'refresh_reuse');
      throw invalidGrant(REASONS.reused);
    case 'expired':
    case 'ended':
    case 'unknown':
      throw invalidGrant(REASONS[result.outcome]);
  }
};

async function findPresentedToken(context: TokenContext, token: string | undefined): Promise<PresentedToken> {
  if (token === undefined) throw invalidRequest('The field refresh_token is missing.');
  if (!isSecret('rt', token)) throw refuse(context, 'unknown', null);
  const hash = hashSecret(token);
  const row = await context.tokens.findRefreshToken(hash);
  if (row === undefined) throw refuse(context, 'unknown', null);
  return { row, token, hash };
}

/** Does not end the grant: the id of a public client proves nothing. */
function requireSameClient(context: TokenContext, { row, hash }: PresentedToken, clientId: string): void {
  if (row.clientId === clientId) return;
  context.audit('refresh_foreign_client', { grant: row.grant, client: clientId, hash: hashPrefix(hash) });
  throw refuse(context, 'foreign_client', row);
}

function resolveRights(row: RefreshTokenRow, fields: TokenFields): TokenRights {
  const scope = downscope(row.scope, fields.scope);
  if (scope === null) throw oauthError('invalid_scope', 'The field scope requests more than was granted.');
  const resources = selectResources(row.resources, fields.resource ?? []);
  if (resources !== null) return { scope, resources };
  throw oauthError('invalid_target', 'The field resource names a resource that was not granted.');
}

/** The current tier of the subscription, from its provider. Nothing has been changed when this throws. */
async function fetchTier(context: TokenContext, row: RefreshTokenRow): Promise<Plan> {
  if (row.subscription === null) return 'free';
  const status = await fetchStatus(context, row.subscription).catch((error: unknown) => {
    if (!(error instanceof ProviderUnavailable)) throw error;
    context.metrics.refreshed('unavailable', clientKind(row));
    const description = 'The subscription cannot be checked at the moment; try again later.';
    const headers = { 'retry-after': RETRY_AFTER };
    throw oauthError('temporarily_unavailable', description, { headers, cause: error });
  });
  if (status.state === 'active') {
    await keepCustomer(context, row, status.customer);
    return status.tier;
  }
  await endGrant(context, row, 'subscription_ended');
  throw refuse(context, 'subscription_ended', row);
}

/** The grant of a subscription whose customer was not known at the time of the consent learns it here. */
async function keepCustomer(
  { database }: TokenContext,
  row: RefreshTokenRow,
  customer: string | null,
): Promise<void> {
  if (customer === row.customer) return;
  await database.write((sql) => setGrantCustomer(sql, row.grant, customer));
}

/** @param tier null for a token that was replaced before */
function rotate(
  { tokens, limits }: TokenContext,
  { row, hash }: PresentedToken,
  pair: TokenPair,
  { scope, resources, tier, now }: TokenRights & { readonly tier: Plan | null; readonly now: number },
): Promise<RotationResult> {
  return tokens.rotateRefreshToken({
    presentedHash: hash,
    grant: row.grant,
    accessHash: hashSecret(pair.accessToken),
    refreshHash: hashSecret(pair.refreshToken),
    tier,
    scope: scope === row.scope ? null : scope,
    resources: resources.length === row.resources.length ? null : resources,
    ...computeExpiries(now, Date.parse(row.createdAt), limits),
    graceStart: new Date(now - limits.grace),
    renewBefore: new Date(now - RENEWAL_INTERVAL),
    now: new Date(now),
  });
}

/** `issued` describes the pair, issued now or before. */
function createResponse(
  { accessToken, refreshToken }: TokenPair,
  issued: Extract<RotationResult, { outcome: 'rotated' | 'repeated' }>,
  { row, now }: { readonly row: RefreshTokenRow; readonly now: number },
): TokenResponse {
  const expires = issued.accessExpires === null ? now : Date.parse(issued.accessExpires);
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: Math.max(0, Math.floor((expires - now) / 1000)),
    refresh_token: refreshToken,
    scope: issued.scope ?? row.scope,
  };
}

const REASONS = {
  unknown: 'The refresh token is unknown.',
  foreign_client: 'The refresh token was issued to another client.',
  expired: 'The refresh token has expired.',
  ended: 'The refresh token has been revoked.',
  reused: 'The refresh token was already used, so everything issued with it has been revoked.',
  subscription_ended: 'The subscription behind this refresh token has ended.',
} as const satisfies { readonly [outcome in RefreshOutcome]?: string };

/**
 * Counts a token that fails a check, and returns its error.
 * @param row null for a token that does not exist, of which nobody knows whose it was
 */
function refuse(
  { metrics }: TokenContext,
  outcome: keyof typeof REASONS,
  row: RefreshTokenRow | null,
): Problem {
  metrics.refreshed(outcome, row === null ? 'other' : clientKind(row));
  return invalidGrant(REASONS[outcome]);
}

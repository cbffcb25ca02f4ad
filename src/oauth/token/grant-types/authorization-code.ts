// Authorization code grant: ordered checks of the request, then one statement exchanges the code once.

import { hash } from 'node:crypto';
import type { Problem } from '../../../lib/problem.ts';
import { equalSecrets, hashSecret } from '../../../lib/secrets.ts';
import { hashPrefix } from '../../protocol/audit.ts';
import { oauthError } from '../../protocol/errors.ts';
import { computeExpiries, createSecret, isSecret, selectResources } from '../../protocol/tokens.ts';
import {
  endGrant,
  type GrantType,
  invalidGrant,
  invalidRequest,
  type TokenContext,
  type TokenFields,
} from '../token-context.ts';
import type { CodeRow, RedemptionOutcome } from '../token-store.ts';

/** A code that exists, and the rest of the request. */
interface PresentedCode {
  readonly row: CodeRow;
  readonly hash: string;
  readonly clientId: string;
  readonly verifier: string;
  readonly fields: TokenFields;
}

type Check = (code: PresentedCode) => Problem | null;

/** In this order; a failure does not use the code up. */
const CHECKS: readonly Check[] = [notExpired, sameClient, sameRedirect, grantedResources, matchingVerifier];

/** Throws invalid_request, invalid_grant, invalid_target. */
export const exchangeCode: GrantType = async (context, clientId, fields) => {
  const code = await findPresentedCode(context, clientId, fields);
  for (const check of CHECKS) {
    const error = check(code);
    if (error !== null) throw error;
  }
  const { row } = code;
  const [accessToken, refreshToken] = [createSecret('at'), createSecret('rt')];
  const now = context.clock.now();
  const expiries = computeExpiries(now, Date.parse(row.createdAt), context.limits);
  const resources = selectResources(row.resources, fields.resource ?? []) ?? [];
  const outcome = await context.tokens.redeemCode({
    presentedHash: code.hash,
    grant: row.grant,
    accessHash: hashSecret(accessToken),
    refreshHash: hashSecret(refreshToken),
    resources: resources.length === row.resources.length ? null : resources,
    ...expiries,
    now: new Date(now),
  });
  if (outcome !== 'redeemed') throw await handleFailure(context, code, outcome);
  context.metrics.issued('authorization_code');
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: Math.floor((expiries.accessExpires.getTime() - now) / 1000),
    refresh_token: refreshToken,
    scope: row.scope,
  };
};

async function findPresentedCode(
  { tokens }: TokenContext,
  clientId: string,
  fields: TokenFields,
): Promise<PresentedCode> {
  const { code, code_verifier: verifier } = fields;
  if (code === undefined) throw invalidRequest('The field code is missing.');
  if (verifier === undefined) throw invalidRequest('The field code_verifier is missing.');
  if (!isSecret('ac', code)) throw invalidGrant(REASONS.unknown);
  const hash = hashSecret(code);
  const row = await tokens.findCode(hash);
  if (row === undefined) throw invalidGrant(REASONS.unknown);
  return { row, hash, clientId, verifier, fields };
}

const REASONS = {
  unknown: 'The code is unknown. Request a new one.',
  expired: 'The code has expired. Request a new one.',
  ended: 'The consent behind the code has been revoked. Request a new code.',
  used: 'The code was already used, so everything issued from it has been revoked.',
};

/** A second use ends the grant: somebody else holds code and verifier. */
async function handleFailure(
  context: TokenContext,
  { row, hash }: PresentedCode,
  outcome: Exclude<RedemptionOutcome, 'redeemed'>,
): Promise<Problem> {
  if (outcome === 'used') {
    context.audit('code_replay', { grant: row.grant, client: row.clientId, hash: hashPrefix(hash) });
    await endGrant(context, row, 'code_replay');
  }
  return invalidGrant(REASONS[outcome]);
}

/** A used code stays in the table for longer, so that its second use is noticed. */
function notExpired({ row }: PresentedCode): Problem | null {
  return row.state === 'expired' ? invalidGrant(REASONS.expired) : null;
}

function sameClient({ row, clientId }: PresentedCode): Problem | null {
  return row.clientId === clientId ? null : invalidGrant('The code was issued to another client.');
}

/** Optional: OAuth 2.0 requires the field, OAuth 2.1 leaves it out. */
function sameRedirect({ row, fields }: PresentedCode): Problem | null {
  const { redirect_uri: redirectUri = row.redirectUri } = fields;
  if (redirectUri === row.redirectUri) return null;
  return invalidGrant('The field redirect_uri differs from that of the authorization request.');
}

function grantedResources({ row, fields }: PresentedCode): Problem | null {
  if (selectResources(row.resources, fields.resource ?? []) !== null) return null;
  return oauthError(
    'invalid_target',
    'The field resource names a resource that the code was not issued for.',
  );
}

/** PKCE (RFC 7636), method S256 only. */
function matchingVerifier({ row, verifier }: PresentedCode): Problem | null {
  const isWellFormed = /^[\w.~-]{43,128}$/.test(verifier);
  if (isWellFormed && equalSecrets(hash('sha256', verifier, 'base64url'), row.challenge)) return null;
  return invalidGrant(
    'The field code_verifier does not match the code_challenge of the authorization request.',
  );
}

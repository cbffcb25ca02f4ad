// Owns the exchange of an authorization code for tokens: what it must be shown with, and what a second use costs.

import type { Problem } from '../../../lib/problem.ts';
import { hashPrefix } from '../../protocol/audit.ts';
import { oauthError } from '../../protocol/errors.ts';
import { expiriesOf } from '../../protocol/lifetimes.ts';
import { isProof, proofOf } from '../../protocol/pkce.ts';
import { isSecret, newSecret, secretHash } from '../../protocol/secret.ts';
import { narrowResources, withoutSlash } from '../narrowing.ts';
import {
  endFamily,
  type GrantType,
  invalidGrant,
  invalidRequest,
  type TokenAnswer,
  type TokenFields,
  type TokenParts,
} from '../token-parts.ts';
import type { CodeRow } from '../token-store.ts';

/** A code that was found, and what it was shown with. */
interface Shown {
  readonly row: CodeRow;
  readonly clientId: string;
  readonly fields: TokenFields;
  readonly verifier: string;
  readonly now: number;
}

type Check = (shown: Shown) => Problem | null;

/** In this order. The statement that takes a code checks the same, so that a mistake does not burn it. */
const CHECKS: readonly Check[] = [inTime, sameClient, sameRedirect, grantedResources, provenVerifier];

/** Throws invalid_request, invalid_grant, invalid_target. */
export const exchangeCode: GrantType = async (parts, clientId, fields) => {
  const { code, code_verifier: verifier } = fields;
  if (code === undefined) throw invalidRequest('The field code is missing.');
  if (verifier === undefined) throw invalidRequest('The field code_verifier is missing.');
  if (!isSecret('ac', code)) throw unknown();
  const hash = secretHash(code);
  const now = parts.clock.now();
  const proof = proofOf(verifier);
  const tokens = proof === null ? null : await take(parts, clientId, { hash, fields, proof, now });
  return tokens ?? refuse(parts, hash, { clientId, fields, verifier, now });
};

interface Proven {
  readonly hash: string;
  readonly fields: TokenFields;
  readonly proof: string;
  readonly now: number;
}

/** Takes the code where all is right, by one statement; null where anything is not. */
async function take(
  parts: TokenParts,
  clientId: string,
  { hash, fields, proof, now }: Proven,
): Promise<TokenAnswer | null> {
  const [accessToken, refreshToken] = [newSecret('at'), newSecret('rt')];
  const asked = fields.resource ?? [];
  const { access, refresh, grant } = expiriesOf(now, now, parts.rules);
  const redemption = {
    ...{ codeHash: hash, clientId, redirectUri: fields.redirect_uri ?? null, proof },
    ...{ accessHash: secretHash(accessToken), refreshHash: secretHash(refreshToken) },
    resources: asked.length === 0 ? null : asked.map(withoutSlash),
    ...{ accessExpires: access, refreshExpires: refresh, grantExpires: grant },
    longest: parts.rules.longest,
    now,
  };
  const redeemed = await parts.exchanges.redeem(redemption);
  if (redeemed === undefined) return null;
  parts.known.set(redemption.refreshHash, { ...redeemed, clientId });
  parts.metrics.issued('authorization_code');
  const expiries = expiriesOf(now, Date.parse(redeemed.createdAt), parts.rules);
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: Math.floor((expiries.access - now) / 1000),
    refresh_token: refreshToken,
    scope: redeemed.scope,
  };
}

/**
 * Says why a code was not taken. Where it was taken before, its family ends: nobody but its holder can have passed the
 * checks.
 */
async function refuse(parts: TokenParts, hash: string, shown: Omit<Shown, 'row'>): Promise<never> {
  const row = await parts.exchanges.findCode(hash);
  if (row === undefined) throw unknown();
  for (const check of CHECKS) {
    const refusal = check({ ...shown, row });
    if (refusal !== null) throw refusal;
  }
  return replayed(parts, row, hash);
}

function unknown(): Problem {
  return invalidGrant('The code is unknown. Request a new one.');
}

/** Also reached where the grant had been revoked, or the code has just expired: then there is nothing left to end. */
async function replayed(parts: TokenParts, row: CodeRow, hash: string): Promise<never> {
  const { grant, clientId } = row;
  parts.audit('code_replay', { grant, client: clientId, hash: hashPrefix(hash) });
  await endFamily(parts, row, 'code_replay');
  throw invalidGrant('The code was already used, so everything issued from it has been revoked.');
}

/** A code that was used stays known for longer, so that its second use is noticed. */
function inTime({ row, now }: Shown): Problem | null {
  if (row.usedAt !== null || now < Date.parse(row.expiresAt)) return null;
  return invalidGrant('The code has expired. Request a new one.');
}

function sameClient({ row, clientId }: Shown): Problem | null {
  return row.clientId === clientId ? null : invalidGrant('The code was issued to another client.');
}

/** OAuth 2.1 leaves the field out; where it is sent, as OAuth 2.0 asks, it has to be right. */
function sameRedirect({ row, fields }: Shown): Problem | null {
  const sent = fields.redirect_uri;
  if (sent === undefined || sent === row.redirectUri) return null;
  return invalidGrant('The field redirect_uri differs from that of the authorization request.');
}

function grantedResources({ row, fields }: Shown): Problem | null {
  if (narrowResources(row.resources, fields.resource ?? []) !== null) return null;
  return oauthError(
    'invalid_target',
    'The field resource names a resource that the code was not issued for.',
  );
}

function provenVerifier({ row, verifier }: Shown): Problem | null {
  if (isProof(verifier, row.challenge)) return null;
  return invalidGrant(
    'The field code_verifier does not match the code_challenge of the authorization request.',
  );
}

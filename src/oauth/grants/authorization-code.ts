// Owns the exchange of an authorization code for tokens: what it must be shown with, and what a second use costs.

import type { Problem } from '../../lib/problem.ts';
import { hashPrefix } from '../audit.ts';
import { oauthError } from '../errors.ts';
import { expiriesOf } from '../lifetimes.ts';
import { narrowResources } from '../narrowing.ts';
import { isProof } from '../pkce.ts';
import { isSecret, newSecret, secretHash } from '../secret.ts';
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

/** In this order; only what passes all of them takes the code, so that a mistake does not burn it. */
const CHECKS: readonly Check[] = [inTime, sameClient, sameRedirect, grantedResources, provenVerifier];

/** Throws invalid_request, invalid_grant, invalid_target. */
export const exchangeCode: GrantType = async (parts, clientId, fields) => {
  const { code, code_verifier: verifier } = fields;
  if (code === undefined) throw invalidRequest('The field code is missing.');
  if (verifier === undefined) throw invalidRequest('The field code_verifier is missing.');
  const hash = secretHash(code);
  const row = isSecret('ac', code) ? await parts.exchanges.findCode(hash) : undefined;
  if (row === undefined) throw invalidGrant('The code is not known. Ask for a new one.');
  const shown: Shown = { row, clientId, fields, verifier, now: parts.clock.now() };
  for (const check of CHECKS) {
    const refusal = check(shown);
    if (refusal !== null) throw refusal;
  }
  return take(parts, shown, hash);
};

/** Takes the code, or ends the family where it was taken before: nobody but its holder can have passed the checks. */
async function take(parts: TokenParts, shown: Shown, hash: string): Promise<TokenAnswer> {
  const { row, now } = shown;
  if (row.usedAt !== null) return replayed(parts, row, hash);
  const [accessToken, refreshToken] = [newSecret('at'), newSecret('rt')];
  const expiries = expiriesOf(now, Date.parse(row.createdAt), parts.rules);
  const resources = narrowResources(row.resources, shown.fields.resource ?? []);
  const redemption = {
    codeHash: hash,
    accessHash: secretHash(accessToken),
    refreshHash: secretHash(refreshToken),
    resources: resources?.length === row.resources.length ? null : resources,
    accessExpires: expiries.access,
    refreshExpires: expiries.refresh,
    grantExpires: expiries.grant,
    now,
  };
  if (!(await parts.exchanges.redeem(redemption))) {
    return replayed(parts, row, hash);
  }
  parts.known.set(redemption.refreshHash, row);
  parts.metrics.issued('authorization_code');
  return {
    access_token: accessToken,
    token_type: 'Bearer',
    expires_in: Math.floor((expiries.access - now) / 1000),
    refresh_token: refreshToken,
    scope: row.scope,
  };
}

/** Also reached where the grant had been revoked, or the code has just expired: then there is nothing left to end. */
async function replayed(parts: TokenParts, row: CodeRow, hash: string): Promise<never> {
  const { grant, clientId } = row;
  parts.audit('code_replay', { grant, client: clientId, hash: hashPrefix(hash) });
  await endFamily(parts, row, 'code_replay');
  throw invalidGrant('The code was used before, so all that was issued from it has been revoked.');
}

/** A code that was used stays known for longer, so that its second use is noticed. */
function inTime({ row, now }: Shown): Problem | null {
  if (row.usedAt !== null || now < Date.parse(row.expiresAt)) return null;
  return invalidGrant('The code has expired. Ask for a new one.');
}

function sameClient({ row, clientId }: Shown): Problem | null {
  return row.clientId === clientId ? null : invalidGrant('The code was issued to another client.');
}

/** OAuth 2.1 leaves the field out; where it is sent, as OAuth 2.0 asks, it has to be right. */
function sameRedirect({ row, fields }: Shown): Problem | null {
  const sent = fields.redirect_uri;
  if (sent === undefined || sent === row.redirectUri) return null;
  return invalidGrant('The field redirect_uri is not the one that the code was asked for with.');
}

function grantedResources({ row, fields }: Shown): Problem | null {
  if (narrowResources(row.resources, fields.resource ?? []) !== null) return null;
  return oauthError('invalid_target', 'The field resource names what the code was not issued for.');
}

function provenVerifier({ row, verifier }: Shown): Problem | null {
  if (isProof(verifier, row.challenge)) return null;
  return invalidGrant('The field code_verifier does not fit the challenge that the code was asked for with.');
}

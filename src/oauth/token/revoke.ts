// Owns the revocation endpoint (RFC 7009): what a client gives back is of no use to anybody from then on.

import { addressGroup } from '../../lib/address.ts';
import { callingClient } from '../clients/calling-client.ts';
import { oauthError, tooMany } from '../protocol/errors.ts';
import { isSecret, secretHash } from '../protocol/secret.ts';
import type { Throttle } from '../protocol/throttle.ts';
import { revokeAccessToken } from './revocation-store.ts';
import { endFamily, type TokenParts } from './token-parts.ts';

export interface RevocationRequest {
  readonly token: string | undefined;
  readonly clientId: string | undefined;
  readonly authorization: string | undefined;
  /** The client's, after trusted proxies. */
  readonly address: string;
}

export interface RevocationEndpoint extends Omit<TokenParts, 'known' | 'perGrant'> {
  readonly publicUrl: string;
  /** Requests of one address. */
  readonly perAddress: Throttle;
}

/**
 * Ends what is shown, if it is this client's: a refresh token with its whole family, an access token alone. Says nothing
 * about what it found, since the client wanted it gone and gone it is. Throws invalid_request, invalid_client, and
 * temporarily_unavailable as a 503, which clients may repeat.
 */
export async function revoke(endpoint: RevocationEndpoint, request: RevocationRequest): Promise<void> {
  const wait = endpoint.perAddress.take(addressGroup(request.address));
  if (wait > 0) throw tooMany(wait, 'OVERLOADED');
  const { token, authorization } = request;
  const clientId = callingClient(request.clientId, authorization, endpoint.publicUrl);
  if (token === undefined) throw oauthError('invalid_request', 'The field token is missing.');
  if (isSecret('rt', token)) await revokeFamily(endpoint, secretHash(token), clientId);
  else if (isSecret('at', token)) await revokeSingle(endpoint, secretHash(token), clientId);
}

async function revokeFamily(endpoint: RevocationEndpoint, hash: string, clientId: string): Promise<void> {
  const row = await endpoint.exchanges.findRefreshToken(hash);
  if (row?.clientId === clientId) await endFamily(endpoint, row, 'client_request');
}

async function revokeSingle(endpoint: RevocationEndpoint, hash: string, clientId: string): Promise<void> {
  const found = await endpoint.database.write((sql) => revokeAccessToken(sql, hash, clientId));
  if (!found) return;
  endpoint.revoked(`token:${hash}`);
  endpoint.metrics.revoked('access_token');
}

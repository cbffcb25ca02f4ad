// Owns the token endpoint: an ordered list of checks that every request passes, then the exchange that it asks for.

import { addressGroup } from '../../lib/address.ts';
import { Problem } from '../../lib/problem.ts';
import { callingClient } from '../clients/calling-client.ts';
import { oauthError, tooMany } from '../protocol/errors.ts';
import type { Throttle } from '../protocol/throttle.ts';
import { exchangeCode } from './grant-types/authorization-code.ts';
import { exchangeRefreshToken } from './grant-types/refresh-token.ts';
import {
  type GrantType,
  invalidRequest,
  type TokenAnswer,
  type TokenFields,
  type TokenParts,
} from './token-parts.ts';

export interface TokenRequest {
  readonly fields: TokenFields;
  readonly authorization: string | undefined;
  /** The client's, after trusted proxies. */
  readonly address: string;
}

export interface TokenEndpoint extends TokenParts {
  readonly publicUrl: string;
  /** Requests of one address. */
  readonly perAddress: Throttle;
  /** Whether an operator has ended this client. */
  readonly isRevoked: (clientId: string) => Promise<boolean>;
}

const GRANT_TYPES: ReadonlyMap<string, GrantType> = new Map([
  ['authorization_code', exchangeCode],
  ['refresh_token', exchangeRefreshToken],
]);

type Check = (endpoint: TokenEndpoint, request: TokenRequest) => void;

const CHECKS: readonly Check[] = [withinRate, namesGrantType, namesKnownGrantType];

/** Answers one request, or throws an error of OAuth. */
export async function exchange(endpoint: TokenEndpoint, request: TokenRequest): Promise<TokenAnswer> {
  for (const check of CHECKS) check(endpoint, request);
  const { fields, authorization } = request;
  const clientId = callingClient(fields.client_id, authorization, endpoint.publicUrl);
  const grantType = GRANT_TYPES.get(fields.grant_type ?? '') ?? unsupported();
  try {
    return await grantType(endpoint, clientId, fields);
  } catch (error) {
    throw (await isClientGone(endpoint, clientId, error)) ? gone() : error;
  }
}

function withinRate({ perAddress }: TokenEndpoint, { address }: TokenRequest): void {
  const wait = perAddress.take(addressGroup(address));
  if (wait > 0) throw tooMany(wait);
}

function namesGrantType(_endpoint: TokenEndpoint, { fields }: TokenRequest): void {
  if (fields.grant_type === undefined) throw invalidRequest('The field grant_type is missing.');
}

function namesKnownGrantType(_endpoint: TokenEndpoint, { fields }: TokenRequest): void {
  if (!GRANT_TYPES.has(fields.grant_type ?? '')) unsupported();
}

function unsupported(): never {
  const names = [...GRANT_TYPES.keys()].join(' and ');
  throw oauthError('unsupported_grant_type', `The supported grant types are ${names}.`);
}

/** Asked only where tokens are refused: whoever revokes a client revokes its grants, so no success has to wait for it. */
async function isClientGone(endpoint: TokenEndpoint, clientId: string, error: unknown): Promise<boolean> {
  if (!(error instanceof Problem) || error.members.error !== 'invalid_grant') return false;
  return endpoint.isRevoked(clientId);
}

/** Clients take this for the order to register anew, so it is said only where that is the way out. */
function gone(): Problem {
  return oauthError('invalid_client', 'This client has been revoked. Register again.');
}

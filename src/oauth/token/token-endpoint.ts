// Token endpoint (POST /oauth/token): an ordered list of checks, then the grant type that the request names.

import { Type } from 'typebox';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { Problem } from '../../lib/problem.ts';
import { oauthError, oauthErrors, tooManyRequests } from '../protocol/errors.ts';
import { RequestThrottle } from '../protocol/throttle.ts';
import { exchangeCode } from './grant-types/authorization-code.ts';
import { exchangeRefreshToken } from './grant-types/refresh-token.ts';
import {
  type GrantType,
  invalidRequest,
  type TokenContext,
  type TokenFields,
  type TokenResponse,
} from './token-context.ts';

/** Requests of one address in any minute: hosted clients share few addresses, so it is high. */
const REQUESTS_PER_ADDRESS = 600;
const BODY_BYTES = 16_384;

const GRANT_TYPES: ReadonlyMap<string, GrantType> = new Map([
  ['authorization_code', exchangeCode],
  ['refresh_token', exchangeRefreshToken],
]);

const text = (description: string) => Type.Optional(Type.String({ description }));

const TokenForm = Type.Object({
  grant_type: text('`authorization_code` or `refresh_token`.'),
  client_id: text('The client_id of the authorization request.'),
  code: text('With `authorization_code`: the code.'),
  code_verifier: text('With `authorization_code`: the PKCE verifier of the code_challenge.'),
  redirect_uri: text('With `authorization_code`: the redirect_uri of the authorization request. Optional.'),
  refresh_token: text('With `refresh_token`: the refresh token.'),
  scope: text('With `refresh_token`: fewer scopes than granted, for the new access token only.'),
  resource: Type.Optional(
    Type.Array(Type.String(), { description: 'Fewer resources than granted (RFC 8707).' }),
  ),
});

const Tokens = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ minimum: 0, description: 'Seconds.' }),
    refresh_token: Type.String({
      description: 'Replaces the refresh token in the request, if there was one.',
    }),
    scope: Type.String({ description: 'The scopes of the access token, separated by spaces.' }),
  },
  { $id: 'Tokens', description: 'A token pair (OAuth 2.1, section 3.2.3).' },
);

interface TokenRequest {
  readonly fields: TokenFields;
  readonly authorization: string | undefined;
  /** The client's, after trusted proxies. */
  readonly address: string;
}

interface TokenEndpoint extends TokenContext {
  readonly addressThrottle: RequestThrottle;
}

export function tokenRoute(context: TokenContext): Route<Principal> {
  const endpoint = { ...context, addressThrottle: new RequestThrottle(context.clock, REQUESTS_PER_ADDRESS) };
  return route<Principal>()({
    method: 'POST',
    path: '/oauth/token',
    operation: 'exchangeToken',
    tag: 'OAuth',
    summary: 'Exchange a code or a refresh token for tokens',
    description:
      'A refresh replaces the refresh token. For a short grace period the old one returns the same new pair, in ' +
      'case the response was lost. After that, its use ends the grant with all its tokens.',
    access: { credentials: 'none', counts: 'nothing' },
    ...{ bodyBytes: BODY_BYTES, ownQuery: true, anyAccept: true },
    body: TokenForm,
    consumes: ['application/x-www-form-urlencoded'],
    errors: oauthErrors(),
    answer: { description: 'The tokens', schema: Tokens },
    alsoAnswers: {
      401: 'The client was revoked, or its credentials contradict each other.',
      429: 'Too many requests; the tokens in the request are still valid.',
    },
    handle: async ({ body: fields, headers, address }) => ({
      json: await exchangeToken(endpoint, { fields, authorization: headers.authorization, address }),
      headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
    }),
  });
}

/** Throws an error of OAuth. */
async function exchangeToken(endpoint: TokenEndpoint, request: TokenRequest): Promise<TokenResponse> {
  requireLowRate(endpoint, request);
  const { fields, authorization } = request;
  const grantType = getGrantType(fields);
  const clientId = getClientId(fields.client_id, authorization, endpoint.publicUrl);
  try {
    return await grantType(endpoint, clientId, fields);
  } catch (error) {
    if (!isInvalidGrant(error) || !(await endpoint.isRevokedClient(clientId))) throw error;
    // Clients take this as the order to register anew, so it is said only where that is the way out. Looked up only after
    // a refusal: whoever revokes a client revokes its grants, so no success has to wait for it.
    throw oauthError('invalid_client', 'This client has been revoked. Register again.');
  }
}

function requireLowRate({ addressThrottle }: TokenEndpoint, { address }: TokenRequest): void {
  const wait = addressThrottle.take(addressGroup(address));
  if (wait > 0) throw tooManyRequests(wait);
}

function getGrantType({ grant_type: name }: TokenFields): GrantType {
  if (name === undefined) throw invalidRequest('The field grant_type is missing.');
  const grantType = GRANT_TYPES.get(name);
  if (grantType !== undefined) return grantType;
  const names = [...GRANT_TYPES.keys()].join(' and ');
  throw oauthError('unsupported_grant_type', `The supported grant types are ${names}.`);
}

function isInvalidGrant(error: unknown): boolean {
  return error instanceof Problem && error.members.error === 'invalid_grant';
}

/**
 * The id of the client that calls: from the body, or from HTTP Basic, which some send with an empty secret. Every client
 * is a public one, so secrets are not looked at. Throws invalid_request where there is neither, invalid_client where Basic
 * is malformed or names another client than the body.
 */
export function getClientId(
  sent: string | undefined,
  authorization: string | undefined,
  publicUrl: string,
): string {
  const basic = /^basic +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const claimed = basic === undefined ? sent : parseBasicName(basic);
  if (claimed === null || (sent !== undefined && claimed !== sent)) throw invalidClient(publicUrl);
  if (claimed === undefined) throw invalidRequest('The field client_id is missing.');
  return claimed;
}

/** The name in Basic credentials, which OAuth escapes like a form (OAuth 2.1, section 2.4.1); null where there is none. */
function parseBasicName(credentials: string): string | null {
  const text = Buffer.from(credentials, 'base64').toString();
  const colon = text.indexOf(':');
  if (colon <= 0) return null;
  try {
    const name = decodeURIComponent(text.slice(0, colon).replaceAll('+', ' '));
    return name.includes('\0') ? null : name;
  } catch {
    return null;
  }
}

/** The Bearer challenge comes first: clients read the first one, and theirs is the way through discovery. */
function invalidClient(publicUrl: string): Problem {
  const bearer = `Bearer resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"`;
  return oauthError('invalid_client', 'The Authorization header names another client than the body.', {
    headers: { 'www-authenticate': `${bearer}, Basic realm="Freehold"` },
  });
}

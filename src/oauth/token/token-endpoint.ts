// Token endpoint (POST /oauth/token): ordered checks, then the grant type that the request names.

import { createServiceThrottle } from '../../access/limits/request-throttle.ts';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { Problem } from '../../lib/problem.ts';
import { oauthError, oauthErrors } from '../protocol/errors.ts';
import { EXPLORER_CLIENT_ID } from '../protocol/explorer-client.ts';
import { requireLowRate } from '../protocol/throttle.ts';
import { exchangeCode } from './grant-types/authorization-code.ts';
import { exchangeRefreshToken } from './grant-types/refresh-token.ts';
import {
  DocumentedTokenForm,
  type GrantType,
  invalidRequest,
  type TokenContext,
  type TokenFields,
  TokenForm,
  Tokens,
} from './token-context.ts';

/** In any minute: high, because hosted clients share few addresses. */
const REQUESTS_PER_ADDRESS = 600;
const BODY_BYTES = 16_384;

const GRANT_TYPES: ReadonlyMap<string, GrantType> = new Map([
  ['authorization_code', exchangeCode],
  ['refresh_token', exchangeRefreshToken],
]);

export function tokenRoute(context: TokenContext): Route<Principal> {
  const throttle = createServiceThrottle(context, 'oauth-token', REQUESTS_PER_ADDRESS);
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
    bodyBytes: BODY_BYTES,
    ownQuery: true,
    anyAccept: true,
    body: TokenForm,
    documentedBody: DocumentedTokenForm,
    consumes: ['application/x-www-form-urlencoded'],
    errors: oauthErrors(),
    answer: { description: 'The tokens', schema: Tokens },
    alsoAnswers: {
      401: 'The client was revoked, or its credentials contradict each other.',
      429: 'Too many requests; the tokens in the request are still valid.',
    },
    async handle({ body: fields, headers, address }) {
      await requireLowRate(throttle, addressGroup(address));
      const grantType = getGrantType(fields);
      const clientId = getClientId(fields.client_id, headers.authorization, context.publicUrl);
      if (clientId === EXPLORER_CLIENT_ID) throw explorerElsewhere();
      const json = await grantType(context, clientId, fields).catch((error: unknown) =>
        explainInvalidGrant(context, clientId, error),
      );
      return { json, headers: { 'cache-control': 'no-store', pragma: 'no-cache' } };
    },
  });
}

function getGrantType({ grant_type: name }: TokenFields): GrantType {
  if (name === undefined) throw invalidRequest('The field grant_type is missing.');
  const grantType = GRANT_TYPES.get(name);
  if (grantType !== undefined) return grantType;
  const names = [...GRANT_TYPES.keys()].join(' and ');
  throw oauthError('unsupported_grant_type', `The supported grant types are ${names}.`);
}

/**
 * Throws invalid_client instead of invalid_grant if the client was revoked: it must register again. Checked only after a
 * failure, because revoking a client revokes its grants.
 */
async function explainInvalidGrant(context: TokenContext, clientId: string, error: unknown): Promise<never> {
  const isInvalidGrant = error instanceof Problem && error.members.error === 'invalid_grant';
  if (!isInvalidGrant || !(await context.isRevokedClient(clientId))) throw error;
  throw oauthError('invalid_client', 'This client has been revoked. Register again.');
}

/**
 * The id of the client: from the body, or from HTTP Basic, which some clients send with an empty secret. All clients are
 * public, so secrets are ignored. Throws invalid_request without an id, invalid_client if Basic is malformed or names another
 * client than the body.
 */
export function getClientId(
  field: string | undefined,
  authorization: string | undefined,
  publicUrl: string,
): string {
  const basic = /^basic +(\S+) *$/i.exec(authorization ?? '')?.[1];
  const clientId = basic === undefined ? field : parseBasicName(basic);
  if (clientId === null || (field !== undefined && clientId !== field)) throw invalidClient(publicUrl);
  if (clientId === undefined) throw invalidRequest('The field client_id is missing.');
  return clientId;
}

/** The name in Basic credentials, escaped like a form (OAuth 2.1, section 2.4.1); null if there is none. */
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

/** Its refresh token would meet scripts here. */
function explorerElsewhere(): Problem {
  const description =
    'The explorer of this service gets its tokens at /explore/session only. Register a client of your own.';
  return oauthError('unauthorized_client', description);
}

/** The Bearer challenge comes first: clients read only the first, and discovery starts from it. */
function invalidClient(publicUrl: string): Problem {
  const bearer = `Bearer resource_metadata="${publicUrl}/.well-known/oauth-protected-resource"`;
  return oauthError('invalid_client', 'The Authorization header names another client than the body.', {
    headers: { 'www-authenticate': `${bearer}, Basic realm="Freehold"` },
  });
}

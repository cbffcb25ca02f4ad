// Revocation endpoint (POST /oauth/revoke, RFC 7009): a client gives a token back.

import { Type } from 'typebox';
import { createServiceThrottle } from '../../access/limits/request-throttle.ts';
import type { Principal } from '../../access/tiers/tiers.ts';
import { type Route, route } from '../../http/frame/route.ts';
import { addressGroup } from '../../lib/ip-address.ts';
import { hashSecret } from '../../lib/secrets.ts';
import { revokeAccessToken } from '../consents/grant-store.ts';
import { oauthErrors } from '../protocol/errors.ts';
import { requireLowRate } from '../protocol/throttle.ts';
import { isSecret } from '../protocol/tokens.ts';
import { endGrant, invalidRequest, type TokenContext } from './token-context.ts';
import { getClientId } from './token-endpoint.ts';

/** In any minute. */
const REQUESTS_PER_ADDRESS = 300;
const BODY_BYTES = 16_384;

const text = (description: string) => Type.Optional(Type.String({ description }));

const RevocationForm = Type.Object({
  token: text('An access token, or a refresh token, which ends its whole grant.'),
  client_id: text('The client that the token was issued to.'),
  token_type_hint: text('Not needed: tokens identify their own type.'),
});

export function revocationRoute(context: TokenContext): Route<Principal> {
  const throttle = createServiceThrottle(context, 'oauth-revoke', REQUESTS_PER_ADDRESS);
  return route<Principal>()({
    method: 'POST',
    path: '/oauth/revoke',
    operation: 'revokeToken',
    tag: 'OAuth',
    summary: 'Revoke a token',
    description: 'The response is the same whether or not the token exists (RFC 7009).',
    access: { credentials: 'none', counts: 'nothing' },
    bodyBytes: BODY_BYTES,
    ownQuery: true,
    anyAccept: true,
    body: RevocationForm,
    documentedBody: Type.Object({
      ...RevocationForm.properties,
      token: Type.String({ description: 'The token.' }),
    }),
    consumes: ['application/x-www-form-urlencoded'],
    errors: oauthErrors(),
    answer: { description: 'The token, if it existed, is no longer valid' },
    alsoAnswers: { 401: 'The client’s credentials contradict each other.' },
    async handle({ body: { token, client_id: field }, headers, address }) {
      // 503: clients may repeat it (RFC 7009, section 2.2.1).
      await requireLowRate(throttle, addressGroup(address), 'OVERLOADED');
      const clientId = getClientId(field, headers.authorization, context.publicUrl);
      if (token === undefined) throw invalidRequest('The field token is missing.');
      await revokeToken(context, token, clientId);
      return { headers: { 'cache-control': 'no-store' } };
    },
  });
}

/** Revokes a token of this client: a refresh token with its whole grant, an access token alone. */
async function revokeToken(context: TokenContext, token: string, clientId: string): Promise<void> {
  const { tokens, database, metrics, onRevoked } = context;
  const hash = hashSecret(token);
  if (isSecret('rt', token)) {
    const row = await tokens.findRefreshToken(hash);
    if (row?.clientId === clientId) await endGrant(context, row, 'client_request');
  } else if (isSecret('at', token)) {
    if (!(await database.write((sql) => revokeAccessToken(sql, hash, clientId)))) return;
    onRevoked(`token:${hash}`);
    metrics.revoked('access_token');
  }
}

// Owns the routes on which clients exchange codes and tokens, and give them back.

import { Type } from 'typebox';
import type { Principal } from '../../access/tiers/principal.ts';
import { type Route, route } from '../../http/frame/route.ts';
import type { Clock } from '../../lib/clock.ts';
import { oauthErrors } from '../protocol/errors.ts';
import { Throttle } from '../protocol/throttle.ts';
import { KnownGrants } from './known-grants.ts';
import { revoke } from './revoke.ts';
import { exchange, type TokenEndpoint } from './token.ts';

/** Requests of one address, or one grant, in any minute. Hosted clients share few addresses, so these are high. */
const TOKENS_PER_ADDRESS = 600;
const TOKENS_PER_GRANT = 120;
const REVOCATIONS_PER_ADDRESS = 300;

const BODY_BYTES = 16_384;
const OPEN = { credentials: 'none', counts: 'nothing' } as const;
const FORM = ['application/x-www-form-urlencoded'] as const;
const ERRORS = oauthErrors();

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

const RevocationForm = Type.Object({
  token: text('An access token, or a refresh token, which ends its whole grant.'),
  client_id: text('The client that the token was issued to.'),
  token_type_hint: text('Not needed: tokens identify their own type.'),
});

export type TokenRoutesOptions = Omit<TokenEndpoint, 'known' | 'perGrant' | 'perAddress'> & {
  readonly clock: Clock;
};

/** POST /oauth/token and POST /oauth/revoke. */
export function tokenRoutes(options: TokenRoutesOptions): readonly Route<Principal>[] {
  const { clock } = options;
  const perGrant = new Throttle(clock, TOKENS_PER_GRANT);
  const tokens = {
    ...options,
    known: new KnownGrants(),
    perGrant,
    perAddress: new Throttle(clock, TOKENS_PER_ADDRESS),
  };
  const revocations = { ...options, perAddress: new Throttle(clock, REVOCATIONS_PER_ADDRESS) };
  const common = { method: 'POST', tag: 'OAuth', access: OPEN, consumes: FORM, errors: ERRORS } as const;
  const bounds = { bodyBytes: BODY_BYTES, ownQuery: true, anyAccept: true } as const;
  return [
    route<Principal>()({
      ...common,
      ...bounds,
      path: '/oauth/token',
      operation: 'exchangeToken',
      summary: 'Exchange a code or a refresh token for tokens',
      description:
        'A refresh replaces the refresh token. For a short grace period the old one returns the same new pair, in ' +
        'case the response was lost. After that, its use ends the grant with all its tokens.',
      body: TokenForm,
      answer: { description: 'The tokens', schema: Tokens },
      alsoAnswers: {
        401: 'The client was revoked, or its credentials contradict each other.',
        429: 'Too many requests; the tokens in the request are still valid.',
      },
      handle: async ({ body: fields, headers, address }) => ({
        json: await exchange(tokens, { fields, authorization: headers.authorization, address }),
        headers: { 'cache-control': 'no-store', pragma: 'no-cache' },
      }),
    }),
    route<Principal>()({
      ...common,
      ...bounds,
      path: '/oauth/revoke',
      operation: 'revokeToken',
      summary: 'Revoke a token',
      description: 'The response is the same whether or not the token exists (RFC 7009).',
      body: RevocationForm,
      answer: { description: 'The token, if it existed, is no longer valid' },
      alsoAnswers: { 401: 'The client’s credentials contradict each other.' },
      handle: async ({ body: { token, client_id: clientId }, headers, address }) => {
        await revoke(revocations, { token, clientId, authorization: headers.authorization, address });
        return { headers: { 'cache-control': 'no-store' } };
      },
    }),
  ];
}

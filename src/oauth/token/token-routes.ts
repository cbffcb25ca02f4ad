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
  client_id: text('The client, as it was named when the code was asked for.'),
  code: text('With `authorization_code`: the code.'),
  code_verifier: text('With `authorization_code`: the secret behind the code_challenge.'),
  redirect_uri: text('With `authorization_code`: as it was when the code was asked for; may be left out.'),
  refresh_token: text('With `refresh_token`: the token.'),
  scope: text('With `refresh_token`: fewer scopes than were granted, for the new access token alone.'),
  resource: Type.Optional(
    Type.Array(Type.String(), { description: 'Fewer resources than were granted (RFC 8707).' }),
  ),
});

const Tokens = Type.Object(
  {
    access_token: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ minimum: 0, description: 'Seconds.' }),
    refresh_token: Type.String({ description: 'Replaces the one sent, if one was.' }),
    scope: Type.String({ description: 'What the access token holds, parted by spaces.' }),
  },
  { $id: 'Tokens', description: 'A pair of tokens (OAuth 2.1, section 3.2.3).' },
);

const RevocationForm = Type.Object({
  token: text('An access token, or a refresh token: then all that goes with it ends too.'),
  client_id: text('The client that it was issued to.'),
  token_type_hint: text('Not needed: tokens say themselves what they are.'),
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
        'A refresh token is replaced each time. The old one still gives the same new pair for a short while, in case the ' +
        'answer was lost; shown later, it ends everything that was issued with it.',
      body: TokenForm,
      answer: { description: 'The tokens', schema: Tokens },
      alsoAnswers: {
        401: 'The client has been revoked, or contradicts itself.',
        429: 'Too many requests; the tokens sent are still good.',
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
      summary: 'Give a token back',
      description: 'Answers the same whether or not the token was known (RFC 7009).',
      body: RevocationForm,
      answer: { description: 'The token, if there was one, is of no use any more' },
      alsoAnswers: { 401: 'The client contradicts itself.' },
      handle: async ({ body: { token, client_id: clientId }, headers, address }) => {
        await revoke(revocations, { token, clientId, authorization: headers.authorization, address });
        return { headers: { 'cache-control': 'no-store' } };
      },
    }),
  ];
}

// Context of the token and revocation endpoints, and the contract of a grant type.

import { type Static, Type } from 'typebox';
import type { ServiceThrottle } from '../../access/limits/request-throttle.ts';
import type { SubscriptionProvider } from '../../access/tiers/provider.ts';
import type { Problem } from '../../lib/problem.ts';
import { revokeGrant } from '../consents/grant-store.ts';
import type { RevocationReason } from '../protocol/audit.ts';
import { announceRevocation, type OAuthContext } from '../protocol/context.ts';
import { oauthError } from '../protocol/errors.ts';
import type { GrantLimits } from '../protocol/tokens.ts';
import type { TokenGrant, TokenStore } from './token-store.ts';

export interface TokenContext extends OAuthContext {
  readonly tokens: TokenStore;
  readonly provider: SubscriptionProvider;
  readonly limits: GrantLimits;
  /** Whether an operator has revoked this client. */
  readonly isRevokedClient: (clientId: string) => Promise<boolean>;
  /** By grant. */
  readonly grantThrottle: ServiceThrottle;
}

const text = (description: string) => Type.Optional(Type.String({ description }));

/** A request to the token endpoint. */
export const TokenForm = Type.Object({
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

const required = (description: string) => Type.String({ description });

/** The same as documented: what each grant type needs. */
export const DocumentedTokenForm = Type.Unsafe<unknown>({
  oneOf: [
    Type.Object(
      {
        grant_type: Type.Literal('authorization_code'),
        code: required('The code from the redirect.'),
        client_id: required('The client_id of the authorization request.'),
        code_verifier: required('The PKCE verifier of the code_challenge.'),
        redirect_uri: required('The redirect_uri of the authorization request.'),
        resource: TokenForm.properties.resource,
      },
      { $id: 'AuthorizationCodeGrant' },
    ),
    Type.Object(
      {
        grant_type: Type.Literal('refresh_token'),
        refresh_token: required('The refresh token.'),
        client_id: required('The client_id of the authorization request.'),
        scope: text('Fewer scopes than granted, for the new access token only.'),
        resource: TokenForm.properties.resource,
      },
      { $id: 'RefreshTokenGrant' },
    ),
  ],
  discriminator: {
    propertyName: 'grant_type',
    mapping: {
      authorization_code: '#/components/schemas/AuthorizationCodeGrant',
      refresh_token: '#/components/schemas/RefreshTokenGrant',
    },
  },
});
export type TokenFields = Static<typeof TokenForm>;

/** A successful response. */
export const Tokens = Type.Object(
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
export type TokenResponse = Static<typeof Tokens>;

/** Exchanges what a client presents for tokens. Throws an OAuth error. */
export type GrantType = (
  context: TokenContext,
  clientId: string,
  fields: TokenFields,
) => Promise<TokenResponse>;

export function invalidRequest(description: string): Problem {
  return oauthError('invalid_request', description);
}

/** The code or token is not valid, or no longer: the client must ask its user again. */
export function invalidGrant(description: string): Problem {
  return oauthError('invalid_grant', description);
}

/** Revokes a grant with all its tokens, in every process, and logs the reason. */
export async function endGrant(
  context: TokenContext,
  { grant, clientId }: Pick<TokenGrant, 'grant' | 'clientId'>,
  reason: RevocationReason,
): Promise<void> {
  const now = new Date(context.clock.now());
  const ended = await context.database.write((sql) => revokeGrant(sql, grant, now, reason));
  if (ended) announceRevocation(context, { grant, client: clientId, reason });
}

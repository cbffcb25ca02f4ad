// Configuration of oidc-provider in the comparison: opaque tokens, rotation, a public client with PKCE, no ID tokens.

import Provider, { type Adapter } from 'oidc-provider';

export const CLIENT = 'bench';
export const REDIRECT_URI = 'https://bench.example/callback';
export const SCOPE = 'offline_access listings:read';
const HOUR = 3_600;
const MONTH = 30 * 24 * HOUR;

/** Tokens live as long as ours. Nothing that we do without is switched on. */
export function createPeer(issuer: string, adapter: (model: string) => Adapter): Provider {
  return new Provider(issuer, {
    adapter,
    clients: [
      {
        client_id: CLIENT,
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        scope: SCOPE,
      },
    ],
    cookies: { keys: ['bench'] },
    scopes: SCOPE.split(' '),
    routes: { token: '/oauth/token' },
    rotateRefreshToken: true,
    issueRefreshToken: () => true,
    findAccount: (_context: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId }),
    }),
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: HOUR, AuthorizationCode: 300, Grant: MONTH, RefreshToken: MONTH },
  });
}

// Owns an example: a program on somebody's own computer that gets access to Freehold, with oauth4webapi.
// node docs/examples/oauth-client.ts http://127.0.0.1:8080
import * as oauth from 'oauth4webapi';
import { listen } from './loopback.ts';

const issuer = new URL(process.argv[2] ?? 'http://127.0.0.1:8080');
// Plain http is good enough on this computer, and nowhere else.
const options = { [oauth.allowInsecureRequests]: issuer.hostname === '127.0.0.1' };

// 1. What the service offers, and a registration: once for each installation, it is good for 30 days.
const server = await oauth.processDiscoveryResponse(
  issuer,
  await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options }),
);
const { redirectUri, arrival } = await listen();
const client = await oauth.processDynamicClientRegistrationResponse(
  await oauth.dynamicClientRegistrationRequest(
    server,
    { client_name: 'Example client', redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
    options,
  ),
);

// 2. The person decides in the browser.
const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const address = new URL(server.authorization_endpoint ?? '');
address.search = new URLSearchParams({
  response_type: 'code',
  client_id: client.client_id,
  redirect_uri: redirectUri,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  state,
  scope: 'listings:read listings:live',
  resource: server.issuer,
}).toString();
console.log(`Open this in your browser:\n${address.href}`);

// 3. The browser comes back with a code. State and issuer are compared before the code is used; a refusal throws here.
const callback = oauth.validateAuthResponse(server, client, await arrival, state);
const first = await oauth.processAuthorizationCodeResponse(
  server,
  client,
  await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    callback,
    redirectUri,
    verifier,
    options,
  ),
);
console.log(`Granted: ${first.scope}, for ${first.expires_in} seconds`);

// 4. The access token is used until it expires; the refresh token then brings the next pair. Keep the new one of both.
const tokens = await oauth.processRefreshTokenResponse(
  server,
  client,
  await oauth.refreshTokenGrantRequest(server, client, oauth.None(), first.refresh_token ?? '', options),
);
const usage = await oauth.protectedResourceRequest(
  tokens.access_token,
  'GET',
  new URL('/v1/usage', issuer),
  undefined,
  undefined,
  options,
);
console.log(`Usage: ${await usage.text()}`);

// 5. Done: a program that is removed gives its access back.
await oauth.processRevocationResponse(
  await oauth.revocationRequest(server, client, oauth.None(), tokens.refresh_token ?? '', options),
);
console.log('Access given back');

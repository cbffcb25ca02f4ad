// Tests with strict client libraries, oauth4webapi and openid-client, which check every response.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { decideAt } from '../../support/oauth/person.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const service = await startService({ after }, { overrides: { provider } });
const key = provider.subscribe('pro');
const REDIRECT = 'http://127.0.0.1:4321/callback?from=here';
/** openid-client takes everything behind the question mark for the answer. */
const PLAIN_REDIRECT = 'http://127.0.0.1:4321/callback';
const ISSUER = new URL(service.url);
const options = { [oauth.allowInsecureRequests]: true };
const none = oauth.None();

/** What oauth4webapi finds out from nothing but an address of the API, and the client that it registers. */
async function setUpClient() {
  const challenge = await oauth
    .protectedResourceRequest(
      'no-token',
      'GET',
      new URL('/v1/property/x', ISSUER),
      undefined,
      undefined,
      options,
    )
    .then(
      () => assert.fail('let in without a token'),
      (error: unknown) => error,
    );
  assert.ok(challenge instanceof oauth.WWWAuthenticateChallengeError);
  const [first, ...more] = challenge.cause;
  assert.deepEqual([first?.scheme, first?.parameters.error, more], ['bearer', 'invalid_token', []]);
  assert.equal(first?.parameters.resource_metadata, `${service.url}/.well-known/oauth-protected-resource`);
  const resource = await oauth.processResourceDiscoveryResponse(
    ISSUER,
    await oauth.resourceDiscoveryRequest(ISSUER, options),
  );
  const issuer = new URL(resource.authorization_servers?.[0] ?? '');
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options }),
  );
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(
      server,
      { client_name: 'Strict', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
      options,
    ),
  );
  return { server, client };
}

type ClientSetup = Awaited<ReturnType<typeof setUpClient>>;

/** A request as oauth4webapi's documentation has it; `changes` replace parameters. */
async function begin({ server, client }: ClientSetup, changes: Readonly<Record<string, string>> = {}) {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const address = new URL(server.authorization_endpoint ?? '');
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: REDIRECT,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...changes,
  }).toString();
  return { address, verifier, state };
}

async function exchange(setup: ClientSetup, back: URL, state: string, verifier: string) {
  const { server, client } = setup;
  const parameters = oauth.validateAuthResponse(server, client, back, state);
  return oauth.authorizationCodeGrantRequest(server, client, none, parameters, REDIRECT, verifier, options);
}

async function call(token: string, path: string): Promise<Response> {
  return oauth.protectedResourceRequest(token, 'GET', new URL(path, ISSUER), undefined, undefined, options);
}

/** The error that a client throws; fails where it throws none of this kind. */
async function thrown<E extends Error>(
  kind: new (...values: never[]) => E,
  run: () => Promise<unknown>,
): Promise<E> {
  const error = await run().then(
    () => assert.fail('nothing was refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof kind) return error;
  throw error;
}

test('oauth4webapi goes from a 401 to a token, uses it, refreshes it and gives it back', async () => {
  const setup = await setUpClient();
  const { server, client } = setup;
  const { address, verifier, state } = await begin(setup, {
    scope: 'listings:read',
    resource: server.issuer,
  });
  const back = await decideAt(address, { decision: 'key', api_key: key });
  assert.equal(back.searchParams.get('from'), 'here');
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await exchange(setup, back, state, verifier),
  );
  assert.deepEqual([tokens.token_type, tokens.expires_in, tokens.scope], ['bearer', 3_600, 'listings:read']);
  assert.equal((await call(tokens.access_token, '/v1/usage')).status, 200);
  const next = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(server, client, none, tokens.refresh_token ?? '', options),
  );
  assert.equal(next.scope, 'listings:read');
  assert.notEqual(next.refresh_token, tokens.refresh_token);
  assert.equal((await call(next.access_token, '/v1/usage')).status, 200);
  const revocation = await oauth.revocationRequest(server, client, none, next.refresh_token ?? '', options);
  await oauth.processRevocationResponse(revocation);
  const ended = await thrown(oauth.WWWAuthenticateChallengeError, () => call(next.access_token, '/v1/usage'));
  assert.deepEqual([ended.status, ended.cause[0]?.parameters.error], [401, 'invalid_token']);
});

test('oauth4webapi reads every refusal: in the redirect, at the token endpoint, and in challenges', async () => {
  const setup = await setUpClient();
  const { server, client } = setup;
  const authRequest = await begin(setup, { scope: 'listings:read' });
  const denied = await decideAt(authRequest.address, { decision: 'deny' });
  assert.throws(
    () => oauth.validateAuthResponse(server, client, denied, authRequest.state),
    (error) => error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied',
  );
  for (const [changes, expected] of [
    [{ resource: 'https://elsewhere.example' }, 'invalid_target'],
    [{ scope: 'nothing:known' }, 'invalid_scope'],
    [{ prompt: 'none' }, 'interaction_required'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
  ] as const) {
    const { address, state } = await begin(setup, changes);
    const back = await decideAt(address, {});
    assert.throws(
      () => oauth.validateAuthResponse(server, client, back, state),
      (error) => error instanceof oauth.AuthorizationResponseError && error.error === expected,
    );
  }
  const back = await decideAt(authRequest.address, { api_key: key });
  const refused = await thrown(oauth.ResponseBodyError, async () =>
    oauth.processAuthorizationCodeResponse(
      server,
      client,
      await exchange(setup, back, authRequest.state, oauth.generateRandomCodeVerifier()),
    ),
  );
  assert.deepEqual([refused.status, refused.error], [400, 'invalid_grant']);
  const tokens = await oauth.processAuthorizationCodeResponse(
    server,
    client,
    await exchange(setup, back, authRequest.state, authRequest.verifier),
  );
  const narrow = await thrown(oauth.WWWAuthenticateChallengeError, () =>
    call(tokens.access_token, '/v1/listing/x'),
  );
  const { error, scope } = narrow.cause[0]?.parameters ?? {};
  assert.deepEqual([narrow.status, error, scope], [403, 'insufficient_scope', 'listings:live']);
  provider.mode = 'fail';
  // This client reads bodies of errors up to 499 only: what it must not hear is invalid_grant, after which tokens are thrown away.
  const later = await thrown(oauth.OperationProcessingError, async () =>
    oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, none, tokens.refresh_token ?? '', options),
    ),
  );
  provider.mode = 'answer';
  assert.ok(later.cause instanceof Response);
  assert.deepEqual([later.cause.status, later.cause.headers.get('retry-after')], [503, '5']);
});

test('oauth4webapi is told apart from an attacker: a mixed-up issuer, a foreign state and a doubled one are noticed', async () => {
  const setup = await setUpClient();
  const { server, client } = setup;
  const { address, state } = await begin(setup);
  const back = await decideAt(address, { decision: 'free' });
  const changed = (change: (query: URLSearchParams) => void): URL => {
    const url = new URL(back);
    change(url.searchParams);
    return url;
  };
  oauth.validateAuthResponse(server, client, back, state);
  for (const answer of [
    changed((query) => query.set('iss', 'https://evil.example')),
    changed((query) => query.set('iss', `${server.issuer}/`)),
    changed((query) => query.delete('iss')),
    changed((query) => query.append('state', 'another')),
  ])
    assert.throws(
      () => oauth.validateAuthResponse(server, client, answer, state),
      oauth.OperationProcessingError,
    );
  assert.throws(() => oauth.validateAuthResponse(server, client, back, oauth.generateRandomState()));
});

test('openid-client registers, gets tokens, refreshes and revokes them', async () => {
  const setup = { algorithm: 'oauth2' as const, execute: [openid.allowInsecureRequests] };
  const metadata = {
    client_name: 'OpenID',
    redirect_uris: [PLAIN_REDIRECT],
    token_endpoint_auth_method: 'none',
  };
  const config = await openid.dynamicClientRegistration(ISSUER, metadata, openid.None(), setup);
  assert.equal(config.serverMetadata().supportsPKCE(), true);
  const [verifier, state] = [openid.randomPKCECodeVerifier(), openid.randomState()];
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: PLAIN_REDIRECT,
    scope: 'openid listings:read offline_access',
    state,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: service.url,
  });
  const back = await decideAt(address, { api_key: key });
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  const tokens = await openid.authorizationCodeGrant(config, back, checks, { resource: service.url });
  assert.deepEqual([tokens.scope, tokens.expires_in], ['listings:read', 3_600]);
  const usage = new URL('/v1/usage', ISSUER);
  const answer = await openid.fetchProtectedResource(config, tokens.access_token, usage, 'GET');
  assert.equal(((await answer.json()) as { tier: string }).tier, 'pro');
  const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
  await openid.tokenRevocation(config, next.refresh_token ?? '');
  const ended = await thrown(openid.ResponseBodyError, () =>
    openid.refreshTokenGrant(config, next.refresh_token ?? ''),
  );
  assert.deepEqual([ended.status, ended.error], [400, 'invalid_grant']);
  const replay = await thrown(openid.ResponseBodyError, () =>
    openid.authorizationCodeGrant(config, back, checks),
  );
  assert.equal(replay.error, 'invalid_grant');
});

test('openid-client finds the server again under an id that it kept, and under none at all', async () => {
  const setup = { algorithm: 'oauth2' as const, execute: [openid.allowInsecureRequests] };
  const config = await openid.discovery(ISSUER, 'kept-from-last-year', undefined, openid.None(), setup);
  const verifier = openid.randomPKCECodeVerifier();
  const parameters = {
    redirect_uri: PLAIN_REDIRECT,
    state: 'st',
    code_challenge_method: 'S256',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
  };
  const back = await decideAt(openid.buildAuthorizationUrl(config, parameters), { decision: 'free' });
  const checks = { pkceCodeVerifier: verifier, expectedState: 'st' };
  const tokens = await openid.authorizationCodeGrant(config, back, checks);
  assert.equal(tokens.scope, 'listings:read listings:live watchers');
});

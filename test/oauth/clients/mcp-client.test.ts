// Tests with the official MCP client: from a 401 to tokens, through an outage, and after its client was revoked.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  auth,
  discoverAuthorizationServerMetadata,
  discoverOAuthProtectedResourceMetadata,
  exchangeAuthorization,
  extractWWWAuthenticateParams,
  OAuthError,
  refreshAuthorization,
  registerClient,
  startAuthorization,
  withOAuth,
} from '@modelcontextprotocol/client';
import { revokeClient } from '../../../src/oauth/clients/client-store.ts';
import { McpSession } from '../../support/oauth/mcp-session.ts';
import { decideAt } from '../../support/oauth/person.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const service = await startService({ after }, { overrides: { provider } });
const { url } = service;
const key = provider.subscribe('pro');
const PATH = '/v1/property/x';

/** Asks without credentials; what the client reads from the refusal. */
async function challenged() {
  const answer = await fetch(`${url}${PATH}`);
  assert.equal(answer.status, 401);
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(answer);
  assert.deepEqual([scope, error], ['listings:read', undefined]);
  assert.ok(resourceMetadataUrl && scope);
  return { serverUrl: url, resourceMetadataUrl, scope };
}

/** The whole orchestrated way, from the 401 to tokens. */
async function signedIn(): Promise<McpSession> {
  const session = new McpSession();
  const options = await challenged();
  assert.equal(await auth(session, options), 'REDIRECT');
  await comeBack(session, options);
  return session;
}

/** The person decides where they were last sent, and the client takes what they bring back. */
async function comeBack(session: McpSession, options: { readonly serverUrl: string }): Promise<void> {
  const address = session.sent.at(-1);
  assert.ok(address);
  const back = (await decideAt(address, { api_key: key })).searchParams;
  assert.equal(back.get('state'), address.searchParams.get('state'));
  const [authorizationCode = '', iss = ''] = [back.get('code') ?? '', back.get('iss') ?? ''];
  assert.equal(await auth(session, { ...options, authorizationCode, iss }), 'AUTHORIZED');
}

async function usageStatus(session: McpSession): Promise<number> {
  const headers = { authorization: `Bearer ${session.storedTokens?.access_token}` };
  return (await fetch(`${url}/v1/usage`, { headers })).status;
}

test('each step of the MCP client by itself: discovery, registration, authorization, exchange, refresh', async () => {
  const { resourceMetadataUrl } = await challenged();
  const resource = await discoverOAuthProtectedResourceMetadata(url, { resourceMetadataUrl });
  assert.equal(resource.resource, url);
  const mcp = await discoverOAuthProtectedResourceMetadata(`${url}/mcp`);
  assert.deepEqual([mcp.resource, mcp.authorization_servers], [`${url}/mcp`, [url]]);
  const metadata = await discoverAuthorizationServerMetadata(url);
  assert.ok(metadata);
  assert.equal(metadata.issuer, url);
  const redirectUrl = 'http://127.0.0.1:4321/callback';
  const clientMetadata = { client_name: 'By steps', redirect_uris: [redirectUrl] };
  const clientInformation = await registerClient(url, { metadata, clientMetadata });
  const common = { metadata, clientInformation, resource: resource.resource };
  const { authorizationUrl, codeVerifier } = await startAuthorization(url, {
    ...common,
    redirectUrl,
    state: 'st',
    scope: 'listings:read',
  });
  const back = (await decideAt(authorizationUrl, { api_key: key })).searchParams;
  const tokens = await exchangeAuthorization(url, {
    ...common,
    codeVerifier,
    redirectUri: redirectUrl,
    authorizationCode: back.get('code') ?? '',
    iss: back.get('iss') ?? '',
  });
  assert.deepEqual([tokens.token_type, tokens.expires_in, tokens.scope], ['Bearer', 3_600, 'listings:read']);
  const next = await refreshAuthorization(url, { ...common, refreshToken: tokens.refresh_token ?? '' });
  assert.notEqual(next.refresh_token, tokens.refresh_token);
  await assert.rejects(
    exchangeAuthorization(url, {
      ...common,
      codeVerifier,
      redirectUri: redirectUrl,
      authorizationCode: back.get('code') ?? '',
      iss: 'https://evil.example',
    }),
    /issuer/i,
  );
});

test('the MCP client gets from a 401 to tokens, and asks for no more than the 401 names', async () => {
  const session = await signedIn();
  assert.equal(session.storedTokens?.scope, 'listings:read');
  assert.equal(session.storedTokens?.issuer, url);
  assert.equal(await usageStatus(session), 200);
  assert.equal(await auth(session, await challenged()), 'AUTHORIZED', 'refreshes without asking anybody');
  assert.equal(session.sent.length, 1);
  assert.equal(await usageStatus(session), 200);
});

test('the wrapped fetch of the MCP client renews an expired token by itself', async () => {
  const session = await signedIn();
  const before = session.storedTokens?.access_token;
  service.clock.advance(3_600_000);
  const answer = await withOAuth(session, url)(fetch)(`${url}/v1/usage`);
  assert.equal(answer.status, 200);
  assert.notEqual(session.storedTokens?.access_token, before);
  assert.equal(session.sent.length, 1);
});

test('while the subscription cannot be checked the MCP client keeps its tokens, and goes on with them afterwards', async () => {
  const session = await signedIn();
  const options = await challenged();
  const before = session.storedTokens;
  provider.mode = 'fail';
  await assert.rejects(
    auth(session, options),
    (error) => error instanceof OAuthError && error.code === 'temporarily_unavailable',
  );
  provider.mode = 'answer';
  assert.deepEqual(session.storedTokens, before);
  assert.deepEqual([session.forgotten, session.sent.length], [[], 1]);
  assert.equal(await auth(session, options), 'AUTHORIZED');
  assert.notEqual(session.storedTokens?.refresh_token, before?.refresh_token);
  assert.equal(session.sent.length, 1);
});

test('when its refresh token is over the MCP client forgets its tokens, keeps its registration, and asks the person', async () => {
  const session = await signedIn();
  const options = await challenged();
  const { client } = session;
  service.clock.advance(31 * 86_400_000);
  assert.equal(await auth(session, options), 'REDIRECT');
  assert.deepEqual([session.forgotten, session.sent.length], [['tokens'], 2]);
  assert.equal(session.client?.client_id, client?.client_id);
  await comeBack(session, options);
  assert.equal(await usageStatus(session), 200);
});

test('when the operator has shut it out the MCP client registers anew', async () => {
  const session = await signedIn();
  const options = await challenged();
  const before = session.client?.client_id ?? '';
  await fetch(`${url}/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: before, token: session.storedTokens?.refresh_token ?? '' }),
  });
  await service.database.write((sql) => revokeClient(sql, before, new Date()));
  assert.equal(await auth(session, options), 'REDIRECT');
  assert.deepEqual(session.forgotten, ['client', 'tokens']);
  assert.notEqual(session.client?.client_id, before);
  await comeBack(session, options);
  assert.equal(await usageStatus(session), 200);
});

test('where more scope is needed the MCP client learns which, and gets it by a new consent', async () => {
  const session = await signedIn();
  const headers = { authorization: `Bearer ${session.storedTokens?.access_token}` };
  const refused = await fetch(`${url}/v1/listing/x`, { headers });
  const { error, scope } = extractWWWAuthenticateParams(refused);
  assert.deepEqual([refused.status, error, scope], [403, 'insufficient_scope', 'listings:live']);
  const options = { serverUrl: url, scope: `listings:read ${scope}`, forceReauthorization: true };
  assert.equal(await auth(session, options), 'REDIRECT');
  await comeBack(session, options);
  assert.equal(session.storedTokens?.scope, 'listings:read listings:live');
});

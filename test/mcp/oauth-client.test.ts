// Tests with the official MCP client on its own way through OAuth: from a 401 of the endpoint to tools, refreshes, and one more scope.

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { auth, UnauthorizedError } from '@modelcontextprotocol/client';
import { assertEvery } from '../support/check/every.ts';
import { ERAS, type Era } from '../support/mcp/messages.ts';
import { type ClientOptions, createClient, type OfficialClient } from '../support/mcp/official-client.ts';
import { documentHosts, json } from '../support/oauth/document-hosts.ts';
import { McpSession } from '../support/oauth/mcp-session.ts';
import { decideAt } from '../support/oauth/person.ts';
import { startService } from '../support/service/service.ts';
import { stubProvider } from '../support/service/stub-provider.ts';

const provider = stubProvider();
const hosts = await documentHosts({ after });
const service = await startService({ after }, { overrides: { provider, internet: hosts.internet } });
const { clock, url } = service;
const key = provider.subscribe('business');
const ALL_SCOPES = 'listings:read listings:live watchers';

/** A client that describes itself by a document of its own. */
class DocumentSession extends McpSession {
  readonly clientMetadataUrl: string;

  constructor(clientMetadataUrl: string) {
    super();
    this.clientMetadataUrl = clientMetadataUrl;
  }
}

/** The person decides where the client last sent them; the client takes what they bring back. */
async function comeBack(session: McpSession, { transport }: OfficialClient): Promise<URL> {
  const address = session.sent.at(-1);
  assert.ok(address);
  const { searchParams } = await decideAt(address, { api_key: key });
  assert.equal(searchParams.get('state'), address.searchParams.get('state'));
  await transport.finishAuth(searchParams);
  return address;
}

/** Connects as a desktop program does: refused, sent to the person, and let in afterwards. */
async function signIn(t: TestContext, session: McpSession, options: ClientOptions = {}) {
  const first = createClient(t, service, { ...options, session });
  await assert.rejects(first.client.connect(first.transport), UnauthorizedError);
  const address = await comeBack(session, first);
  const connected = createClient(t, service, { ...options, session });
  await connected.client.connect(connected.transport);
  return { ...connected, address, refused: first.exchanges };
}

const usage = ({ client }: Pick<OfficialClient, 'client'>) =>
  client.callTool({ name: 'get_usage', arguments: {} });

for (const era of ERAS satisfies readonly Era[]) {
  test(`${era}: the client finds the authorization server, registers, is granted all scopes for the endpoint, and calls tools`, async (t) => {
    const session = new McpSession();
    const { client, address, refused } = await signIn(t, session, { era });
    assert.deepEqual(
      refused.map(({ method, path, status }) => `${method} ${path} ${status}`),
      [
        'POST /mcp 401',
        'GET /.well-known/oauth-protected-resource/mcp 200',
        'GET /.well-known/oauth-authorization-server 200',
        'POST /oauth/register 201',
        'POST /oauth/token 200',
      ],
    );
    assert.equal(address.searchParams.get('resource'), `${url}/mcp`);
    assert.equal(address.searchParams.get('scope'), ALL_SCOPES);
    assert.equal(session.storedTokens?.scope, ALL_SCOPES);
    assert.equal(client.getServerVersion()?.name, 'freehold');
    const { structuredContent } = await usage({ client });
    assert.equal((structuredContent as { tier?: string }).tier, 'business');
    assert.equal(session.sent.length, 1);
  });
}

test('a client with a document of its own needs no registration', async (t) => {
  const { redirectUrl } = new McpSession();
  const id = hosts.url('/oauth/client.json');
  hosts.put(
    '/oauth/client.json',
    json({ client_id: id, client_name: 'Documented', redirect_uris: [redirectUrl] }),
  );
  const session = new DocumentSession(id);
  const connected = await signIn(t, session);
  assertEvery(connected.refused, ({ path }) => path !== '/oauth/register');
  assert.equal(connected.address.searchParams.get('client_id'), id);
  assert.notEqual((await usage(connected)).isError, true);
});

test('a token that expires in the middle of a session is renewed, rotated, and the call repeated, without the person', async (t) => {
  const session = new McpSession();
  const connected = await signIn(t, session);
  const before = session.storedTokens;
  clock.advance(3_600_000);
  assert.notEqual((await usage(connected)).isError, true);
  assert.deepEqual(
    connected.exchanges.slice(-3).map(({ path, status }) => `${path} ${status}`),
    ['/mcp 401', '/oauth/token 200', '/mcp 200'],
  );
  assert.notEqual(session.storedTokens?.access_token, before?.access_token);
  assert.notEqual(session.storedTokens?.refresh_token, before?.refresh_token);
  assert.deepEqual([session.sent.length, session.forgotten], [1, []]);
  clock.advance(3_600_000);
  assert.notEqual((await usage(connected)).isError, true, 'and the rotated refresh token works as well');
});

test('a token that is revoked leads to the person again, and the session goes on with what they bring', async (t) => {
  const session = new McpSession();
  const connected = await signIn(t, session);
  const fields = {
    client_id: session.client?.client_id ?? '',
    token: session.storedTokens?.refresh_token ?? '',
  };
  await fetch(`${url}/oauth/revoke`, { method: 'POST', body: new URLSearchParams(fields) });
  await assert.rejects(usage(connected), UnauthorizedError);
  assert.equal(session.sent.length, 2);
  await comeBack(session, connected);
  assert.notEqual((await usage(connected)).isError, true);
});

test('a tool that needs one scope more gets it by one more consent, and the scopes from before stay', async (t) => {
  const session = new McpSession();
  const options = { serverUrl: `${url}/mcp`, scope: 'listings:read' };
  assert.equal(await auth(session, options), 'REDIRECT');
  const [address] = session.sent;
  assert.ok(address);
  const { searchParams } = await decideAt(address, { api_key: key });
  const [authorizationCode, iss] = [searchParams.get('code') ?? '', searchParams.get('iss') ?? ''];
  assert.equal(await auth(session, { ...options, authorizationCode, iss }), 'AUTHORIZED');
  const connected = createClient(t, service, { session });
  await connected.client.connect(connected.transport);
  const watchers = () => connected.client.callTool({ name: 'list_watchers', arguments: {} });
  await assert.rejects(watchers(), UnauthorizedError);
  const asked = session.sent.at(-1)?.searchParams.get('scope')?.split(' ').toSorted();
  assert.deepEqual(asked, ['listings:read', 'watchers']);
  await comeBack(session, connected);
  assert.deepEqual(session.storedTokens?.scope?.split(' ').toSorted(), ['listings:read', 'watchers']);
  assert.notEqual((await watchers()).isError, true);
  assert.notEqual((await usage(connected)).isError, true);
  assert.equal(session.sent.length, 2);
});

test('a tier that is too low leads nobody through another consent', async (t) => {
  const session = new McpSession();
  const first = createClient(t, service, { session });
  await assert.rejects(first.client.connect(first.transport), UnauthorizedError);
  const [address] = session.sent;
  assert.ok(address);
  await first.transport.finishAuth((await decideAt(address, { decision: 'free' })).searchParams);
  const { client, transport } = createClient(t, service, { session });
  await client.connect(transport);
  const result = await client.callTool({ name: 'get_listing_live', arguments: { id: 'x' } });
  assert.equal(result.isError, true);
  assert.match(JSON.stringify(result.content), /code: TIER_RESTRICTED/);
  assert.equal(session.sent.length, 1);
});

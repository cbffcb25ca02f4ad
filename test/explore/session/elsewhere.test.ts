// Sign-in of the explorer where no cookie keeps it: below a path, and over plain http; and its answers as a strict client reads them.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { test } from 'node:test';
import * as oauth from 'oauth4webapi';
import type { SessionAnswer } from '../../../src/explore/session/session-answer.ts';
import { noBrowser as skip, startBrowser, visit } from '../../support/browser/chromium.ts';
import { atEnd, type Closing } from '../../support/database/database.ts';
import { decideAt } from '../../support/oauth/person.ts';
import { quietPort } from '../../support/service/ports.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const HOST = 'homes.internal';

/** A service behind a proxy that takes a path off; `base` is where browsers reach it. */
async function startBehind(t: Closing, host: string, path: string) {
  const port = await quietPort();
  const base = `http://${host}:${port}${path}`;
  const service = await startService(t, {
    source: 'sample',
    overrides: { provider },
    environment: { PUBLIC_URL: base, ALLOW_HTTP: 'private', EXPLORER: 'signed-in' },
  });
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(path)) return void outgoing.writeHead(404).end();
    const forwarded = request(
      `${service.url}${url.slice(path.length)}`,
      { method, headers, agent: false },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(forwarded);
    outgoing.once('close', () => forwarded.destroy());
    forwarded.on('error', () => outgoing.destroy());
  });
  proxy.listen(port, '127.0.0.1');
  await once(proxy, 'listening');
  atEnd(t, async () => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return { base, service };
}

for (const [name, host, path] of [
  ['below a path', '127.0.0.1', '/homes'],
  ['over plain http', HOST, ''],
] as const)
  test(`${name} a sign-in lives in the memory of the page: nothing keeps it, the page says so, and a reload ends it`, {
    skip,
  }, async (t) => {
    const { base } = await startBehind(t, host, path);
    const browser = await startBrowser(t, { flags: [`--host-resolver-rules=MAP ${HOST} 127.0.0.1`] });
    const { page, faults } = await visit(browser, `${base}/explore/market`, {
      origins: [new URL(base).origin],
    });
    await page.getByText('people who have signed in').waitFor();
    await page.locator('[data-account] > a').click();
    const key = provider.subscribe('pro');
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${base}/explore/market`);
    await page.locator('.head-figures').waitFor();
    const menu = page.locator('[data-account] summary');
    await menu.click();
    await page.getByText('Until you leave or reload this page').waitFor();
    assert.deepEqual(await page.context().cookies(), []);
    const kept = String(
      await page.evaluate(
        'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }, location.href, history.state])',
      ),
    );
    assert.doesNotMatch(kept, /(?:rt|at|ac)_|signed-in":/);
    assert.ok(!kept.includes(key));
    await page.reload();
    await page.getByText('people who have signed in').waitFor();
    assert.deepEqual(
      // The refusals themselves, the icon that browsers look for at the root of the host, and what Chromium makes of a header that counts over TLS only.
      faults.filter((fault) => !/status of 40[14]|^The Cross-Origin-Opener-Policy header/.test(fault)),
      [],
    );
  });

test('oauth4webapi takes the answers to the explorer as those of a server by the book, and its code is of no use at the token endpoint', async (t) => {
  const service = await startService(t, { overrides: { provider } });
  const options = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(service.url);
  const server = await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...options }),
  );
  const client: oauth.Client = { client_id: 'freehold-explorer', token_endpoint_auth_method: 'none' };
  const redirect = `${service.url}/explore/callback`;
  const consent = async (changes: Readonly<Record<string, string>> = {}) => {
    const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
    const address = new URL(server.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: redirect,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource: service.url,
      ...changes,
    }).toString();
    return { address, verifier, state };
  };
  const { address, verifier, state } = await consent();
  const back = await decideAt(address, { decision: 'free' });
  assert.equal(`${back.origin}${back.pathname}`, redirect);
  const parameters = oauth.validateAuthResponse(server, client, back, state);
  const refused = await oauth
    .processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        parameters,
        redirect,
        verifier,
        options,
      ),
    )
    .then(
      () => assert.fail('the token endpoint handed out tokens'),
      (error: unknown) => error,
    );
  assert.ok(refused instanceof oauth.ResponseBodyError);
  assert.equal(refused.error, 'unauthorized_client');
  const answer = await fetch(`${service.url}/explore/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    body: JSON.stringify({ action: 'exchange', code: parameters.get('code'), codeVerifier: verifier }),
  });
  const { session } = (await answer.json()) as SessionAnswer;
  assert.equal(session?.plan, 'Free');
  // The browser goes nowhere with what the client did not register, or without S256.
  for (const changes of [
    { redirect_uri: `${redirect}/` },
    { redirect_uri: `${redirect}?next=1` },
    { redirect_uri: 'https://evil.example/explore/callback' },
  ]) {
    const page = await fetch((await consent(changes)).address, { redirect: 'manual' });
    assert.deepEqual([page.status, page.headers.get('location')], [400, null]);
  }
  for (const changes of [{ code_challenge_method: 'plain' }, { response_type: 'token' }]) {
    const begun = await consent(changes);
    const page = await fetch(begun.address, { redirect: 'manual' });
    const location = new URL(page.headers.get('location') ?? '');
    assert.equal(`${location.origin}${location.pathname}`, redirect);
    assert.throws(
      () => oauth.validateAuthResponse(server, client, location, begun.state),
      oauth.AuthorizationResponseError,
    );
  }
});

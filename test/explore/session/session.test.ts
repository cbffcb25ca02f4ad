// Tests of the explorer's sign-in over HTTP: the built-in client, the cookie, and who may use it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { EXPLORER, ExplorerBrowser } from '../../support/explore/session.ts';
import { authorizationRequest, open, register, send, submit } from '../../support/oauth/authorize.ts';
import { call, consent, postForm, redeem, refresh, signIn, statusOf } from '../../support/oauth/oauth.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const service = await startService({ after }, { overrides: { provider } });
const redirectUri = `${service.url}/explore/callback`;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const browser = () => new ExplorerBrowser(service);
const request = (changes: Readonly<Record<string, string>> = {}) =>
  authorizationRequest({ client_id: EXPLORER, redirect_uri: redirectUri, ...changes });
const tokenOf = ({ session }: { session: { accessToken: string } | null }) => session?.accessToken ?? '';

test('the explorer is a client that nobody registered, known by name, and consent is asked for as for every app', async () => {
  const page = await open(service, request());
  const text = await page.text();
  assert.equal(page.status, 200);
  assert.match(text, /<h1>Sign in<\/h1>/);
  assert.match(text, /part of it, not somebody else/);
  assert.match(text, /Continue with the Free tier/);
  assert.doesNotMatch(text, /Unverified app/);
  assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
  const denied = await submit(service, request(), { decision: 'deny' });
  assert.match(
    denied.headers.get('location') ?? '',
    new RegExp(`^${redirectUri}\\?error=access_denied&state=`),
  );
});

for (const [name, uri] of Object.entries({
  'of another path': `${service.url}/explore/callback/`,
  'with a query': `${service.url}/explore/callback?next=x`,
  'at another port of this machine': 'http://127.0.0.1:4321/explore/callback',
  'at another host': 'https://evil.example/explore/callback',
}))
  test(`a redirect ${name} is refused on a page that leads nowhere`, async () => {
    const answer = await open(service, request({ redirect_uri: uri }));
    assert.equal(answer.status, 400);
    assert.equal(answer.headers.get('location'), null);
    assert.doesNotMatch(await answer.text(), /evil\.example/);
  });

test('only S256 is taken', async () => {
  const answer = await open(service, request({ code_challenge_method: 'plain' }));
  assert.match(answer.headers.get('location') ?? '', /error=invalid_request/);
});

test('nobody can register under the id of the explorer, and its registration never expires', async () => {
  const { body } = await register(service, { client_id: EXPLORER, redirect_uris: ['https://evil.example/'] });
  assert.notEqual(body.client_id, EXPLORER);
  const evil = request({ redirect_uri: 'https://evil.example/' });
  assert.equal((await open(service, evil)).status, 400);
});

test('with a key one is signed in by its plan: the access token in the answer, the refresh token in the cookie only', async () => {
  const person = browser();
  const answer = await person.signIn(provider.subscribe('pro'));
  const { session } = answer;
  assert.equal(answer.status, 200);
  assert.deepEqual(
    {
      plan: session?.plan,
      tier: session?.tier,
      hasKey: session?.hasKey,
      isKept: session?.isKept,
      life: session?.expiresIn,
    },
    { plan: 'Pro', tier: 'pro', hasKey: true, isKept: true, life: 3_600 },
  );
  assert.deepEqual(session?.scopes, ['listings:read', 'listings:live', 'watchers']);
  const cookie = answer.headers.get('set-cookie') ?? '';
  assert.match(
    cookie,
    /^__Host-freehold-session=rt_[\w-]+; Max-Age=2592000; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
  );
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(answer.headers.get('access-control-allow-origin'), null);
  assert.ok(!JSON.stringify(session).includes('rt_'));
  assert.equal(await statusOf(service, tokenOf(answer)), 200);
  const again = await person.refresh();
  assert.equal(again.session?.plan, 'Pro');
  assert.notEqual(tokenOf(again), tokenOf(answer));
  assert.equal(await statusOf(service, tokenOf(again)), 200);
});

test('without a key one is signed in to the Free tier', async () => {
  const { session } = await browser().signIn();
  assert.deepEqual([session?.plan, session?.hasKey], ['Free', false]);
});

test('the token endpoint hands no tokens of the explorer to a script, neither for a code nor for a refresh token', async () => {
  const person = browser();
  const code = await person.consent();
  const redeemed = await redeem(service, code);
  assert.deepEqual([redeemed.status, redeemed.body.error], [400, 'unauthorized_client']);
  const signedIn = await person.send({ action: 'exchange', code: code.code, codeVerifier: code.verifier });
  assert.equal(signedIn.session?.plan, 'Free');
  const refreshed = await refresh(service, { clientId: EXPLORER, refreshToken: person.cookie ?? '' });
  assert.deepEqual([refreshed.status, refreshed.body.error], [400, 'unauthorized_client']);
  assert.equal((await person.refresh()).session?.plan, 'Free');
});

for (const [name, headers, status] of [
  ['a script of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
  ['a script of a neighbouring site', { 'sec-fetch-site': 'same-site' }, 403],
  ['a typed address', { 'sec-fetch-site': 'none' }, 403],
  ['a same-origin request in the name of another origin', { origin: 'https://evil.example' }, 403],
  ['a page of nowhere', { 'sec-fetch-site': undefined, origin: 'null' }, 403],
  ['another origin of an old browser', { 'sec-fetch-site': undefined, origin: 'https://evil.example' }, 403],
  ['a program that says nothing', { 'sec-fetch-site': undefined }, 403],
  ['an old browser on a page of the service', { 'sec-fetch-site': undefined, origin: service.url }, 200],
] as const)
  test(`the cookie in a request of ${name} is ${status === 200 ? 'read' : 'not read, and nothing changes'}`, async () => {
    const person = browser();
    await person.signIn();
    const before = person.cookie;
    const answer = await person.send({ action: 'refresh' }, headers);
    assert.equal(answer.status, status);
    if (status === 200) return;
    assert.equal(answer.code, 'ORIGIN_NOT_ALLOWED');
    assert.equal(person.cookie, before);
    assert.equal((await person.send({ action: 'end' }, headers)).status, 403);
    assert.equal((await person.refresh()).session?.plan, 'Free');
  });

test('a form of another site cannot send what the endpoint takes: only JSON is read', async () => {
  for (const type of ['application/x-www-form-urlencoded', 'text/plain'])
    assert.equal((await browser().send({ action: 'refresh' }, { 'content-type': type })).status, 415);
});

test('no other route reads the cookie', async () => {
  const person = browser();
  await person.signIn(provider.subscribe('pro'));
  const headers = { cookie: `__Host-freehold-session=${person.cookie}` };
  assert.equal((await service.get('/v1/usage', undefined, headers)).status, 401);
  const page = await fetch(`${service.url}/oauth/grants`, { headers });
  assert.match(await page.text(), /API key/);
  const consentPage = await open(service, request(), '', { headers });
  assert.match(await consentPage.text(), /name="api_key"/);
});

test('a cookie that is there twice, changed, or of another client signs nobody in', async () => {
  const person = browser();
  await person.signIn();
  const { cookie } = person;
  const twice = `__Host-freehold-session=${cookie}; __Host-freehold-session=${cookie}`;
  assert.equal((await person.send({ action: 'refresh' }, { cookie: twice })).session, null);
  const changed = await person.send({ action: 'refresh' }, { cookie: `__Host-freehold-session=${cookie}x` });
  assert.deepEqual([changed.session, changed.wasRefused, person.cookie], [null, true, null]);
  const other = await signIn(service, { clientId: 'desktop-app' });
  person.cookie = other.refreshToken;
  assert.deepEqual([(await person.refresh()).session, person.cookie], [null, null]);
  // The other client goes on: its token was not used up.
  assert.equal((await refresh(service, other)).status, 200);
});

test('a code works once and within five minutes, with its own verifier', async () => {
  const person = browser();
  const first = await person.consent();
  const wrong = { action: 'exchange', code: first.code, codeVerifier: `${first.verifier.slice(1)}x` };
  assert.deepEqual([(await person.send(wrong)).wasRefused, person.cookie], [true, null]);
  const right = { action: 'exchange', code: first.code, codeVerifier: first.verifier };
  const signedIn = await person.send(right);
  assert.equal(signedIn.session?.plan, 'Free');
  assert.equal((await browser().send(right)).wasRefused, true);
  // Two held code and verifier, so what was issued ends.
  assert.equal(await statusOf(service, tokenOf(signedIn)), 'INVALID_TOKEN');
  const late = await person.consent();
  service.clock.advance(301_000);
  const answer = await person.send({ action: 'exchange', code: late.code, codeVerifier: late.verifier });
  assert.deepEqual([answer.status, answer.session, answer.wasRefused], [200, null, true]);
  const incomplete = await person.send({ action: 'exchange', code: late.code });
  assert.deepEqual([incomplete.status, incomplete.code], [400, 'INVALID_REQUEST']);
});

test('a code of another client is not taken', async () => {
  const { code, verifier } = await consent(service, {});
  const answer = await browser().send({ action: 'exchange', code, codeVerifier: verifier });
  assert.deepEqual([answer.session, answer.wasRefused], [null, true]);
});

test('a person who signs in again ends the sign-in that the browser had', async () => {
  const person = browser();
  const first = await person.signIn();
  const second = await person.signIn(provider.subscribe('business'));
  assert.equal(second.session?.plan, 'Business');
  assert.equal(await statusOf(service, tokenOf(first)), 'INVALID_TOKEN');
  assert.equal(await statusOf(service, tokenOf(second)), 200);
});

test('two tabs that refresh at once stay signed in: both get the same pair', async () => {
  const person = browser();
  await person.signIn(provider.subscribe('pro'));
  const { cookie } = person;
  const tabs = Array.from({ length: 6 }, () => {
    const tab = browser();
    tab.cookie = cookie;
    return tab;
  });
  const answers = await Promise.all(tabs.map((tab) => tab.refresh()));
  assert.equal(new Set(answers.map(tokenOf)).size, 1);
  assert.equal(new Set(tabs.map((tab) => tab.cookie)).size, 1);
  assert.equal((await tabs[0]?.refresh())?.session?.plan, 'Pro');
});

test('signing out ends the grant with all its tokens and clears the cookie', async () => {
  const person = browser();
  const { session } = await person.signIn(provider.subscribe('pro'));
  const { cookie } = person;
  const out = await person.send({ action: 'end' });
  assert.deepEqual([out.status, out.session, person.cookie], [200, null, null]);
  assert.equal(await statusOf(service, session?.accessToken ?? ''), 'INVALID_TOKEN');
  person.cookie = cookie;
  assert.deepEqual([(await person.refresh()).session, person.cookie], [null, null]);
});

test('an access token ends the sign-in that no cookie keeps, and only one of the explorer', async () => {
  const person = browser();
  const { session } = await person.signIn();
  await browser().send({ action: 'end', accessToken: session?.accessToken });
  assert.equal(await statusOf(service, session?.accessToken ?? ''), 'INVALID_TOKEN');
  const other = await signIn(service, {});
  assert.equal((await browser().send({ action: 'end', accessToken: other.accessToken })).status, 200);
  assert.equal((await call(service, other.accessToken)).status, 200);
});

test('a key that has expired ends the sign-in at the next refresh, and says so', async () => {
  const person = browser();
  const key = provider.subscribe('pro');
  await person.signIn(key);
  provider.change(key, { state: 'expired' });
  const answer = await person.refresh();
  assert.deepEqual(
    [answer.status, answer.session, answer.wasRefused, person.cookie],
    [200, null, true, null],
  );
});

test('while subscriptions cannot be checked nobody is signed out', async () => {
  const person = browser();
  await person.signIn(provider.subscribe('pro'));
  const before = person.cookie;
  provider.mode = 'fail';
  const answer = await person.refresh();
  provider.mode = 'answer';
  assert.deepEqual([answer.status, person.cookie], [503, before]);
  assert.ok(answer.headers.get('retry-after') !== null);
  assert.equal((await person.refresh()).session?.plan, 'Pro');
});

test('a sign-in outlives its access token, and ends when it was unused for 30 days', async () => {
  const person = browser();
  const { session } = await person.signIn();
  service.clock.advance(HOUR + 1_000);
  assert.equal(await statusOf(service, session?.accessToken ?? ''), 'EXPIRED_TOKEN');
  assert.equal((await person.refresh()).session?.plan, 'Free');
  service.clock.advance(30 * DAY + 1_000);
  assert.deepEqual([(await person.refresh()).wasRefused, person.cookie], [true, null]);
});

test('the explorer is among the connected apps of a key, by name, and its access can be ended there', async () => {
  const person = browser();
  const key = provider.subscribe('pro');
  const { session } = await person.signIn(key);
  const headers = { accept: 'application/json' };
  const listed = await postForm(service, '/oauth/grants', { api_key: key }, headers);
  const [grant] = listed.body.grants as { id: string; client_id: string; client_name: string }[];
  assert.deepEqual([grant?.client_id, grant?.client_name], [EXPLORER, 'Explorer of this service']);
  const page = await fetch(`${service.url}/oauth/grants`, {
    method: 'POST',
    body: new URLSearchParams({ api_key: key }),
  });
  assert.match(await page.text(), /<h2 id="app-\d+"><bdi>Explorer of this service<\/bdi>/);
  const ended = await postForm(service, '/oauth/grants', { api_key: key, end: grant?.id }, headers);
  assert.equal(ended.body.ended, true);
  assert.equal(await statusOf(service, session?.accessToken ?? ''), 'INVALID_TOKEN');
  assert.deepEqual([(await person.refresh()).wasRefused, person.cookie], [true, null]);
});

test('a caller that is not signed in gets an answer without an error', async () => {
  const answer = await browser().refresh();
  assert.deepEqual([answer.status, answer.session, answer.wasRefused], [200, null, false]);
  assert.equal(answer.headers.get('set-cookie'), null);
});

test('without script the pages of sign-in say what it gives and needs; neither may be framed or says where it was', async () => {
  for (const path of ['/explore/sign-in', '/explore/callback?code=ac_x&state=y']) {
    const page = await service.get(path);
    const text = await page.text();
    assert.equal(page.status, 200);
    assert.match(text, /<noscript>.*needs JavaScript/s);
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.ok(!text.includes('ac_x'));
  }
});

test('the consent page takes a wrong key as for every app: it stays, and no code goes out', async () => {
  const answer = await submit(service, request(), {
    decision: 'key',
    api_key: 'SERVICE-00000000-0000-4000-8000-000000000000',
  });
  assert.deepEqual([answer.status, answer.headers.get('location')], [401, null]);
  const foreign = await send(
    service,
    { ...request().parameters, decision: 'free' },
    { 'sec-fetch-site': 'cross-site' },
  );
  assert.equal(foreign.status, 403);
});

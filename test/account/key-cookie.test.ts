// Proves over HTTP and in a browser that a key is asked for once: what its cookie opens, what it never opens, and how it is forgotten.

import assert from 'node:assert/strict';
import { after, beforeEach, test } from 'node:test';
import { noBrowser as skip, startBrowser, visit } from '../support/browser/chromium.ts';
import { textOf } from '../support/browser/page-text.ts';
import { authorizationRequest, open } from '../support/oauth/authorize.ts';
import { signIn } from '../support/oauth/oauth.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService, type TestService } from '../support/service/service.ts';
import { stubProvider } from '../support/service/stub-provider.ts';
import { fieldOf } from '../support/watch/account.ts';

const provider = stubProvider();
const clock = manualClock(Date.UTC(2026, 10, 24, 13));
const service = await startService({ after }, { clock, overrides: { provider } });
beforeEach(() => clock.advance(60_000));

const PAGES = {
  '/account': /Plan Pro/,
  '/account/watchers': /You have no watchers yet/,
  '/oauth/grants': /No app has access with this key/,
} as const;
const PATHS = Object.keys(PAGES) as (keyof typeof PAGES)[];

interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  readonly text: string;
  readonly proof: string;
  /** What the browser would send from now on; null: nothing was set. */
  readonly cookie: string | null;
}

async function request(path: string, init: RequestInit, { url }: TestService = service): Promise<Page> {
  const answer = await fetch(`${url}${path}`, { redirect: 'manual', ...init });
  const html = await answer.text();
  const set = answer.headers.get('set-cookie');
  const cookie = set === null ? null : (set.split(';')[0] ?? '');
  const { status, headers } = answer;
  return { status, headers, html, text: textOf(html), proof: fieldOf(html, 'proof'), cookie };
}

const openPage = (path: string, cookie: string, headers: Record<string, string> = {}): Promise<Page> =>
  request(path, { headers: { cookie, accept: 'text/html', ...headers } });

const post = (
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = { origin: service.url },
): Promise<Page> => request(path, { method: 'POST', body: new URLSearchParams(fields), headers });

/** Types a key and gives the cookie. */
async function typeKey(path = '/account'): Promise<{ readonly key: string; readonly cookie: string }> {
  const key = provider.subscribe('pro');
  const { cookie, status } = await post(path, { api_key: key });
  assert.equal(status, 200);
  assert.ok(cookie !== null);
  return { key, cookie };
}

test('a key that was typed on one page opens all three, and each says that it depends on the cookie', async () => {
  for (const typed of PATHS) {
    const { cookie } = await typeKey(typed);
    for (const [path, words] of Object.entries(PAGES)) {
      const page = await openPage(path, cookie);
      assert.equal(page.status, 200);
      assert.match(page.text, words);
      assert.match(page.headers.get('vary') ?? '', /cookie/i);
      assert.equal(page.headers.get('cache-control'), 'no-store');
      assert.equal(page.headers.get('x-frame-options'), 'DENY');
      assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
      assert.match(page.text, /Forget my key/);
    }
  }
  for (const path of PATHS) {
    const asking = await openPage(path, '');
    assert.match(asking.text, /API key/);
    assert.match(asking.headers.get('vary') ?? '', /cookie/i);
    assert.equal(asking.cookie, null);
  }
});

test('the cookie opens no page after ten minutes without one, nor once the subscription is revoked', async () => {
  const { cookie, key } = await typeKey();
  clock.advance(599_999);
  const renewed = await openPage('/account', cookie);
  assert.match(renewed.text, PAGES['/account']);
  clock.advance(1);
  assert.match((await openPage('/account', cookie)).text, /API key/);
  provider.change(key, { state: 'expired' });
  for (const path of PATHS) {
    const page = await openPage(path, renewed.cookie ?? '');
    assert.equal(page.status, 401, path);
    assert.match(page.text, /Its subscription has ended\./);
  }
});

test('the cookie is no credential of the API, of agents or of consent', async () => {
  const { cookie } = await typeKey();
  for (const [method, path] of [
    ['GET', '/v1/usage'],
    ['GET', '/v1/watchers'],
    ['GET', '/v1/property/prp_1'],
    ['POST', '/mcp'],
  ] as const) {
    const body = method === 'POST' ? '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' : null;
    const headers = {
      cookie,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const answer = await request(path, { method, body, headers });
    assert.equal(answer.status, 401, path);
    assert.match(answer.html, /MISSING_API_KEY/, path);
  }
  const asked = authorizationRequest();
  const without = await (await open(service, asked)).text();
  const withCookie = await (await open(service, asked, '', { headers: { cookie } })).text();
  const still = (html: string) => textOf(html.replaceAll(/name="transaction" value="[^"]*"/g, ''));
  assert.equal(still(withCookie), still(without));
  const decided = await post(
    '/oauth/authorize',
    { ...asked.parameters, decision: 'key' },
    { cookie, origin: service.url },
  );
  assert.equal(decided.status, 401);
  // Nor is a search with it anybody's: it counts as one without credentials.
  const search = await fetch(`${service.url}/v1/search/sales?limit=1`, { headers: { cookie } });
  assert.equal(search.headers.get('x-ratelimit-limit'), '10');
});

test('a form counts by its proof alone, and only where the browser says that a page of ours sent it', async () => {
  const { cookie } = await typeKey();
  for (const path of PATHS) {
    const { proof } = await openPage(path, cookie);
    assert.equal((await post(path, {}, { cookie, origin: service.url })).status, 401, 'no proof');
    assert.equal(
      (await post(path, { proof: 'x' }, { cookie, origin: service.url })).status,
      401,
      'a wrong one',
    );
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site', origin: service.url },
      { 'sec-fetch-site': 'none' },
    ] as Record<string, string>[])
      assert.equal(
        (await post(path, { proof }, { cookie, ...headers })).status,
        403,
        JSON.stringify(headers),
      );
    const good: Record<string, string>[] = [{ origin: service.url }, { 'sec-fetch-site': 'same-origin' }];
    for (const headers of good) {
      const page = await post(path, { proof }, { cookie, ...headers });
      assert.equal(page.status, 200);
      assert.match(page.text, PAGES[path]);
    }
  }
});

test('a key that is sent without the word of a browser is refused, but by the endpoint that programs use, which sets no cookie', async () => {
  const key = provider.subscribe('pro');
  for (const path of ['/account', '/account/watchers'])
    assert.equal((await post(path, { api_key: key }, {})).status, 403);
  const program = await post('/oauth/grants', { api_key: key }, {});
  assert.deepEqual([program.status, program.cookie], [200, null]);
  const foreign = await post('/oauth/grants', { api_key: key }, { 'sec-fetch-site': 'cross-site' });
  assert.equal(foreign.status, 403);
});

test('a key that was forgotten opens nothing, and no page that is still open brings it back', async () => {
  const { cookie } = await typeKey();
  const { proof } = await openPage('/account', cookie);
  const foreign = await post('/account', { proof, forget: '1' }, { cookie, origin: 'https://evil.example' });
  assert.deepEqual([foreign.status, foreign.cookie], [403, null]);
  const done = await post('/account', { proof, forget: '1' }, { cookie, origin: service.url });
  assert.match(done.text, /Your key is forgotten in this browser\./);
  assert.match(
    done.headers.get('set-cookie') ?? '',
    /^__Host-[a-z-]+=; Max-Age=0; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
  );
  assert.match((await openPage('/account', done.cookie ?? '')).text, /API key/);
  const again = await post('/account', { proof });
  assert.equal(again.status, 200);
  assert.equal(again.cookie, null);
});

for (const [what, publicUrl] of [
  ['plain http', 'http://homes.lan'],
  ['an address with a path', 'https://api.example/homes'],
] as const)
  test(`under ${what} no cookie is set or read, and the forms work as before`, async (t) => {
    const other = await startService(t, {
      clock,
      overrides: { provider },
      environment: { PUBLIC_URL: publicUrl, ALLOW_HTTP: 'private' },
    });
    const { cookie } = await typeKey();
    const key = provider.subscribe('pro');
    const headers = { origin: new URL(publicUrl).origin, cookie };
    for (const [path, words] of Object.entries(PAGES)) {
      const form = { method: 'POST', body: new URLSearchParams({ api_key: key }), headers };
      const page = await request(path, form, other);
      assert.match(page.text, words);
      assert.equal(page.cookie, null);
      assert.match(page.text, /Use another key/);
      // Without an app there is no form on its page.
      if (path !== '/oauth/grants') {
        const proof = new URLSearchParams({ proof: page.proof });
        assert.match((await request(path, { ...form, body: proof }, other)).text, words);
      }
      assert.match((await request(path, { headers }, other)).text, /API key/);
    }
  });

test('a person types a key once, sees account, watchers and apps, and has it forgotten, without JavaScript', {
  skip,
}, async (t) => {
  const browser = await startBrowser(t);
  const key = provider.subscribe('pro');
  await signIn(service, { key });
  const { page, faults } = await visit(browser, `${service.url}/`, {
    origins: [service.url],
    javaScriptEnabled: false,
    viewport: { width: 390, height: 844 },
  });
  await page.getByRole('navigation').getByRole('link', { name: 'Account' }).click();
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByText('One app has access with this key').waitFor();
  const [cookie] = await page.context().cookies();
  assert.deepEqual(
    [cookie?.httpOnly, cookie?.secure, cookie?.sameSite, cookie?.path],
    [true, true, 'Strict', '/'],
  );
  await page.locator('#content').getByRole('link', { name: 'Your watchers' }).click();
  await page.getByText('You have no watchers yet').waitFor();
  await page.getByRole('navigation').getByRole('link', { name: 'Account' }).click();
  await page.locator('#content').getByRole('link', { name: 'Connected apps' }).click();
  await page.getByRole('button', { name: /^End access/ }).click();
  await page.getByText('Access has been ended.').waitFor();
  await page.getByRole('button', { name: 'Forget my key' }).click();
  await page.getByText('Your key is forgotten in this browser.').waitFor();
  assert.deepEqual(await page.context().cookies(), []);
  for (const path of PATHS) {
    await page.goto(`${service.url}${path}`);
    await page.getByLabel('API key').waitFor();
  }
  assert.deepEqual(faults, []);
  await page.context().close();
});

// Tests of sign-in in a real browser: the whole way, what is kept, and what strangers cannot do.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import { noBrowser as skip, startBrowser, type Visit, visit } from '../../support/browser/chromium.ts';
import { FAINT, UNSOUND } from '../../support/browser/readability.ts';
import { postForm } from '../../support/oauth/oauth.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const parts =
  skip === false
    ? await Promise.all([startService({ after }, { overrides: { provider } }), startBrowser({ after })])
    : undefined;

/** The page of sign-in, which has the header of every page with script. */
async function openPage(path = '/explore/sign-in'): Promise<Visit & { url: string }> {
  assert.ok(parts !== undefined);
  const [{ url }, browser] = parts;
  return { url, ...(await visit(browser, `${url}${path}`, { origins: [url] })) };
}

const header = (page: Page) => page.locator('[data-account]');
const signedIn = (page: Page) => header(page).locator('summary');

/** Goes to the consent page from the button, and decides; without a key for the Free tier. */
async function signIn(page: Page, key?: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  if (key === undefined) await page.getByRole('button', { name: 'Continue with the Free tier' }).click();
  else {
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
  }
  await page.waitForURL(/\/explore$/);
  await signedIn(page).waitFor();
}

/** Back to a page whose header shows who is signed in. */
async function look(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/explore/sign-in`);
}

async function signOut(page: Page): Promise<void> {
  await signedIn(page).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await header(page).getByRole('link', { name: 'Sign in' }).waitFor();
}

const cookiesOf = (context: BrowserContext) => context.cookies();

test('with a key: consent, back to the map, still signed in after a reload, and signed out', {
  skip,
}, async () => {
  const { page, url, faults } = await openPage();
  await signIn(page, provider.subscribe('pro'));
  await look(page, url);
  await signedIn(page).waitFor();
  assert.equal(await signedIn(page).textContent(), 'Pro');
  await page.reload();
  await signedIn(page).waitFor();
  const [cookie] = await cookiesOf(page.context());
  assert.deepEqual(
    [cookie?.name, cookie?.httpOnly, cookie?.secure, cookie?.sameSite],
    ['__Host-freehold-session', true, true, 'Strict'],
  );
  // Scripts of the page find no token in anything that lasts.
  const kept = await page.evaluate(
    'JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])',
  );
  assert.doesNotMatch(String(kept), /(?:rt|at|ac)_/);
  await signOut(page);
  assert.deepEqual(await cookiesOf(page.context()), []);
  await page.reload();
  await header(page).getByRole('link', { name: 'Sign in' }).waitFor();
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('with the Free tier, in two tabs at once, and signed out in both by one', { skip }, async () => {
  const { page, url, faults } = await openPage();
  await signIn(page);
  await look(page, url);
  await signedIn(page).waitFor();
  assert.equal(await signedIn(page).textContent(), 'Free, no key');
  const others = await Promise.all([1, 2, 3].map(() => page.context().newPage()));
  await Promise.all(others.map((tab) => look(tab, url)));
  await Promise.all([page, ...others].map((tab) => tab.reload()));
  for (const tab of [page, ...others]) await signedIn(tab).waitFor();
  await signOut(page);
  for (const tab of others) await header(tab).getByRole('link', { name: 'Sign in' }).waitFor();
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('cancelled consent is shown where one started, and nobody is signed in', { skip }, async () => {
  const { page, url } = await openPage();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.waitForURL(/\/explore$/);
  await look(page, url);
  await header(page).getByRole('link', { name: 'Sign in' }).waitFor();
  assert.deepEqual(await cookiesOf(page.context()), []);
  await page.context().close();
});

test('access that was ended under connected apps is shown at the next page', { skip }, async () => {
  assert.ok(parts !== undefined);
  const { page, url } = await openPage();
  const key = provider.subscribe('pro');
  await signIn(page, key);
  await look(page, url);
  await signedIn(page).waitFor();
  const headers = { accept: 'application/json' };
  const { body } = await postForm(parts[0], '/oauth/grants', { api_key: key }, headers);
  const [grant] = body.grants as { id: string }[];
  await postForm(parts[0], '/oauth/grants', { api_key: key, end: grant?.id }, headers);
  await page.reload();
  await page.getByText('Your sign-in has ended').waitFor();
  await header(page).getByRole('link', { name: 'Sign in' }).waitFor();
  await page.context().close();
});

test('a key that has expired ends the sign-in, and the page says so', { skip }, async () => {
  const { page, url } = await openPage();
  const key = provider.subscribe('pro');
  await signIn(page, key);
  await look(page, url);
  await signedIn(page).waitFor();
  provider.change(key, { state: 'expired' });
  await page.reload();
  await page.getByText('its key is no longer valid').waitFor();
  await page.context().close();
});

for (const [name, query] of [
  ['whose state this tab does not know', `code=ac_${'x'.repeat(49)}&state=foreign&iss=ISSUER`],
  ['without anything', ''],
] as const)
  test(`a callback ${name} signs nobody in, asks the service nothing, and leaves no code in the address`, {
    skip,
  }, async () => {
    assert.ok(parts !== undefined);
    const path = `/explore/callback?${query.replace('ISSUER', encodeURIComponent(parts[0].url))}`;
    const { page, url } = await openPage();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') asked.push(request.url());
    });
    await page.goto(`${url}${path}`);
    await page.getByText('Nobody was signed in').waitFor();
    assert.equal(page.url(), `${url}/explore/callback`);
    assert.deepEqual(asked, []);
    await page.context().close();
  });

test('a view to return to that is not of this service is not gone to', { skip }, async () => {
  assert.ok(parts !== undefined);
  const { page, url } = await openPage();
  await page.evaluate(
    `sessionStorage.setItem('freehold-sign-in', JSON.stringify({ state: 's', verifier: 'v', view: 'https://evil.example/explore' }))`,
  );
  await page.goto(`${url}/explore/callback?error=access_denied&state=s&iss=${encodeURIComponent(url)}`);
  await page.waitForURL(/\/explore$/);
  assert.equal(new URL(page.url()).origin, url);
  await page.context().close();
});

test('a page of another site cannot use the cookie', { skip }, async () => {
  const { page, url } = await openPage();
  await signIn(page);
  await look(page, url);
  await signedIn(page).waitFor();
  const stranger = await page.context().newPage();
  await stranger.route('https://evil.example/', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<p>Hi' }),
  );
  await stranger.goto('https://evil.example/');
  const outcome = await stranger.evaluate(
    `fetch('${url}/explore/session', { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{"action":"end"}' }).then(() => 'sent', () => 'blocked')`,
  );
  assert.match(String(outcome), /sent|blocked/);
  await page.reload();
  await signedIn(page).waitFor();
  await page.context().close();
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`the pages of sign-in and the menu can be read and used by everybody, ${colorScheme}`, {
    skip,
  }, async () => {
    assert.ok(parts !== undefined);
    const [{ url }, browser] = parts;
    const { page } = await visit(browser, `${url}/explore/sign-in`, {
      origins: [url],
      colorScheme,
      viewport: { width: 390, height: 844 },
    });
    const check = async () => {
      assert.deepEqual(await page.evaluate(FAINT), []);
      assert.deepEqual(await page.evaluate(UNSOUND), []);
      assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0);
    };
    await check();
    await signIn(page);
    await look(page, url);
    await signedIn(page).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Signed in without a key').waitFor();
    await check();
    await page.keyboard.press('Escape');
    assert.equal(await page.getByText('Signed in without a key').isVisible(), false);
    await page.context().close();
  });

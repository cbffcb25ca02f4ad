// Tests of consent in a real browser, with keyboard, small screens and without JavaScript.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { noBrowser, startBrowser, visit } from '../../support/browser/chromium.ts';
import { FAINT, UNSOUND } from '../../support/browser/readability.ts';
import { type App, startApp } from '../../support/oauth/desktop-app.ts';
import { call, parseSession, redeem } from '../../support/oauth/oauth.ts';
import { startService, type TestService } from '../../support/service/service.ts';

const skip = noBrowser;
const WRONG_KEY = 'SERVICE-00000000-0000-4000-8000-000000000000';
const PHONE = { width: 390, height: 844 };

const parts =
  skip === false ? await Promise.all([startService({ after }), startBrowser({ after })]) : undefined;

interface Sitting {
  readonly service: TestService;
  readonly app: App;
  readonly page: Page;
  readonly faults: readonly string[];
}

/** Somebody whom an app has sent to the consent page. */
async function sit(
  options: BrowserContextOptions = {},
  changes: Readonly<Record<string, string>> = {},
): Promise<Sitting> {
  assert.ok(parts !== undefined);
  const [service, browser] = parts;
  const app = await startApp({ after });
  const origins = [service.url, app.origin];
  const { page, faults } = await visit(browser, app.consentAddress(service.url, changes), {
    origins,
    ...options,
  });
  return { service, app, page, faults };
}

const keyField = (page: Page): Locator => page.getByLabel('API key');
const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true });

/** What came back to the app, once; leaves the browser. */
async function returned({ app, page }: Sitting): Promise<URL> {
  await page.getByRole('heading', { name: 'The app' }).waitFor();
  assert.equal(app.returns.length, 1);
  const [first] = app.returns;
  assert.ok(first !== undefined);
  assert.equal(first.headers.referer, undefined);
  assert.deepEqual(await page.context().cookies(), []);
  await page.context().close();
  return first.url;
}

/** The tier of what the app gets for the code that it was handed. */
async function tierOf({ service, app }: Sitting, { searchParams }: URL): Promise<unknown> {
  for (const name of ['code', 'state', 'iss', 'from'])
    assert.equal(searchParams.getAll(name).length, 1, name);
  assert.deepEqual([searchParams.get('state'), searchParams.get('iss')], [app.state, service.url]);
  const code = searchParams.get('code') ?? '';
  const { accessToken } = parseSession(await redeem(service, { ...app, code }), app.clientId);
  return (await call(service, accessToken)).body.tier;
}

for (const javaScriptEnabled of [true, false]) {
  test(`CP13: a person continues with a key, ${javaScriptEnabled ? 'with' : 'without'} JavaScript, and the app gets their tier`, {
    skip,
  }, async () => {
    const sitting = await sit({ javaScriptEnabled });
    await keyField(sitting.page).fill(` ${sitting.service.keys.pro.toLowerCase()} `);
    await button(sitting.page, 'Continue with this key').click();
    const url = await returned(sitting);
    assert.ok(!url.href.toUpperCase().includes('SERVICE-'));
    assert.equal(await tierOf(sitting, url), 'pro');
    assert.deepEqual(sitting.faults, []);
  });
}

test('a person without a key continues with the Free tier', { skip }, async () => {
  const sitting = await sit();
  await button(sitting.page, 'Continue with the Free tier').click();
  assert.equal(await tierOf(sitting, await returned(sitting)), 'free');
  assert.deepEqual(sitting.faults, []);
});

test('CP9: cancelling takes the person back to the app, which hears that access was denied', {
  skip,
}, async () => {
  const sitting = await sit();
  await keyField(sitting.page).fill(sitting.service.keys.pro);
  await button(sitting.page, 'Cancel').click();
  const { searchParams } = await returned(sitting);
  assert.deepEqual(
    ['error', 'state', 'iss', 'code', 'from'].map((name) => searchParams.get(name)),
    ['access_denied', sitting.app.state, sitting.service.url, null, 'here'],
  );
});

test('CP8: a wrong key is told beside the field, which is empty and has the focus; then the right one does', {
  skip,
}, async () => {
  const sitting = await sit();
  const { page, app, service } = sitting;
  await keyField(page).fill(WRONG_KEY);
  await button(page, 'Continue with this key').click();
  await page.getByText('Key not accepted.').waitFor();
  assert.match(await page.title(), /^Key not accepted/);
  assert.equal(await keyField(page).inputValue(), '');
  assert.ok(!(await page.content()).includes(WRONG_KEY.slice(8)));
  assert.ok(!page.url().includes('SERVICE'));
  await page.locator('#api_key:focus').waitFor();
  const described = await page.evaluate(
    'document.activeElement.getAttribute("aria-describedby").split(" ").map((id) => document.getElementById(id).textContent).join(" ")',
  );
  assert.match(String(described), /belongs to no active subscription/);
  assert.equal(app.returns.length, 0);
  await keyField(page).fill(service.keys.business);
  await page.keyboard.press('Enter');
  assert.equal(await tierOf(sitting, await returned(sitting)), 'business');
});

test('the keyboard alone is enough: every control is reached in order, and Enter in the field means the key', {
  skip,
}, async () => {
  const sitting = await sit();
  const { page, service } = sitting;
  const reached: string[] = [];
  for (let step = 0; step < 14; step += 1) {
    await page.keyboard.press('Tab');
    reached.push(
      String(await page.evaluate('document.activeElement.textContent || document.activeElement.id')),
    );
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    assert.notEqual(outline, 'none', reached.at(-1) ?? '');
  }
  assert.deepEqual(reached.slice(0, 13), [
    'Skip to the content',
    'Freehold',
    'Explore',
    'Market',
    'Docs',
    'Plans',
    'Account',
    'Sign in',
    'api_key',
    'Continue with this key',
    'Continue with the Free tier',
    'Cancel',
    'connected apps',
  ]);
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('Shift+Tab');
  await page.keyboard.type(service.keys.pro);
  await page.keyboard.press('Enter');
  assert.equal(await tierOf(sitting, await returned(sitting)), 'pro');
});

test('CP3: no other page can show the consent page in a frame', { skip }, async () => {
  assert.ok(parts !== undefined);
  const [service, browser] = parts;
  const address = (await startApp({ after })).consentAddress(service.url);
  const app = await startApp({ after }, `<iframe src="${address.replaceAll('&', '&amp;')}"></iframe>`);
  const { page } = await visit(browser, `${app.origin}/`, { origins: [] });
  assert.equal(page.frames().length, 2);
  assert.equal(await page.frames()[1]?.getByText('Connect an app').count(), 0);
  await page.context().close();
});

const HOSTILE = `"><script>document.title='owned'</script><img src=x onerror=alert(1)>${'W'.repeat(60)}`;

test('CP2: an app with a hostile name changes nothing but its name, and nothing is wider than a telephone', {
  skip,
}, async () => {
  assert.ok(parts !== undefined);
  const [service] = parts;
  const redirect = `https://${'very-long-label-'.repeat(3)}x.${'another-'.repeat(6)}x.example/callback`;
  const registered = await fetch(`${service.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: HOSTILE, redirect_uris: [redirect] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const { page, faults } = await sit({ viewport: PHONE }, { client_id, redirect_uri: redirect });
  assert.equal(await page.title(), 'Connect an app · Freehold');
  assert.equal(await page.locator('script, img, [onerror]').count(), 0);
  assert.equal(await page.locator('bdi').first().textContent(), HOSTILE.slice(0, 100));
  assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0);
  assert.deepEqual(faults, []);
  await page.context().close();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the consent page can be read and used by everybody, ${colorScheme}`, { skip }, async () => {
    const { page } = await sit({ colorScheme, viewport: PHONE });
    await button(page, 'Continue with this key').click();
    await page.getByText('Enter an API key.').waitFor();
    assert.deepEqual(await page.evaluate(FAINT), []);
    assert.deepEqual(await page.evaluate(UNSOUND), []);
    assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0);
    await page.context().close();
  });
}

for (const viewport of [PHONE, { width: 1280, height: 800 }]) {
  test(`every decision can be taken without scrolling, ${viewport.width} px wide, also after a key was refused`, {
    skip,
  }, async () => {
    const { page } = await sit({ viewport });
    for (const refused of [false, true]) {
      if (refused) {
        await keyField(page).fill('SERVICE-00000000-0000-4000-8000-000000000000');
        await button(page, 'Continue with this key').click();
        await page.getByText('Key not accepted.').waitFor();
      }
      for (const name of ['Continue with this key', 'Continue with the Free tier', 'Cancel']) {
        const box = await button(page, name).boundingBox();
        assert.ok(box !== null && box.y + box.height <= viewport.height, `${name}: ${JSON.stringify(box)}`);
      }
    }
    await page.context().close();
  });
}

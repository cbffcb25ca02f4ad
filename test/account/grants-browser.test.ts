// Tests of the page of connected apps in a real browser.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { noBrowser as skip, startBrowser, type Visit, visit } from '../support/browser/chromium.ts';
import { FAINT, UNSOUND } from '../support/browser/readability.ts';
import { call, signIn } from '../support/oauth/oauth.ts';
import { startService } from '../support/service/service.ts';

const WRONG_KEY = 'SERVICE-00000000-0000-4000-8000-000000000000';

const parts =
  skip === false ? await Promise.all([startService({ after }), startBrowser({ after })]) : undefined;

/** Two apps get access with this key; then their page is opened, which asks for a key. */
async function connected(key: 'pro' | 'business', options: BrowserContextOptions = {}) {
  assert.ok(parts !== undefined);
  const [service, browser] = parts;
  const [first, second] = [
    await signIn(service, { key: service.keys[key], clientId: `${key}-reader` }),
    await signIn(service, { key: service.keys[key], clientId: `${key}-writer` }),
  ];
  const view: Visit = await visit(browser, `${service.url}/oauth/grants`, {
    origins: [service.url],
    ...options,
  });
  return { service, first, second, ...view };
}

const keyField = (page: Page): Locator => page.getByLabel('API key');

test('CP12: whoever holds a key sees the apps connected with it and ends one at once, without JavaScript', {
  skip,
}, async () => {
  const { service, first, second, page, faults } = await connected('pro', { javaScriptEnabled: false });
  await keyField(page).fill(service.keys.pro);
  await page.keyboard.press('Enter');
  await page.getByText('2 apps have access with this key.').waitFor();
  const app = page.getByRole('article').filter({ hasText: 'pro-reader' });
  await app.getByRole('button', { name: /^End access/ }).click();
  await page.getByText('Access has been ended.').waitFor();
  await page.getByText('One app has access with this key.').waitFor();
  assert.equal(await page.getByRole('article').filter({ hasText: 'pro-writer' }).count(), 1);
  assert.equal((await call(service, first.accessToken)).status, 401);
  assert.equal((await call(service, second.accessToken)).status, 200);
  assert.ok(!(await page.content()).includes(service.keys.pro.slice(8)));
  assert.equal(new URL(page.url()).search, '');
  assert.deepEqual(faults, []);
  await page.context().close();
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the page of connected apps can be read and used by everybody, ${colorScheme}`, { skip }, async () => {
    const { service, page } = await connected('business', {
      colorScheme,
      viewport: { width: 390, height: 844 },
    });
    const check = async () => {
      assert.deepEqual(await page.evaluate(FAINT), []);
      assert.deepEqual(await page.evaluate(UNSOUND), []);
      assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0);
    };
    await keyField(page).fill(WRONG_KEY);
    await page.getByRole('button', { name: 'Show my apps' }).click();
    await page.getByText('Key not accepted.').waitFor();
    await check();
    await keyField(page).fill(service.keys.business);
    await page.keyboard.press('Enter');
    await page.getByText('apps have access with this key.').waitFor();
    await check();
    await page.context().close();
  });
}

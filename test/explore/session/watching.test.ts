// Tests of what signed-in people watch in the explorer, in a real browser.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser as skip, startBrowser, visit } from '../../support/browser/chromium.ts';
import { FAINT, UNSOUND } from '../../support/browser/readability.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const parts =
  skip === false
    ? await Promise.all([startService({ after }, { overrides: { provider } }), startBrowser({ after })])
    : undefined;

async function open(query: string) {
  assert.ok(parts !== undefined);
  const [{ url }, browser] = parts;
  return { url, ...(await visit(browser, `${url}/explore/watching${query}`, { origins: [url] })) };
}

async function signIn(page: Page, key?: string): Promise<void> {
  await page.locator('main').getByRole('button', { name: 'Sign in' }).click();
  if (key === undefined) await page.getByRole('button', { name: 'Continue with the Free tier' }).click();
  else {
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
  }
}

test('the search of a view is watched with its filters, listed with a link back, and removed again', {
  skip,
}, async () => {
  assert.ok(parts !== undefined);
  const key = provider.subscribe('pro');
  const { page, url, faults } = await open(
    '?for=sale&minPrice=400000&currency=USD&propertyType=CONDO&bbox=-91,41,-90,42&sort=price&zoom=11.2',
  );
  await page.getByText('Sign in to watch').waitFor();
  await signIn(page, key);
  // Back at the very view, with its offer.
  await page.getByLabel('A name for it').fill('Condos');
  await page.getByRole('button', { name: 'Watch this search' }).click();
  await page.locator('[data-state]:not([hidden])').waitFor();
  assert.equal(await page.locator('[data-state]').textContent(), 'It is being watched.');
  const { data } = (await parts[0].json('/v1/watchers', key)) as {
    data: { id: string; name: string; target: { listingType: string; query: Record<string, unknown> } }[];
  };
  assert.equal(data[0]?.name, 'Condos');
  assert.deepEqual(data[0]?.target.listingType, 'sale');
  assert.deepEqual(
    [data[0]?.target.query.minPrice, data[0]?.target.query.propertyType, data[0]?.target.query.sort],
    [400_000, ['CONDO'], undefined],
  );
  const link = page.getByRole('link', { name: 'Condos' });
  assert.match((await link.getAttribute('href')) ?? '', /\/explore\?minPrice=400000/);
  assert.deepEqual(await page.evaluate(FAINT), []);
  assert.deepEqual(await page.evaluate(UNSOUND), []);
  // An event arrives while the page stands.
  const [{ id } = { id: '' }] = data;
  const authorization = `Bearer ${key}`;
  await fetch(`${url}/v1/watchers/${id}/pause`, { method: 'POST', headers: { authorization } });
  await page.locator('[data-events] li').filter({ hasText: 'paused, Condos' }).waitFor();
  await page.getByRole('button', { name: 'Stop watching Condos' }).click();
  await page.getByText('Nothing yet').waitFor();
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('what the tier does not allow is said in words, with the plans', { skip }, async () => {
  const { page, url } = await open('?for=rental');
  await signIn(page);
  await page.getByRole('button', { name: 'Watch this search' }).click();
  await page.getByText('It is being watched.').waitFor();
  await page.goto(`${url}/explore/watching?for=sale`);
  await page.getByRole('button', { name: 'Watch this search' }).click();
  await page.locator('[data-state]').getByRole('link', { name: 'Compare plans' }).waitFor();
  assert.match((await page.locator('[data-state]').textContent()) ?? '', /watcher/);
  await page.context().close();
});

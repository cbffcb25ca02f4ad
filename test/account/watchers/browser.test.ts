// Proves in a real browser that the page about watchers works and can be read, on a telephone and a desk, light and dark.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { noBrowser as skip, startBrowser, visit } from '../../support/browser/chromium.ts';
import { assertReadable } from '../../support/browser/readability.ts';
import { ACCOUNT } from '../../support/watch/account.ts';
import { openEventLog } from '../../support/watch/event-log.ts';
import { sendWatcher } from '../../support/watch/watchers.ts';
import { webhookStage, writeDelivery } from '../../support/watch/webhooks.ts';

const parts =
  skip === false ? await Promise.all([webhookStage({ after }), startBrowser({ after })]) : undefined;
const log = parts && (await openEventLog(parts[0].service.database, parts[0].clock));

const WIDTHS = { telephone: 390, desk: 1280 };
const HOSTILE = `"><script>document.title='owned'</script><img src=x onerror=alert(1)>${'W'.repeat(120)}`;
const TARGET = {
  type: 'search',
  listingType: 'sale',
  query: { minBedrooms: 3, city: ['Austin'], currency: 'USD' },
};

/** An owner with a watcher that told something and sent it in vain, and the page that asks for a key. */
async function openPage(options: BrowserContextOptions, name = 'Family homes') {
  assert.ok(parts !== undefined && log !== undefined);
  const [{ service, clock, subscribe }, browser] = parts;
  clock.advance(60_000);
  const { key, id: subscription } = await subscribe('pro');
  const body = {
    name,
    target: TARGET,
    delivery: [{ type: 'webhook', url: 'https://hooks.example/freehold' }],
  };
  const created = await sendWatcher(service, 'POST', '', { key, body });
  assert.equal(created.status, 201, created.text);
  const { id } = created.watcher;
  await service.database.write(
    (sql) => sql`update webhook set status = 'active', due_at = null where watcher_id = ${id}`,
  );
  await log.writeChange([{ id, owner: `sub:${subscription}` }], ['search.match_added']);
  for (const [at, status] of ['succeeded', 'failed', 'parked'].entries())
    await writeDelivery(service, { watcherId: id, sequence: 10 + at, status, at: clock.now() });
  const view = await visit(browser, `${service.url}${ACCOUNT}`, { origins: [service.url], ...options });
  const status = async () => (await sendWatcher(service, 'GET', `/${id}`, { key })).watcher.status;
  return { ...view, service, subscribe, key, status };
}

async function typeKey(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your watchers' }).waitFor();
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

for (const [place, width] of Object.entries(WIDTHS)) {
  test(`whoever holds a key pauses, resumes and tests a watcher and sends an event again, without JavaScript, on a ${place}`, {
    skip,
  }, async () => {
    const { page, faults, service, key, status } = await openPage({
      viewport: { width, height: 800 },
      javaScriptEnabled: false,
    });
    await typeKey(page, key);
    await button(page, 'Pause Family homes').click();
    await page.getByText('Paused. It sends nothing until you resume it.').waitFor();
    assert.equal(await status(), 'paused');
    await button(page, 'Events and deliveries of Family homes').click();
    await page.getByText('New match').waitFor();
    await button(page, 'Resume').click();
    await page.getByText('Resumed. You are notified of changes from now on.').waitFor();
    assert.equal(await status(), 'active');
    await button(page, 'Send a test').click();
    await page.getByText('A test is on its way.').waitFor();
    const parked = page.getByRole('listitem').filter({ hasText: 'Given up' });
    await parked.getByText('Answer', { exact: true }).click();
    await parked.getByText('oops').waitFor();
    await parked.getByRole('button', { name: 'Send Listing changed again' }).click();
    await page.getByText('It is sent again.').waitFor();
    await button(page, '← All watchers').click();
    await page.getByRole('heading', { name: 'Your watchers' }).waitFor();
    assert.equal(page.url(), `${service.url}${ACCOUNT}`);
    assert.ok(!(await page.content()).includes(key.slice(8)));
    assert.deepEqual(faults, []);
    await page.context().close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`each state of the page can be read by everybody, on a ${place}, ${colorScheme}`, {
      skip,
    }, async () => {
      const { page, service, subscribe, key } = await openPage(
        { colorScheme, viewport: { width, height: 800 } },
        HOSTILE,
      );
      await page.getByLabel('API key').fill('SERVICE-00000000-0000-4000-8000-000000000000');
      await button(page, 'Show my watchers').click();
      await page.getByText('Key not accepted.').waitFor();
      await assertReadable(page);
      await typeKey(page, key);
      await assertReadable(page);
      await page.getByRole('button', { name: /^Events and deliveries/ }).click();
      await page.getByText('New match').waitFor();
      for (const answer of await page.getByText('Answer', { exact: true }).all()) await answer.click();
      await assertReadable(page);
      await button(page, 'Pause').click();
      await page.getByText('Paused. You paused it.').waitFor();
      await assertReadable(page);
      assert.match(await page.title(), /^"><script>document\.title=/);
      assert.equal(await page.locator('script, img, [onerror]').count(), 0);
      await page.goto(`${service.url}${ACCOUNT}`);
      await button(page, 'Forget my key').click();
      await page.getByText('Your key is forgotten in this browser.').waitFor();
      await page.goto(`${service.url}${ACCOUNT}`);
      await typeKey(page, (await subscribe('free')).key);
      await page.getByText('You have no watchers yet.').waitFor();
      await assertReadable(page);
      await page.context().close();
    });
  }
}

test('every step is reached by the keyboard alone, and what has the focus is seen', { skip }, async () => {
  const { page, key } = await openPage({ viewport: { width: 390, height: 800 } });
  const reach = async (label: string) => {
    for (let step = 0; step < 20; step += 1) {
      await page.keyboard.press('Tab');
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
      assert.notEqual(outline, 'none');
      if ((await page.evaluate('document.activeElement.textContent')) === label)
        return page.keyboard.press('Enter');
    }
    assert.fail(`${label} was not reached`);
  };
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.id'), 'api_key', 'the link past the header');
  await page.keyboard.type(key);
  await page.keyboard.press('Enter');
  await page.getByText('Family homes').waitFor();
  await reach('Events and deliveries');
  await page.getByText('New match').waitFor();
  await reach('Pause');
  await page.getByText('Paused. You paused it.').waitFor();
  await reach('← All watchers');
  await page.getByRole('heading', { name: 'Your watchers' }).waitFor();
  await page.context().close();
});

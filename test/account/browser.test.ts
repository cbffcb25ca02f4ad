// Proves in a real browser that people buy a plan and use its key, and can read each page on the way, on a telephone and a desk.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { startPayingService } from '../support/billing/paying-service.ts';
import { noBrowser as skip, startBrowser, visit } from '../support/browser/chromium.ts';
import { assertReadable } from '../support/browser/readability.ts';
import type { TestService } from '../support/service/service.ts';

const parts =
  skip === false
    ? await Promise.all([
        startBrowser({ after }),
        startPayingService({ after }, 'stripe'),
        startPayingService({ after }, 'polar'),
      ])
    : undefined;

const WIDTHS = { telephone: 390, desk: 1280 };
const PRO = 'Subscribe to Pro, €29 a month';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string | RegExp) => page.getByRole('link', { name });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });

function given() {
  assert.ok(parts !== undefined);
  const [browser, stripe, polar] = parts;
  return { browser, stripe, polar };
}

async function openPlans(
  service: TestService,
  seller: string,
  options: BrowserContextOptions = {},
): ReturnType<typeof visit> {
  const { browser, stripe, polar } = given();
  // An address begins ten purchases a minute.
  stripe.service.clock.advance(60_000);
  polar.service.clock.advance(60_000);
  return visit(browser, `${service.url}/billing`, { origins: [service.url, seller], ...options });
}

/** The payment pages of the tests have no icon. */
const isOurs = (fault: string): boolean => !/the server responded with a status of 40[14]/.test(fault);

const tierOf = async (service: TestService, key: string): Promise<unknown> => {
  const answer = await service.get('/v1/usage', key);
  return [answer.status, ((await answer.json()) as { tier?: string }).tier];
};

for (const [place, width] of Object.entries(WIDTHS)) {
  test(`from the plans over Stripe’s page of payment to the first call with the shown key, without JavaScript, on a ${place}`, {
    skip,
  }, async () => {
    const { service, shop } = given().stripe;
    const { page, faults } = await openPlans(service, shop.server.url, {
      viewport: { width, height: 800 },
      javaScriptEnabled: false,
    });
    await button(page, PRO).click();
    await heading(page, 'Keep your key, then pay').waitFor();
    const key = (await page.locator('pre.key').textContent()) ?? '';
    assert.match(key, /^SERVICE-[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/);
    await link(page, /^I have kept it: pay at/).click();
    await button(page, 'Pay').click();
    await heading(page, 'Payment complete').waitFor();
    assert.match(page.url(), /\/billing\/return\?session=cs_test_\w+$/);
    assert.ok(!(await page.content()).includes(key.slice(8)));
    assert.deepEqual(await tierOf(service, key), [200, 'pro']);
    await page.getByRole('main').getByRole('link', { name: 'Your account' }).click();
    await page.getByLabel('API key').fill(key);
    await button(page, 'Show my account').click();
    await page.getByText('of 50,000 requests used').waitFor();
    assert.deepEqual(faults.filter(isOurs), []);
    const cookies = await page.context().cookies();
    assert.deepEqual(
      cookies.map(({ name }) => name),
      ['__Host-freehold-key'],
      'of the account alone',
    );
    await page.context().close();
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`each page of a purchase can be read by everybody, on a ${place}, ${colorScheme}`, {
      skip,
    }, async () => {
      const { service, shop } = given().stripe;
      const { page } = await openPlans(service, shop.server.url, {
        colorScheme,
        viewport: { width, height: 800 },
      });
      await assertReadable(page);
      await button(page, PRO).click();
      await heading(page, 'Keep your key, then pay').waitFor();
      await assertReadable(page);
      const payment = (await link(page, /^I have kept it/).getAttribute('href')) ?? '';
      const session = payment.split('/').at(-1) ?? '';
      await page.goto(`${service.url}/billing/return?session=${session}`);
      await heading(page, 'Payment not complete yet').waitFor();
      await assertReadable(page);
      await page.goto(payment);
      await button(page, 'Pay').click();
      await heading(page, 'Payment complete').waitFor();
      await assertReadable(page);
      await page.getByRole('main').getByRole('link', { name: 'Your account' }).click();
      await assertReadable(page);
      await page.getByLabel('API key').fill(service.keys.pro);
      await button(page, 'Show my account').click();
      await page.getByText('Key not accepted.').waitFor();
      await assertReadable(page);
      await page.goto(`${service.url}/billing/return?session=cs_none`);
      await heading(page, 'No such purchase').waitFor();
      await page.context().close();
    });
  }
}

test('whoever leaves the payment has paid nothing, and the key that was shown says why it opens nothing', {
  skip,
}, async () => {
  const { service, shop } = given().stripe;
  const { page, faults } = await openPlans(service, shop.server.url);
  await button(page, PRO).click();
  const key = (await page.locator('pre.key').textContent()) ?? '';
  await link(page, /^I have kept it/).click();
  await button(page, 'Cancel').click();
  await heading(page, 'Not paid').waitFor();
  const refused = await service.get('/v1/usage', key);
  assert.equal(refused.status, 401);
  assert.equal(((await refused.json()) as { reason: string }).reason, 'pending');
  await link(page, 'Back to the plans').click();
  await heading(page, 'Plans').waitFor();
  assert.deepEqual(faults.filter(isOurs), []);
  await page.context().close();
});

test('whoever closes the tab before the payment is confirmed loses nothing but the shown key', {
  skip,
}, async () => {
  const { service, shop } = given().stripe;
  const { page } = await openPlans(service, shop.server.url);
  await button(page, PRO).click();
  const key = (await page.locator('pre.key').textContent()) ?? '';
  const payment = (await link(page, /^I have kept it/).getAttribute('href')) ?? '';
  await page.context().close();
  shop.server.account.complete(payment.split('/').at(-1) ?? '');
  assert.deepEqual(await tierOf(service, key), [200, 'pro']);
});

test('from the plans over Polar’s page of payment to the first call with the key that Polar issued, without JavaScript', {
  skip,
}, async () => {
  const { service, shop } = given().polar;
  const { server } = shop;
  const { page, faults } = await openPlans(service, server.url, { javaScriptEnabled: false });
  await assertNoKey(page);
  await page.getByRole('button', { name: /^Subscribe to Pro,/ }).click();
  await button(page, 'Pay').click();
  await heading(page, 'Payment complete').waitFor();
  await page.getByText('Polar shows your key with your order').waitFor();
  await assertNoKey(page);
  const [subscription] = server.world.subscriptions.slice(-1);
  assert.ok(subscription !== undefined);
  assert.deepEqual(await tierOf(service, server.world.keyOf(subscription).key), [200, 'pro']);
  assert.deepEqual(faults.filter(isOurs), []);
  await page.context().close();
});

async function assertNoKey(page: Page): Promise<void> {
  assert.ok(!/SERVICE-[0-9A-F]{8}/i.test(await page.content()));
}

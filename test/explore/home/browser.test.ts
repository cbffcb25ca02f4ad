// What only a browser can tell of the page of one home: photos by keys and without a script, the live stream, and access for everybody.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser as skip, startBrowser, type Visit, visit } from '../../support/browser/chromium.ts';
import { startService, type TestService } from '../../support/service/service.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Shown {
  readonly id: string;
  readonly provider: { readonly listingKey: string };
  readonly price: number;
}

const parts = skip === false ? await start() : null;

async function start() {
  const [service, browser] = await Promise.all([
    startService({ after }, { source: 'sample' }),
    startBrowser({ after }),
  ]);
  const { data }: { data: Shown[] } = await service.json('/v1/search/sales?limit=1');
  const [home] = data;
  assert.ok(home);
  return { service, browser, home };
}

/** Opens the page as somebody who is signed in with this key; null: nobody is. Only the session is not the real one. */
async function open(
  options: Parameters<typeof visit>[2] extends infer O ? Omit<O & object, 'origins'> : never,
  key: string | null = null,
  hash = '',
): Promise<Visit & { readonly service: TestService; readonly home: Shown }> {
  assert.ok(parts !== null);
  const { service, browser, home } = parts;
  const address = `${service.url}/explore/listing/${home.id}${hash}`;
  const shown = await visit(browser, 'about:blank', { origins: [service.url], ...options });
  await shown.page.route('**/explore/browser/session.*', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `export const token = async () => ${JSON.stringify(key)}; export const signIn = () => { document.title = 'Sign in'; }; export const signOut = () => {}; export const onChange = async () => {};`,
    }),
  );
  await shown.page.goto(address, { waitUntil: 'load' });
  return { ...shown, service, home };
}

const axeOf = async (page: Page): Promise<unknown> => {
  await page.evaluate(AXE);
  return page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 120))]))',
  );
};

const WIDE = { viewport: { width: 1280, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 } };

test('the page breaks no rule of its policy, fits 320 pixels and more, and leaves nothing to axe, in both themes', {
  skip,
}, async () => {
  for (const width of [320, 390, 1280]) {
    const { page, faults } = await open({ viewport: { width, height: 844 } });
    await page.getByRole('button', { name: 'Read it live' }).waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${overflow} px wider than ${width}`);
      if (width !== 320) assert.deepEqual(await axeOf(page), [], `${width} ${colorScheme}`);
    }
    assert.deepEqual(faults, []);
    await page.context().close();
  }
});

test('without a script the photos open over the page and close again, and the page says how to stream', {
  skip,
}, async () => {
  const { page } = await open({ ...PHONE, javaScriptEnabled: false });
  assert.equal(await page.locator('#photos').isVisible(), false);
  await page.getByRole('link', { name: /^All \d+ photos$/ }).click();
  assert.ok(await page.locator('#photo-2').isVisible());
  await page.getByRole('link', { name: 'Close' }).click();
  assert.equal(await page.locator('#photos').isVisible(), false);
  await page.locator('a[href="#photo-3"]').click();
  assert.ok(await page.locator('#photo-3').isVisible());
  assert.ok(await page.getByText('the request below does the same').isVisible());
  await page.context().close();
});

test('photos are stepped through by keys and swipes, with their count; focus stays inside and comes back', {
  skip,
}, async () => {
  const { page } = await open(WIDE);
  await page.getByRole('button', { name: 'Read it live' }).waitFor();
  const second = page.locator('a[href="#photo-2"]');
  await second.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  const counted = async (number: number) =>
    await dialog.getByText(new RegExp(`^${number} of \\d+`)).waitFor();
  await counted(2);
  await page.keyboard.press('ArrowRight');
  await counted(3);
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  const count = await dialog.locator('.strip button').count();
  await counted(count);
  for (let step = 0; step < count + 6; step++) {
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.closest("dialog") !== null'), true);
  }
  const box = await dialog.locator('.stage').boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 - 120, box.y + box.height / 2);
  await page.mouse.up();
  await counted(1);
  assert.deepEqual(await axeOf(page), []);
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate('document.activeElement.getAttribute("href")'), '#photo-2');
  await page.context().close();
});

test('the stream shows each event with its milliseconds and what changed since the page was stored', {
  skip,
}, async () => {
  assert.ok(parts !== null);
  const { service, home } = parts;
  await service.control('POST', '/control/change', {
    key: home.provider.listingKey,
    set: { ListPrice: home.price + 1_000 },
  });
  const { page, faults } = await open(WIDE, service.keys.pro);
  const requested: string[] = [];
  page.on('request', (request) => requested.push(request.url()));
  await page.getByRole('button', { name: 'Read it live' }).click();
  const panel = page.locator('#live');
  await panel.getByText(/^Done in [\d,]+ ms$/).waitFor();
  const events = await panel.locator('.live-log li').allInnerTexts();
  assert.deepEqual(
    events.map((text) => /(cached|live|done)/.exec(text)?.[1]),
    ['cached', 'live', 'done'],
  );
  assert.ok(events.every((text) => /^\d[\d,]* ms/.test(text)));
  const price = panel.locator('.live-changes div', { hasText: 'Price' }).first();
  assert.equal(await price.locator('s').innerText(), `$${home.price.toLocaleString('en-US')}`);
  assert.equal(await price.locator('ins').innerText(), `$${(home.price + 1_000).toLocaleString('en-US')}`);
  assert.ok(requested.some((url) => url.endsWith(`/v1/listing/${home.id}`)));
  assert.ok(!requested.some((url) => url.includes(service.keys.pro)), 'a token is in a URL');
  assert.deepEqual(await axeOf(page), []);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('who is not signed in, or has too low a plan, sees why and what to do', { skip }, async () => {
  assert.ok(parts !== null);
  const { keys } = parts.service;
  const { page } = await open(WIDE);
  await page.getByRole('button', { name: 'Read it live' }).click();
  const trouble = page.locator('.live-trouble');
  await trouble.getByText('Live reads need the Pro plan').waitFor();
  await trouble.getByRole('button', { name: 'Sign in' }).click();
  assert.equal(await page.title(), 'Sign in');
  await page.context().close();
  const { page: free } = await open(WIDE, keys.free);
  await free.getByRole('button', { name: 'Read it live' }).click();
  const plans = free.locator('.live-trouble').getByRole('link', { name: 'See the plans' });
  assert.equal(await plans.getAttribute('href'), '../../billing');
  await free.context().close();
  const { page: ended } = await open(WIDE, 'fh_no_such_key');
  await ended.getByRole('button', { name: 'Read it live' }).click();
  await ended.getByText('Your sign-in has ended').waitFor();
  await ended.context().close();
});

/** Answers the stream's request in place of the service. */
async function answerStream(page: Page, status: number, body: string, headers = {}) {
  await page.route('**/v1/listing/*', (route) =>
    route.fulfill({
      status,
      body,
      headers: {
        'content-type': status === 200 ? 'text/event-stream' : 'application/problem+json',
        ...headers,
      },
    }),
  );
  await page.getByRole('button', { name: /Read it live|Stream again/ }).click();
}

test('heartbeats, errors of the source, limits, a broken stream and a restart have their form', {
  skip,
}, async () => {
  const { page } = await open(WIDE, 'key');
  const error = JSON.stringify({
    code: 'timeout',
    message: 'It was too slow.',
    retryable: true,
    requestId: 'req_7',
  });
  await answerStream(page, 200, `:\n\nevent: error\ndata: ${error}\n\nevent: done\ndata: {}\n\n`);
  await page.getByText('Its source did not answer').waitFor();
  assert.match(await page.locator('.live-trouble').innerText(), /It was too slow\..*Request req_7\./s);
  await page.unroute('**/v1/listing/*');
  await answerStream(page, 200, ':\n\n');
  await page.getByText('The stream broke off').waitFor();
  assert.match(await page.locator('.live-log').innerText(), /waiting/);
  await page.unroute('**/v1/listing/*');
  await answerStream(page, 503, JSON.stringify({ code: 'SHUTTING_DOWN', detail: 'Stopping.' }));
  await page.getByText('The service does not answer').waitFor();
  await page.unroute('**/v1/listing/*');
  const limit = JSON.stringify({ code: 'RATE_LIMITED', detail: 'Ten a minute.' });
  await answerStream(page, 429, limit, { 'retry-after': '30' });
  await page.getByText('Ten a minute. It goes on in 30 seconds.').waitFor();
  await page.context().close();
});

test('a stream can be stopped, and the home stays', { skip }, async () => {
  assert.ok(parts !== null);
  const { service } = parts;
  await service.control('PUT', '/control/faults', { latencyMs: 5_000 });
  const { page } = await open(WIDE, service.keys.pro);
  await page.getByRole('button', { name: 'Read it live' }).click();
  await page.getByText('stored at').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('You stopped the stream.').waitFor();
  await service.control('DELETE', '/control/faults');
  await page.context().close();
});

test('an address that names a photo opens it', { skip }, async () => {
  const { page } = await open(WIDE, null, '#photo-2');
  await page.getByRole('dialog').getByText(/^2 of/).waitFor();
  await page.context().close();
});

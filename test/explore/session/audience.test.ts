// Pages of the explorer where not everybody may look, in a real browser: locked for strangers, open for who may look, locked again after them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser as skip, startBrowser, type Visit, visit } from '../../support/browser/chromium.ts';
import { FAINT } from '../../support/browser/readability.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const parts = skip === false ? await start() : null;

async function start() {
  const options = { source: 'sample', overrides: { provider } } as const;
  const [subscribers, signedIn, browser] = await Promise.all([
    startService({ after }, { ...options, environment: { EXPLORER: 'subscribers' } }),
    startService({ after }, { ...options, environment: { EXPLORER: 'signed-in' } }),
    startBrowser({ after }),
  ]);
  const { data }: { data: { id: string; address: { formatted: string } }[] } =
    await subscribers.json('/v1/search/sales?limit=1');
  return { subscribers, signedIn, browser, home: data[0] ?? { id: '', address: { formatted: '' } } };
}

const running = () => {
  assert.ok(parts !== null);
  return parts;
};

/** A browser counts every 401 and 403 as an error on its console: the refusals themselves. */
const others = ({ faults }: Visit) =>
  faults.filter((fault) => !/status of 40[13] |GL Driver Message/.test(fault));

const open = (url: string, path: string) =>
  visit(running().browser, `${url}/${path}`, {
    origins: [url],
    viewport: { width: 1280, height: 800 },
  });

async function signIn(page: Page, key?: string): Promise<void> {
  const address = page.url();
  await page.locator('[data-account] > a').click();
  if (key === undefined) await page.getByRole('button', { name: 'Continue with the Free tier' }).click();
  else {
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
  }
  await page.waitForURL(address);
  await page.locator('[data-account] summary').waitFor();
}

async function signOut(page: Page): Promise<void> {
  await page.locator('[data-account] summary').click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('[data-account] > a').waitFor();
}

/** The pages, what they are locked with, and what only the open ones have. */
const PAGES = [
  {
    name: 'the map',
    path: () => 'explore',
    locked: /Sign in to see the homes/,
    refused: /another plan/,
    open: '.row',
  },
  {
    name: 'one home',
    path: () => `explore/listing/${running().home.id}`,
    locked: /Sign in to see this home/,
    refused: /for subscribers/,
    open: '.live-body',
  },
  {
    name: 'the market',
    path: () => 'explore/market',
    locked: /Sign in to see the market/,
    refused: /for subscribers/,
    open: '.head-figures',
  },
] as const;

for (const { name, path, locked, refused, open: shown } of PAGES)
  test(`${name}: locked for strangers and for the Free tier, open with a key, and locked after signing out`, {
    skip,
  }, async () => {
    const { subscribers } = running();
    const visited = await open(subscribers.url, path());
    const { page } = visited;
    const main = page.locator('main');
    await main.getByText(locked).waitFor();
    assert.match(await main.innerText(), /This service shows its market to subscribers/);
    assert.deepEqual(await page.evaluate(FAINT), []);
    assert.equal(await page.locator(shown).count(), 0);
    for (const link of ['Sign in', 'Compare plans'])
      assert.ok(await main.getByRole('link', { name: link }).isVisible(), link);
    await signIn(page);
    await main.getByText(refused).waitFor();
    assert.match(await main.innerText(), /a plan without one is not enough/);
    await signOut(page);
    await main.getByText(locked).waitFor();
    await signIn(page, provider.subscribe('pro'));
    await page.locator(shown).first().waitFor();
    assert.equal(await page.locator('meta[name=robots][content^=noindex]').count(), 1);
    // The page works as if it had been loaded: a reload gives the same, for who is still signed in.
    await page.reload();
    await page.locator(shown).first().waitFor();
    await signOut(page);
    await main.getByText(locked).waitFor();
    assert.equal(await page.locator(shown).count(), 0);
    assert.deepEqual(others(visited), []);
    await page.context().close();
  });

test('signed in for real, a home is read live from its source, and the streams of the plan are counted', {
  skip,
}, async () => {
  const { subscribers, home } = running();
  const visited = await open(subscribers.url, `explore/listing/${home.id}`);
  const { page } = visited;
  await page
    .locator('main')
    .getByText(/Sign in to see this home/)
    .waitFor();
  await signIn(page, provider.subscribe('pro'));
  await page.getByRole('button', { name: 'Read it live' }).click();
  const live = page.locator('#live');
  await live.locator('.live-log li', { hasText: 'done' }).waitFor();
  assert.deepEqual(
    (await live.locator('.live-log code').allInnerTexts()).filter((kind) => kind !== 'waiting'),
    ['cached', 'live', 'done'],
  );
  await live.getByText(/Streams of your plan in use: \d of \d+/).waitFor();
  assert.deepEqual(others(visited), []);
  await page.context().close();
});

test('where every sign-in may look, the Free tier is enough; a link leads on to the next page while signed in', {
  skip,
}, async () => {
  const { signedIn } = running();
  const visited = await open(signedIn.url, 'explore/market');
  const { page } = visited;
  await page.getByText('people who have signed in').waitFor();
  await signIn(page);
  await page.locator('.head-figures').waitFor();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Explore' }).click();
  await page.locator('.row').first().waitFor();
  assert.deepEqual(others(visited), []);
  await page.context().close();
});

test('what a locked page says is all that it has: no home, price or count of any is in its source', {
  skip,
}, async () => {
  const { subscribers, home } = running();
  for (const { path } of PAGES) {
    const answer = await fetch(`${subscribers.url}/${path()}`, { headers: { accept: 'text/html' } });
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const text = await answer.text();
    assert.match(text, /<meta name="robots" content="noindex/);
    assert.doesNotMatch(
      text.replaceAll(/<style>.*?<\/style>/gs, ''),
      /\$\d|class="(?:cl|pn)\b|homes for sale/,
    );
    assert.ok(!text.includes(home.address.formatted));
  }
});

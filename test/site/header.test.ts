// What all pages share: one header with the same links, one width, and words for people.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { LISTING_TYPES, PRICE_FREQUENCIES, PROPERTY_TYPES, STATUSES } from '../../src/listings/vocabulary.ts';
import { enumWords, priceWords } from '../../src/page/words.ts';
import { DOCUMENT_NAMES } from '../../src/site/documents.ts';
import { noBrowser, startBrowser } from '../support/browser/chromium.ts';
import { authorizationRequest } from '../support/oauth/authorize.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after });
const browser = noBrowser === false ? await startBrowser({ after }) : null;
const consent = `/oauth/authorize?${new URLSearchParams(authorizationRequest().parameters)}`;

const PAGES = [
  '/',
  '/docs',
  '/docs/metrics',
  '/docs/errors',
  ...DOCUMENT_NAMES.map((name) => `/docs/${name}`),
  '/billing',
  '/account',
  '/account/watchers',
  '/oauth/grants',
  '/nothing/here',
  // A refusal too.
  consent,
  '/oauth/authorize',
];
const LINKS = [
  ['/explore', 'Explore'],
  ['/', 'Freehold'],
  ['/docs', 'Docs'],
  ['/billing', 'Plans'],
  ['/account', 'Account'],
  ['/explore/market', 'Market'],
];

async function headerOf(path: string): Promise<string> {
  const answer = await fetch(`${service.url}${path}`, { headers: { accept: 'text/html' } });
  const [, header] = /<header class="site-header">(.*?)<div class="scale"/s.exec(await answer.text()) ?? [];
  assert.ok(header !== undefined, path);
  return header;
}

test('every page, refusals and missing ones too, has one header that leads home, to the docs, the plans and the account', async () => {
  for (const path of PAGES) {
    const links = [...(await headerOf(path)).matchAll(/<a [^>]*?href="([^"]*)"[^>]*>(.*?)<\/a>/gs)].map(
      ([, href = '', text = '']) => [
        new URL(href, `${service.url}${path}`).pathname,
        text.replaceAll(/<[^>]*>/g, ''),
      ],
    );
    // Narrow screens have the same links in a menu.
    const unique = [...new Map(links.map(([to = '', text = '']) => [to, text]))].toSorted();
    // Pages of the account have it themselves.
    const others = unique.filter(([to]) => to !== '/explore/sign-in');
    assert.deepEqual(others, LINKS.toSorted(), path);
  }
});

test('the header marks the part of the service that a page belongs to', async () => {
  const marked = async (path: string) =>
    /<a [^>]*?href="([^"]*)"[^>]*aria-current="true"/.exec(await headerOf(path))?.[1] ?? null;
  assert.equal(await marked('/'), './');
  assert.equal(await marked('/docs/limits'), '../docs');
  assert.equal(await marked('/billing'), 'billing');
  for (const path of ['/account', '/account/watchers', '/oauth/grants'])
    assert.match((await marked(path)) ?? '', /account$/);
  for (const path of [consent, '/nothing/here']) assert.equal(await marked(path), null);
});

/** Boxes that are cut off: wider than their frame without a way to scroll. Runs in the page. */
const CLIPPED = `[...document.querySelectorAll('pre, table, .wide')].filter((box) => {
  const frame = box.closest('.wide') ?? box;
  return frame.scrollWidth > frame.clientWidth + 1 &&
    (frame.matches('pre') || !['auto', 'scroll'].includes(getComputedStyle(frame).overflowX));
}).map((box) => box.textContent.slice(0, 60))`;
/** Where the text of the header and the title begins. Runs in the page. */
const LEFT = `['.site-header .home', 'h1'].map((part) => document.querySelector(part).getBoundingClientRect().left)`;

for (const width of [390, 1_280]) {
  test(`at ${width} px pages begin at one line, code wraps, and what is wider scrolls by itself`, {
    skip: noBrowser,
  }, async () => {
    const context = await browser?.newContext({ viewport: { width, height: 900 } });
    const page = await context?.newPage();
    assert.ok(page !== undefined);
    const margin = width === 390 ? 16 : 32;
    for (const path of PAGES.filter((each) => each !== '/docs')) {
      await page.goto(`${service.url}${path}`);
      assert.deepEqual(await page.evaluate(LEFT), [margin, margin], path);
      assert.deepEqual(await page.evaluate(CLIPPED), [], path);
      assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0, path);
    }
    await context?.close();
  });
}

test('no value of a vocabulary is shown as programs write it', () => {
  assert.equal(enumWords('ONE_TIME'), 'One-time');
  assert.equal(enumWords('ACTIVE_UNDER_CONTRACT'), 'Active under contract');
  for (const value of [...STATUSES, ...PROPERTY_TYPES, ...PRICE_FREQUENCIES, ...LISTING_TYPES])
    assert.match(enumWords(value), /^[A-Z][a-z -]+$/, value);
  for (const priceFrequency of PRICE_FREQUENCIES)
    assert.doesNotMatch(priceWords({ price: 1, currency: 'USD', priceFrequency }), /_|ly$/, priceFrequency);
});

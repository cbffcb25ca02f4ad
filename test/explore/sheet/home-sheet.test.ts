// One home as a sheet over the map, in a real browser: its address, the way back, keys, photos, stream, and what is left without script.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { axeFaults } from '../../support/browser/axe.ts';
import { noBrowser as skip, startBrowser, visit } from '../../support/browser/chromium.ts';
import { startService, type TestService } from '../../support/service/service.ts';

const parts =
  skip === false
    ? await Promise.all([startService({ after }, { source: 'sample' }), startBrowser({ after })])
    : null;

/** What the compositor in software says of itself. */
const OF_THE_DRIVER = /GL Driver Message|Failed to load font/;
/** Of the map library, which most of these tests leave out: it draws for seconds without a graphics card. */
const LEFT_OUT = /maplibre|live-pane|net::ERR_FAILED/;
const WIDE = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 } };

async function open(path: string, options: object = WIDE) {
  assert.ok(parts !== null);
  const [service, browser] = parts;
  const { page, faults } = await visit(browser, `${service.url}/${path}`, {
    origins: [service.url],
    blocked: /maplibre/,
    ...options,
  });
  const unexpected = () => faults.filter((fault) => !OF_THE_DRIVER.test(fault) && !LEFT_OUT.test(fault));
  return { page, service, unexpected };
}

/** The rows that script has drawn. */
const rows = (page: Page) => page.locator('.host .row a.whole');
const sheet = (page: Page) => page.getByRole('dialog');
const pathOf = (page: Page): string => new URL(page.url()).pathname + new URL(page.url()).search;

const openFirst = (page: Page): Promise<string> => openRow(page, rows(page).first());

async function openRow(page: Page, link: Locator): Promise<string> {
  await link.waitFor();
  const path = `/${await link.getAttribute('href')}`;
  await link.click();
  await sheet(page).locator('h1').waitFor();
  return path;
}

interface List {
  readonly data: readonly { readonly id: string }[];
}

/** The first home of a search that has comparable ones near by: which that is depends on the day. */
async function comparableHome(service: TestService, query: string): Promise<string> {
  const { internal } = service.keys;
  const { data } = (await service.json(`/v1/search/sales?${query}&limit=20&fields=id`, internal)) as List;
  for (const { id } of data) {
    const found = (await service.json(`/v1/property/${id}/comparables`, internal)) as List;
    if (found.data.length > 0) return id;
  }
  return assert.fail('no home has comparable ones');
}

test('a row opens its home over the map under its own address; back closes it, and nothing of the map has changed', {
  skip,
}, async () => {
  const { page, unexpected } = await open('explore?minBedrooms=2&sort=price', { ...WIDE, blocked: /^$/ });
  await rows(page).first().waitFor();
  await page.locator('.symbol').first().waitFor();
  const symbols = () => page.locator('.symbol').evaluateAll((all) => all.map((each) => each.ariaLabel));
  const pins = await symbols();
  const before = await rows(page).evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  const title = await page.title();
  const views: string[] = [];
  page.on('request', (request) => {
    if (/explore\/(?:view|facets)\b/.test(request.url())) views.push(request.url());
  });
  const path = await openFirst(page);
  assert.equal(pathOf(page), path);
  const name = await sheet(page).locator('h1').innerText();
  assert.ok((await page.title()).startsWith(`${name} · `));
  assert.ok((await sheet(page).locator('svg.chart').count()) > 0, 'no chart in the sheet');
  await page.goBack();
  await sheet(page).waitFor({ state: 'hidden' });
  assert.equal(pathOf(page), '/explore?minBedrooms=2&sort=price');
  assert.equal(await page.title(), title);
  assert.deepEqual(
    await rows(page).evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    before,
  );
  assert.deepEqual(await symbols(), pins);
  await page.goForward();
  await sheet(page).locator('h1').waitFor();
  assert.equal(pathOf(page), path);
  await page.goBack();
  await sheet(page).waitFor({ state: 'hidden' });
  assert.deepEqual(views, []);
  assert.deepEqual(unexpected(), []);
  await page.context().close();
});

test('Escape and the button close it; the focus stays inside, and returns to the row', { skip }, async () => {
  const { page } = await open('explore');
  await rows(page).first().waitFor();
  await rows(page).nth(1).focus();
  const path = await rows(page).nth(1).getAttribute('href');
  await page.keyboard.press('Enter');
  await sheet(page).locator('h1').waitFor();
  const count = await sheet(page).locator('a[href],button,summary').count();
  for (const key of ['Tab', 'Shift+Tab'])
    for (let step = 0; step < count + 4; step++) {
      await page.keyboard.press(key);
      assert.equal(await page.evaluate('document.activeElement.closest("dialog") !== null'), true);
    }
  await page.keyboard.press('Escape');
  await page.waitForURL(/\/explore$/);
  await sheet(page).waitFor({ state: 'hidden' });
  assert.equal(await page.evaluate('document.activeElement.getAttribute("href")'), path);
  await rows(page).nth(1).click();
  await sheet(page).getByRole('button', { name: 'Close' }).click();
  await page.waitForURL(/\/explore$/);
  await page.context().close();
});

test('a comparable home opens in the same sheet, and the button leads back to the map from there', {
  skip,
}, async () => {
  const { page, service } = await open('explore?minBedrooms=3');
  const home = await comparableHome(service, 'minBedrooms=3');
  const first = await openRow(page, rows(page).and(page.locator(`[href*="${home}"]`)));
  const other = sheet(page).locator('.home-compared a[href*="explore/listing/"]').first();
  const next = `/${await other.getAttribute('href')}`;
  await other.click();
  await page.waitForURL((url) => url.pathname === next);
  await sheet(page)
    .locator(`#home[data-id="${next.split('/').at(-1)}"]`)
    .waitFor();
  await page.goBack();
  await sheet(page)
    .locator(`#home[data-id="${first.split('/').at(-1)}"]`)
    .waitFor();
  await page.goForward();
  await sheet(page)
    .locator(`#home[data-id="${next.split('/').at(-1)}"]`)
    .waitFor();
  await sheet(page).getByRole('button', { name: 'Close' }).click();
  await page.waitForURL(/\/explore\?minBedrooms=3$/);
  await page.context().close();
});

test('an area above the home leads to its homes on the map, and back to the home', { skip }, async () => {
  const { page } = await open('explore?minBedrooms=3');
  const path = await openFirst(page);
  await sheet(page).locator('.home-crumbs a').last().click();
  await sheet(page).waitFor({ state: 'hidden' });
  await page.waitForURL(/\/explore\?(?:for=sale&)?areaId=/);
  await page.goBack();
  await sheet(page).locator('h1').waitFor();
  assert.equal(pathOf(page), path);
  await page.context().close();
});

test('photos open over the sheet and close by themselves; the stream says what it waits for', {
  skip,
}, async () => {
  const { page, unexpected } = await open('explore');
  await openFirst(page);
  await sheet(page).locator('a[href="#photo-2"]').click();
  const viewer = page.locator('dialog.home-viewer');
  await viewer.getByText(/^2 of \d+/).waitFor();
  await page.keyboard.press('ArrowRight');
  await viewer.getByText(/^3 of \d+/).waitFor();
  await page.keyboard.press('Escape');
  await viewer.waitFor({ state: 'hidden' });
  assert.ok(await page.locator('.home-dialog h1').isVisible());
  await page.getByRole('button', { name: 'Read it live' }).click();
  await page.getByText('Live reads need the Pro plan').waitFor();
  assert.deepEqual(unexpected(), []);
  await page.context().close();
});

test('a home that is gone, and a service that is away, leave the map as it is', { skip }, async () => {
  const { page } = await open('explore');
  await rows(page).first().waitFor();
  await page.route('**/explore/listing/*', (route) => route.abort());
  await rows(page).first().click();
  await sheet(page).getByText('This home cannot be shown at the moment').waitFor();
  await page.unroute('**/explore/listing/*');
  await sheet(page).getByRole('link', { name: 'Try again' }).click();
  await sheet(page).locator('#home').waitFor();
  await page.keyboard.press('Escape');
  await page.waitForURL(/\/explore$/);
  // A link of an old message.
  await rows(page)
    .first()
    .evaluate((link) => link.setAttribute('href', 'explore/listing/lst_there_is_none'));
  await rows(page).first().click();
  await sheet(page).getByRole('heading', { name: 'No such home' }).waitFor();
  await page.context().close();
});

test('on a telephone the sheet fills the screen, and nothing is wider', { skip }, async () => {
  for (const width of [320, 390]) {
    const { page } = await open('explore', { viewport: { width, height: 844 } });
    await openFirst(page);
    const box = await page.locator('.home-dialog').boundingBox();
    assert.deepEqual([box?.x, box?.y, box?.width, box?.height], [0, 0, width, 844]);
    const overflow = await page.evaluate(
      'document.querySelector(".home-dialog").scrollWidth - document.querySelector(".home-dialog").clientWidth',
    );
    assert.ok(Number(overflow) <= 0, `${overflow} px wider than ${width}`);
    await page.context().close();
  }
});

test('there is nothing for axe to find in the sheet, in both themes and widths', { skip }, async () => {
  for (const [options, colorScheme] of [
    [WIDE, 'light'],
    [PHONE, 'dark'],
  ] as const) {
    const { page } = await open('explore', { ...options, colorScheme });
    await openFirst(page);
    assert.deepEqual(await axeFaults(page), []);
    await page.context().close();
  }
});

test('without script a row leads to the page of its home', { skip }, async () => {
  const { page } = await open('explore', { ...WIDE, javaScriptEnabled: false });
  const link = page.locator('.row a.whole').first();
  const path = `/${await link.getAttribute('href')}`;
  await link.click();
  await page.waitForURL((url) => url.pathname === path);
  assert.ok(await page.locator('.site-footer').isVisible());
  await page.context().close();
});

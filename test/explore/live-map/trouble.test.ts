// What stands in the way of a live map: limits, a slow or absent service, no WebGL. The page stays, says so, and goes on by itself.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser as skip, startBrowser, visit } from '../../support/browser/chromium.ts';
import { until } from '../../support/check/until.ts';
import {
  countOf,
  drag,
  goLive,
  homesOnMap,
  openLive,
  rowsOf,
  SMALL,
  watch,
} from '../../support/explore/live-map.ts';
import { startService } from '../../support/service/service.ts';

const parts =
  skip === false
    ? await Promise.all([
        startService({ after }, { source: 'sample' }),
        startBrowser({ after }, { webGl: true }),
      ])
    : null;

/** A page whose time can be moved on; it passes by itself besides. */
async function open(path = 'explore') {
  assert.ok(parts !== null);
  const [service, browser] = parts;
  service.clock.advance(60_000);
  const blank = await visit(browser, 'about:blank', { origins: [service.url], viewport: SMALL });
  await blank.page.clock.install();
  return { service, ...(await goLive(blank, `${service.url}/${path}`)) };
}

const notice = (page: Page) => page.locator('#list-side .notice');

test('at the limit of views the page stays, says when it goes on, and does', { skip }, async () => {
  const { page, rests, service } = await open();
  const [count, symbols] = [await countOf(page), await homesOnMap(page)];
  let status = 200;
  while (status === 200) status = (await service.get('/explore/suggest?q=a')).status;
  assert.equal(status, 429);
  const before = page.url();
  await drag(page, 120, 40);
  await notice(page).waitFor();
  const words = await notice(page).innerText();
  assert.match(words, /Too many views in a short time/);
  assert.match(words, /At most 300 views/);
  assert.match(words, /goes on by itself in \d+ s, at \d\d:\d\d:\d\d UTC/);
  assert.notEqual(page.url(), before);
  assert.deepEqual([await countOf(page), await homesOnMap(page)], [count, symbols]);
  service.clock.advance(60_000);
  await page.clock.fastForward(61_000);
  await rests();
  assert.equal(await notice(page).count(), 0);
  assert.equal(await homesOnMap(page), await countOf(page));
  await page.context().close();
});

test('counts that are refused alone leave the chips without numbers, and come later', { skip }, async () => {
  const { page, rests } = await open();
  await page.route('**/explore/facets?*', (route) =>
    route.fulfill({ status: 429, headers: { 'retry-after': '20' }, json: { detail: 'Too many.' } }),
  );
  await page.locator('.list-head summary').click();
  await page.locator('.list-head').getByText('Cheapest first').click();
  await page.waitForURL(/sort=price/);
  await until('there are no numbers', async () => (await page.locator('a.chip.offer').count()) === 0);
  await page.unroute('**/explore/facets?*');
  await page.clock.fastForward(21_000);
  await page.locator('a.chip.offer').first().waitFor();
  await rests();
  await page.context().close();
});

test('a service that goes away and comes back: the page says what one sees, tries again by itself, and at once on request', {
  skip,
}, async () => {
  const { page, rests } = await open();
  const count = await countOf(page);
  const away = '**/explore/{view,facets}?*';
  await page.route(away, (route) => route.abort('connectionrefused'));
  await drag(page, 90, 20);
  await page.getByText('The service cannot be reached').waitFor();
  assert.match(
    await notice(page).innerText(),
    /You see what was loaded at \d\d:\d\d:\d\d UTC\. Next try in 3 s/,
  );
  assert.equal(await countOf(page), count);
  await page.unroute(away);
  await page.clock.fastForward(3_000);
  await rests();
  assert.equal(await notice(page).count(), 0);
  // Starting again, it answers that it is not ready, or stops in the middle of an answer.
  await page.route(away, (route) => route.fulfill({ status: 503, body: '' }));
  await drag(page, -60, 20);
  await page.getByText('The service is busy or starting').waitFor();
  await page.unroute(away);
  await page.route(away, (route) =>
    route.fulfill({ status: 200, contentType: 'application/json', body: '{"total": 1' }),
  );
  await page.getByRole('link', { name: 'Try now' }).click();
  await page.getByText('The service cannot be reached').waitFor();
  await page.unroute(away);
  await page.getByRole('link', { name: 'Try now' }).click();
  await rests();
  assert.equal(await notice(page).count(), 0);
  assert.equal(await homesOnMap(page), await countOf(page));
  await page.context().close();
});

test('a slow answer: the former view stays, grey after a moment, explained after five seconds, given up after thirty', {
  skip,
}, async () => {
  const { page, rests } = await open();
  const count = await countOf(page);
  const answers: (() => void)[] = [];
  await page.route('**/explore/view?*', async (route) => {
    await new Promise<void>((resolve) => answers.push(resolve));
    await route.continue().catch(() => undefined);
  });
  await drag(page, 80, 30);
  await until('the view is requested', () => answers.length === 1);
  await page.clock.fastForward(400);
  await page.locator('#list-side[aria-busy=true]').waitFor();
  assert.equal(await notice(page).count(), 0);
  await page.clock.fastForward(5_000);
  await page.getByText('The answer takes longer than usual').waitFor();
  assert.equal(await countOf(page), count);
  await page.clock.fastForward(30_000);
  await page.getByText('The service cannot be reached').waitFor();
  await page.clock.fastForward(3_000);
  await until('the view is requested again', () => answers.length === 2);
  for (const answer of answers) answer();
  await rests();
  assert.equal(await notice(page).count(), 0);
  await page.context().close();
});

test('a filter that the service refuses is named, and the page starts again from there', {
  skip,
}, async () => {
  const { page, rests } = await open();
  const count = await countOf(page);
  await page.locator('details[data-panel=price] > summary').click();
  await page.locator('details[data-panel=price] input[name=minPrice]').fill('cheap');
  await page.keyboard.press('Enter');
  await page.getByText('This view cannot be shown').waitFor();
  assert.match(await notice(page).innerText(), /minPrice/);
  await page.getByRole('link', { name: 'Start again' }).click();
  await page.waitForURL((url) => !url.search.includes('minPrice'));
  await rests();
  assert.equal(await countOf(page), count);
  await page.context().close();
});

test('people who are signed in scroll through the whole list; a page that fails is tried again and keeps the others', {
  skip,
}, async () => {
  assert.ok(parts !== null);
  const [service, browser] = parts;
  service.clock.advance(60_000);
  const blank = await visit(browser, 'about:blank', { origins: [service.url], viewport: SMALL });
  await blank.page.route('**/explore/browser/session.*', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: `export const token = async () => ${JSON.stringify(service.keys.pro)}; export const signIn = () => {}; export const signOut = () => {}; export const onChange = async (listener) => listener({ session: { tier: 'pro', plan: 'Pro', hasKey: true, scopes: [] }, fault: null });`,
    }),
  );
  const { page } = await goLive(blank, `${service.url}/explore`);
  assert.equal((await rowsOf(page)).length, 50);
  await page.clock.install();
  await page.route('**/explore/view?*cursor=*', (route) => route.abort('connectionrefused'));
  await page.locator('#list .row').last().scrollIntoViewIfNeeded();
  await page.getByText('The service cannot be reached').waitFor();
  assert.equal((await rowsOf(page)).length, 50);
  await page.unroute('**/explore/view?*cursor=*');
  await page.clock.fastForward(3_000);
  const total = await countOf(page);
  await until('all rows are there', async () => (await rowsOf(page)).length === total);
  const { data }: { data: { id: string }[] } = await service.json(
    '/v1/search/sales?limit=100&sort=-listedAt',
    service.keys.business,
  );
  assert.deepEqual(new Set(await rowsOf(page)), new Set(data.map(({ id }) => id)));
  assert.equal(await notice(page).count(), 0);
  await page.context().close();
});

test('without WebGL the drawing is moved by its links, zoomed into by its clusters and lit by the list, without a new page', {
  skip,
}, async () => {
  assert.ok(parts !== null);
  const [service, browser] = parts;
  service.clock.advance(60_000);
  const { page, faults } = await visit(browser, 'about:blank', { origins: [service.url], viewport: SMALL });
  await page.addInitScript('HTMLCanvasElement.prototype.getContext = () => null');
  const { rests, moves } = watch(page);
  await page.goto(`${service.url}/explore`);
  await rests();
  assert.equal(await page.locator('.maplibregl-map').count(), 0);
  await page.evaluate('globalThis.sameDocument = true');
  const drawn = () => page.locator('.map-svg').evaluate((svg) => svg.outerHTML);
  for (const act of [
    () => page.getByRole('link', { name: 'Closer' }).click(),
    () => page.getByRole('link', { name: 'East' }).click(),
    () => page.locator('.map-svg .cl a').first().click(),
  ]) {
    const before = await drawn();
    await moves(act);
    await until('it is drawn again', async () => (await drawn()) !== before);
  }
  const words = await page.locator('.map-svg').getAttribute('aria-label');
  assert.match(words ?? '', new RegExp(`with ${await countOf(page)} homes`));
  const pin = page.locator('.map-svg a:has(.pn)').first();
  const id = (await pin.getAttribute('href'))?.split('/').at(-1) ?? '';
  const row = page.locator(`.row[data-home="${id}"]`);
  if ((await row.count()) === 1) {
    await row.hover();
    await until('the pin is lit', async () =>
      ((await pin.locator('.pn').getAttribute('class')) ?? '').includes('lit'),
    );
  }
  assert.equal(await page.evaluate('globalThis.sameDocument'), true);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('the number of homes is read out when it changes: its element stays', { skip }, async () => {
  assert.ok(parts !== null);
  const [service, browser] = parts;
  const { page, moves } = await openLive(browser, service.url, 'explore');
  await page.evaluate("document.querySelector('#count').isTheSame = true");
  assert.equal(await page.locator('#count').getAttribute('aria-live'), 'polite');
  const before = await page.locator('#count').innerText();
  await moves(() => page.getByRole('link', { name: 'Rent', exact: true }).first().click());
  assert.notEqual(await page.locator('#count').innerText(), before);
  assert.equal(await page.evaluate("document.querySelector('#count').isTheSame"), true);
  await page.context().close();
});

// Search boxes that suggest, searches that are watched, and limits that say what still works, in a real browser.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { EXPLORER } from '../../../src/access/tiers/tiers.ts';
import { axeFaults } from '../../support/browser/axe.ts';
import { noBrowser as skip, startBrowser, visit } from '../../support/browser/chromium.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const parts =
  skip === false
    ? await Promise.all([
        startService({ after }, { source: 'sample', overrides: { provider } }),
        startBrowser({ after }),
      ])
    : null;

const WIDE = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 390, height: 844 } };

interface Suggested {
  readonly places: readonly { readonly id: string; readonly name: string }[];
  readonly homes: readonly { readonly id: string; readonly address: string }[];
}

async function open(path: string, options: object = WIDE) {
  assert.ok(parts !== null);
  const [service, browser] = parts;
  const { page, faults } = await visit(browser, `${service.url}/${path}`, {
    origins: [service.url],
    // The list is what the map shows, and is there at once.
    blocked: /maplibre/,
    ...options,
  });
  const unexpected = () => faults.filter((fault) => !/maplibre|live-pane|net::ERR_FAILED/i.test(fault));
  return { page, service, unexpected };
}

/** The page once its script has drawn the list. */
async function openMap(path: string, options: object = WIDE) {
  const opened = await open(path, options);
  await opened.page.locator('.host .row').first().waitFor();
  return opened;
}

const headerBox = (page: Page) => page.locator('.top > form.find input[name=find]');
const options = (page: Page) => page.locator('[role=listbox] > [role=option]');
const isExpanded = (page: Page) => headerBox(page).getAttribute('aria-expanded');
const count = async (page: Page): Promise<number> =>
  Number.parseInt((await page.locator('#count').innerText()).replaceAll(',', ''), 10);

test('places are suggested while one types; the chosen one sets the area and the box, and is named in the header', {
  skip,
}, async () => {
  const { page, unexpected } = await openMap('explore?minBedrooms=2');
  const all = await count(page);
  await headerBox(page).pressSequentially('port c');
  await options(page).first().waitFor();
  assert.equal(await isExpanded(page), 'true');
  assert.deepEqual(await axeFaults(page), []);
  await page.keyboard.press('ArrowDown');
  const active = await headerBox(page).getAttribute('aria-activedescendant');
  assert.equal(await page.locator(`#${active}`).getAttribute('aria-selected'), 'true');
  assert.match(await page.locator(`#${active}`).innerText(), /Port Calder/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/areaId=/);
  const token = page.locator('.site-header .token');
  await token.filter({ hasText: 'Port Calder' }).waitFor();
  // The other filter stays.
  assert.match(page.url(), /minBedrooms=2/);
  assert.equal(await headerBox(page).inputValue(), '');
  assert.equal(await isExpanded(page), 'false');
  assert.ok((await count(page)) < all);
  await token.click();
  await page.waitForURL((url) => !url.search.includes('areaId'));
  assert.deepEqual(unexpected(), []);
  await page.context().close();
});

test('keys move through the suggestions and past their ends, Escape closes them and leaves the text', {
  skip,
}, async () => {
  const { page } = await openMap('explore');
  await headerBox(page).fill('po');
  await options(page).first().waitFor();
  const total = await options(page).count();
  const selected = () => page.locator('[role=option][aria-selected=true]').count();
  for (let step = 0; step < total; step++) {
    await page.keyboard.press('ArrowDown');
    assert.equal(await selected(), 1);
  }
  await page.keyboard.press('ArrowDown');
  assert.equal(await selected(), 0);
  await page.keyboard.press('ArrowUp');
  assert.equal(await options(page).last().getAttribute('aria-selected'), 'true');
  await page.keyboard.press('Escape');
  assert.equal(await isExpanded(page), 'false');
  assert.equal(await headerBox(page).inputValue(), 'po');
  await page.context().close();
});

test('an answer that comes late is not shown any more', { skip }, async () => {
  const { page } = await openMap('explore');
  const held: (() => Promise<void>)[] = [];
  await page.route('**/explore/suggest?q=p', (route) => {
    held.push(() => route.continue().catch(() => undefined));
  });
  await headerBox(page).pressSequentially('p');
  await page.waitForRequest('**/explore/suggest?q=p');
  await headerBox(page).pressSequentially('ort c');
  await options(page).filter({ hasText: 'Port Calder' }).waitFor();
  const shown = await options(page).allInnerTexts();
  for (const go of held) await go();
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
  );
  assert.deepEqual(await options(page).allInnerTexts(), shown);
  await page.context().close();
});

test('an address opens its home by mouse, a listing number by Enter, and other words are looked for', {
  skip,
}, async () => {
  const { page, service } = await openMap('explore');
  const { list } = (await service.json('/explore/view?sort=price')) as {
    list: { id: string; address: string | null }[];
  };
  const home = list.find(({ address }) => address !== null);
  assert.ok(home);
  const { data } = (await service.json(`/v1/search/sales?ids=${home.id}`)) as {
    data: { provider: { listingId: string } }[];
  };
  await headerBox(page).fill(home.address ?? '');
  await options(page)
    .filter({ hasText: home.address ?? '' })
    .first()
    .click();
  await page.waitForURL(/\/explore\/listing\//);
  await page.getByRole('dialog').locator('h1').waitFor();
  await page.goBack();
  await page.waitForURL(/\/explore$/);
  await headerBox(page).fill(data[0]?.provider.listingId ?? '');
  await headerBox(page).press('Enter');
  await page.waitForURL(`**/explore/listing/${home.id}`);
  await page.goBack();
  await page.waitForURL(/\/explore$/);
  await headerBox(page).fill('pool');
  await headerBox(page).press('Enter');
  await page.waitForURL(/\/explore\?q=pool$/);
  await page.context().close();
});

test('telephones have a search box over the map, and in the menu of other pages', { skip }, async () => {
  const { page, service } = await openMap('explore', PHONE);
  const box = page.locator('.bar .search input[name=find]');
  await box.tap().catch(() => box.click());
  await box.pressSequentially('port c');
  const option = options(page).filter({ hasText: 'Port Calder' });
  await option.waitFor();
  assert.ok(((await option.boundingBox())?.height ?? 0) >= 44);
  assert.deepEqual(await axeFaults(page), []);
  await option.click();
  await page.waitForURL(/areaId=/);
  await page.locator('.bar .search .token', { hasText: 'Port Calder' }).waitFor();
  await page.goto(`${service.url}/explore/market`);
  await page.locator('.menu summary').click();
  const other = page.locator('.menu input[name=find]');
  await other.pressSequentially('port c');
  await options(page).filter({ hasText: 'Port Calder' }).first().click();
  await page.waitForURL(/\/explore\/market\?.*areaId=/);
  await page.context().close();
});

test('the box on the page of one home leads to places and homes too', { skip }, async () => {
  assert.ok(parts !== null);
  const { homes }: Suggested = await parts[0].json('/explore/suggest?q=2');
  const { data } = (await parts[0].json('/v1/search/sales?limit=1')) as { data: { id: string }[] };
  assert.equal(homes.length, 0);
  const { page } = await open(`explore/listing/${data[0]?.id}`);
  await headerBox(page).pressSequentially('port c');
  await options(page).filter({ hasText: 'Port Calder' }).click();
  await page.waitForURL(/\/explore\?areaId=/);
  await page.context().close();
});

const watchButton = (page: Page) => page.locator('[data-watch]');

test('a search is watched from beside its list: sign-in leads back to finish, and the button says so afterwards', {
  skip,
}, async () => {
  assert.ok(parts !== null);
  const key = provider.subscribe('pro');
  const { page, service, unexpected } = await openMap('explore?minBedrooms=3&sort=price');
  await watchButton(page).click();
  const dialog = page.getByRole('dialog', { name: 'Watch this search' });
  await dialog.getByText('Sign in first').waitFor();
  assert.deepEqual(await axeFaults(page), []);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('API key').fill(key);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/explore\?minBedrooms=3&sort=price$/);
  await dialog.getByLabel('A name for it').fill('Three beds');
  assert.deepEqual(await axeFaults(page), []);
  await dialog.getByRole('button', { name: 'Watch this search' }).click();
  const watched = page.getByRole('dialog', { name: 'You watch this search' });
  await watched.getByRole('link', { name: 'What you watch' }).waitFor();
  const { data } = (await service.json('/v1/watchers', key)) as {
    data: { name: string; target: { listingType: string; query: object } }[];
  };
  assert.deepEqual(
    data.map(({ name, target }) => [name, target.listingType, target.query]),
    [['Three beds', 'sale', { minBedrooms: 3 }]],
  );
  await watched.getByRole('button', { name: 'Back to the map' }).click();
  assert.match(await watchButton(page).innerText(), /Watching/);
  // Another search is not watched; this one is again, also where only its order differs.
  await page.locator('.bar a[data-remove=beds]').click();
  await page.waitForURL((url) => !url.search.includes('minBedrooms'));
  await page.locator('[data-watch][aria-label="Watch this search"]').waitFor();
  await page.goBack();
  await page.locator('[data-watch][aria-label="Watching this search"]').waitFor();
  await page.reload();
  await page.locator('.host .row').first().waitFor();
  await watchButton(page).click();
  await watched.getByRole('button', { name: 'Stop watching' }).click();
  await page.locator('[data-watch][aria-label="Watch this search"]').waitFor();
  assert.equal(((await service.json('/v1/watchers', key)) as { data: object[] }).data.length, 0);
  assert.deepEqual(unexpected(), []);
  await page.context().close();
});

test('lists that come too fast say when they go on, and do; the map counts meanwhile', { skip }, async () => {
  assert.ok(parts !== null);
  const [{ clock, get }] = parts;
  clock.advance(60_000);
  for (let look = 0; look < EXPLORER.homes; look++) await get(`/explore/view?minBedrooms=${look % 3}`);
  const { page } = await open('explore', { ...WIDE, javaScriptEnabled: false });
  await page.getByText('Too many lists and homes in a minute').waitFor();
  assert.ok((await count(page)) > 0);
  await page.context().close();
  clock.advance(58_500);
  const { page: live } = await open('explore');
  await live.getByText('Too many lists and homes in a minute').waitFor();
  await live.locator('#map').waitFor();
  clock.advance(60_000);
  await live.locator('.host .row').first().waitFor();
  await live.context().close();
});

test('whoever has seen a day’s homes is led to sign in, and the map goes on as clusters', {
  skip,
}, async () => {
  assert.ok(parts !== null);
  const [{ clock, database }] = parts;
  clock.advance(86_400_000);
  const day = new Date(clock.now()).toISOString().slice(0, 10);
  const { pinsADay } = EXPLORER;
  await database.write(
    (sql) => sql`
      insert into explorer_usage (account, day, kind, used, lease_size)
      values ('ip:127.0.0.1', ${day}::date, 'pins', ${pinsADay}, 1)`,
  );
  for (const javaScriptEnabled of [false, true]) {
    const { page } = await open('explore', { ...WIDE, javaScriptEnabled });
    const panel = page.locator('.panel', { hasText: 'Sign in to go on' });
    await panel.getByText('the map shows all homes as clusters').waitFor();
    if (javaScriptEnabled) await page.locator('.host .panel', { hasText: 'Sign in to go on' }).waitFor();
    assert.equal(await panel.getByRole('link', { name: 'Sign in' }).getAttribute('href'), 'explore/sign-in');
    assert.ok((await count(page)) > 10);
    assert.equal(await page.locator('.row').count(), 0);
    if (javaScriptEnabled) assert.deepEqual(await axeFaults(page), []);
    await page.context().close();
  }
});

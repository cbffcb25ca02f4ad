// The explorer in a browser without script: a home found by place and filter, pages, a shared link, and what only a browser can see.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser as skip, startBrowser, type VisitOptions, visit } from '../../support/browser/chromium.ts';
import { startService } from '../../support/service/service.ts';

const parts =
  skip === false
    ? await Promise.all([startService({ after }, { source: 'sample' }), startBrowser({ after })])
    : null;

async function open(path: string, options: Partial<VisitOptions> = {}) {
  assert.ok(parts !== null);
  const [service, browser] = parts;
  return visit(browser, `${service.url}/${path}`, {
    origins: [service.url],
    javaScriptEnabled: false,
    viewport: { width: 1280, height: 800 },
    ...options,
  });
}

const count = async (page: Page): Promise<number> =>
  Number.parseInt((await page.locator('#count').innerText()).replaceAll(',', ''), 10);
const rows = (page: Page): Promise<string[]> =>
  page
    .locator('[data-home]')
    .evaluateAll((items) => items.map((item) => item.getAttribute('data-home') ?? ''));

test('without script: a place, a price, more beds, the next page, and the link opens the same for somebody else', {
  skip,
}, async () => {
  const { page, faults } = await open('explore?status=any');
  const all = await count(page);
  await page.locator('details[data-panel=beds] > summary').click();
  await page.locator('details[data-panel=beds] label', { hasText: '2+' }).first().click();
  await page.locator('details[data-panel=beds] [data-show]').click();
  await page.waitForURL(/minBedrooms=2/);
  const beds = await count(page);
  assert.ok(beds < all);
  await page.locator('details[data-panel=price] > summary').click();
  await page.locator('details[data-panel=price] input[name=maxPrice]').fill('$800k');
  await page.keyboard.press('Enter');
  await page.waitForURL(/maxPrice=800000/);
  const priced = await count(page);
  assert.ok(priced < beds && priced > 10);
  const first = await rows(page);
  await page.getByRole('link', { name: /^Next/ }).click();
  await page.waitForURL(/cursor=/);
  const second = await rows(page);
  assert.equal(second.filter((id) => first.includes(id)).length, 0);
  const other = await open(page.url().slice(page.url().indexOf('explore')));
  assert.deepEqual(await rows(other.page), second);
  await page.goBack();
  assert.deepEqual(await rows(page), first);
  await page.locator('a[data-remove=beds]').click();
  await page.waitForURL((url) => !url.search.includes('minBedrooms'));
  assert.ok((await count(page)) >= priced);
  assert.deepEqual(faults, []);
  await page.context().close();
  await other.page.context().close();
});

test('nothing is wider than the screen, from either side of the page', { skip }, async () => {
  for (const width of [320, 390, 1280]) {
    const { page, faults } = await open('explore?minBedrooms=2&maxPrice=900000', {
      viewport: { width, height: 844 },
    });
    for (const direction of ['ltr', 'rtl']) {
      await page.evaluate(`document.documentElement.setAttribute('dir', '${direction}')`);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${overflow} px wider than ${width} px, ${direction}`);
    }
    assert.deepEqual(faults, []);
    await page.context().close();
  }
});

const AXE = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

test('the page, its panels, an empty view and a wrong address have no fault of accessibility, in both themes', {
  skip,
}, async () => {
  for (const [path, panel] of [
    ['explore?minBedrooms=2', null],
    ['explore?minBedrooms=2', 'price'],
    ['explore', 'all'],
    ['explore', 'api'],
    ['explore?minPrice=1&maxPrice=2', null],
    ['explore?minPrice=cheap', null],
  ] as const) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open(path, {
        colorScheme,
        javaScriptEnabled: true,
        // The page as it stands without the live map, which is drawn for seconds without a graphics card.
        blocked: /explore\/assets\//,
      });
      if (panel !== null) await page.locator(`details[data-panel=${panel}] > summary`).click();
      await page.evaluate(AXE);
      const { violations } = (await page.evaluate('axe.run()')) as AxeResult;
      const faults = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
      );
      assert.deepEqual(faults, [], `${path} ${panel} ${colorScheme}`);
      await page.context().close();
    }
  }
});

test('by keyboard alone one opens a panel, chooses, and reaches the homes', { skip }, async () => {
  const { page } = await open('explore');
  await page.locator('details[data-panel=beds] > summary').focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.name'), 'minBedrooms');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.waitForURL(/minBedrooms=2/);
  await page.locator('.list-head summary').focus();
  const reached = [];
  for (let step = 0; step < 3; step++) {
    await page.keyboard.press('Tab');
    reached.push(await page.evaluate('document.activeElement.className'));
  }
  assert.ok(reached.includes('whole price'), String(reached));
  await page.context().close();
});

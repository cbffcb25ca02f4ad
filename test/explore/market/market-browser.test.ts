// The market page in a browser: as wide as the screen, without faults, with figures at the pointer and by keyboard.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { axeFaults } from '../../support/browser/axe.ts';
import { noBrowser as skip, startBrowser, visit } from '../../support/browser/chromium.ts';
import { startService } from '../../support/service/service.ts';

const service = skip ? null : await startService({ after }, { source: 'sample' });
const browser = skip ? null : await startBrowser({ after });
const url = service?.url ?? '';

async function open(path: string, options: object = {}) {
  assert.ok(browser);
  const { page, faults } = await visit(browser, url + path, { origins: [new URL(url).origin], ...options });
  return { page, faults };
}

const PAGE = '/explore/market?areaId=city-port-calder&with=city-highmarch';

test('at every width, in both themes, with and without script: no fault, nothing wider than the screen', {
  skip,
}, async () => {
  for (const width of [320, 390, 1280]) {
    for (const javaScriptEnabled of [true, false]) {
      const colorScheme = javaScriptEnabled ? 'light' : 'dark';
      const viewport = { width, height: 900 };
      const { page, faults } = await open(PAGE, { viewport, javaScriptEnabled, colorScheme });
      assert.deepEqual(faults, [], `${width}`);
      const box = await page.locator('main').boundingBox();
      const widest = await page
        .locator('html')
        .evaluate((root) => root.scrollWidth)
        .catch(() => 0);
      assert.ok((box?.width ?? 0) <= width && widest <= width, `${widest} of ${width}`);
      await page.context().close();
    }
  }
});

test('axe finds nothing, in either theme, on a wide screen and a narrow one, nor on the page of an unknown area', {
  skip,
}, async () => {
  for (const [path, options] of [
    [PAGE, { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }],
    [PAGE, { viewport: { width: 390, height: 900 }, colorScheme: 'dark' }],
    ['/explore/market?areaId=nowhere', { viewport: { width: 390, height: 900 } }],
  ] as const) {
    const { page } = await open(path, options);
    assert.deepEqual(await axeFaults(page), [], path);
    await page.context().close();
  }
});

test('a chart shows the figures of the month at the pointer, and leaves no note behind', {
  skip,
}, async () => {
  const { page, faults } = await open(PAGE, { viewport: { width: 1280, height: 900 } });
  const box = page.locator('[data-chart]').first();
  const chart = box.locator('svg.chart');
  const size = await chart.boundingBox();
  assert.ok(size);
  await chart.hover({ position: { x: size.width - 8, y: 100 } });
  const note = box.locator('.tip');
  const row = await box.locator('tbody tr').last().locator('th,td').allTextContents();
  assert.equal(await note.locator('strong').textContent(), row[0]);
  assert.deepEqual(await note.locator('dd').allTextContents(), row.slice(1));
  await page.mouse.move(2, 2);
  assert.equal(await note.isVisible(), false);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('by keyboard the arrows go from month to month, and Escape takes the note away', { skip }, async () => {
  const { page } = await open(PAGE, { viewport: { width: 390, height: 900 } });
  const box = page.locator('[data-chart]').first();
  const titles = await box.locator('tbody th').allTextContents();
  await box.locator('svg.chart').focus();
  const title = box.locator('.tip strong');
  assert.equal(await title.textContent(), titles.at(-1));
  await page.keyboard.press('ArrowLeft');
  assert.equal(await title.textContent(), titles.at(-2));
  await page.keyboard.press('Home');
  assert.equal(await title.textContent(), titles[0]);
  const [tip, frame] = [await box.locator('.tip').boundingBox(), await box.boundingBox()];
  assert.ok(tip && frame && tip.x >= frame.x && tip.x + tip.width <= frame.x + frame.width + 1);
  await page.keyboard.press('Escape');
  assert.equal(await box.locator('.tip').isVisible(), false);
  await page.context().close();
});

test('without script the links do all of it: rent, another time, a second area by its name, another order', {
  skip,
}, async () => {
  const { page } = await open('/explore/market?areaId=city-port-calder', {
    javaScriptEnabled: false,
    viewport: { width: 1280, height: 900 },
  });
  await page.getByRole('link', { name: 'Rent', exact: true }).click();
  assert.match(page.url(), /for=rental/);
  await page.getByRole('link', { name: '1 year' }).click();
  assert.match(page.url(), /months=12/);
  await page.getByText('Compare with').click();
  await page.getByLabel('Another area').fill('highmarch');
  await page.getByRole('button', { name: 'Compare' }).click();
  assert.match(page.url(), /with=city-highmarch/);
  assert.match(page.url(), /for=rental&months=12/);
  await page.getByRole('table').getByRole('link', { name: 'Median', exact: true }).click();
  assert.match(page.url(), /sort=-median/);
  await page.getByRole('link', { name: /^with Highmarch/ }).click();
  assert.doesNotMatch(page.url(), /with=/);
  await page.context().close();
});

// The list of a telephone over its map, in a real browser: dragged to three heights, by keys and by tapping too.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeFaults } from '../../support/browser/axe.ts';
import { noBrowser as skip, startBrowser, visit } from '../../support/browser/chromium.ts';
import { startService } from '../../support/service/service.ts';

const parts =
  skip === false
    ? await Promise.all([startService({ after }, { source: 'sample' }), startBrowser({ after })])
    : null;

const SCREEN = { width: 390, height: 844 };
/** Where the list begins at each height, from the top of the screen. */
const STOPS = [844 - 132, 844 - 412, 57] as const;

async function open(options: object = {}) {
  assert.ok(parts !== null);
  const [service, browser] = parts;
  const { page } = await visit(browser, `${service.url}/explore`, {
    origins: [service.url],
    blocked: /maplibre/,
    viewport: SCREEN,
    ...options,
  });
  await page.locator('.host .row').first().waitFor();
  return page;
}

const handle = (page: Page) => page.getByRole('slider', { name: 'Height of the list' });
const topOf = async (page: Page): Promise<number> =>
  Number(await page.evaluate('Math.round(document.getElementById("list-side").getBoundingClientRect().top)'));

/** By the middle of the handle; slowly enough that only the way counts. */
async function drag(page: Page, by: number): Promise<void> {
  const box = await handle(page).boundingBox();
  assert.ok(box);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let step = 1; step <= 10; step++) await page.mouse.move(x, y + (by * step) / 10);
  // It rests before it is let go.
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
  );
  await page.mouse.move(x, y + by);
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
  );
  await page.mouse.move(x, y + by + 0.1);
  await page.mouse.up();
}

test('the handle drags the list between three heights, and the map takes the rest', { skip }, async () => {
  const page = await open();
  assert.equal(await topOf(page), STOPS[1]);
  await drag(page, -330);
  assert.equal(await topOf(page), STOPS[2]);
  await drag(page, 330);
  assert.equal(await topOf(page), STOPS[1]);
  await drag(page, 250);
  assert.equal(await topOf(page), STOPS[0]);
  const map = await page.locator('#map').boundingBox();
  assert.ok(map !== null && map.y + map.height >= STOPS[0], 'the map ends above the list');
  await drag(page, -240);
  assert.equal(await topOf(page), STOPS[1]);
  // A little way leads back.
  await drag(page, -60);
  assert.equal(await topOf(page), STOPS[1]);
  await page.context().close();
});

test('arrow keys and a tap do the same, and say how high the list is', { skip }, async () => {
  const page = await open({ reducedMotion: 'reduce', colorScheme: 'dark' });
  const value = () => handle(page).getAttribute('aria-valuetext');
  await handle(page).focus();
  await page.keyboard.press('ArrowDown');
  assert.deepEqual([await topOf(page), await value()], [STOPS[0], 'the count alone']);
  await page.keyboard.press('End');
  assert.deepEqual([await topOf(page), await value()], [STOPS[2], 'the whole screen']);
  await page.keyboard.press('ArrowDown');
  assert.deepEqual([await topOf(page), await value()], [STOPS[1], 'half of the screen']);
  await handle(page).click();
  assert.equal(await topOf(page), STOPS[2]);
  await handle(page).click();
  assert.equal(await topOf(page), STOPS[1]);
  // What scrolls by itself is told too.
  await page.evaluate('scrollTo(0, 2000)');
  await page.waitForFunction(
    'document.querySelector("[role=slider]").getAttribute("aria-valuetext") === "the whole screen"',
  );
  assert.deepEqual(await axeFaults(page), []);
  await page.context().close();
});

test('on a wide screen there is no handle', { skip }, async () => {
  const page = await open({ viewport: { width: 1280, height: 800 } });
  assert.equal(await handle(page).count(), 0);
  await page.context().close();
});

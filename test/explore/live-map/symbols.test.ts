// What is on the live map, and how one gets at it by mouse, finger and keyboard: clusters, pins, cards, drawn areas, and where one is.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { axeFaults } from '../../support/browser/axe.ts';
import { noBrowser as skip, startBrowser } from '../../support/browser/chromium.ts';
import { until } from '../../support/check/until.ts';
import {
  countOf,
  homesOnMap,
  mapOf,
  openLive,
  parametersOf,
  rowsOf,
  wheel,
} from '../../support/explore/live-map.ts';
import { startService } from '../../support/service/service.ts';

const parts =
  skip === false
    ? await Promise.all([
        startService({ after }, { source: 'sample' }),
        startBrowser({ after }, { webGl: true }),
      ])
    : null;

async function open(path = 'explore', options: Parameters<typeof openLive>[3] = {}) {
  assert.ok(parts !== null);
  const [service, browser] = parts;
  // Views are counted by the minute.
  service.clock.advance(60_000);
  return { service, ...(await openLive(browser, service.url, path, options)) };
}

interface Home {
  readonly id: string;
  readonly location: { readonly lat: number; readonly lng: number };
  readonly line1: string;
}

type Answer = Omit<Home, 'line1'> & { readonly address: { readonly line1: string | null } };

/** Homes whose address is not withheld. */
async function homes(query = ''): Promise<readonly Home[]> {
  assert.ok(parts !== null);
  const { data }: { data: Answer[] } = await parts[0].json(
    `/v1/search/sales?limit=50${query}`,
    parts[0].keys.business,
  );
  return data.flatMap(({ address: { line1 }, ...home }) => (line1 === null ? [] : [{ ...home, line1 }]));
}

/** A view in which the home has a pin of its own. */
const around = ({ location: { lat, lng } }: Home): string =>
  `explore?bbox=${[lng - 0.004, lat - 0.003, lng + 0.004, lat + 0.003].map((edge) => edge.toFixed(5)).join(',')}`;

const focusedClass = (page: Page): Promise<string> =>
  page.evaluate('document.activeElement.className') as Promise<string>;

test('a cluster opens the box of its own homes, by mouse and by keyboard, and the focus stays on the map', {
  skip,
}, async () => {
  const { page, faults, moves } = await open();
  for (const byKeyboard of [false, true]) {
    const clusters = page.locator('.symbol.cluster');
    const counts = (await clusters.allInnerTexts()).map(Number);
    const [largest = 0] = counts.toSorted((a, b) => b - a);
    const cluster = clusters.nth(counts.indexOf(largest));
    const zoom = Number(parametersOf(page).get('zoom') ?? 0);
    await moves(async () => {
      if (byKeyboard) {
        await cluster.focus();
        await page.keyboard.press('Enter');
      } else await cluster.click();
    });
    assert.ok(Number(parametersOf(page).get('zoom')) > zoom);
    const count = await countOf(page);
    assert.ok(count >= largest, `${count} of ${largest}`);
    assert.equal(await homesOnMap(page), count);
    if (byKeyboard) assert.match(await focusedClass(page), /symbol|maplibregl-canvas/);
    if (!byKeyboard) await moves(() => wheel(page, 900));
  }
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('a pin opens its card with the home in words and its picture, and the card leads to the home', {
  skip,
}, async () => {
  const [home] = await homes('&sort=price');
  assert.ok(home);
  const { page, faults } = await open(around(home));
  const pin = page.locator(`.pin[data-home="${home.id}"]`);
  await pin.click();
  const card = page.locator('.map-card');
  await card.getByText(home.line1).waitFor();
  await card.locator('img').waitFor();
  assert.match((await pin.getAttribute('class')) ?? '', /\bseen\b/);
  assert.match((await page.locator(`.row[data-home="${home.id}"]`).getAttribute('class')) ?? '', /\blit\b/);
  await page.keyboard.press('Escape');
  assert.equal(await card.count(), 0);
  await pin.click();
  await card.locator('a').click();
  await page.waitForURL(new RegExp(`/explore/listing/${home.id}`));
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('the card of a home that is not in the list says the same, for one row and not for a page of the home', {
  skip,
}, async () => {
  const { page } = await open();
  const listed = new Set(await rowsOf(page));
  const known = await homes();
  const other = await page
    .locator('.pin')
    .evaluateAll((pins) => pins.map((pin) => pin.getAttribute('data-home') ?? ''));
  const id = other.find((each) => !listed.has(each) && known.some((home) => home.id === each));
  assert.ok(id !== undefined);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.locator(`.pin[data-home="${id}"]`).click();
  await page
    .locator('.map-card')
    .getByText(known.find((home) => home.id === id)?.line1 ?? '?')
    .waitFor();
  assert.deepEqual(
    asked.filter((path) => path.startsWith('/explore/listing') || path === '/explore/view'),
    ['/explore/view'],
  );
  await page.context().close();
});

test('what is pointed at in the list is lit on the map, and back', { skip }, async () => {
  const [home] = await homes();
  assert.ok(home);
  const { page } = await open(around(home));
  const [pin, row] = [
    page.locator(`.pin[data-home="${home.id}"]`),
    page.locator(`.row[data-home="${home.id}"]`),
  ];
  await row.hover();
  await until('the pin is lit', async () => /\blit\b/.test((await pin.getAttribute('class')) ?? ''));
  await pin.hover();
  await until('the row is lit', async () => /\blit\b/.test((await row.getAttribute('class')) ?? ''));
  await page.locator('#count').hover();
  await until('neither is', async () => (await page.locator('.lit').count()) === 0);
  await page.context().close();
});

test('by keyboard: the symbols are one stop, arrow keys lead from one to the next, Enter opens the card and Escape leads back', {
  skip,
}, async () => {
  const { page } = await open();
  const stops = await page
    .locator('.symbol')
    .evaluateAll((all) => all.map((each) => each.getAttribute('tabindex')));
  assert.equal(stops.filter((stop) => stop === '0').length, 1);
  await mapOf(page).locator('canvas').focus();
  await page.keyboard.press('Tab');
  assert.match(await focusedClass(page), /\bsymbol\b/);
  const url = page.url();
  const reached = new Set<string>();
  for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowDown', 'ArrowRight', 'ArrowUp'])
    for (let step = 0; step < 3; step += 1) {
      await page.keyboard.press(key);
      reached.add(String(await page.evaluate('document.activeElement.ariaLabel')));
    }
  assert.ok(reached.size > 5, [...reached].join('; '));
  // The map has not moved.
  assert.equal(page.url(), url);
  const pin = page.locator('.pin').first();
  await pin.focus();
  const id = await pin.getAttribute('data-home');
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate('document.activeElement.dataset.home'), id);
  assert.ok(await page.evaluate("document.activeElement.closest('.map-card') !== null"));
  await page.keyboard.press('Escape');
  assert.match(await focusedClass(page), /\bpin\b/);
  assert.equal(await page.evaluate('document.activeElement.dataset.home'), id);
  await page.context().close();
});

test('the whole way by keyboard, from the search box to the page of a home', { skip }, async () => {
  const { page, rests, faults } = await open();
  const box = page.locator('.site-header input[name=find]');
  await box.focus();
  await page.keyboard.type('Port Calder');
  await page.keyboard.press('Enter');
  await page.waitForURL(/areaId=/);
  await rests();
  await page.locator('.site-header .token').waitFor();
  let steps = 0;
  while (!(await page.evaluate("document.activeElement.closest('.row') !== null"))) {
    await page.keyboard.press('Tab');
    assert.ok(++steps < 60, 'the list is not reached');
  }
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/explore\/listing\//);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('drawing an area searches inside it, is in the URL and in a chip, and can be removed; what draws is loaded on first use', {
  skip,
}, async () => {
  const { page, faults, moves, service } = await open();
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  assert.equal(await page.locator('[aria-pressed=true]').count(), 0);
  const before = await countOf(page);
  const box = await mapOf(page).boundingBox();
  assert.ok(box !== null);
  const at = (x: number, y: number): [number, number] => [box.x + box.width * x, box.y + box.height * y];
  const draw = page.locator('[data-control=draw]');
  await draw.click();
  await page.getByText('Click the corners of the area').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('Click the corners of the area').waitFor({ state: 'detached' });
  assert.ok(loaded.some((url) => url.includes('/terra-draw-')));
  await draw.click();
  await page.locator('#map.drawing').waitFor();
  await until('the pointer draws', async () =>
    /crosshair/.test(
      String(await page.evaluate("getComputedStyle(document.querySelector('.maplibregl-canvas')).cursor")),
    ),
  );
  const corners = [at(0.2, 0.15), at(0.75, 0.2), at(0.7, 0.8), at(0.25, 0.75)];
  await moves(async () => {
    for (const [x, y] of [...corners, corners[0] ?? at(0, 0)]) {
      await page.mouse.move(x, y, { steps: 4 });
      await page.mouse.down();
      await page.mouse.up();
    }
  });
  const polygon = parametersOf(page).get('polygon') ?? '';
  assert.equal(polygon.split(';').length, 4);
  const query = new URLSearchParams({ polygon, bbox: parametersOf(page).get('bbox') ?? '' });
  const {
    total: { value: total },
  }: { total: { value: number } } = await service.json(
    `/v1/search/sales?limit=1&${query}`,
    service.keys.free,
  );
  assert.equal(await countOf(page), total);
  assert.equal(await homesOnMap(page), total);
  assert.ok(total > 0 && total < before, `${total} of ${before}`);
  const chip = page.locator('a.chip.on', { hasText: 'Drawn area' });
  await moves(() => chip.click());
  assert.equal(parametersOf(page).get('polygon'), null);
  assert.ok((await countOf(page)) > total);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('where I am: the map goes there, and says why where the browser does not tell', { skip }, async () => {
  const [home] = await homes();
  assert.ok(home);
  const { lng: longitude, lat: latitude } = home.location;
  const { page, moves } = await open('explore', {
    geolocation: { longitude, latitude },
    permissions: ['geolocation'],
  });
  await moves(() => page.locator('[data-control=locate]').click());
  const [west = 0, south = 0, east = 0, north = 0] = (parametersOf(page).get('bbox') ?? '')
    .split(',')
    .map(Number);
  assert.ok(west < longitude && longitude < east && south < latitude && latitude < north);
  assert.ok((await rowsOf(page)).includes(home.id));
  await page.context().close();
  const { page: other } = await open('explore');
  await other.locator('[data-control=locate]').click();
  await other.getByText('Your place is not known').waitFor();
  await other.context().close();
});

test('on a telephone the first view lies between the chips and the sheet, and a card at the foot of the map', {
  skip,
}, async () => {
  const { page, faults } = await open('explore?minBedrooms=2', {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  });
  const [chips, sheet] = [
    await page.locator('.bar .chips').first().boundingBox(),
    await page.locator('#list-side').boundingBox(),
  ];
  assert.ok(chips !== null && sheet !== null);
  for (const symbol of await page.locator('.symbol').all()) {
    const box = await symbol.boundingBox();
    assert.ok(box !== null);
    assert.ok(box.y >= chips.y + chips.height - 2 && box.y + box.height <= sheet.y + 2, JSON.stringify(box));
    assert.ok(box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
  }
  assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('nothing comes from elsewhere or against the policy, nothing is left for axe to find, and nothing moves by itself, in both themes and widths', {
  skip,
}, async () => {
  const [home] = await homes();
  assert.ok(home);
  for (const width of [390, 1_280])
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults } = await open(around(home), {
        viewport: { width, height: 844 },
        colorScheme,
        reducedMotion: 'reduce',
      });
      await page.locator(`.pin[data-home="${home.id}"]`).click();
      await page.locator('.map-card').getByText(home.line1).waitFor();
      assert.deepEqual(await axeFaults(page), [], `${width} ${colorScheme}`);
      assert.equal(await page.evaluate('document.getAnimations().length'), 0);
      assert.ok(Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')) <= 0);
      assert.deepEqual(faults, []);
      await page.context().close();
    }
});

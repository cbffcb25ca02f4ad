// The live map in a browser: at any view its counts are those of a plain loop over the same homes, one view is requested for each
// rest of the map, and the URL is the view.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { noBrowser as skip, startBrowser } from '../../support/browser/chromium.ts';
import {
  type Facts,
  factsArbitrary,
  NOW,
  writeAreas,
  writeMarket,
} from '../../support/catalogue/random-market.ts';
import { until } from '../../support/check/until.ts';
import {
  countOf,
  drag,
  goLive,
  homesOnMap,
  openLive,
  parametersOf,
  rowsOf,
  wheel,
} from '../../support/explore/live-map.ts';
import type { Query } from '../../support/oracle/filters.ts';
import { finds } from '../../support/oracle/search-oracle.ts';
import { medianOf, pricesOf } from '../../support/oracle/summaries.ts';
import { manualClock } from '../../support/service/clock.ts';
import { startService } from '../../support/service/service.ts';

const HOMES = 420;
/** Here lie most homes of the fixture. */
const MIDDLE = '19.95,9.95,21.05,11.05';

async function start() {
  const clock = manualClock(NOW);
  const [service, browser] = await Promise.all([
    startService({ after }, { clock }),
    startBrowser({ after }, { webGl: true }),
  ]);
  await writeAreas(service.database);
  const [sampled = []] = fc.sample(
    fc.array(factsArbitrary, { minLength: HOMES, maxLength: HOMES, size: 'max' }),
    {
      seed: 7,
      numRuns: 1,
    },
  );
  const spread = sampled.map((facts, at) => ({
    ...facts,
    lng: at % 6 === 0 ? facts.lng : 20 + ((at * 37) % 1_000) / 1_000,
    lat: at % 6 === 0 ? facts.lat : 10 + ((at * 91) % 1_000) / 1_000,
  })) as Facts[];
  stackUp(spread);
  const market = await writeMarket(service.database, createCatalogue(service.database), spread);
  const expected = (query: Query, kind: 'sale' | 'rental' = 'sale') => {
    // Homes on the market go without saying.
    const found = market.filter((row) => finds(kind, query, row, NOW));
    return {
      count: found.length,
      median: medianOf(pricesOf(found)),
      ids: new Set(found.map(({ id }) => id)),
    };
  };
  return { service, browser, clock, expected };
}

/** Several homes of one building, by itself in the east. */
const STACK = { lng: 20.97, lat: 10.03 };
const STACKED = 3;
function stackUp(market: Facts[]): void {
  const sales = market.flatMap((facts, at) => (facts.listingType === 'sale' ? [at] : [])).slice(0, STACKED);
  for (const at of sales) {
    const facts = market[at];
    assert.ok(facts !== undefined);
    const shown = { located: true, displayed: true, addressDisplayed: true, status: 'ACTIVE' } as const;
    market[at] = { ...facts, ...shown, ...STACK } as Facts;
  }
}

const parts = skip === false ? await start() : null;

async function open(path: string, options: Parameters<typeof openLive>[3] = {}) {
  assert.ok(parts !== null);
  // Views are counted by the minute.
  parts.clock.advance(60_000);
  return { ...parts, ...(await openLive(parts.browser, parts.service.url, path, options)) };
}

/** The parameters of the URL as the oracle takes them. */
const queryOf = (parameters: URLSearchParams): Query => {
  const { for: _, zoom: __, sort: ___, ...query } = Object.fromEntries(parameters);
  return query;
};

test('counts, symbols, rows and chips are those of a plain loop, wherever the map is dragged and zoomed and whatever is filtered', {
  skip,
}, async () => {
  const { page, faults, moves, expected, service } = await open(`explore?bbox=${MIDDLE}`);
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
  });
  const check = async (): Promise<void> => {
    assert.deepEqual(refused, []);
    const parameters = parametersOf(page);
    const kind = parameters.get('for') === 'rental' ? 'rental' : 'sale';
    const { count, median, ids } = expected(queryOf(parameters), kind);
    assert.equal(await countOf(page), count, page.url());
    assert.equal(await homesOnMap(page), count, page.url());
    const rows = await rowsOf(page);
    assert.equal(rows.length, Math.min(10, count));
    assert.ok(rows.every((id) => ids.has(id)));
    const words = await page.locator('#median').innerText();
    if (median !== null) assert.match(words.replaceAll(',', ''), new RegExp(`\\$${Math.round(median)}\\b`));
  };
  await check();
  const random = fc.sample(
    fc.record({
      across: fc.integer({ min: -220, max: 220 }),
      down: fc.integer({ min: -160, max: 160 }),
      delta: fc.constantFrom(-240, -120, 120),
    }),
    { seed: 3, numRuns: 5 },
  );
  for (const { across, down, delta } of random) {
    await moves(() => drag(page, across || 40, down || 40));
    await check();
    await moves(() => wheel(page, delta));
    await check();
  }
  await moves(() => page.getByRole('link', { name: 'Rent', exact: true }).first().click());
  await check();
  await moves(() => page.getByRole('link', { name: 'Buy', exact: true }).first().click());
  await moves(() => wheel(page, 900));
  await check();
  // How far a drag goes depends on how fast it was: the filters are tried where there are homes of each kind.
  const middle = await goLive({ page, faults }, `${service.url}/explore?bbox=${MIDDLE}`);
  await check();
  for (const panel of ['beds', 'type']) {
    await page.locator(`details[data-panel=${panel}] > summary`).click();
    const form = page.locator(`details[data-panel=${panel}] form`);
    const choice = form.locator('label', { has: page.locator('.count') }).first();
    await choice.click();
    const promised = Number.parseInt((await choice.locator('.count').innerText()).replaceAll(',', ''), 10);
    await until('the button says what it gives', async () =>
      (await form.locator('[data-show]').innerText()).startsWith(`Show ${promised} home`),
    );
    await middle.moves(() => form.locator('[data-show]').click());
    assert.equal(await countOf(page), promised);
    await check();
  }
  for (const chip of await page.locator('a.chip.offer').all()) {
    const [changes = '', number = ''] = [
      await chip.getAttribute('href'),
      await chip.locator('.count').innerText(),
    ];
    const { count } = expected(queryOf(new URLSearchParams(changes?.split('?')[1])));
    assert.equal(Number.parseInt(number.replaceAll(',', ''), 10), count, changes ?? '');
  }
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('one view and one set of counts are requested for a rest of the map, and none while it moves', {
  skip,
}, async () => {
  const { page, requests, moves } = await open(`explore?bbox=${MIDDLE}`);
  const requested = async (act: () => Promise<unknown>): Promise<void> => {
    const before = requests.length;
    await moves(act);
    const { search } = new URL(page.url());
    assert.deepEqual(requests.slice(before), [`/explore/view${search}`, `/explore/facets${search}`]);
  };
  await requested(() => drag(page, 80, 0));
  await requested(() => wheel(page, -120));
  await requested(() =>
    page.evaluate("for (let at = 0; at < 3; at++) document.querySelector('[data-control=minus]').click()"),
  );
  await page.context().close();
});

test('old pins stay until the new view comes, a request for a view that was left is aborted, and the last one wins', {
  skip,
}, async () => {
  const { page, moves, rests } = await open(`explore?bbox=${MIDDLE}`);
  const failed: string[] = [];
  page.on('requestfailed', (request) => failed.push(new URL(request.url()).pathname));
  const held: (() => void)[] = [];
  await page.route('**/explore/view?*', async (route) => {
    await new Promise<void>((resolve) => held.push(resolve));
    await route.continue().catch(() => undefined);
  });
  const shown = await homesOnMap(page);
  const count = await countOf(page);
  await drag(page, 120, 0);
  await until('the first view is requested', () => held.length === 1);
  assert.equal(await homesOnMap(page), shown);
  assert.equal(await countOf(page), count);
  await drag(page, 60, 60);
  await until('the second view is requested', () => held.length === 2);
  await until('the first is aborted', () => failed.includes('/explore/view'));
  await page.locator('#list-side[aria-busy=true]').waitFor();
  for (const go of held) go();
  await rests();
  await page.unroute('**/explore/view?*');
  assert.ok(parts !== null);
  assert.equal(await countOf(page), parts.expected(queryOf(parametersOf(page))).count);
  await moves(() => wheel(page, -120));
  await page.context().close();
});

test('back and forward lead through the views, a shared link shows the same homes in another browser, and a reload changes nothing', {
  skip,
}, async () => {
  const { page, moves, browser, service } = await open(`explore?bbox=${MIDDLE}`);
  const first = await countOf(page);
  await page.locator('details[data-panel=beds] > summary').click();
  await page.locator('details[data-panel=beds] label', { hasText: '2+' }).first().click();
  await moves(() => page.locator('details[data-panel=beds] [data-show]').click());
  const second = await countOf(page);
  assert.notEqual(second, first);
  assert.equal(await page.locator('a[data-remove=beds]').count(), 1);
  await moves(() => drag(page, 90, -40));
  const third = { count: await countOf(page), rows: await rowsOf(page), symbols: await homesOnMap(page) };
  const other = await openLive(browser, service.url, `explore${new URL(page.url()).search}`);
  assert.deepEqual(
    {
      count: await countOf(other.page),
      rows: await rowsOf(other.page),
      symbols: await homesOnMap(other.page),
    },
    third,
  );
  assert.equal(await other.page.title(), await page.title());
  assert.match(await page.title(), /^2\+ bed homes for sale on this map/);
  const { search } = new URL(other.page.url());
  await other.page.reload();
  await other.page.locator('.maplibregl-map:not(.starting)').waitFor();
  assert.equal(new URL(other.page.url()).search, search);
  await other.page.context().close();
  await moves(() => page.goBack());
  assert.equal(await countOf(page), first);
  assert.equal(await page.locator('a[data-remove=beds]').count(), 0);
  const radio = page.locator('details[data-panel=beds] input[name=minBedrooms]:checked');
  assert.equal(await radio.getAttribute('value'), '');
  await moves(() => page.goForward());
  assert.equal(await countOf(page), third.count);
  await page.context().close();
});

test('a chip that is clicked before the answer to another comes keeps the other, and where the map was moved to', {
  skip,
}, async () => {
  const { page, rests, moves } = await open(`explore?bbox=${MIDDLE}`);
  await moves(() => drag(page, 50, 0));
  const gates: (() => void)[] = [];
  await page.route('**/explore/{view,facets}?*', async (route) => {
    await new Promise<void>((resolve) => gates.push(resolve));
    await route.continue().catch(() => undefined);
  });
  const old = parametersOf(page).get('bbox');
  await drag(page, 100, 30);
  await until('the map has been followed', () => parametersOf(page).get('bbox') !== old);
  const bbox = parametersOf(page).get('bbox');
  await page.locator('a.chip.offer', { hasText: 'New this week' }).click();
  await page.locator('a.chip.offer', { hasText: 'On the water' }).click();
  await page.unroute('**/explore/{view,facets}?*');
  for (const go of gates) go();
  await rests();
  const { bbox: kept, listedSince, waterfront } = Object.fromEntries(parametersOf(page));
  assert.deepEqual({ kept, listedSince, waterfront }, { kept: bbox, listedSince: 'P7D', waterfront: 'true' });
  assert.equal(await page.locator('.chip.on').count(), 2);
  await page.context().close();
});

test('a panel that is open when the script arrives stays open, with what was typed', { skip }, async () => {
  assert.ok(parts !== null);
  const { browser, service } = parts;
  const context = await browser.newContext({ viewport: { width: 1_000, height: 640 } });
  const page = await context.newPage();
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/explore/facets?*', async (route) => {
    await gate;
    await route.continue();
  });
  await page.goto(`${service.url}/explore?bbox=${MIDDLE}`);
  await page.locator('details[data-panel=price] > summary').click();
  await page.locator('details[data-panel=price] input[name=maxPrice]').fill('250k');
  release();
  await page.locator('.host > #filters').waitFor();
  const field = page.locator('details[data-panel=price] input[name=maxPrice]');
  assert.equal(await field.inputValue(), '250k');
  assert.equal(await page.evaluate('document.activeElement.name'), 'maxPrice');
  await page.keyboard.press('Enter');
  await page.waitForURL(/maxPrice=250000/);
  // A filter that is removed leaves nothing behind in its field.
  await page.locator('a[data-remove=price]').click();
  await page.waitForURL((url) => !url.search.includes('maxPrice'));
  await until('the field is empty', async () => (await field.inputValue()) === '');
  await context.close();
});

test('several homes of one building are one stack: its card lists them, each by itself', {
  skip,
}, async () => {
  const { lng, lat } = STACK;
  const box = [lng - 0.002, lat - 0.002, lng + 0.002, lat + 0.002].map((edge) => edge.toFixed(4)).join(',');
  const { page, faults } = await open(`explore?bbox=${box}`);
  assert.equal(await countOf(page), STACKED);
  const stack = page.locator('.pin.stack');
  assert.equal(await stack.innerText(), `${STACKED} homes`);
  await stack.click();
  const links = page.locator('.map-card li a');
  const ids = await links.evaluateAll((all) => all.map((link) => link.getAttribute('data-home') ?? ''));
  assert.deepEqual(new Set(ids), new Set(await rowsOf(page)));
  await page.keyboard.press('Escape');
  await stack.focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.evaluate('document.activeElement.dataset.home'), ids[0]);
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('the list is sorted, and has ten pages without signing in, then the way to go on', {
  skip,
}, async () => {
  const { page, moves, expected } = await open('explore?status=any');
  await page.locator('.list-head summary').click();
  await moves(() => page.locator('.list-head').getByText('Cheapest first').click());
  assert.equal(parametersOf(page).get('sort'), 'price');
  const seen = new Set(await rowsOf(page));
  for (let at = 1; at < 10; at += 1) {
    assert.equal(await page.getByText('Sign in to go on').count(), 0);
    await moves(() => page.getByRole('link', { name: /^Next/ }).click());
    for (const id of await rowsOf(page)) seen.add(id);
  }
  assert.equal(seen.size, 100);
  const cheapest = [...expected({ status: 'any' }).ids];
  assert.ok(cheapest.length > 100 && [...seen].every((id) => cheapest.includes(id)));
  assert.equal(await page.getByRole('link', { name: /^Next/ }).count(), 0);
  const link = page.locator('#pages').getByRole('link', { name: 'Sign in to go on' });
  assert.equal(await link.getAttribute('href'), 'explore/sign-in');
  await page.getByRole('heading', { name: 'Sign in to go on' }).waitFor();
  assert.equal(await countOf(page), cheapest.length);
  await page.context().close();
});

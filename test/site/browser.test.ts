// What only a browser can tell of the pages: that nothing is fetched from elsewhere, refused, or wider than the screen.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import { EVERYTHING } from '../../src/access/tiers/reach.ts';
import { type Principal, TIERS } from '../../src/access/tiers/tiers.ts';
import { describeService } from '../../src/app/openapi.ts';
import { createServer } from '../../src/http/server/server.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLog } from '../../src/lib/log.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { LIFETIMES } from '../../src/oauth/protocol/tokens.ts';
import { METRICS, MINIMUM_SAMPLE } from '../../src/search/summaries/metrics.ts';
import { DOCUMENT_NAMES } from '../../src/site/documents.ts';
import type { FrontHome } from '../../src/site/front/home-cards.ts';
import { notFoundPage } from '../../src/site/not-found-page.ts';
import { siteRoutes } from '../../src/site/routes.ts';
import { noBrowser as skip, startBrowser, type Visit, visit } from '../support/browser/chromium.ts';

const anonymous: Principal = {
  kind: 'anonymous',
  tier: 'anonymous',
  account: 'ip:',
  subscription: null,
  owner: null,
  grant: null,
  scopes: null,
  reach: EVERYTHING,
};

const HOME: FrontHome = {
  id: 'lst_1',
  source: 'sample',
  listingType: 'sale',
  price: 759_900,
  currency: 'USD',
  priceFrequency: 'ONE_TIME',
  bedrooms: 3,
  bathrooms: 2.5,
  livingArea: 1_840,
  address: '12 <Elm> Street',
  street: '12 <Elm> Street',
  place: 'Elmton',
  listedAt: null,
  attribution: 'Elm Homes',
  picture: 'favicon.svg',
};

const MARKET = { sales: 12_345, rentals: 678, areas: 90, confirmedAt: '2026-03-31T12:00:00.000Z' };

async function startSite(): Promise<string> {
  const publicUrl = 'http://127.0.0.1';
  const routes = siteRoutes({
    publicUrl,
    tiers: TIERS,
    metrics: METRICS,
    minimumSample: MINIMUM_SAMPLE,
    lifetimes: LIFETIMES,
    findLoading: async () => null,
    findMarketSize: async () => MARKET,
    findHomes: async () => [HOME],
    routes: () => routes,
    reference: {
      clock: systemClock,
      document: () => server.openapi,
      samples: {},
      placeholders: {},
      findIds: async () => null,
    },
  });
  const server = createServer<Principal>({
    routes,
    phases: {
      identify: async () => anonymous,
      allow: () => null,
      look: () => null,
      limit: async () => ({}),
      headers: () => ({}),
    },
    clock: systemClock,
    log: createLog({ level: 'silent' }),
    metrics: createMetrics(),
    publicUrl,
    health: { checks: [], metricsAccess: { allow: [], token: null } },
    describe: describeService(publicUrl, TIERS),
    notFoundPage: notFoundPage(publicUrl),
  });
  const port = await server.listen('127.0.0.1', 0);
  after(() => server.close());
  return `http://127.0.0.1:${port}`;
}

const parts = skip === false ? await Promise.all([startSite(), startBrowser({ after })]) : null;

async function show(path: string, options: BrowserContextOptions): Promise<Visit> {
  assert.ok(parts !== null);
  const [base, browser] = parts;
  const shown = await visit(browser, `${base}${path}`, { origins: [base], ...options });
  await whole(shown, path);
  return shown;
}

/** Waits for what a page adds by script. */
async function whole({ page }: Visit, path: string): Promise<void> {
  if (path === '/docs/reference') await page.getByRole('heading', { name: 'Freehold', level: 1 }).waitFor();
}

let telephone: Visit | undefined;

/** Shows a path where the one before was shown: a context of its own for each would take most of the time. */
async function onTelephone(path: string): Promise<Visit> {
  assert.ok(parts !== null);
  telephone ??= await visit(parts[1], 'about:blank', {
    origins: [parts[0]],
    viewport: { width: 390, height: 844 },
  });
  await telephone.page.goto(`${parts[0]}${path}`, { waitUntil: 'load' });
  await whole(telephone, path);
  return telephone;
}

for (const path of [
  '/',
  '/docs',
  '/docs/reference',
  '/docs/metrics',
  '/docs/errors',
  ...DOCUMENT_NAMES.map((name) => `/docs/${name}`),
]) {
  test(`${path} fetches nothing from elsewhere, breaks no rule of its policy and fits a telephone`, {
    skip,
  }, async () => {
    const { page, faults } = await onTelephone(path);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${overflow} px wider than the screen`);
      const ground = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      assert.equal(ground, colorScheme === 'light' ? 'rgb(250, 248, 244)' : 'rgb(20, 24, 22)');
    }
    assert.deepEqual(faults, []);
  });
}

test('a page of the documentation takes less than 500 kB; only the interactive reference loads more', {
  skip,
}, async () => {
  assert.ok(parts !== null);
  const [base, browser] = parts;
  const bytesOf = async (path: string): Promise<number> => {
    const context = await browser.newContext();
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    let bytes = 0;
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength;
    });
    await page.goto(`${base}${path}`, { waitUntil: 'networkidle' });
    await context.close();
    return bytes;
  };
  for (const path of ['/', '/docs', '/docs/start', '/docs/mcp-tools', '/docs/errors']) {
    const bytes = await bytesOf(path);
    assert.ok(bytes > 1_000 && bytes < 500_000, `${path} takes ${bytes} bytes`);
  }
  assert.ok((await bytesOf('/docs/reference')) > 500_000);
});

test('an error code in the address leads to its entry, by keyboard alone one can reach the content', {
  skip,
}, async () => {
  const { page } = await show('/docs/errors#RATE_LIMITED', { viewport: { width: 1280, height: 900 } });
  const top = await page.evaluate(
    'document.querySelector("#RATE_LIMITED:target").getBoundingClientRect().top',
  );
  assert.ok(Number(top) >= 0 && Number(top) < 400, `the entry is at ${top}`);
  await page.keyboard.press('Tab');
  await page.context().close();
  const start = await show('/docs/start', {});
  await start.page.keyboard.press('Tab');
  assert.equal(await start.page.evaluate('document.activeElement.className'), 'skip');
  await start.page.keyboard.press('Enter');
  assert.match(start.page.url(), /#content$/);
  await start.page.context().close();
});

test('pages are whole without JavaScript', { skip }, async () => {
  const { page } = await show('/docs/limits', { javaScriptEnabled: false });
  assert.equal(await page.getByRole('table').count(), 6);
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1);
  await page.context().close();
});

test('code is copied by the button beside it; without JavaScript there is no button', { skip }, async () => {
  const { page, faults } = await show('/', { permissions: ['clipboard-read', 'clipboard-write'] });
  const button = page.getByRole('button', { name: 'Copy' });
  await button.click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  const copied = await page.evaluate('navigator.clipboard.readText()');
  assert.match(String(copied), /^curl 'http:[^']+\/v1\/search\/sales\?[^']+'$/);
  assert.deepEqual(faults, []);
  await page.context().close();
  const plain = await show('/', { javaScriptEnabled: false });
  assert.equal(await plain.page.getByRole('button').count(), 0);
  assert.equal(await plain.page.getByText('curl').count(), 1);
  await plain.page.context().close();
});

test('on a telephone every link of the navigation can be seen and hit, and a wide table scrolls in itself', {
  skip,
}, async () => {
  const { page } = await show('/docs/limits', { viewport: { width: 390, height: 844 } });
  for (const link of await page.getByRole('navigation').getByRole('link').all()) {
    const box = await link.boundingBox();
    assert.ok(
      box !== null && box.x >= 0 && box.x + box.width <= 390 && box.height >= 40,
      JSON.stringify(box),
    );
  }
  const widths = await page.evaluate(
    '[...document.querySelectorAll(".wide")].map((each) => [each.scrollWidth, each.clientWidth])',
  );
  assert.ok((widths as [number, number][]).some(([content, shown]) => content > shown));
  await page.context().close();
});

test('an address where nothing is shows a page that leads on', { skip }, async () => {
  assert.ok(parts !== null);
  const [base, browser] = parts;
  const { page } = await visit(browser, `${base}/v1/nothing/here`, {
    origins: [base],
    viewport: { width: 390, height: 844 },
  });
  await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'The home page' }).click();
  assert.equal(new URL(page.url()).pathname, '/');
  assert.match(await page.locator('main').innerText(), /12,345/);
  await page.context().close();
});

// Owns what only a browser can tell of the pages: that nothing is fetched from elsewhere, refused, or wider than the screen.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { BrowserContextOptions } from 'playwright-core';
import type { Principal } from '../src/access/principal.ts';
import { TIERS } from '../src/access/tiers.ts';
import { DESCRIBE } from '../src/app/describe.ts';
import { METRICS, MINIMUM_SAMPLE } from '../src/catalogue/metrics.ts';
import { createServer } from '../src/http/server.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createLog } from '../src/lib/log.ts';
import { createMetrics } from '../src/lib/metrics.ts';
import { siteRoutes } from '../src/site/routes.ts';
import { noBrowser as skip, startBrowser, type Visit, visit } from './support/chromium.ts';

const anonymous: Principal = {
  kind: 'anonymous',
  tier: 'anonymous',
  account: 'ip:',
  subscription: null,
  scopes: null,
};

async function startSite(): Promise<string> {
  const publicUrl = 'http://127.0.0.1';
  const routes = siteRoutes({
    ...{ publicUrl, tiers: TIERS, metrics: METRICS, minimumSample: MINIMUM_SAMPLE },
    findLoading: async () => null,
    routes: () => routes,
    reference: {
      ...{ clock: systemClock, document: () => server.openapi, samples: {}, placeholders: {} },
      findIds: async () => null,
    },
  });
  const server = createServer<Principal>({
    routes,
    phases: {
      identify: async () => anonymous,
      allow: () => {},
      limit: async () => ({}),
      headers: () => ({}),
    },
    clock: systemClock,
    log: createLog({ level: 'silent' }),
    metrics: createMetrics(),
    publicUrl,
    health: { checks: [], metricsAccess: { allow: [], token: null } },
    describe: DESCRIBE,
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
  if (path === '/docs') await shown.page.getByRole('heading', { name: 'Freehold', level: 1 }).waitFor();
  return shown;
}

for (const path of ['/docs', '/docs/start', '/docs/oauth', '/docs/metrics', '/docs/limits', '/docs/errors']) {
  test(`${path} fetches nothing from elsewhere, breaks no rule of its policy and fits a telephone`, {
    skip,
  }, async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults } = await show(path, { viewport: { width: 390, height: 844 }, colorScheme });
      assert.deepEqual(faults, []);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.ok(Number(overflow) <= 0, `${overflow} px wider than the screen`);
      const ground = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
      assert.equal(ground, colorScheme === 'light' ? 'rgb(250, 248, 244)' : 'rgb(20, 24, 22)');
      await page.context().close();
    }
  });
}

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
  assert.equal(await page.getByRole('table').count(), 3);
  assert.equal(await page.getByRole('heading', { level: 1 }).count(), 1);
  await page.context().close();
});

// The explorer's pages while the database is away, and during a first load: each says so, and is whole by itself afterwards.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { noBrowser as skip, startBrowser, visit } from '../support/browser/chromium.ts';
import { startChaosApp } from '../support/chaos/app.ts';
import { until } from '../support/check/until.ts';
import { countOf, drag, goLive, homesOnMap, mapOf, SMALL } from '../support/explore/live-map.ts';
import { startService } from '../support/service/service.ts';

const parts =
  skip === false
    ? await Promise.all([
        startChaosApp({ after }, { source: 'sample' }),
        startBrowser({ after }, { webGl: true }),
      ])
    : null;

/** How each page says that the database is away, and what it has once it is whole. */
const PAGES = {
  '': { away: 'the database does not answer at the moment', whole: '.hero-map svg' },
  explore: { away: 'The service is busy or starting', whole: '.canvas.maplibregl-map:not(.starting)' },
  'explore/market': { away: 'The figures are not there at the moment', whole: '[data-chart]' },
  'explore/listing/{id}': { away: 'This home cannot be shown at the moment', whole: '#live' },
} as const;

test('pages that are opened while the database is away say so, and are whole by themselves once it is back; an open map too', {
  skip,
}, async () => {
  assert.ok(parts !== null);
  const [app, browser] = parts;
  const { data } = (await (await app.get('/v1/search/sales?limit=1', app.keys.internal)).json()) as {
    data: { id: string }[];
  };
  const addressOf = (path: string) => `${app.url}/${path.replace('{id}', data[0]?.id ?? '')}`;
  const blank = () => visit(browser, 'about:blank', { origins: [app.url], viewport: SMALL });
  const live = await goLive(await blank(), addressOf('explore'));
  const before = await countOf(live.page);

  const start = await app.stopDatabase();
  const opened: { page: Page; whole: string; path: string }[] = [];
  for (const [path, { away, whole }] of Object.entries(PAGES)) {
    const { page } = await blank();
    await page.goto(addressOf(path));
    await page.getByText(away).first().waitFor();
    assert.equal(await page.locator(whole).count(), 0, path);
    opened.push({ page, whole, path });
  }
  await drag(live.page, 90, 20);
  await live.page.getByText('The service is busy or starting').waitFor();
  assert.equal(await countOf(live.page), before);

  await start();
  for (const { page, whole, path } of opened) {
    await until(`/${path} is whole`, async () => (await page.locator(whole).count()) > 0);
    assert.equal(await page.locator('.notice.warning, .panel.refused, .note[role=status]').count(), 0, path);
    await page.context().close();
  }
  await until(
    'the notice is gone',
    async () => (await live.page.locator('#list-side .notice').count()) === 0,
  );
  await live.rests();
  assert.equal(await homesOnMap(live.page), await countOf(live.page));
  await mapOf(live.page).waitFor();
  await live.page.context().close();
});

test('during a first load the map and the front page say how far it is, and go on by themselves at its end', {
  skip,
}, async (t) => {
  assert.ok(parts !== null);
  const service = await startService(t, { source: 'sample' });
  const setLoaded = async (time: number | null, records: number) => {
    const at = time === null ? null : new Date(time).toISOString();
    await service.database.write(
      (sql) =>
        sql`update source_position set loaded_at = ${at}::timestamptz, loaded = ${records}, total = 1200`,
    );
    // Longer than any of it is cached.
    service.clock.advance(10_000);
  };
  await setLoaded(null, 1_100);
  const blank = () => visit(parts[1], 'about:blank', { origins: [service.url], viewport: SMALL });
  const [{ page: front }, first] = [await blank(), await blank()];
  await front.goto(`${service.url}/`);
  await front.getByText('1,100 of 1,200 listings').waitFor();
  assert.equal(await front.locator(PAGES[''].whole).count(), 0);
  await first.page.clock.install();
  const { page } = await goLive(first, `${service.url}/explore`);
  await page.getByText('1,100 of 1,200 listings').waitFor();
  await setLoaded(null, 1_150);
  await page.clock.fastForward(5_000);
  await page.getByText('1,150 of 1,200 listings').waitFor();
  await setLoaded(service.clock.now(), 1_200);
  await page.clock.fastForward(5_000);
  // An answer may have been cached meanwhile: time goes on while the page asks again.
  await until('the notice is gone', async () => {
    service.clock.advance(1_000);
    return (await page.locator('#list-side .notice').count()) === 0;
  });
  // Symbols are drawn after the list is.
  await until('each home is on the map', async () => (await homesOnMap(page)) === (await countOf(page)));
  await front.locator(PAGES[''].whole).waitFor();
  for (const each of [front, page]) await each.context().close();
});

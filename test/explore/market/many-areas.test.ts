// Guarantees of the market page where there are more areas than it compares at once: each can be found, and nothing is left out in silence.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { AreaDraft } from '../../../src/areas/area.ts';
import { writeAreaBatch } from '../../../src/ingest/area-writer.ts';
import { axeFaults } from '../../support/browser/axe.ts';
import { noBrowser as skip, startBrowser, visit } from '../../support/browser/chromium.ts';
import { startService } from '../../support/service/service.ts';

const service = await startService({ after }, { source: 'sample' });
const browser = skip ? null : await startBrowser({ after });
const { keys, url } = service;

const CITY = 'city-port-calder';
/** Squares in a grid over the city, further neighbourhoods of it. */
const SIDE = 12;

const {
  bbox: [west, south, east, north],
}: { bbox: [number, number, number, number] } = await service.json(`/v1/areas/${CITY}`, keys.internal);

const squares = Array.from({ length: SIDE * SIDE }, (_, at): AreaDraft => {
  const [width, height] = [(east - west) / SIDE, (north - south) / SIDE];
  const [left, bottom] = [west + (at % SIDE) * width, south + Math.floor(at / SIDE) * height];
  const ring = [
    [left, bottom],
    [left + width, bottom],
    [left + width, bottom + height],
    [left, bottom + height],
    [left, bottom],
  ];
  return {
    type: 'neighborhood',
    externalId: `square-${at}`,
    // Two have the same name.
    name: at < 2 ? 'Twin Oaks' : `Square ${at}`,
    aliases: [],
    codes: {},
    parentReference: CITY,
    population: null,
    boundary: { type: 'Polygon', coordinates: [ring] },
  };
});
await writeAreaBatch(service.database, 'test', squares);

async function open(query: string): Promise<{ status: number; text: string; location: string | null }> {
  const answer = await fetch(`${url}/explore/market${query}`, { redirect: 'manual' });
  return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') };
}

const decode = (text: string): string =>
  text
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

/** Names of the rows of the table of areas. */
function namesOf(text: string): string[] {
  const table = text.slice(text.indexOf('id="areas"'));
  return [...table.matchAll(/<th scope="row">(.*?)<\/th>/gs)].map(([, cell = '']) => decode(cell));
}

test('every one of many areas is on one page of the table, and the map colours those of the page', async () => {
  const names: string[] = [];
  let query = `?areaId=${CITY}&sort=name`;
  for (let pages = 0; query !== '' && pages < 50; pages += 1) {
    const { text } = await open(query);
    const rows = namesOf(text);
    const coloured = [...text.matchAll(/<path class="s\d"[^>]*><title>([^<]*)</g)].map(([, name = '']) =>
      decode(name),
    );
    assert.deepEqual(new Set(coloured), new Set(rows));
    names.push(...rows);
    const [, next = ''] = /<a href="market([^"]*)#areas" rel="next">/.exec(text) ?? [];
    query = decode(next);
  }
  const all: { data: { name: string }[] } = await service.json(
    `/v1/areas?type=neighborhood&parentId=${CITY}&limit=500`,
    keys.internal,
  );
  assert.ok(all.data.length > SIDE * SIDE);
  assert.deepEqual(names.toSorted(), all.data.map(({ name }) => name).toSorted());
  assert.ok((await open(`?areaId=${CITY}`)).text.includes(` of ${all.data.length} neighbourhoods`));
});

test('areas are found by words of their names, and few enough are sorted by any figure', async () => {
  const { text } = await open(`?areaId=${CITY}&within=square+10`);
  const found = namesOf(text);
  assert.ok(found.length > 5 && found.every((name) => /^Square 10\d?$/.test(name)), `${found}`);
  assert.match(text, /sort=-median/);
  const [, field = ''] = /<input id="within"[^>]*value="([^"]*)"/.exec(text) ?? [];
  assert.equal(field, 'square 10');
  const csv = await (
    await fetch(`${url}/explore/market/figures.csv?areaId=${CITY}&within=square+10&table=areas`)
  ).text();
  assert.equal(csv.trim().split('\r\n').length - 1, found.length);
  const all = await fetch(`${url}/explore/market/figures.csv?areaId=${CITY}&table=areas`);
  assert.ok((await all.text()).trim().split('\r\n').length > SIDE * SIDE);
  const none = await open(`?areaId=${CITY}&within=nowhere`);
  assert.equal(none.status, 200);
  assert.match(decode(none.text), /None of the neighbourhoods is called “nowhere”/);
  assert.match(none.text, /name="within"/);
});

test('of several places of one name people choose, for the page and for the comparison', async () => {
  for (const [query, expected] of [
    ['?find=twin+oaks', 'market?areaId=neighborhood-square-1'],
    [`?areaId=${CITY}&with=Twin+Oaks`, `market?areaId=${CITY}&with=neighborhood-square-1`],
  ] as const) {
    const { status, text } = await open(query);
    assert.equal(status, 200);
    assert.match(text, /<h1>2 places match “twin oaks”<\/h1>/i);
    assert.match(decode(text), /Neighbourhood, Port Calder/);
    const links = [...text.matchAll(/<th scope="row"><a href="([^"]*)"/g)].map(([, link = '']) =>
      decode(link),
    );
    assert.ok(links.includes(expected), `${links}`);
    for (const link of links) assert.equal((await fetch(`${url}/explore/${link}`)).status, 200);
  }
  const { location } = await open(`?areaId=${CITY}&with=Square+77`);
  assert.equal(location, `market?areaId=${CITY}&with=neighborhood-square-77`);
});

test('the table, its search and the choice of places are readable at every width, in both themes', {
  skip,
}, async () => {
  for (const query of [`?areaId=${CITY}`, `?areaId=${CITY}&within=nowhere`, '?find=twin+oaks'])
    for (const [width, colorScheme] of [
      [320, 'light'],
      [390, 'dark'],
      [1280, 'light'],
    ] as const) {
      assert.ok(browser);
      const { page, faults } = await visit(browser, `${url}/explore/market${query}`, {
        origins: [new URL(url).origin],
        viewport: { width, height: 900 },
        colorScheme,
      });
      const widest = await page.locator('html').evaluate((root) => root.scrollWidth);
      assert.ok(widest <= width, `${query}: ${widest} of ${width}`);
      assert.deepEqual([faults, await axeFaults(page)], [[], []], query);
      await page.context().close();
    }
});

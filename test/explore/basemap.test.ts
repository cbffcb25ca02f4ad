// Guarantees of the operator's base map: what is refused at the start, what is sent to whom, and what the live map draws of it.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openBasemap } from '../../src/explore/basemap/archive.ts';
import { noBrowser as skip, startBrowser, visit } from '../support/browser/chromium.ts';
import { temporaryFolder } from '../support/database/database.ts';
import { pmtilesArchive, vectorTile } from '../support/explore/pmtiles.ts';
import { startService } from '../support/service/service.ts';

const folder = await temporaryFolder({ after }, 'basemap');
const ATTRIBUTION = '<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap</a>';
const METADATA = { attribution: ATTRIBUTION, vector_layers: [{ id: 'water', fields: {} }] };

const everywhere = [
  [0, 0],
  [4096, 0],
  [4096, 4096],
  [0, 4096],
] as const;
const flood = vectorTile([{ name: 'water', corners: everywhere, properties: { kind: 'ocean' } }]);
const archive = pmtilesArchive({ tile: flood, metadata: METADATA });

let files = 0;
async function fileWith(content: Uint8Array | string): Promise<string> {
  files += 1;
  const file = join(folder, `${files}.pmtiles`);
  await writeFile(file, content);
  return file;
}

const file = await fileWith(archive);
const service = await startService({ after }, { source: 'sample', environment: { BASEMAP_FILE: file } });
const browser = skip ? null : await startBrowser({ after }, { webGl: true });
const { url } = service;

/** What the page says of the base map. */
async function factsOf(from = url): Promise<{ path: string; kind: string; credits: unknown }> {
  const page = await (await fetch(`${from}/explore`)).text();
  const [, json = ''] = /data-basemap="([^"]*)"/.exec(page) ?? [];
  return JSON.parse(json.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}

const rangeOf = (
  path: string,
  range: string | null,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(`${url}/${path}`, { headers: { ...headers, ...(range !== null && { range }) } });

test('what is no archive that can be drawn is refused at the start, with what to do', async () => {
  const whole = { tile: flood, metadata: METADATA };
  for (const [content, fault] of [
    ['hello', /is no PMTiles archive; docs\/basemap\.md/],
    [pmtilesArchive({ ...whole, version: 2 }), /PMTiles of version 2; convert it to version 3/],
    [pmtilesArchive({ ...whole, type: 6 }), /has tiles of the type Mlt; MVT, PNG/],
    [pmtilesArchive({ ...whole, tileCompression: 3 }), /compressed by Brotli; browsers unpack gzip only/],
    [archive.subarray(0, archive.length - 5), /ends after \d+ bytes of \d+; copy it again/],
    [
      pmtilesArchive({ ...whole, metadata: { vector_layers: [{ id: 'mine' }] } }),
      /has the layers mine; the map draws/,
    ],
    [archive.subarray(0, 130), /cannot be read as PMTiles; is it whole\?|ends after 130 bytes/],
  ] as const)
    await assert.rejects(openBasemap(await fileWith(content)), fault);
  await assert.rejects(
    openBasemap('/nowhere/base.pmtiles'),
    /BASEMAP_FILE: \/nowhere\/base\.pmtiles cannot be read/,
  );
  await assert.rejects(openBasemap(folder), /is no file|cannot be read/);
  const raster = await openBasemap(
    await fileWith(
      pmtilesArchive({ tile: Buffer.from('picture'), metadata: {}, type: 2, tileCompression: 1 }),
    ),
  );
  assert.deepEqual([raster.facts.kind, raster.facts.credits], ['raster', []]);
  await raster.close();
});

test('ranges are the bytes of the file, for good under a URL of its version', async () => {
  const { path, kind, credits } = await factsOf();
  assert.match(path, /^explore\/basemap\/[0-9a-f]{16}\.pmtiles$/);
  assert.deepEqual(
    [kind, credits],
    ['vector', [{ text: '© OpenStreetMap', href: 'https://www.openstreetmap.org/copyright' }]],
  );
  const answer = await rangeOf(path, 'bytes=10-29');
  assert.equal(answer.status, 206);
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), archive.subarray(10, 30));
  assert.equal(answer.headers.get('content-range'), `bytes 10-29/${archive.length}`);
  assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  const etag = answer.headers.get('etag') ?? '';
  assert.match(etag, /^"[0-9a-f]{16}"$/);
  const beginning = await rangeOf(path, 'bytes=0-16383');
  assert.deepEqual(Buffer.from(await beginning.arrayBuffer()), archive);
  const known = await rangeOf(path, 'bytes=10-29', { 'if-none-match': etag });
  assert.equal(known.status, 304);
});

test('the whole file, several ranges, too long ones and other versions are refused', async () => {
  const { path } = await factsOf();
  for (const range of [
    null,
    'bytes=0-9,20-29',
    'bytes=-5',
    'bytes=5-',
    'bytes=999999-1000000',
    'bytes=9-3',
    'lines=1-2',
  ]) {
    const answer = await rangeOf(path, range);
    assert.equal(answer.status, 400, `${range}`);
    assert.equal(((await answer.json()) as { code: string }).code, 'INVALID_REQUEST');
  }
  const other = await rangeOf('explore/basemap/0123456789abcdef.pmtiles', 'bytes=0-9');
  assert.equal(other.status, 404);
});

test('the map is for whoever may look at the explorer, and a replaced file is not read', async (t) => {
  const own = await fileWith(archive);
  const locked = await startService(t, { environment: { BASEMAP_FILE: own, EXPLORER: 'signed-in' } });
  const { path } = await factsOf(locked.url);
  const read = (key?: string) => locked.get(`/${path}`, key, { range: 'bytes=0-9' });
  assert.equal((await read()).status, 401);
  const answer = await read(locked.keys.free);
  assert.deepEqual(
    [answer.status, answer.headers.get('cache-control')],
    [206, 'private, max-age=31536000, immutable'],
  );
  await writeFile(own, pmtilesArchive({ tile: flood, metadata: { ...METADATA, name: 'another' } }));
  assert.equal((await read(locked.keys.free)).status, 404);
});

test('without a base map pages name none, and its reader is not loaded', { skip }, async (t) => {
  const plain = await startService(t, { source: 'none' });
  assert.ok(browser);
  const requests: string[] = [];
  const { page } = await visit(browser, 'about:blank', { origins: [new URL(plain.url).origin] });
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(`${plain.url}/explore`, { waitUntil: 'networkidle' });
  assert.ok(requests.length > 0);
  assert.ok(
    requests.every((request) => !/pmtiles/.test(request)),
    requests.join('\n'),
  );
  await page.context().close();
});

/** The colour of a pixel of the page, as the browser shows it. */
async function colourAt(page: Page, x: number, y: number): Promise<string> {
  const picture = await page.screenshot({ clip: { x, y, width: 1, height: 1 } });
  const code = `(async () => {
    const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (char) => char.charCodeAt(0));
    const context = new OffscreenCanvas(1, 1).getContext('2d');
    context.drawImage(await createImageBitmap(new Blob([bytes], { type: 'image/png' })), 0, 0);
    return '#' + [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((part) => part.toString(16).padStart(2, '0')).join('');
  })()`;
  return page.evaluate(code);
}

test('the live map draws the archive under the areas in the colours of either theme, names whose it is, and asks nobody else', {
  skip,
}, async () => {
  assert.ok(browser);
  for (const [colorScheme, water, width] of [
    ['light', '#cfe0e6', 1280],
    ['dark', '#15242b', 390],
  ] as const) {
    const { page, faults } = await visit(browser, `${url}/explore`, {
      origins: [new URL(url).origin],
      colorScheme,
      viewport: { width, height: 900 },
    });
    await page.locator('.map-credits').waitFor();
    await page.locator('.canvas.maplibregl-map:not(.starting)').waitFor();
    const credits = page.locator('.map-credits a');
    assert.deepEqual(
      [await credits.textContent(), await credits.getAttribute('href')],
      ['© OpenStreetMap', 'https://www.openstreetmap.org/copyright'],
    );
    // Everything in the archive is water: so is the middle of the land of the sample market.
    const box = await page.locator('#map').boundingBox();
    const points = [0.3, 0.4, 0.5, 0.6, 0.7].flatMap((across) =>
      [0.3, 0.45, 0.6].map((down) => [across, down] as const),
    );
    const colours = [];
    for (const [across, down] of points)
      colours.push(
        await colourAt(
          page,
          (box?.x ?? 0) + across * (box?.width ?? 0),
          (box?.y ?? 0) + down * (box?.height ?? 0),
        ),
      );
    const watery = colours.filter((colour) => colour === water);
    assert.ok(watery.length >= points.length / 3, `${colorScheme}: ${colours}`);
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('GPU stall')),
      [],
    );
    if (process.env.SHOTS) await page.screenshot({ path: `/tmp/app/basemap-${width}-${colorScheme}.png` });
    await page.context().close();
  }
});

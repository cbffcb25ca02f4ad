// Live map in a browser, as its tests read it: what it shows, what it requested, and when it rests.

import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { type Visit, type VisitOptions, visit } from '../browser/chromium.ts';
import { until } from '../check/until.ts';

export interface LiveVisit extends Visit {
  /** Requests of data in their order, as path and query. */
  readonly requests: readonly string[];
  /** Resolves once the view of the URL and its counts are shown. */
  rests(): Promise<void>;
  /** Does something that leads to another view, and waits for that. */
  moves(act: () => Promise<unknown>): Promise<void>;
}

/** A small window is drawn in less time. */
export const SMALL = { width: 1_000, height: 640 };

/** Opens the page and waits until the live map stands in it. */
export async function openLive(
  browser: Browser,
  origin: string,
  path: string,
  options: Partial<VisitOptions> = {},
): Promise<LiveVisit> {
  const blank = await visit(browser, 'about:blank', { origins: [origin], viewport: SMALL, ...options });
  return goLive(blank, `${origin}/${path}`);
}

/** The same in a page that is open already. */
export async function goLive({ page, faults }: Visit, address: string): Promise<LiveVisit> {
  const log = watch(page);
  await page.goto(address, { waitUntil: 'load' });
  await mapOf(page).waitFor();
  await log.rests();
  return { page, faults, ...log };
}

export const mapOf = (page: Page) => page.locator('.canvas.maplibregl-map:not(.starting)');

/** Requests of a page, and when they are all answered. */
export function watch(page: Page) {
  const requests: string[] = [];
  let counted = '';
  const isData = (url: URL): boolean => /\/explore\/(?:view|facets|outlines)$/.test(url.pathname);
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (isData(url)) requests.push(`${url.pathname}${url.search}`);
  });
  page.on('requestfinished', (request) => {
    const url = new URL(request.url());
    if (url.pathname.endsWith('/facets')) counted = url.search;
  });
  const query = (): string => new URL(page.url()).search.replace(/^\?/, '');
  const rests = async (): Promise<void> => {
    await until('the page rests', () => counted.replace(/^\?/, '') === query());
    // What has arrived is drawn in the task that reads it.
    await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
    await page.locator('#list-side:not([aria-busy=true])').waitFor();
  };
  const moves = async (act: () => Promise<unknown>): Promise<void> => {
    const before = page.url();
    await act();
    await until('the URL is another one', () => page.url() !== before);
    await rests();
  };
  return { requests, rests, moves };
}

/** The number in the head of the list. */
export const countOf = async (page: Page): Promise<number> =>
  Number.parseInt((await page.locator('#count').innerText()).replaceAll(',', ''), 10);

/** Homes that the symbols on the map stand for. */
export async function homesOnMap(page: Page): Promise<number> {
  const texts = await page
    .locator('.symbol')
    .evaluateAll((symbols) =>
      symbols.map((symbol) =>
        symbol.classList.contains('cluster') || symbol.classList.contains('stack')
          ? Number.parseInt((symbol.textContent ?? '').replaceAll(',', ''), 10)
          : 1,
      ),
    );
  return texts.reduce((sum, count) => sum + count, 0);
}

export const rowsOf = (page: Page): Promise<string[]> =>
  page.locator('#list .row').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-home') ?? ''));

export const parametersOf = (page: Page): URLSearchParams => new URL(page.url()).searchParams;

/** Drags the map by so many pixels. */
export async function drag(page: Page, across: number, down: number): Promise<void> {
  const box = await mapOf(page).boundingBox();
  assert.ok(box !== null);
  const [x, y] = [box.x + box.width / 2, box.y + box.height * 0.55];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + across / 2, y + down / 2, { steps: 3 });
  await page.mouse.move(x + across, y + down, { steps: 3 });
  await page.mouse.up();
}

export async function wheel(page: Page, delta: number): Promise<void> {
  const box = await mapOf(page).boundingBox();
  assert.ok(box !== null);
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, delta);
}

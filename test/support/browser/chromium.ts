// Real browser for tests, and a list of what a page did in it that it should not have done.
import { access } from 'node:fs/promises';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { atEnd, type Closing } from '../database/database.ts';

/** The same browser twice: without a window of its own, it takes a third of the processor's time to show a page. */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];
const installed: readonly string[] = await Array.fromAsync(PROGRAMS, (program) =>
  access(program).then(
    () => [program],
    () => [],
  ),
).then((found) => found.flat());
/** Pages are drawn by the compositor in software: a graphics library that the processor imitates costs more. */
const FLAGS = ['--no-sandbox', '--disable-gpu'];

/** Why tests that need the browser cannot run; false where they can. */
export const noBrowser: string | false =
  installed.length > 0 ? false : `no browser at ${PROGRAMS.join(' or ')}`;

/** For pages that need WebGL. */
const FLAGS_OF_WEBGL = [
  '--no-sandbox',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
];

/** Milliseconds that actions and waits may take: only for what never comes. */
const TIMEOUT = 120_000;

export interface BrowserOptions {
  readonly webGl?: boolean;
  readonly flags?: readonly string[];
}

/** A browser, closed at the end of the test or file. */
export async function startBrowser(
  t: Closing,
  { webGl = false, flags = [] }: BrowserOptions = {},
): Promise<Browser> {
  const args = [...(webGl ? FLAGS_OF_WEBGL : FLAGS), ...flags];
  const [executablePath = ''] = installed;
  const browser = await chromium.launch({ executablePath, args });
  atEnd(t, () => browser.close());
  return browser;
}

export interface Visit {
  readonly page: Page;
  /** Requests that left `origins`, complaints on the console, errors of scripts. */
  readonly faults: readonly string[];
}

export interface VisitOptions extends BrowserContextOptions {
  /** From where the page may load anything. */
  readonly origins: readonly string[];
  /** URLs that are not loaded. */
  readonly blocked?: RegExp;
}

/** Opens a page in a context of its own, which may speak to these origins. */
export async function visit(
  browser: Browser,
  address: string,
  { origins, blocked, ...options }: VisitOptions,
): Promise<Visit> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(TIMEOUT);
  const page = await context.newPage();
  if (blocked !== undefined) await page.route(blocked, (route) => route.abort());
  const faults: string[] = [];
  page.on('request', (request) => {
    const url = request.url();
    if (!/^(?:data|blob):/.test(url) && !origins.includes(new URL(url).origin)) faults.push(url);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(message.text());
  });
  page.on('pageerror', ({ message }) => faults.push(message));
  await page.goto(address, { waitUntil: 'load' });
  return { page, faults };
}

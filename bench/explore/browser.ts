// The explorer in a browser: largest paint, bytes, long tasks while the map is panned, and how soon pins are drawn.

import { type Browser, type CDPSession, chromium, type Page } from 'playwright-core';
import { median, percentile } from '../statistics.ts';
import { startArm, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';

/** Graphics by SwiftShader, on the processor: real ones take this work from the main thread's neighbours. */
const FLAGS = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];
/** As the tools of Chromium simulate Fast 4G: bytes a second, and milliseconds. */
const FAST_4G = {
  offline: false,
  downloadThroughput: ((9 * 1_000 * 1_000) / 8) * 0.9,
  uploadThroughput: ((1.5 * 1_000 * 1_000) / 8) * 0.9,
  latency: 60 * 2.75,
};
const VISITS = 5;
/** Milliseconds after the load of a page until all of it has come. */
const SETTLED = 3_000;
const PANS = 10;
/** Of the page, as Explorer has it: it follows the map so many milliseconds after it rests. */
const DEBOUNCE = 100;
const GOALS = { paint: 2_500, bytes: 430_000, task: 50, throttled: 100, pins: 150 } as const;

/** The service as it comes, with the sample market. */
export async function explorerInBrowser(testbed: Testbed): Promise<Row[]> {
  const service = await startArm('service.ts', {
    DATABASE_URL: testbed.databaseUrl,
    SOURCE: 'sample',
    SAMPLE_INTERVAL: '0',
    LOG_LEVEL: 'warn',
    EXPLORER: 'public',
    DATA_DIR: `${testbed.folder}/browser`,
  });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS });
  try {
    const home = await untilLoaded(service.url);
    const rows: Row[] = [];
    for (const [name, path] of [
      ['front door', '/'],
      ['map', '/explore'],
      ['one home', `/explore/listing/${home}`],
      ['market', '/explore/market'],
    ] as const)
      rows.push(await paintRow(browser, `${service.url}${path}`, name));
    rows.push(...(await byteRows(browser, `${service.url}/explore`)));
    for (const rate of [1, 4]) rows.push(...(await panRows(browser, `${service.url}/explore`, rate)));
    return rows;
  } finally {
    await browser.close();
    await service.stop();
  }
}

/** A home of the market once all of it is there; pages are asked for once before, as those of a service that runs. */
async function untilLoaded(url: string): Promise<string> {
  for (let before = -1; ; ) {
    const answer = await fetch(`${url}/explore/view?for=sale`);
    const { total = 0, list = [] } = answer.ok ? ((await answer.json()) as Loaded) : {};
    if (total > 1_000 && total === before) {
      const id = list[0]?.id ?? '';
      for (const path of ['/', '/explore', `/explore/listing/${id}`, '/explore/market'])
        await (await fetch(`${url}${path}`)).arrayBuffer();
      return id;
    }
    before = total;
    await new Promise((resolve) => setTimeout(resolve, 10_000));
  }
}

interface Loaded {
  readonly total?: number;
  readonly list?: readonly { readonly id: string }[];
}

interface Visit {
  readonly page: Page;
  readonly cdp: CDPSession;
}

async function openPage(browser: Browser): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
  const page = await context.newPage();
  return { page, cdp: await context.newCDPSession(page) };
}

async function paintRow(browser: Browser, url: string, name: string): Promise<Row> {
  const times: number[] = [];
  for (let visit = 0; visit < VISITS; visit++) {
    const { page, cdp } = await openPage(browser);
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', FAST_4G);
    await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    await page.goto(url, { waitUntil: 'load' });
    // Scripts may still put something larger there.
    await page.waitForTimeout(SETTLED);
    times.push(Number(await page.evaluate(LARGEST_PAINT)));
    await page.context().close();
  }
  const figure = `${(median(times) / 1_000).toFixed(2)} s (${times.map((each) => (each / 1_000).toFixed(2)).join(', ')})`;
  return {
    name: `${name}: largest paint on Fast 4G, processor slowed down four times`,
    figure,
    floor: `<= ${GOALS.paint / 1_000} s`,
    met: median(times) <= GOALS.paint,
  };
}

const LARGEST_PAINT = `new Promise((resolve) =>
  new PerformanceObserver((list) => resolve(list.getEntries().at(-1).startTime)).observe({ type: 'largest-contentful-paint', buffered: true }))`;

/** Bytes over the wire of a first visit, and of a second one. */
async function byteRows(browser: Browser, url: string): Promise<Row[]> {
  const { page, cdp } = await openPage(browser);
  await cdp.send('Network.enable');
  let bytes = 0;
  const files = new Map<string, string>();
  const data = new Set<string>();
  cdp.on('Network.requestWillBeSent', ({ requestId, request }) => files.set(requestId, request.url));
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const path = new URL(files.get(requestId) ?? url).pathname;
    if (/\.(?:js|mjs|ts|css|svg|woff2)$|\/assets\//.test(path)) bytes += encodedDataLength;
    else data.add(`${path} ${encodedDataLength}`);
  });
  await untilDrawn(page, url);
  const cold = bytes;
  bytes = 0;
  const dataOfCold = sumOf(data);
  data.clear();
  await untilDrawn(page, url);
  const rows = [
    {
      name: 'map: files of the page, first visit, compressed',
      figure: `${(cold / 1_000).toFixed(0)} kB, and ${(dataOfCold / 1_000).toFixed(0)} kB of page, view, outlines and pictures`,
      floor: `<= ${GOALS.bytes / 1_000} kB`,
      met: cold <= GOALS.bytes,
    },
    {
      name: 'the same, second visit',
      figure: `${(bytes / 1_000).toFixed(0)} kB`,
      floor: '0 kB',
      met: bytes === 0,
    },
  ];
  await page.context().close();
  return rows;
}

const sumOf = (entries: ReadonlySet<string>): number =>
  [...entries].reduce((sum, each) => sum + Number(each.split(' ')[1]), 0);

const LIVE = '.canvas.maplibregl-map:not(.starting)';

async function untilDrawn(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: 'load' });
  await page.locator(LIVE).waitFor();
  await page.waitForTimeout(SETTLED);
}

/** Notes when the page follows the map, and when what the map shows changes. */
const NOTES = `
  window.rests = []; window.drawn = [];
  const replace = history.replaceState.bind(history);
  history.replaceState = (...all) => { window.rests.push(performance.now()); replace(...all); };
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => target.closest?.('.maplibregl-map'))) {
      const at = window.rests.length;
      requestAnimationFrame(() => window.drawn.push([at, performance.now()]));
    }
  }).observe(document, { subtree: true, childList: true });`;

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly args: { readonly name?: string };
}

/** Drags the map about, as a reader does who looks around, and waits for each view. */
async function panRows(browser: Browser, url: string, rate: number): Promise<Row[]> {
  const { page, cdp } = await openPage(browser);
  await page.addInitScript(NOTES);
  await untilDrawn(page, url);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate });
  const box = await page.locator(LIVE).boundingBox();
  const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
  // The first drags let V8 compile what they run.
  for (let pan = 0; pan < 2; pan++) await drag(page, x, y, pan);
  await page.evaluate('window.rests.length = 0; window.drawn.length = 0');
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  for (let pan = 0; pan < PANS; pan++) await drag(page, x, y, pan);
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const [rests, drawn] = (await page.evaluate('[window.rests, window.drawn]')) as [
    number[],
    [number, number][],
  ];
  await page.context().close();
  const waits = rests.flatMap((rest, at) => {
    const last = drawn.findLast(([after, time]) => after === at + 1 && time > rest)?.[1];
    return last === undefined ? [] : [last - rest + DEBOUNCE];
  });
  const tasks = tasksOf(trace.traceEvents);
  const [goal, slowed] =
    rate === 1 ? [GOALS.task, ''] : [GOALS.throttled, `, processor slowed ${rate} times`];
  const longest = Math.max(...tasks);
  const long = tasks.filter((each) => each > goal).length;
  return [
    {
      name: `map: longest task while it is panned ${PANS} times${slowed}`,
      figure: `${longest.toFixed(0)} ms; ${long} of ${tasks.length} above ${goal} ms`,
      floor: `<= ${goal} ms`,
      met: longest <= goal,
    },
    {
      name: `map: from its rest to pins${slowed} (${waits.length})`,
      figure: `p50 ${median(waits).toFixed(0)} ms, p95 ${percentile(waits, 0.95).toFixed(0)} ms, of which the page waits ${DEBOUNCE} for a further move`,
      floor: rate === 1 ? `<= ${GOALS.pins} ms` : '',
      met: rate !== 1 || median(waits) <= GOALS.pins,
    },
  ];
}

async function drag(page: Page, x: number, y: number, pan: number): Promise<void> {
  const [dx, dy] = [
    [120, 0],
    [0, 90],
    [-120, 0],
    [0, -90],
  ][pan % 4] as [number, number];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + dx, y + dy, { steps: 12 });
  await page.mouse.up();
  // Until the map has come to rest, and its view has been answered and drawn.
  await page.waitForTimeout(1_500);
}

/** Milliseconds of each task of the page's main thread. */
function tasksOf(events: readonly TraceEvent[]): number[] {
  const busiest = Map.groupBy(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain'),
    ({ pid, tid }) => `${pid} ${tid}`,
  );
  const byThread = [...busiest.keys()].map((thread) =>
    events.flatMap(({ name, pid, tid, dur = 0 }) =>
      /RunTask$/.test(name) && `${pid} ${tid}` === thread ? [dur / 1_000] : [],
    ),
  );
  return byThread.reduce((most, each) => (each.length > most.length ? each : most), []);
}

// Pages and counts of the explorer: facets, outlines and the market page, with the processor time that each takes.

import { setTimeout as pause } from 'node:timers/promises';
import { median, percentile } from '../statistics.ts';
import type { Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { type Answered, type ExplorerArm, Reader, spentBy, startExplorer } from './readers.ts';
import { boxesOf, type Ground } from './views.ts';

/** Of facets, and of outlines. */
const REQUESTS = 150;
const WARM_UP = 50;
/** Visits of one page that are timed. */
const VISITS = 8;
/** Milliseconds after which answers are read again though nothing has changed. */
const FORGOTTEN_AFTER = 5_100;
/** Milliseconds: a page that is not there by then will not be. */
const GIVEN_UP_AFTER = 300_000;
const GOALS = { market: 100 } as const;

export async function countsAndOutlines(testbed: Testbed, ground: Ground): Promise<Row[]> {
  const arm = await startExplorer(testbed, 'counts', '/explore/');
  const reader = new Reader(arm);
  const facets = (seed: number, count: number) =>
    boxesOf(ground, count, seed).map((box) => `/explore/facets?for=sale&bbox=${box}`);
  const outlines = (seed: number, count: number) =>
    boxesOf(ground, count, seed).map((box) => `/explore/outlines?bbox=${box}&zoom=10`);
  const rows = [
    await measure(arm, reader, 'counts of all filters of a view', facets),
    await measure(arm, reader, 'outlines of a view', outlines),
  ];
  await arm.stop();
  return rows;
}

async function measure(
  arm: ExplorerArm,
  reader: Reader,
  name: string,
  paths: (seed: number, count: number) => string[],
): Promise<Row> {
  for (const path of paths(3, WARM_UP)) await answered(reader, path);
  const answers: Answered[] = [];
  const spent = await spentBy(arm, async () => {
    for (const path of paths(4, REQUESTS)) answers.push(await answered(reader, path));
  });
  return row(name, answers, spent / REQUESTS, null);
}

/** The page of the whole market, and of places that nobody visited before. */
export async function marketPages(testbed: Testbed, areas: readonly string[]): Promise<Row[]> {
  const arm = await startExplorer(testbed, 'market-pages', '/explore/market');
  const reader = new Reader(arm);
  const rows = [
    await firstVisit(reader, '/explore/market', 'the whole market, first visit of all'),
    await laterVisits(arm, reader, ['/explore/market'], 'the whole market'),
  ];
  const pages = areas.map((id) => `/explore/market?areaId=${encodeURIComponent(id)}`);
  const firsts: Answered[] = [];
  const spent = await spentBy(arm, async () => {
    for (const path of pages) firsts.push(await untilThere(reader, path));
  });
  rows.push(
    row('market page of a place, first visit', firsts, spent / pages.length, null),
    await laterVisits(arm, reader, pages, 'a place'),
  );
  await arm.stop();
  return rows;
}

async function firstVisit(reader: Reader, path: string, name: string): Promise<Row> {
  const begun = performance.now();
  const statuses = new Set<number>();
  for (;;) {
    const { status, isWhole } = await reader.ask(path);
    statuses.add(status);
    if (status === 200 && isWhole) break;
    if (performance.now() - begun > GIVEN_UP_AFTER) throw new Error(`${path} is never there`);
    await pause(500);
  }
  const took = ((performance.now() - begun) / 1_000).toFixed(1);
  return {
    name: `market page of ${name}`,
    figure: `${took} s until it is whole; statuses ${[...statuses].join(', ')}`,
    floor: 'no 503',
    met: !statuses.has(503),
  };
}

/** Each page once more, after its figures have to be read again. */
async function laterVisits(
  arm: ExplorerArm,
  reader: Reader,
  pages: readonly string[],
  name: string,
): Promise<Row> {
  const answers: Answered[] = [];
  let spent = 0;
  const visits = Math.ceil(VISITS / pages.length);
  for (let visit = 0; visit < visits; visit++) {
    await pause(FORGOTTEN_AFTER);
    spent += await spentBy(arm, async () => {
      for (const path of pages) answers.push(await answered(reader, path));
    });
  }
  return row(`market page of ${name}, figures read again`, answers, spent / answers.length, GOALS.market);
}

/** The page once it has its figures: the one visit that is told took the whole time until then. */
async function untilThere(reader: Reader, path: string): Promise<Answered> {
  const begun = performance.now();
  for (;;) {
    const answer = await answered(reader, path);
    if (answer.isWhole) return { ...answer, took: performance.now() - begun };
    await pause(100);
  }
}

async function answered(reader: Reader, path: string): Promise<Answered> {
  const answer = await reader.ask(path);
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer;
}

function row(name: string, answers: readonly Answered[], spent: number, goal: number | null): Row {
  const times = answers.map(({ took }) => took);
  const half = median(times);
  const size = `${(median(answers.map(({ bytes }) => bytes)) / 1_000).toFixed(1)} kB`;
  return {
    name: `${name} (${answers.length})`,
    figure: `p50 ${half.toFixed(1)} ms, p95 ${percentile(times, 0.95).toFixed(1)} ms, ${spent.toFixed(1)} ms of processor; ${size}`,
    floor: goal === null ? '' : `p50 <= ${goal} ms`,
    met: goal === null || half <= goal,
  };
}

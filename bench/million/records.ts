// Pages of search whose records are cached, or are not: service times, processor time and bytes.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { processorTime } from '../processor.ts';
import { median, percentile } from '../statistics.ts';
import { type Arm, startArm, writeTiers } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { headersFor, kindCalled, oneByOne, UNCOUNTED } from './compared.ts';
import { SEED } from './load.ts';
import { questions } from './questions.ts';
import type { LargeTestbed } from './testbed.ts';

/** Pages of areas and boxes, half of each; large towns are asked for more often. */
const PAGES = 2_000;
/** Of these all records have a place in the cache. */
const CACHED_PAGES = 500;
const COMPARED = 200;

interface Run {
  /** Milliseconds of each page. */
  readonly times: readonly number[];
  /** Microseconds of processor of a page. */
  readonly processor: number;
  /** Share of the records that were cached. */
  readonly hits: number;
  /** Records of the first pages, as they were sent. */
  readonly bytes: readonly string[];
}

export async function pagesOfRecords(testbed: LargeTestbed): Promise<Row[]> {
  const all = pathsOf(testbed, 2 * PAGES);
  const [before, paths] = [all.slice(0, PAGES), all.slice(PAGES)];
  const cities = [...testbed.known.cities.values()].map((id) => `/v1/search/sales?areaId=${id}`);
  const none = await run(testbed, { megabytes: '0', before, paths });
  const few = paths.slice(0, CACHED_PAGES);
  const again = await run(testbed, { megabytes: '64', before: few, paths: few });
  const mixed = await run(testbed, { megabytes: '64', before, paths });
  // The first towns let V8 compile what each request runs.
  const half = Math.floor(cities.length / 2);
  const cold = { before: cities.slice(0, half), paths: cities.slice(half, half + PAGES) };
  const first = await run(testbed, { megabytes: '64', ...cold });
  if (none.bytes.join('\n') !== again.bytes.join('\n'))
    throw new Error('Pages with and without a cache differ');
  return [
    row('a page asked again (E1)', again, 0.5),
    row('a page after others of the same towns', mixed, 1.5),
    row('a page of a town for the first time (E1)', first, 1.5),
    row('a page without a cache', none, 1.5),
  ];
}

function pathsOf({ known }: LargeTestbed, count: number): string[] {
  const [areas, boxes] = ['area', 'box of 2 to 20 km'].map((name) =>
    questions(kindCalled(name), known, SEED, count / 2),
  );
  return (areas ?? []).flatMap((area, at) => [area, boxes?.[at] ?? area]);
}

interface Asked {
  readonly megabytes: string;
  /** Asked first, and not measured. */
  readonly before: readonly string[];
  readonly paths: readonly string[];
}

async function run(testbed: LargeTestbed, { megabytes, before, paths }: Asked): Promise<Run> {
  const { folder, databaseUrl, key } = testbed;
  const file = join(folder, 'times.json');
  const arm = await startArm('million/records-arm.ts', {
    DATABASE_URL: databaseUrl,
    SOURCE: 'none',
    LOG_LEVEL: 'warn',
    TIMES_FILE: file,
    DATA_DIR: join(folder, 'records'),
    TIERS_FILE: await writeTiers(testbed, 'records', UNCOUNTED),
    SEARCH_CACHE_MB: megabytes,
  });
  while (!(await fetch(`${arm.url}/readyz`)).ok) await setTimeout(200);
  await oneByOne(arm, before, key);
  const [processor, [hits, misses]] = [await processorTime(arm.pid), await countRecords(arm)];
  await oneByOne(arm, paths, key);
  const spent = (await processorTime(arm.pid)) - processor;
  const [allHits, allMisses] = await countRecords(arm);
  const bytes: string[] = [];
  for (const path of paths.slice(0, COMPARED)) bytes.push(await recordsOf(arm, path, key));
  await arm.stop();
  const times = JSON.parse(await readFile(file, 'utf8')) as number[];
  const looked = allHits - hits + allMisses - misses;
  return {
    times: times.slice(before.length, before.length + paths.length),
    processor: (spent * 1_000) / paths.length,
    hits: looked === 0 ? 0 : (allHits - hits) / looked,
    bytes,
  };
}

async function countRecords({ url }: Arm): Promise<readonly [hits: number, misses: number]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const [hits = 0, misses = 0] = ['hits', 'misses'].map((name) =>
    Number(new RegExp(`^freehold_search_cache_${name}_total (\\d+)`, 'm').exec(text)?.[1] ?? 0),
  );
  return [hits, misses];
}

/** The records of a page as they were sent, without the address of the arm. */
async function recordsOf({ url }: Arm, path: string, key: string): Promise<string> {
  const text = await (await fetch(`${url}${path}`, { headers: headersFor(key) })).text();
  return text.slice(0, text.lastIndexOf('],"page":')).replaceAll(url, '');
}

function row(name: string, { times, processor, hits }: Run, goal: number): Row {
  const [half, most] = [median(times), percentile(times, 0.99)].map((time) => time.toFixed(2));
  const figure = `p50 ${half} ms, p99 ${most} ms, ${processor.toFixed(0)} µs of processor, ${(100 * hits).toFixed(0)} % hits`;
  return { name: `records: ${name}`, figure, floor: `${goal} ms`, met: median(times) <= goal };
}

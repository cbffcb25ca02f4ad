// Soak of the search engine: for an hour the market changes and readers search.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { random } from '../market.ts';
import { headersFor, UNCOUNTED } from '../million/compared.ts';
import { KINDS, questions } from '../million/questions.ts';
import type { LargeTestbed } from '../million/testbed.ts';
import { ARM_PROCESSOR, type Arm, startArm, writeTiers } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { type Changer, startChanges } from './changer.ts';
import { growth } from './growth.ts';
import { type AskedQuestion, Readers } from './readers.ts';
import { watchProcessor } from './stops.ts';
import { turnRows } from './turn-rows.ts';
import type { Sample } from './watched-service.ts';

const CHANGES_A_SECOND = 200;
/** Of each kind. */
const QUESTIONS = 2_000;
/** Samples of a run, but at most one a minute. */
const SAMPLES = 20;
/** Seconds. */
const WARM_UP = 20;
const PEAK = 15;
/** Megabytes an hour. */
const MOST_GROWTH = 5;
/** Samples of which one, at least, falls between two rebuilds. */
const NEIGHBOURS = 5;
/** Seconds: records are no longer kept where searches are further behind the log. */
const LONGEST_LAG = 5;

export interface SoakOptions {
  readonly minutes: number;
  /** Questions a second; null: half of the peak, which on a machine that others use is there at one moment and not at the next. */
  readonly rate: number | null;
  /** A file for what was running in long turns; empty: it is not looked for. */
  readonly causes: string;
}

/** Prints how it goes. */
export async function soak(testbed: LargeTestbed, { minutes, rate, causes }: SoakOptions): Promise<Row[]> {
  const sampleSeconds = Math.min(60, (minutes * 60) / SAMPLES);
  const samples = join(testbed.folder, 'samples.jsonl');
  const service = await startArm('soak/watched-service.ts', {
    DATABASE_URL: testbed.databaseUrl,
    SOURCE: 'none',
    LOG_LEVEL: 'warn',
    TIERS_FILE: await writeTiers(testbed, 'soak', UNCOUNTED),
    DATA_DIR: join(testbed.folder, 'soak'),
    REPORT_FILE: samples,
    REPORT_SECONDS: String(sampleSeconds),
    CAUSES_FILE: causes,
  });
  const processor = await watchProcessor(ARM_PROCESSOR);
  const readers = new Readers(service.url, headersFor(testbed.key), mixedQuestions(testbed));
  try {
    const listings = await untilReady(service);
    say(`${listings} listings on the market; warming up for ${WARM_UP} s, then the peak is looked for`);
    const changer = startChanges(testbed, CHANGES_A_SECOND);
    await readers.peak(WARM_UP);
    const peak = await readers.peak(PEAK);
    const [begun, before] = [Date.now(), { written: changer.written(), ...(await metricsOf(service)) }];
    const lags: number[] = [];
    const report = setInterval(() => {
      tell(begun, minutes, readers, changer);
      void metricsOf(service).then(({ lag }) => lags.push(lag));
    }, sampleSeconds * 1_000);
    await readers.open(rate ?? peak / 2, minutes * 60);
    clearInterval(report);
    await changer.stop();
    const took = (Date.now() - begun) / 1_000;
    const after = await metricsOf(service);
    const taken = (await samplesOf(samples)).filter(({ at }) => at > begun);
    return [
      row('listings on the market', `${listings}`),
      row('questions a second, of a peak of', `${(readers.answered / took).toFixed(0)}, ${peak.toFixed(0)}`),
      row('changes a second', `${((changer.written() - before.written) / took).toFixed(0)}`),
      ...kindRows(readers),
      ...memoryRows(taken),
      ...turnRows(taken, processor?.stops ?? null),
      ...engineRows(before, after),
      lagRow(lags),
    ];
  } finally {
    processor?.end();
    await readers.close();
    await service.stop();
  }
}

/** The kinds of searches, each as often as the others. */
function mixedQuestions({ known, loaded }: LargeTestbed): AskedQuestion[] {
  const next = random(loaded.seed);
  return KINDS.filter(({ name }) => !/^(market|comparables)/.test(name))
    .flatMap((kind) =>
      questions(kind, known, loaded.seed, QUESTIONS).map((path) => ({ kind: kind.name, path })),
    )
    .map((question) => ({ question, place: next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ question }) => question);
}

/** How many listings the engine holds once it answers. */
async function untilReady(service: Arm): Promise<number> {
  for (;;) {
    const metrics = await metricsOf(service);
    if (metrics.ready === 1) return metrics.rows;
    await pause(200);
  }
}

interface EngineMetrics {
  readonly ready: number;
  readonly rows: number;
  readonly loads: number;
  readonly rebuilds: number;
  /** Seconds behind the log of changes. */
  readonly lag: number;
  readonly byPostgres: number;
  /** Bytes of cached records. */
  readonly cached: number;
}

/** As the service tells them. */
async function metricsOf({ url }: Arm): Promise<EngineMetrics> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const value = (name: string): number => {
    const line = text.split('\n').find((each) => each.startsWith(`freehold_search_${name} `));
    return Number(line?.split(' ')[1] ?? 0);
  };
  return {
    ready: value('engine_ready'),
    rows: value('engine_rows'),
    lag: value('engine_lag_seconds'),
    loads: value('engine_loads_total'),
    rebuilds: value('engine_rebuilds_total'),
    byPostgres: value('answers_total{backend="postgres"}'),
    cached: value('cache_bytes'),
  };
}

async function samplesOf(file: string): Promise<Sample[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Sample);
}

function tell(begun: number, minutes: number, { answered, failures }: Readers, changer: Changer): void {
  const gone = (Date.now() - begun) / 60_000;
  const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
  say(
    `minute ${gone.toFixed(1)} of ${minutes}: ${answered} answers, ${failed} failures, ${changer.written()} changes, ` +
      `the last batch in ${changer.batchTime().toFixed(0)} ms; ${(minutes - gone).toFixed(1)} minutes left`,
  );
}

function kindRows({ took, failures }: Readers): Row[] {
  const rows = [...took].map(([kind, times]) => {
    const [half, most] = [50, 99].map((share) => (times.percentile(share) / 1_000).toFixed(2));
    return row(`${kind}: p50 / p99`, `${half} / ${most} ms of ${times.count}`);
  });
  const failed = [...failures].map(([failure, count]) => `${failure}: ${count}`).join('; ');
  return [
    ...rows.sort((a, b) => (a.name < b.name ? -1 : 1)),
    row('other answers than 200', failed || 'none', '', failed === ''),
  ];
}

/** Of the last three quarters, since the first one still fills caches. */
const settled = (samples: readonly Sample[]): readonly Sample[] =>
  samples.slice(Math.ceil(samples.length / 4));

function memoryRows(samples: readonly Sample[]): Row[] {
  const later = settled(samples);
  const between = leasts(later, NEIGHBOURS);
  return [memoryRow('heap', later), memoryRow('resident', between, `, each the least of ${NEIGHBOURS}`)];
}

function memoryRow(kind: 'heap' | 'resident', samples: readonly Sample[], note = ''): Row {
  const { slope, error } = growth(samples.map((each) => [each.at / 3.6e6, each[kind] / 2 ** 20]));
  const sizes = samples.map((each) => each[kind]);
  const ends = `${megabytes(sizes[0])} to ${megabytes(sizes.at(-1))} MB, at most ${megabytes(Math.max(...sizes))}`;
  return row(
    `growth of the memory after garbage was collected, ${kind}`,
    `${slope.toFixed(1)} ± ${(2 * error).toFixed(1)} MB an hour (${ends}; ${samples.length} samples${note})`,
    `<= ${MOST_GROWTH} MB an hour`,
    slope <= MOST_GROWTH,
  );
}

/** The sample with the least resident memory of each run of so many: a rebuild holds the columns twice while it runs. */
function leasts(samples: readonly Sample[], run: number): Sample[] {
  return samples
    .filter((_, place) => place % run === 0)
    .map((_, place) => samples.slice(place * run, (place + 1) * run))
    .map((each) => each.reduce((least, sample) => (sample.resident < least.resident ? sample : least)));
}

const megabytes = (bytes = 0): string => (bytes / 2 ** 20).toFixed(0);

function engineRows(before: EngineMetrics, after: EngineMetrics): Row[] {
  return [
    // A cache that is still filled makes the heap grow, and is bounded.
    row('cached records', `${megabytes(before.cached)} to ${megabytes(after.cached)} MB`),
    row('rebuilds', `${after.rebuilds - before.rebuilds}`),
    row('loads', `${after.loads - before.loads}`, '0', after.loads === before.loads),
    row('questions answered by PostgreSQL instead', `${after.byPostgres - before.byPostgres}`),
  ];
}

function lagRow(lags: readonly number[]): Row {
  const longest = Math.max(...lags);
  return row(
    'behind the log of changes, longest of all samples',
    `${longest.toFixed(2)} s`,
    `<= ${LONGEST_LAG} s`,
    longest <= LONGEST_LAG,
  );
}

const row = (name: string, figure: string, floor = '', met = true): Row => ({
  name: `soak: ${name}`,
  figure,
  floor,
  met,
});

function say(line: string): void {
  process.stdout.write(`  ${new Date().toISOString().slice(11, 19)} ${line}\n`);
}

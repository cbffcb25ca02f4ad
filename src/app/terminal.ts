// Terminal output of the service: short log lines instead of JSON, progress of the first load, and the banner.

import { Writable } from 'node:stream';
import type { Log } from '../lib/log.ts';
import type { Progress } from '../sources/metrics.ts';
import { VERSION } from './version.ts';

const COLOURS: Readonly<Record<string, string>> = {
  warn: '\u001b[33m',
  error: '\u001b[31m',
  fatal: '\u001b[31m',
};
const QUIET = '\u001b[2m';
/** Overwrites an unfinished progress line. */
const CLEAR = '\r\u001b[K';
const PLAIN = '\u001b[0m';

interface Entry {
  readonly level: string;
  readonly time: string;
  readonly msg?: string;
  readonly method?: string;
  readonly url?: string;
  readonly status?: number;
  readonly ms?: number;
  readonly tier?: string;
  readonly code?: string;
  readonly cause?: { readonly message?: string };
  readonly err?: { readonly message?: string };
}

/** Formats the log's JSON lines for people. `colours` is false if NO_COLOR is set. */
export function terminalLog(output: NodeJS.WritableStream, colours: boolean): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().split('\n'))
        if (line !== '') output.write(`${CLEAR}${terminalLine(line, colours)}\n`);
      done();
    },
  });
}

/** `12:03:04  GET /v1/search/sales?maxPrice  200  3 ms  pro` */
export function terminalLine(json: string, colours: boolean): string {
  const entry = JSON.parse(json) as Entry;
  const paint = (colour: string | undefined, text: string): string =>
    colours && colour ? `${colour}${text}${PLAIN}` : text;
  const time = paint(QUIET, entry.time.slice(11, 19));
  const reason = entry.cause?.message ?? entry.err?.message;
  const parts =
    entry.method === undefined
      ? [entry.msg, entry.code, reason]
      : [
          `${entry.method} ${entry.url ?? ''}`,
          String(entry.status ?? ''),
          `${Math.round(entry.ms ?? 0)} ms`,
          entry.tier,
          entry.code,
          reason,
        ];
  const text = parts.filter((part) => part !== undefined && part !== '').join('  ');
  return `${time}  ${paint(COLOURS[entry.level], text)}`;
}

/** Log entries: one per tenth of the load, or per so many listings if the total is unknown. */
const STEPS = 10;
const STEP_LISTINGS = 10_000;

interface Terminals {
  readonly stdout: Pick<NodeJS.WriteStream, 'isTTY'>;
  readonly stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;
}

/** A callback for each loaded page: one moving line at a terminal, an entry now and then in a piped log. */
export function loadProgress(log: Log, terminals: Terminals = process): (progress: Progress) => void {
  const { stdout, stderr } = terminals;
  let lastStep = -1;
  let complete = false;
  return (progress) => {
    if (complete) return;
    const { records, total } = progress;
    complete = total !== null && records >= total;
    const text = describe(progress, complete);
    if (stderr.isTTY) stderr.write(`${CLEAR}${text}${complete ? '\n' : ''}`);
    if (stderr.isTTY && stdout.isTTY) return;
    const step = Math.floor(
      total === null ? records / STEP_LISTINGS : (records / Math.max(1, total)) * STEPS,
    );
    if (step > lastStep) log.info({ event: 'load', ...progress }, text);
    lastStep = step;
  };
}

function describe({ records, total, perSecond, secondsLeft }: Progress, complete: boolean): string {
  const count = (value: number): string => value.toLocaleString('en-US');
  const of = total === null ? '' : ` of ${count(total)}`;
  const left = complete || secondsLeft === null ? '' : `, ${secondsLeft} s left`;
  return `First load: ${count(records)}${of} listings, ${count(perSecond)}/s${left}`;
}

/** Where a running service and its files are; no secrets. */
export interface ServiceLocations {
  readonly url: string;
  readonly docs: string;
  readonly sampleMarket: string | null;
  readonly keysFile: string | null;
  readonly dataDirectory: string;
  /** In words. */
  readonly database: string;
  /** What answers searches, in words. */
  readonly search: string;
}

/** A command that shows what the service answers. */
export const firstRequest = ({ url }: Pick<ServiceLocations, 'url'>): string =>
  `curl '${url}/v1/search/sales?maxPrice=500000&minBedrooms=2&limit=3'`;

/** Aligned lines under the name and version. */
export function banner(locations: ServiceLocations): string {
  const { url, docs, sampleMarket, keysFile, dataDirectory, database, search } = locations;
  const rows: (readonly [string, string | null])[] = [
    ['API', url],
    ['Docs', docs],
    ['Sample market', sampleMarket],
    ['Keys', keysFile],
    ['Data', dataDirectory],
    ['Database', database],
    ['Search', search],
    ['Try first', firstRequest(locations)],
  ];
  const lines = rows.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(15)}${value}`]));
  return ['', `Freehold ${VERSION}`, ...lines, '', ''].join('\n');
}

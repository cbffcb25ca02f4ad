// Exports in the large benchmark: rows per second, memory of the service, and what an aborted export leaves behind.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { heapInUse, MEGABYTE, resident } from '../memory.ts';
import { percentile } from '../statistics.ts';
import { type Arm, startService } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { headersFor, UNCOUNTED } from './compared.ts';
import type { LargeTestbed } from './testbed.ts';

const ACTIVE = '/v1/search/sales?status=active';
/** These two are all that may be shown of the million. */
const EVERY = ['/v1/search/sales?status=any', '/v1/search/rentals?status=any'];
/** How much a slow reader takes at once, and then how long it does nothing, in milliseconds. */
const SLOW = { bytes: 200_000, pause: 100 };
/** So often, in milliseconds, it does nothing for so long: less than would have it cut off. */
const STOPS = { every: 10_000, pause: 5_000 };
/** A slow reader reads fast after so many milliseconds. */
const SLOW_FOR = 60_000;
const LEAVERS = 20;
const LINE_END = 10;

/** What an export came to. */
interface Taken {
  readonly lines: number;
  readonly bytes: number;
  readonly seconds: number;
  /** The most that the service held, in bytes: pages of memory, and objects as it tells them each second. */
  readonly resident: number;
  readonly heap: number;
}

type Pace = (bytes: number) => Promise<void> | void;

/** Exports everything by fast and slow readers, and leaves in the middle of some. Throws where a row is missing. */
export async function exportsToReaders(testbed: LargeTestbed): Promise<Row[]> {
  const arm = await startService(testbed, 'export', UNCOUNTED);
  const { key } = testbed;
  try {
    // What the first of each form brings to stay, code above all, is no part of what an export holds.
    for (const format of ['ndjson', 'csv']) await leaveAfter(await begin(arm, key, ACTIVE, format), 1_000);
    const rest = await resident(arm);
    const rows = [await atRest('Exports: the service at rest', arm)];
    const tell = (name: string, taken: Taken): void => {
      rows.push(note(name, figureOf(taken, rest)));
      process.stdout.write(`  ${name}: ${rows.at(-1)?.figure}\n`);
    };
    for (const path of EVERY) tell(`${path}, NDJSON, fast reader`, await exported(arm, key, path, 'ndjson'));
    for (const format of ['ndjson', 'csv']) {
      tell(`${ACTIVE}, ${format}, fast reader`, await exported(arm, key, ACTIVE, format));
      const slow = await exported(arm, key, ACTIVE, format, slowThenFast());
      tell(`${ACTIVE}, ${format}, 2 MB a second with pauses, then fast`, slow);
    }
    rows.push(await atRest('Exports: at rest again', arm));
    rows.push(await leaving(testbed, arm));
    return rows;
  } finally {
    await arm.stop();
  }
}

const note = (name: string, figure: string): Row => ({ name, figure, floor: '', met: true });
const megabytes = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(0)} MB`;

async function atRest(name: string, arm: Arm): Promise<Row> {
  const pages = await resident(arm);
  return note(name, `${megabytes(pages)} resident, heap ${megabytes(await heapInUse(arm))}`);
}

const figureOf = ({ lines, bytes, seconds, resident: most, heap }: Taken, rest: number): string =>
  `${lines} rows, ${megabytes(bytes)} in ${seconds.toFixed(0)} s, ${(lines / seconds).toFixed(0)} a second; ` +
  `${megabytes(most - rest)} above rest at most, heap ${megabytes(heap)} at most`;

/** Throws where the rows are not as many as the service counts exactly. */
async function exported(arm: Arm, key: string, path: string, format: string, pace?: Pace): Promise<Taken> {
  await resident(arm);
  await writeFile(`/proc/${arm.pid}/clear_refs`, '5');
  const begun = performance.now();
  const heaps: number[] = [];
  const watch = setInterval(async () => heaps.push(await heapInUse(arm)), 1_000);
  const answer = await begin(arm, key, `${path}&count=exact`, format);
  const { bytes, lines } = await read(answer, pace);
  clearInterval(watch);
  const seconds = (performance.now() - begun) / 1000;
  const rows = format === 'csv' ? lines - 1 : lines;
  assert.equal(rows, Number(answer.headers['x-total-count']), 'all rows were sent');
  return { lines: rows, bytes, seconds, resident: await mostResident(arm), heap: Math.max(...heaps) };
}

/** The most that was resident since it was last set back. */
async function mostResident({ pid }: Arm): Promise<number> {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

function begin(arm: Arm, key: string, path: string, format: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = get(`${arm.url}${path}&format=${format}`, { headers: headersFor(key) }, (answer) => {
      if (answer.statusCode === 200) resolve(answer);
      else reject(new Error(`An export was answered with ${answer.statusCode}`));
    });
    asked.once('error', reject);
  });
}

async function read(
  answer: IncomingMessage,
  pace: Pace = () => {},
): Promise<{ bytes: number; lines: number }> {
  const taken = { bytes: 0, lines: 0 };
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    taken.bytes += chunk.length;
    for (let at = chunk.indexOf(LINE_END); at >= 0; at = chunk.indexOf(LINE_END, at + 1)) taken.lines++;
    await pace(chunk.length);
  }
  return taken;
}

function slowThenFast(): Pace {
  const begun = performance.now();
  let [held, stopped] = [0, begun];
  return async (bytes) => {
    const now = performance.now();
    held += bytes;
    if (now - begun > SLOW_FOR || held < SLOW.bytes) return;
    held = 0;
    const stops = now - stopped > STOPS.every;
    await sleep(stops ? STOPS.pause : SLOW.pause);
    if (stops) stopped = performance.now();
  };
}

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

async function leaveAfter(answer: IncomingMessage, lines: number): Promise<void> {
  let seen = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    seen += chunk.toString('latin1').split('\n').length - 1;
    if (seen >= lines) break;
  }
  answer.destroy();
}

/** Milliseconds from a reader's leaving to the last statement that was begun for it, by the clock of the database. */
async function leaving(testbed: LargeTestbed, arm: Arm): Promise<Row> {
  const after: number[] = [];
  for (let reader = 0; reader < LEAVERS; reader++) {
    await leaveAfter(await begin(arm, testbed.key, ACTIVE, 'ndjson'), 2_000 + reader * 333);
    const left = await databaseTime(testbed);
    await sleep(1_000);
    const { last, active } = await pagesAsked(testbed);
    assert.equal(active, 0, 'nothing runs a second after a reader left');
    after.push(Math.max(0, last - left));
  }
  const figure = `last statement begun ${percentile(after, 0.5).toFixed(1)} ms later, ${Math.max(...after).toFixed(1)} at most`;
  return note(`${LEAVERS} readers that leave in the middle`, `${figure}; none runs after a second`);
}

async function databaseTime({ database }: LargeTestbed): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ now: number }[]>`
      select (extract(epoch from clock_timestamp()) * 1000)::double precision as now`,
  );
  return row?.now ?? Number.NaN;
}

/** When the service's last page was asked for, in milliseconds, and how many are being read. */
async function pagesAsked({ database }: LargeTestbed): Promise<{ last: number; active: number }> {
  const [row] = await database.read(
    (sql) => sql<{ last: number; active: number }[]>`
      select (extract(epoch from max(query_start)) * 1000)::double precision as last,
        (count(*) filter (where state = 'active'))::integer as active
      from pg_stat_activity where query like '%join listing on%' and query not like '%pg_stat_activity%'`,
  );
  return row ?? { last: Number.NaN, active: Number.NaN };
}

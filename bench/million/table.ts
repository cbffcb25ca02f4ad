// Table of the large benchmark: time of each kind of query, compared with the same sent straight to PostgreSQL.

import { percentile } from '../statistics.ts';
import { startService } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { ask, headersFor, listOf, UNCOUNTED } from './compared.ts';
import type { Statement } from './driver.ts';
import { SEED } from './load.ts';
import { openLoop } from './open-loop.ts';
import { pgbench } from './pgbench.ts';
import { KINDS, type Kind, questions } from './questions.ts';
import { openRecorder, type Recorder } from './record.ts';
import type { LargeTestbed } from './testbed.ts';

/** Different queries: so many that none is repeated while its response is cached. */
const QUESTIONS = 12_000;
const RECORDED = 40;
/** Warm: as long under full load as it takes until the code on the way is compiled, as it is in a service that runs for days. */
const SECONDS = { warm: 5, peak: 2, open: 6, pgbench: 3 } as const;
/** What 99 of 100 requests of any kind should stay below, in milliseconds. */
const SLOWEST = 15;

/** A row for each kind; those named in BENCH_KINDS, parted by semicolons, or all. */
export async function kindsOfQuestions(testbed: LargeTestbed): Promise<Row[]> {
  const wanted = process.env.BENCH_KINDS?.split(';');
  const kinds = KINDS.filter(({ name }) => !wanted || wanted.includes(name));
  const rows: Row[] = [];
  for (const kind of kinds) {
    const row = await measure(testbed, kind).catch((error: Error) => failed(kind, error));
    process.stdout.write(`  ${row.name}: ${row.figure} ${row.met ? '' : '(goal missed)'}\n`);
    rows.push(row);
  }
  return rows;
}

/** A kind that cannot be answered in time is a row too. */
function failed({ name }: Kind, { message }: Error): Row {
  const [, why = message] = /\n\s*(Non-2xx[^\n]*|Socket errors[^\n]*)/.exec(message) ?? [];
  return { name, figure: `not answered: ${why}`, floor: `p99 < ${SLOWEST} ms`, met: false };
}

async function measure(testbed: LargeTestbed, kind: Kind): Promise<Row> {
  const paths = questions(kind, testbed.known, SEED, QUESTIONS);
  const recorder = openRecorder(testbed);
  const statements = await recorded(recorder, paths.slice(-RECORDED));
  await recorder.close();
  const service = await startService(testbed, 'million', UNCOUNTED);
  try {
    const list = await listOf(testbed, 'kind', paths);
    const warming = await ask(service, list, testbed.key, SECONDS.warm, 0);
    const { requests, seconds } = await ask(service, list, testbed.key, SECONDS.peak, warming.requests);
    const rate = requests / seconds / 2;
    const begun = (warming.requests + requests) % paths.length;
    const next = [...paths.slice(begun), ...paths.slice(0, begun)];
    const { took } = await openLoop(service.url, next, headersFor(testbed.key), rate, SECONDS.open);
    const bare = await pgbench(testbed, statements, { clients: 8, seconds: SECONDS.pgbench, rate });
    return rowOf(kind, took, bare, rate);
  } finally {
    await service.stop();
  }
}

async function recorded(recorder: Recorder, paths: readonly string[]): Promise<Statement[][]> {
  const statements: Statement[][] = [];
  for (const path of paths) statements.push(await recorder.record(path));
  return statements.filter((some) => some.length > 0);
}

function rowOf({ name, goal }: Kind, took: readonly number[], bare: readonly number[], rate: number): Row {
  const [middle, high] = [percentile(took, 0.5), percentile(took, 0.99)];
  const floor = `${goal === null ? '' : `p50 < ${goal} ms, `}p99 < ${SLOWEST} ms`;
  const figure =
    `p50 ${middle.toFixed(2)} ms, p99 ${high.toFixed(2)} ms at ${rate.toFixed(0)} a second; ` +
    `PostgreSQL p50 ${percentile(bare, 0.5).toFixed(2)} ms, p99 ${percentile(bare, 0.99).toFixed(2)} ms`;
  return { name, figure, floor, met: (goal === null || middle < goal) && high < SLOWEST };
}

// Long run of the stream promises: one row for each, and exit code 1 where one was broken.

import { FAULTS } from '../../support/sources/upstream.ts';
import { runDrain } from '../../support/streams/drain.ts';
import { abandon, holdSlowReaders, leaked, measureUsage } from '../../support/streams/leaks.ts';
import { runMatrix } from '../../support/streams/matrix.ts';
import {
  LARGE_LISTING,
  type StreamService,
  startStreams,
  WIDE_LISTING,
} from '../../support/streams/service.ts';

interface Row {
  readonly promise: string;
  readonly runs: number;
  readonly violations: number;
  readonly 'max s': number;
  readonly leaked: string;
  readonly figures: string;
}

const ABANDONED = Number(process.argv[2] ?? 50_000);
const endings: (() => Promise<void>)[] = [];
const closing = { after: (callback: () => Promise<void>) => void endings.push(callback) };

async function grammar(service: StreamService): Promise<Row> {
  const { runs, violations, longest } = await runMatrix(service);
  for (const violation of violations) console.error(violation);
  return row('grammar', runs, violations.length, longest);
}

async function goneClients(service: StreamService): Promise<Row> {
  service.upstream.faults.entity = FAULTS.hang;
  await abandon(service, 2_000);
  const before = await measureUsage(service);
  await abandon(service, ABANDONED);
  const held = await measureUsage(service);
  delete service.upstream.faults.entity;
  const left = leaked(before, held, 20);
  const figures = `heap ${before.heap} to ${held.heap} MB, with what is outside of it ${before.held} to ${held.held} MB`;
  return row('gone clients', ABANDONED, left.length, 0, left.join(), figures);
}

async function slowReaders(service: StreamService, key: string, count: number): Promise<Row> {
  const before = await measureUsage(service);
  const { waiting, left, megabytes, other } = await holdSlowReaders(service, key, count);
  const held = leaked(before, await measureUsage(service), 20);
  const wrong = [left > 0, other !== 'cached,live,done', held.length > 0].filter(Boolean).length;
  const figures = `${waiting} waited, ${megabytes} MB more`;
  return row(`slow readers, ${key}`, count, wrong, 10, held.join(), figures);
}

function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

async function drain(upstreamAnswers: boolean): Promise<Row> {
  const result = await runDrain(closing, { streams: 500, requests: 8, perSecond: 1_000, upstreamAnswers });
  const expected = upstreamAnswers ? 'live' : 'timeout';
  const { 200: answered = 0, 'taken over 200': takenOver = 0, ...failed } = result.steady;
  const lost = 500 - (result.streams[expected] ?? 0) + 8 - (result.requests['200'] ?? 0) + sum(failed);
  const wrong = lost + (result.code === 0 ? 0 : 1) + (result.seconds > 15 ? 1 : 0);
  return row(
    `drain, upstream ${upstreamAnswers ? 'answers' : 'hangs'}`,
    508 + answered + takenOver,
    wrong,
    result.seconds,
    '',
    JSON.stringify(result),
  );
}

function row(
  promise: string,
  runs: number,
  violations: number,
  seconds: number,
  left = '',
  figures = '',
): Row {
  const rounded = Math.round(seconds * 100) / 100;
  return { promise, runs, violations, 'max s': rounded, leaked: left === '' ? 'nothing' : left, figures };
}

try {
  const service = await startStreams(closing);
  const rows = [
    await grammar(service),
    await slowReaders(service, WIDE_LISTING, 500),
    await slowReaders(service, LARGE_LISTING, 50),
    await goneClients(service),
    await drain(true),
    await drain(false),
  ];
  console.table(rows);
  process.exitCode = rows.some(({ violations }) => violations > 0) ? 1 : 0;
} finally {
  for (const end of endings.toReversed()) await end();
}

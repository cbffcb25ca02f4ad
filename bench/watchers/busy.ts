// P1 and P7 while changes are matched in a thread beside: on the same core, on the other one, and without changes, in turns.

import { setTimeout as sleep } from 'node:timers/promises';
import { ratioRow } from '../comparison.ts';
import { pinMatching, serviceTime } from '../processor.ts';
import { median, percentile } from '../statistics.ts';
import { measureStreams, startRawStream } from '../streams.ts';
import { type Arm, load, openTestbed, startService, type Testbed } from '../testbed.ts';
import { propertyRequest, type Row, startRawProperty } from '../throughput.ts';
import { insertMix, waitUntilMatched } from './end-to-end.ts';
import { type Feeder, startFeeder } from './feeder.ts';
import { exhaustHours } from './population.ts';

const WATCHERS = 100_000;
const CHANGES_A_SECOND = 1_000;
const LISTINGS = 2_000;
const ROUNDS = 7;
/** Of one load of property reads, and of the first. */
const SECONDS = 1;
const WARM_UP_SECONDS = 8;
/** What the thread that matches does: rests, or works on the core of the service or on that of the load. */
const STATES = ['rest', 'same', 'other'] as const;
type State = (typeof STATES)[number];
const CORES = { rest: 0, same: 0, other: 1 };
/** Milliseconds until the matching is under way. */
const LEAD = 500;
const TIERS = { pro: { minute: 5_000_000, month: 1_000_000_000, streams: 10_000 } };

interface Sides {
  readonly ours: Arm;
  readonly property: Arm;
  readonly stream: Arm;
  readonly streamPath: string;
}

/** One turn, with matching or without. */
interface Turn {
  /** Property reads for each second of processor, that of the matching left out, and a second. */
  readonly perProcessor: number;
  readonly perSecond: number;
  readonly streams: { readonly p50: number; readonly p99: number };
  readonly milliseconds: number;
  /** Changes matched a second, and the share of a core that this took. */
  readonly matched: number;
  readonly matching: number;
}

/** On a database of its own. */
export async function readsWhileMatching(): Promise<Row[]> {
  const testbed = await openTestbed(LISTINGS);
  const feeder = startFeeder(testbed);
  try {
    await insertMix(testbed.database, WATCHERS);
    // As it is at that rate in all but the first minutes of an hour.
    await exhaustHours(testbed.database);
    const sides = await startSides(testbed);
    const turns: Record<State, Turn[]> = { rest: [], same: [], other: [] };
    for (let round = 0; round < ROUNDS; round++)
      for (const state of round % 2 === 0 ? STATES : STATES.toReversed()) {
        await pinMatching(sides.ours.pid, CORES[state]);
        turns[state].push(await measureTurn(testbed, sides, state === 'rest' ? null : feeder, round));
      }
    await Promise.all([sides.ours, sides.property, sides.stream].map((arm) => arm.stop()));
    return [
      ...rowsOf('while nothing changes', turns.rest),
      ...rowsOf(`while ${rateOf(turns.same)} of the same core`, turns.same),
      ...rowsOf(`while ${rateOf(turns.other)} of the other core`, turns.other),
    ];
  } finally {
    feeder.close();
    await testbed.close();
  }
}

async function startSides(testbed: Testbed): Promise<Sides> {
  const ours = await startService(testbed, 'busy', TIERS);
  await waitUntilMatched(testbed);
  const streamPath = `/v1/listing/${testbed.ids[0]}`;
  const [property, stream] = [
    await startRawProperty(testbed, 'busy-property', ours),
    await startRawStream(testbed, 'busy-stream', ours, streamPath),
  ];
  const { path, headers } = propertyRequest(testbed);
  for (const arm of [ours, property]) await load(arm, path, headers, WARM_UP_SECONDS);
  for (const arm of [ours, stream]) await measureStreams(arm, streamPath, testbed.key);
  return { ours, property, stream, streamPath };
}

async function measureTurn(
  testbed: Testbed,
  sides: Sides,
  feeder: Feeder | null,
  round: number,
): Promise<Turn> {
  const { ours, property, stream, streamPath } = sides;
  await feeder?.start(CHANGES_A_SECOND);
  await sleep(LEAD);
  const [begun, before] = [performance.now(), (await serviceTime(ours.pid)).matching];
  const reads = new Map<Arm, Reads>();
  for (const arm of inTurn(round, ours, property)) reads.set(arm, await readProperties(testbed, arm));
  const times = new Map<Arm, number[]>();
  for (const arm of inTurn(round, ours, stream))
    times.set(arm, await measureStreams(arm, streamPath, testbed.key));
  const matching = ((await serviceTime(ours.pid)).matching - before) / (performance.now() - begun);
  const matched = (await feeder?.stop()) ?? 0;
  const ratio = (of: (reads: Reads) => number) => ofSide(reads, ours, of) / ofSide(reads, property, of);
  const share = (part: number) =>
    percentile(times.get(ours) ?? [], part) / percentile(times.get(stream) ?? [], part);
  return {
    perProcessor: ratio(({ requests, processor }) => requests / processor),
    perSecond: ofSide(reads, ours, ({ requests, seconds }) => requests / seconds),
    streams: { p50: share(0.5), p99: share(0.99) },
    milliseconds: percentile(times.get(ours) ?? [], 0.5),
    matched,
    matching,
  };
}

const inTurn = (round: number, a: Arm, b: Arm): readonly Arm[] => (round % 2 === 0 ? [a, b] : [b, a]);

interface Reads {
  readonly requests: number;
  readonly seconds: number;
  /** Milliseconds, those of the thread that matches left out. */
  readonly processor: number;
}

const ofSide = (reads: ReadonlyMap<Arm, Reads>, arm: Arm, of: (reads: Reads) => number): number => {
  const found = reads.get(arm);
  return found === undefined ? Number.NaN : of(found);
};

async function readProperties(testbed: Testbed, arm: Arm): Promise<Reads> {
  const { path, headers } = propertyRequest(testbed);
  const before = (await serviceTime(arm.pid)).rest;
  const { requests, seconds } = await load(arm, path, headers, SECONDS);
  return { requests, seconds, processor: (await serviceTime(arm.pid)).rest - before };
}

function rateOf(turns: readonly Turn[]): string {
  const matched = Math.round(median(turns.map((turn) => turn.matched)));
  const share = Math.round(median(turns.map((turn) => turn.matching)) * 100);
  const wanted = CHANGES_A_SECOND.toLocaleString('en');
  return `${matched} changes a second (of ${wanted} wanted) are matched against ${WATCHERS.toLocaleString('en')} watchers with ${share} %`;
}

function rowsOf(when: string, turns: readonly Turn[]): Row[] {
  const perSecond = Math.round(median(turns.map((turn) => turn.perSecond))).toLocaleString('en');
  const milliseconds = median(turns.map((turn) => turn.milliseconds)).toFixed(2);
  return [
    ratioRow(
      `P1 ${when}`,
      turns.map(({ perProcessor }) => perProcessor),
      `${perSecond} a second`,
      { min: 0.65 },
    ),
    ratioRow(
      `P7 ${when}, p50`,
      turns.map(({ streams }) => streams.p50),
      `${milliseconds} ms`,
      { max: 1.6 },
    ),
    ratioRow(
      `P7 ${when}, p99`,
      turns.map(({ streams }) => streams.p99),
      '',
      { max: 3 },
    ),
  ];
}

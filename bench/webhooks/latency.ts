// Time from a commit to the sink: against Graphile Worker on the same PostgreSQL (P19), and with hosts that hang.

import { setTimeout as sleep } from 'node:timers/promises';
import { ratioRow } from '../comparison.ts';
import { median, percentile } from '../statistics.ts';
import { openTestbed, startArm, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';
import { type Endpoints, startEndpoints } from './endpoints.ts';
import { monotonic, type Sink, startSink } from './sink.ts';

const ROUNDS = 9;
/** Hosts that take turns, of one event or job each. */
const HOSTS = 20;
/** Of one turn, at fixed times. */
const EVENTS = 100;
/** Milliseconds between two of them. */
const APART = 25;
const ENDPOINTS = 1_000;
const HANGING = 50;
/** Of one turn with hosts that hang: each endpoint gets one event. */
const TICKS = 100;
const PER_TICK = 10;
const TICK = 50;
/** Milliseconds for the last deliveries of a turn: what has not come by then counts as that late. */
const PATIENCE = 10_000;
const POLL = 100;

/** P19. */
export async function latencyAgainstGraphile(): Promise<Row[]> {
  const testbed = await openTestbed(0);
  const sink = await startSink();
  try {
    const endpoints = await startEndpoints(testbed, sink, HOSTS);
    const worker = await startArm('webhooks/graphile-arm.ts', { DATABASE_URL: testbed.databaseUrl });
    const ours = () =>
      eachEvent(sink, async (no) => {
        const watcher = endpoints.watchers[no % HOSTS];
        const [sequence = 0] = await endpoints.writeEach(watcher === undefined ? [] : [watcher]);
        return sequence;
      });
    const theirs = () => eachEvent(sink, (no) => addJob(testbed, sink.url(no % HOSTS), no));
    await ours();
    await theirs();
    const rounds: { readonly ours: number[]; readonly theirs: number[] }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const early = round % 2 === 0 ? await ours() : null;
      const pair = { theirs: await theirs(), ours: early ?? (await ours()) };
      rounds.push(pair);
    }
    await Promise.all([endpoints.service.stop(), worker.stop()]);
    const ratios = (share: number) =>
      rounds.map((pair) => percentile(pair.ours, share) / percentile(pair.theirs, share));
    const both = (share: number) =>
      (['ours', 'theirs'] as const)
        .map((side) => median(rounds.map((pair) => percentile(pair[side], share))).toFixed(1))
        .join(' and ');
    const name = 'P19: from commit to sink, ours / Graphile Worker';
    return [
      ratioRow(`${name}, p50`, ratios(0.5), `${both(0.5)} ms`, { max: 1 }),
      ratioRow(`${name}, p99`, ratios(0.99), `${both(0.99)} ms`, {}),
    ];
  } finally {
    sink.close();
    await testbed.close();
  }
}

let jobs = 1_000_000_000;

/** Adds a job whose body has the size of an event. */
async function addJob(testbed: Testbed, url: string, no: number): Promise<number> {
  const sequence = ++jobs;
  const body = JSON.stringify({ sequence, object: 'event', data: 'x'.repeat(900) });
  const payload = JSON.stringify({ url, id: `evt_${no}`, body });
  await testbed.database.transaction(
    (tx) => tx`select graphile_worker.add_job('deliver', ${payload}::text::json)`,
  );
  return sequence;
}

/** Commits at fixed times, and how many milliseconds after each the delivery came. `commit` returns its sequence. */
async function eachEvent(sink: Sink, commit: (no: number) => Promise<number>): Promise<number[]> {
  await sink.arrivals();
  const commits = new Map<number, number>();
  await sink.deliver(EVENTS, async () => {
    const begun = monotonic();
    // One after another, as the matching writes: a later event of a watcher is never committed first.
    for (let no = 0; no < EVENTS; no++) {
      await sleep(Math.max(0, begun + no * APART - monotonic()));
      const sequence = await commit(no);
      commits.set(sequence, monotonic());
    }
  });
  return latencies(commits, await sink.arrivals());
}

/** A delivery may come before the client of the database hears of the commit. */
const latencies = (commits: ReadonlyMap<number, number>, arrivals: ReadonlyMap<number, number>): number[] =>
  [...commits].map(([sequence, at]) => Math.max(0, (arrivals.get(sequence) ?? at + PATIENCE) - at));

/** Latency of 950 webhooks while 50 others hang, against the same while none does. */
export async function latencyBesideHanging(): Promise<Row[]> {
  const testbed = await openTestbed(0);
  const sink = await startSink();
  try {
    const endpoints = await startEndpoints(testbed, sink, ENDPOINTS);
    const some = Array.from({ length: HANGING }, (_, no) => sink.host(no));
    await besideHanging(endpoints, sink, []);
    const rounds: { readonly hanging: number[]; readonly none: number[] }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const early = round % 2 === 0 ? await besideHanging(endpoints, sink, some) : null;
      const none = await besideHanging(endpoints, sink, []);
      rounds.push({ none, hanging: early ?? (await besideHanging(endpoints, sink, some)) });
    }
    await endpoints.service.stop();
    return [0.5, 0.99].map((share) => {
      const both = (['hanging', 'none'] as const).map((state) =>
        median(rounds.map((each) => percentile(each[state], share))).toFixed(1),
      );
      const ratios = rounds.map(({ hanging, none }) => percentile(hanging, share) / percentile(none, share));
      const name = `webhooks: from commit to sink, ${ENDPOINTS - HANGING} while ${HANGING} others hang / while none does`;
      return ratioRow(`${name}, p${share * 100}`, ratios, `${both.join(' and ')} ms`, {});
    });
  } finally {
    sink.close();
    await testbed.close();
  }
}

/** Latencies of the hosts that answer. Every tick some watchers are told of one change each. */
async function besideHanging(endpoints: Endpoints, sink: Sink, hosts: readonly string[]): Promise<number[]> {
  const { watchers } = endpoints;
  await sink.hang(hosts);
  await sink.arrivals();
  const commits = new Map<number, number>();
  const begun = monotonic();
  for (let tick = 0; tick < TICKS; tick++) {
    await sleep(Math.max(0, begun + tick * TICK - monotonic()));
    const first = (tick * PER_TICK) % ENDPOINTS;
    const sequences = await endpoints.writeEach(watchers.slice(first, first + PER_TICK));
    const at = monotonic();
    for (const [index, sequence] of sequences.entries())
      if (first + index >= HANGING) commits.set(sequence, at);
  }
  const arrivals = await sink.arrivals();
  const end = monotonic() + PATIENCE;
  while ([...commits.keys()].some((sequence) => !arrivals.has(sequence)) && monotonic() < end) {
    await sleep(POLL);
    for (const [sequence, at] of await sink.arrivals()) arrivals.set(sequence, at);
  }
  await sink.hang([]);
  await endpoints.reset();
  return latencies(commits, arrivals);
}

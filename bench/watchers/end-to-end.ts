// Matching by whole services on their database: latency, events a second, loading, and takeover after a crash.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/postgres/client/database.ts';
import { median } from '../statistics.ts';
import { type Arm, openTestbed, startService, type Testbed } from '../testbed.ts';
import { formatRow, type Row } from '../throughput.ts';
import {
  append,
  countEvents,
  head,
  insertWords,
  PAGE,
  pageOfMix,
  waitForPosition,
  wordsOfMix,
} from './change-log.ts';
import { watcher } from './mix.ts';
import { EVENTS_PER_HOUR, exhaustHours, insertWatchers, ownerOf, setEventsPerHour } from './population.ts';
import { insertProbes, measureLatency, probesFrom } from './probes.ts';

/** Watchers, and the changes that are matched at once: about as many events. */
const SIZES = new Map([
  [10_000, 2_000],
  [100_000, 400],
]);
const TAKEOVERS = 3;
/** Watchers that are inserted at once. */
const PART = 50_000;
/** Share of the watchers that is in memory once all are loaded, at least. */
const LISTED = 0.99;
/** Milliseconds, after which what has been matched counts. */
const LIMIT = 40_000;
const START_LIMIT = 600_000;
const TIERS = { pro: { minute: 5_000_000, month: 1_000_000_000 } };

/** On databases of its own. */
export async function matchEndToEnd(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [size, changes] of SIZES) {
    const testbed = await openTestbed(0);
    try {
      const measured = await measureSize(testbed, size, changes);
      for (const row of measured) process.stdout.write(formatRow(row));
      rows.push(...measured);
    } finally {
      await testbed.close();
    }
  }
  return rows;
}

async function measureSize(testbed: Testbed, size: number, changes: number): Promise<Row[]> {
  const { database } = testbed;
  const name = `matching, ${size.toLocaleString('en')} watchers`;
  progress(`${name}: latency`);
  const probes = probesFrom(size + 1);
  await insertMix(database, size);
  await insertProbes(database, probes);
  const first = await startMatching(testbed, 'first');
  const latencies = await measureLatency(database, probes, name);
  progress('events a second');
  const counted = await measureRate(database, changes);
  await exhaustHours(database);
  const reached = await measureRate(database, changes);
  await first.service.stop();
  await setEventsPerHour(database, null);
  const second = await startMatching(testbed, 'second');
  const unlimited = await measureRate(database, changes);
  await second.service.stop();
  progress('takeover');
  const takeovers = await measureTakeovers(testbed, size);
  const loads = [first.seconds, second.seconds].map((each) => each.toFixed(1));
  return [
    ...latencies,
    rateRow(`${name}: events written a second, no hourly limit`, unlimited),
    rateRow(`${name}: the same, events counted and within the hourly limit`, counted),
    rateRow(`${name}: the same, hourly limits reached`, reached),
    note(`${name}: seconds from the start of the process to the first change matched`, loads.join(' and ')),
    takeoverRow(name, takeovers),
  ];
}

/** Takeover among many watchers, by a process that stands by with them in memory, on a database of its own. */
export async function takeOverAmong(size: number): Promise<Row[]> {
  const testbed = await openTestbed(0);
  try {
    progress(`${size.toLocaleString('en')} watchers`);
    // In parts, since that many definitions at once are some gigabytes.
    for (let first = 0; first < size; first += PART)
      await insertWatchers(testbed.database, mixFrom(first, Math.min(PART, size - first)));
    await insertWords(testbed.database, wordsOfMix());
    progress('takeover');
    const takeovers = await measureTakeovers(testbed, size);
    const name = `matching, ${size.toLocaleString('en')} watchers`;
    return [takeoverRow(name, takeovers)];
  } finally {
    await testbed.close();
  }
}

const takeoverRow = (name: string, takeovers: readonly number[]): Row =>
  note(
    `${name}: seconds until the other of two processes has taken over after kill -9`,
    `${median(takeovers).toFixed(1)} (${takeovers.map((each) => each.toFixed(1)).join(', ')})`,
  );

const note = (name: string, figure: string): Row => ({ name, figure, floor: '', met: true });

/** Tells what is measured next. */
const progress = (text: string): void => void process.stdout.write(`  ${text}\n`);

/** The watchers of the mix, each owner with as many and as many events as the plan Pro allows. */
export async function insertMix(database: Database, size: number): Promise<void> {
  await insertWatchers(database, mixFrom(0, size));
  await insertWords(database, wordsOfMix());
}

const mixFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    ...watcher(first + at + 1),
    owner: ownerOf(first + at + 1),
    eventsPerHour: EVENTS_PER_HOUR,
  }));

/** Starts a service that has a change to match; `seconds` until it is. */
async function startMatching(testbed: Testbed, name: string): Promise<{ service: Arm; seconds: number }> {
  const begun = performance.now();
  const [service] = await Promise.all([startService(testbed, name, TIERS), waitUntilMatched(testbed)]);
  return { service, seconds: (performance.now() - begun) / 1_000 };
}

/** Appends a change, and waits until it is matched. */
export async function waitUntilMatched({ database }: Testbed): Promise<void> {
  await append(database, pageOfMix(0, 1));
  const sequence = await head(database);
  if ((await waitForPosition(database, sequence, START_LIMIT)) < sequence)
    throw new Error('Nothing is matched');
}

interface Rate {
  readonly changes: number;
  readonly events: number;
  readonly seconds: number;
}

/** Appends changes as fast as it can, and waits until they are matched. */
async function measureRate(database: Database, changes: number): Promise<Rate> {
  // What runs for the first time is compiled here.
  await appendPages(database, PAGE);
  await waitForPosition(database, await head(database), LIMIT);
  const [before, begun] = [await head(database), performance.now()];
  await appendPages(database, changes);
  const reached = await waitForPosition(database, before + changes, LIMIT);
  const seconds = (performance.now() - begun) / 1_000;
  await waitForPosition(database, before + changes, START_LIMIT);
  return { changes: reached - before, events: await countEvents(database, before, reached), seconds };
}

async function appendPages(database: Database, changes: number): Promise<void> {
  for (let first = 0; first < changes; first += PAGE)
    await append(database, pageOfMix(first, Math.min(PAGE, changes - first)));
}

const rateRow = (name: string, { changes, events, seconds }: Rate): Row =>
  note(
    name,
    `${Math.round(events / seconds).toLocaleString('en')} (${Math.round(changes / seconds).toLocaleString('en')} changes)`,
  );

/** Seconds from the kill of one of two processes until a change that is committed then is matched. */
async function measureTakeovers(testbed: Testbed, size: number): Promise<number[]> {
  let [victim, other] = [await startService(testbed, 'a', TIERS), await startService(testbed, 'b', TIERS)];
  const seconds: number[] = [];
  for (let round = 0; round < TAKEOVERS; round++) {
    await waitUntilMatched(testbed);
    while ((await standbyWatchers(other)) < size * LISTED) await sleep(500);
    // The lease is renewed every second: each round meets that elsewhere.
    await sleep((round * 1_000) / TAKEOVERS);
    process.kill(victim.pid, 'SIGKILL');
    const begun = performance.now();
    await waitUntilMatched(testbed);
    seconds.push((performance.now() - begun) / 1_000);
    await victim.stop();
    [victim, other] = [other, await startService(testbed, `next${round}`, TIERS)];
  }
  await Promise.all([victim.stop(), other.stop()]);
  return seconds;
}

/** Watchers that a process has in memory to take over with. */
async function standbyWatchers({ url }: Arm): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^freehold_watch_standby_watchers (\d+)/m.exec(text)?.[1] ?? 0);
}

// Command that runs benchmarks: comparisons side by side on this machine, and one table of results.

import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { knownKeysInOutage } from './billing/outage.ts';
import { logAgainstNone } from './changes.ts';
import { callsForOneListing } from './coalescing.ts';
import { crowdAtSmall, searchesInCrowd } from './crowd.ts';
import { engineAgainstPeers } from './engine/peers/peers.ts';
import { questionsAmongMany, questionsOfEngine } from './engine/questions.ts';
import { explorerInBrowser } from './explore/browser.ts';
import { explorerOfMillion, explorerOfOnePlace } from './explore/explore.ts';
import { fanOutAgainstLibraries, fanOutAgainstLoop, fanOutAgainstNchan } from './feeds/fan-out.ts';
import { idleFeeds } from './feeds/idle.ts';
import { eventPages } from './feeds/pages.ts';
import { loadOfFeed } from './loads/feed.ts';
import { incrementalRounds } from './loads/incremental.ts';
import { loadOfFile } from './loads/loads.ts';
import { stepsOfImport } from './loads/steps.ts';
import { memoryOfAgents } from './mcp/agents.ts';
import { callsOfTools } from './mcp/calls.ts';
import { memory } from './memory.ts';
import { dayOfRentals } from './million/churn.ts';
import { cursorAgainstOffset, searchAgainstPgbench, searchAgainstRaw } from './million/compared.ts';
import { exportsToReaders } from './million/exports.ts';
import { growthTo } from './million/growth.ts';
import { figuresOfMarket } from './million/market.ts';
import { pagesOfRecords } from './million/records.ts';
import { startsAndCommits } from './million/start.ts';
import { kindsOfQuestions } from './million/table.ts';
import { type LargeTestbed, openLargeTestbed } from './million/testbed.ts';
import { exchangeAgainstPeer, refreshAgainstPeer, refreshAgainstStatement } from './oauth/exchanges.ts';
import { pushOfMany } from './push.ts';
import { soak } from './soak/soak.ts';
import { speedOfSample } from './speed.ts';
import { timeToCached } from './streams.ts';
import { conditions, openTestbed, type Testbed } from './testbed.ts';
import { formatRow, limitsOnAgainstOff, propertyAgainstRaw, type Row } from './throughput.ts';
import { readsWhileMatching } from './watchers/busy.ts';
import { matchEndToEnd, takeOverAmong } from './watchers/end-to-end.ts';
import { matchWatchers } from './watchers/matching.ts';
import { latencyAgainstGraphile, latencyBesideHanging } from './webhooks/latency.ts';
import { memoryOfHosts } from './webhooks/memory.ts';
import { deliveriesAgainstLoop } from './webhooks/throughput.ts';

const LISTINGS = 2_000;

const MEASUREMENTS: Readonly<Record<string, (testbed: Testbed) => Promise<Row[]>>> = {
  P1: async (testbed) => [await propertyAgainstRaw(testbed)],
  P2: limitsOnAgainstOff,
  P7: timeToCached,
  P8: callsForOneListing,
  P13: refreshAgainstPeer,
  P14: refreshAgainstStatement,
  P15: exchangeAgainstPeer,
  changes: logAgainstNone,
  push: pushOfMany,
  memory,
  feeds: async (testbed) => [...(await fanOutAgainstLoop(testbed)), ...(await eventPages(testbed))],
  P10: fanOutAgainstLibraries,
  P11: fanOutAgainstNchan,
  P12: idleFeeds,
};

/** Those on a million listings: they run only where they are named. */
const LARGE: Readonly<Record<string, (testbed: LargeTestbed) => Promise<Row[]>>> = {
  P4: searchAgainstRaw,
  P5: searchAgainstPgbench,
  P6: cursorAgainstOffset,
  million: kindsOfQuestions,
  start: startsAndCommits,
  exports: exportsToReaders,
  records: pagesOfRecords,
  market: figuresOfMarket,
  'crowd-million': searchesInCrowd,
  'explore-million': explorerOfMillion,
  churn: dayOfRentals,
  growth: (testbed) => growthTo(testbed, values.larger, Number(values.listings ?? 4_000_000)),
};

/** The soak leaves another market than it found, in a folder of its own. */
const SOAK: Readonly<Record<string, (testbed: LargeTestbed) => Promise<Row[]>>> = {
  soak: (testbed) =>
    soak(testbed, {
      minutes: Number(values.minutes),
      rate: values.rate === undefined ? null : Number(values.rate),
      causes: values.causes,
    }),
};

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  // The million listings are stored there, so that later runs need not load them.
  options: {
    cluster: { type: 'string', default: join(tmpdir(), 'freehold-million') },
    // Where more are kept, for `growth`: 11 GB a million.
    larger: { type: 'string', default: join(tmpdir(), 'freehold-larger') },
    // How many, for `growth` and `scale` (four million), `soak` (one million), `peers` (650,000), `load` (200,000), `feed` and `incremental` (20,000), `steps` (4,000).
    listings: { type: 'string' },
    // Where the soak has its listings, and how long it takes.
    soaked: { type: 'string', default: join(tmpdir(), 'freehold-soak') },
    // How many, for `takeover`.
    watchers: { type: 'string', default: '1000000' },
    minutes: { type: 'string', default: '60' },
    // Questions a second of the soak, in place of half of the peak.
    rate: { type: 'string' },
    // A file to which the soak writes what was running in long turns; it profiles itself for that, which takes time and memory.
    causes: { type: 'string', default: '' },
  },
});

function check(): void {
  const known = [MEASUREMENTS, LARGE, NAMED, SOAK].flatMap((each) => Object.keys(each));
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`There is no measurement ${unknown}, but ${known.join(', ')}`);
}

/** Runs those that are named, or all where none is and `always` says so; prints their table. */
async function measureOn<S extends Testbed>(
  open: () => Promise<S>,
  measurements: Readonly<Record<string, (testbed: S) => Promise<Row[]>>>,
  always: boolean,
): Promise<void> {
  const chosen = Object.entries(measurements).filter(
    ([name]) => names.includes(name) || (always && names.length === 0),
  );
  if (chosen.length === 0) return;
  const testbed = await open();
  try {
    const rows: Row[] = [];
    for (const [name, measure] of chosen) {
      process.stdout.write(`Measuring ${name}\n`);
      const measured = await measure(testbed);
      // At once, since a later one may fail.
      for (const row of measured) process.stdout.write(formatRow(row));
      rows.push(...measured);
    }
    process.stdout.write(
      `\n${await conditions(testbed)}\n\n| | measured | floor | met |\n|---|---|---|---|\n`,
    );
    for (const row of rows) process.stdout.write(formatRow(row));
  } finally {
    await testbed.close();
  }
}

/** PostgreSQL and the load inherit core 1 from this process; the servers put themselves on core 0. */
function pinned(): boolean {
  if (process.env.BENCH_PINNED) return true;
  const pinned = ['-c', '1', process.execPath, ...process.argv.slice(1)];
  const { status } = spawnSync('taskset', pinned, {
    stdio: 'inherit',
    env: { ...process.env, BENCH_PINNED: '1' },
  });
  process.exitCode = status ?? 1;
  return false;
}

/** Those of watchers, webhooks and agents: they run only where they are named too. */
const NAMED: Readonly<Record<string, (testbed: Testbed) => Promise<Row[]>>> = {
  watchers: matchWatchers,
  matching: matchEndToEnd,
  takeover: () => takeOverAmong(Number(values.watchers)),
  busy: readsWhileMatching,
  speed: speedOfSample,
  P18: deliveriesAgainstLoop,
  P19: latencyAgainstGraphile,
  P21: callsOfTools,
  mcp: memoryOfAgents,
  outage: knownKeysInOutage,
  engine: questionsOfEngine,
  crowd: crowdAtSmall,
  explore: explorerOfOnePlace,
  'explore-browser': explorerInBrowser,
  load: () => loadOfFile(Number(values.listings ?? 200_000)),
  feed: () => loadOfFeed(Number(values.listings ?? 20_000)),
  incremental: () => incrementalRounds(Number(values.listings ?? 20_000)),
  steps: () => stepsOfImport(Number(values.listings ?? 4_000)),
  scale: () => questionsAmongMany(Number(values.listings ?? 4_000_000)),
  peers: (testbed) => engineAgainstPeers(testbed, Number(values.listings ?? 650_000)),
  webhooks: async () => [...(await latencyBesideHanging()), ...(await memoryOfHosts())],
};

async function main(): Promise<void> {
  check();
  await measureOn(() => openTestbed(LISTINGS), MEASUREMENTS, true);
  await measureOn(() => openTestbed(LISTINGS), NAMED, false);
  await measureOn(() => openLargeTestbed(values.cluster), LARGE, false);
  const listings = Number(values.listings ?? 1_000_000);
  await measureOn(() => openLargeTestbed(`${values.soaked}-${listings}`, listings), SOAK, false);
}

if (pinned()) await main();

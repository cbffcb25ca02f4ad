// Run of the benchmarks: each compared side by side on this machine, one table at the end.

import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { callsForOneListing } from './coalescing.ts';
import { memory } from './memory.ts';
import { dayOfRentals } from './million/churn.ts';
import { cursorAgainstOffset, searchAgainstPgbench, searchAgainstRaw } from './million/compared.ts';
import { exportsToReaders } from './million/exports.ts';
import { growthTo } from './million/growth.ts';
import { type LargeStand, openLargeStand } from './million/stand.ts';
import { kindsOfQuestions } from './million/table.ts';
import { exchangeAgainstPeer, refreshAgainstPeer, refreshAgainstStatement } from './oauth.ts';
import { conditions, openStand, type Stand } from './stand.ts';
import { timeToCached } from './streams.ts';
import { limitsOnAgainstOff, propertyAgainstRaw, type Row } from './throughput.ts';

const LISTINGS = 2_000;

const MEASUREMENTS: Readonly<Record<string, (stand: Stand) => Promise<Row[]>>> = {
  P1: async (stand) => [await propertyAgainstRaw(stand)],
  P2: limitsOnAgainstOff,
  P7: timeToCached,
  P8: callsForOneListing,
  P13: refreshAgainstPeer,
  P14: refreshAgainstStatement,
  P15: exchangeAgainstPeer,
  memory,
};

/** Those on a million listings: they run only where they are named. */
const LARGE: Readonly<Record<string, (stand: LargeStand) => Promise<Row[]>>> = {
  P4: searchAgainstRaw,
  P5: searchAgainstPgbench,
  P6: cursorAgainstOffset,
  million: kindsOfQuestions,
  exports: exportsToReaders,
  churn: dayOfRentals,
  growth: (stand) => growthTo(stand, values.larger, Number(values.listings)),
};

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  // Where the million listings are kept, so that measuring again does not load them again.
  options: {
    cluster: { type: 'string', default: join(tmpdir(), 'freehold-million') },
    // Where more are kept, and how many, for `growth`: 11 GB a million.
    larger: { type: 'string', default: join(tmpdir(), 'freehold-larger') },
    listings: { type: 'string', default: '4000000' },
  },
});

function check(): void {
  const known = [...Object.keys(MEASUREMENTS), ...Object.keys(LARGE)];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`There is no measurement ${unknown}, but ${known.join(', ')}`);
}

/** Runs those that are named, or all where none is and `always` says so; prints their table. */
async function measureOn<S extends Stand>(
  open: () => Promise<S>,
  measurements: Readonly<Record<string, (stand: S) => Promise<Row[]>>>,
  always: boolean,
): Promise<void> {
  const chosen = Object.entries(measurements).filter(
    ([name]) => names.includes(name) || (always && names.length === 0),
  );
  if (chosen.length === 0) return;
  const stand = await open();
  try {
    const rows: Row[] = [];
    for (const [name, measure] of chosen) {
      process.stdout.write(`Measuring ${name}\n`);
      rows.push(...(await measure(stand)));
    }
    process.stdout.write(`\n${await conditions(stand)}\n\n| | measured | floor | met |\n|---|---|---|---|\n`);
    for (const { name, figure, floor, met } of rows) {
      const verdict = floor === '' ? '' : met ? 'yes' : 'no';
      process.stdout.write(`| ${name} | ${figure} | ${floor} | ${verdict} |\n`);
    }
  } finally {
    await stand.close();
  }
}

/** PostgreSQL and the load inherit core 1 from this process; the servers put themselves on core 0. */
function pinned(): boolean {
  if (process.env.BENCH_PINNED) return true;
  const again = ['-c', '1', process.execPath, ...process.argv.slice(1)];
  const { status } = spawnSync('taskset', again, {
    stdio: 'inherit',
    env: { ...process.env, BENCH_PINNED: '1' },
  });
  process.exitCode = status ?? 1;
  return false;
}

async function main(): Promise<void> {
  check();
  await measureOn(() => openStand(LISTINGS), MEASUREMENTS, true);
  await measureOn(() => openLargeStand(values.cluster), LARGE, false);
}

if (pinned()) await main();

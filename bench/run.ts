// Owns the run of the benchmarks: each compared side by side on this machine, one table at the end.

import { spawnSync } from 'node:child_process';
import { callsForOneListing } from './coalescing.ts';
import { memory } from './memory.ts';
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

/** Those named as arguments; all, where none is. */
function chosen(): readonly [string, (stand: Stand) => Promise<Row[]>][] {
  const names = process.argv.slice(2);
  const unknown = names.find((name) => !Object.hasOwn(MEASUREMENTS, name));
  if (unknown !== undefined)
    throw new Error(`There is no measurement ${unknown}, but ${Object.keys(MEASUREMENTS).join(', ')}`);
  return Object.entries(MEASUREMENTS).filter(([name]) => names.length === 0 || names.includes(name));
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
  const stand = await openStand(LISTINGS);
  try {
    const rows: Row[] = [];
    for (const [name, measure] of chosen()) {
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

if (pinned()) await main();

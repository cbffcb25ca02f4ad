// Owns the run of the benchmarks: each compared side by side on this machine, one table at the end.

import { spawnSync } from 'node:child_process';
import { conditions, openStand } from './stand.ts';
import { timeToCached } from './streams.ts';
import { limitsOnAgainstOff, propertyAgainstRaw, type Row } from './throughput.ts';

const LISTINGS = 2_000;

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
    const rows: Row[] = [
      await propertyAgainstRaw(stand),
      await limitsOnAgainstOff(stand),
      ...(await timeToCached(stand)),
    ];
    process.stdout.write(`\n${await conditions(stand)}\n\n| | measured | floor | met |\n|---|---|---|---|\n`);
    for (const { name, figure, floor, met } of rows) {
      process.stdout.write(`| ${name} | ${figure} | ${floor} | ${met ? 'yes' : 'no'} |\n`);
    }
  } finally {
    await stand.close();
  }
}

if (pinned()) await main();

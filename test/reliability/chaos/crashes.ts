// Command that ends processes until it is believed: `node test/reliability/chaos/crashes.ts [rounds] [seed]`.

import { parseArgs } from 'node:util';
import { CRASHES, type Crash, type Outcome, playRounds } from '../../support/chaos/crash-rounds.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const rounds = Number(positionals[0] ?? 200);
const seed = Number(positionals[1] ?? Date.now() % 1_000_000);

interface Row {
  rounds: number;
  acknowledged: number;
  lost: number;
  orphans: number;
  worst: number;
}

/** Promise -> what counts as broken in an outcome. */
const PROMISES: Readonly<Record<string, (outcome: Outcome) => number>> = {
  'R1 an acknowledged write survives': ({ lost, lostKeys }) => lost + lostKeys,
  'R3 a change and its events are one': ({ missing, extra, torn }) => missing + extra + torn,
  'R35 a request served is counted': ({ uncounted }) => uncounted,
  'answers are right or an honest 503': ({ wrong }) => wrong,
};

const outcomes: Outcome[] = [];
const endings: (() => Promise<void>)[] = [];
console.log(`${rounds} rounds, seed ${seed}`);
let failure: unknown;
try {
  await playRounds(
    { after: (ending) => void endings.push(ending) },
    { rounds, seed, tell: note, complain: (what) => console.log(`  ${what}`) },
  );
} catch (error) {
  failure = error;
  console.error(error);
} finally {
  for (const end of endings.toReversed()) await end();
}
for (const crash of CRASHES) printCrash(crash);
for (const [promise, broken] of Object.entries(PROMISES)) print(promise, outcomes, broken);
const broken = outcomes.some((outcome) => Object.values(PROMISES).some((count) => count(outcome) > 0));
if (failure !== undefined || broken || outcomes.some(({ orphans }) => orphans > 0)) process.exitCode = 1;

function note(outcome: Outcome): void {
  outcomes.push(outcome);
  if (outcomes.length % 20 === 0) console.log(`  ${outcomes.length} rounds played`);
}

function printCrash(crash: Crash): void {
  const played = outcomes.filter((outcome) => outcome.crash === crash);
  print(`killed: ${crash}`, played, (outcome) =>
    Object.values(PROMISES).reduce((sum, count) => sum + count(outcome), 0),
  );
}

function print(name: string, played: readonly Outcome[], count: (outcome: Outcome) => number): void {
  const row: Row = { rounds: played.length, acknowledged: 0, lost: 0, orphans: 0, worst: 0 };
  for (const outcome of played) {
    row.acknowledged += outcome.acknowledged;
    row.lost += count(outcome);
    row.orphans += outcome.orphans;
    row.worst = Math.max(row.worst, outcome.seconds);
  }
  console.log(
    `${name.padEnd(36)} rounds ${String(row.rounds).padStart(4)}  acknowledged ${String(row.acknowledged).padStart(7)}  ` +
      `lost ${row.lost}  orphans ${row.orphans}  worst ${row.worst.toFixed(1)} s to healthy`,
  );
}

// Process that matches watchers and hands due digests to the log, by a clock that runs fast; once told a step, it dies there.

import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { Licences } from '../../../src/licence/licences.ts';
import { type DatabaseOptions, openDatabase } from '../../../src/postgres/client/database.ts';
import { type DigestStep, runDigests } from '../../../src/watch/digests/digest-scheduler.ts';
import { Matching, type MatchingStep } from '../../../src/watch/matching/matching.ts';
import { type FastTime, fastClock } from './fast-clock.ts';

const { time, ...target } = JSON.parse(process.argv[2] ?? '{}') as DatabaseOptions & {
  readonly time: FastTime;
};
const database = openDatabase({
  ...target,
  maxConnections: 4,
  timeout: 10_000,
  idleTransactionTimeout: 4_000,
});
const clock = fastClock(time);
let death: string | null = null;
const onStep = (step: MatchingStep | DigestStep) => {
  if (step === death) process.kill(process.pid, 'SIGKILL');
};
// A short lease: the tests wait for the end of each that a killed process had.
const matching = new Matching({
  database,
  clock,
  licences: new Licences({ database, clock, report: () => {} }),
  report: () => {},
  lease: 2_000,
  onStep,
});
matching.start();
let isStopped = false;
const schedule = async () => {
  while (!isStopped) {
    await runDigests({ database, clock, onStep }).catch(() => {});
    await pause(20);
  }
};
const scheduling = schedule();
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  death = line;
  console.log(`dies at ${line}`);
}
isStopped = true;
await scheduling;
await matching.stop();
await database.close();

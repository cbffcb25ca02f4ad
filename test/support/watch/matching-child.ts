// Process that matches watchers; told a signal and a step, it sends itself the signal when it reaches the step.

import { createInterface } from 'node:readline';
import { systemClock } from '../../../src/lib/clock.ts';
import { Licences } from '../../../src/licence/licences.ts';
import { type DatabaseOptions, openDatabase } from '../../../src/postgres/client/database.ts';
import { Matching, type MatchingStep } from '../../../src/watch/matching/matching.ts';

const target = JSON.parse(process.argv[2] ?? '{}') as DatabaseOptions;
const database = openDatabase({
  ...target,
  maxConnections: 3,
  timeout: 10_000,
  idleTransactionTimeout: 4_000,
});
let order = { signal: '', step: '' };
const matching = new Matching({
  licences: new Licences({ database, clock: systemClock, report: () => {} }),
  database,
  clock: systemClock,
  report: () => {},
  onStep: (step: MatchingStep) => {
    if (step !== order.step) return;
    const { signal } = order;
    order = { signal: '', step: '' };
    console.log(`${signal} now`);
    process.kill(process.pid, signal);
  },
});
matching.start();
console.log('ready');
// Its timers alone do not keep it alive while the database is away.
const alive = setInterval(() => {}, 60_000);
for await (const line of createInterface({ input: process.stdin })) {
  const [signal = '', step = ''] = line.split(' ');
  order = { signal, step };
  console.log(`${signal} at ${step}`);
}
await matching.stop();
await database.close();
clearInterval(alive);

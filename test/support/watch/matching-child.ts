// Process that matches watchers; once told a step, it dies when it reaches it.

import { createInterface } from 'node:readline';
import { systemClock } from '../../../src/lib/clock.ts';
import { type DatabaseOptions, openDatabase } from '../../../src/postgres/client/database.ts';
import { Matching, type MatchingStep } from '../../../src/watch/matching/matching.ts';

const target = JSON.parse(process.argv[2] ?? '{}') as DatabaseOptions;
const database = openDatabase({ ...target, maxConnections: 3, timeout: 10_000 });
let death: string | null = null;
const matching = new Matching({
  ...{ database, clock: systemClock, report: () => {} },
  onStep: (step: MatchingStep) => {
    if (step === death) process.kill(process.pid, 'SIGKILL');
  },
});
matching.start();
console.log('ready');
// Its timers alone do not keep it alive while the database is away.
const alive = setInterval(() => {}, 60_000);
for await (const line of createInterface({ input: process.stdin })) {
  death = line;
  console.log(`dies at ${line}`);
}
await matching.stop();
await database.close();
clearInterval(alive);

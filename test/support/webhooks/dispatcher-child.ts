// Process that delivers to webhooks by a clock that its parent advances; once told a step, it dies when it reaches it.

import { createInterface } from 'node:readline';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { Dispatcher } from '../../../src/watch/webhooks/dispatcher.ts';
import { manualClock } from '../service/clock.ts';
import { dispatcherParts } from './stage.ts';

/** Options of the child, as JSON in its first argument. */
export interface DispatcherChildOptions {
  readonly url: string;
  readonly ports: readonly number[];
  /** Milliseconds since the epoch. */
  readonly start: number;
}

const { url, ports, start } = JSON.parse(process.argv[2] ?? '{}') as DispatcherChildOptions;
const database = openDatabase({ url, maxConnections: 6, timeout: 10_000 });
const clock = manualClock(start);
let death: string | null = null;
const dispatcher = new Dispatcher({
  ...dispatcherParts(database, clock, ports),
  report: () => {},
  onStep: (step) => {
    if (step === death) process.kill(process.pid, 'SIGKILL');
  },
});
dispatcher.start();
console.log('ready');
const alive = setInterval(() => {}, 60_000);
for await (const line of createInterface({ input: process.stdin })) {
  const [command, value = ''] = line.split(' ');
  if (command === 'advance') clock.advance(Number(value));
  if (command === 'die') {
    death = value;
    console.log(`dies at ${death}`);
  }
}
await dispatcher.stop();
await database.close();
clearInterval(alive);

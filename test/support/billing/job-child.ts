// Process that runs the job behind the inbox, over a payment service that is a table; once told a step, it dies when it reaches it.

import { createInterface } from 'node:readline';
import { ProviderUnavailable } from '../../../src/access/tiers/provider.ts';
import { startEventJob } from '../../../src/billing/event-job.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { tablePayments } from './table-payments.ts';

/** Options of the child, as JSON in its first argument. */
export interface JobChildOptions {
  readonly url: string;
}

const { url } = JSON.parse(process.argv[2] ?? '{}') as JobChildOptions;
const database = openDatabase({ url, maxConnections: 4, timeout: 10_000 });
const payments = tablePayments(database);
let death: string | null = null;
const job = startEventJob({
  database,
  source: payments.source,
  random: () => 0,
  report: () => {},
  countEvent: () => {},
  onStep: (step) => {
    if (step === death) process.kill(process.pid, 'SIGKILL');
  },
});
console.log('ready');
const alive = setInterval(() => {}, 60_000);
for await (const line of createInterface({ input: process.stdin })) {
  const [command, value = ''] = line.split(' ');
  if (command === 'die') {
    death = value;
    console.log(`dies at ${death}`);
  }
  if (command === 'ask') console.log(await ask(value));
}
await job.stop();
await payments.close();
await database.close();
clearInterval(alive);

/** What this process would say of a subscription now. */
async function ask(reference: string): Promise<string> {
  const { signal } = new AbortController();
  try {
    const { age, ...status } = { age: 0, ...(await payments.mirror.refresh(reference, { signal })) };
    return JSON.stringify(status);
  } catch (error) {
    if (error instanceof ProviderUnavailable) return 'unavailable';
    throw error;
  }
}

// Process that uses keys bought at Stripe; told a key, it says what that gives.

import { createInterface } from 'node:readline';
import { openDatabase } from '../../../../src/postgres/client/database.ts';
import { manualClock } from '../../service/clock.ts';
import type { StripeServer } from './stripe-server.ts';
import { stripeService } from './stripe-service.ts';

export interface StripeChildOptions {
  readonly databaseUrl: string;
  readonly server: Pick<StripeServer, 'url' | 'secretKey'>;
}

const { databaseUrl, server } = JSON.parse(process.argv[2] ?? '{}') as StripeChildOptions;
const database = openDatabase({ url: databaseUrl, maxConnections: 3, timeout: 20_000 });
const endings: (() => Promise<void>)[] = [];
const { service, ask } = stripeService(
  { after: (end) => void endings.push(end) },
  { server, database, clock: manualClock() },
);
const { signal } = new AbortController();
console.log('ready');
for await (const key of createInterface({ input: process.stdin })) {
  const found = await ask(() => service.findKey(key, signal));
  console.log(found?.status.state === 'active' ? found.reference : JSON.stringify(found));
}
for (const end of endings) await end();
await database.close();

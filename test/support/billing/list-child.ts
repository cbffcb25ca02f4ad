// Process that makes lists of subscriptions, of a payment service that is a table of another database's, by pages that a test lets through.

import { setTimeout as pause } from 'node:timers/promises';
import { CALL_LIMITS } from '../../../src/billing/call-budget.ts';
import { Mirror } from '../../../src/billing/mirror.ts';
import { startSubscriptionList } from '../../../src/billing/subscription-list.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { takeLease } from '../../../src/postgres/leases/held-lease.ts';
import { type LeaseTimes, WorkTaken } from '../../../src/postgres/leases/work-lease.ts';
import { memoryService } from './memory-service.ts';
import { type PaidSubscription, paidStatus } from './table-payments.ts';

/** Options of the child, as JSON in its first argument. */
export interface ListChildOptions {
  /** Of the service's database, and of the payment service's, which is always in reach. */
  readonly url: string;
  readonly serviceUrl: string;
  /** Subscriptions of a page. */
  readonly page: number;
  readonly lease: LeaseTimes;
}

const { url, serviceUrl, page, lease } = JSON.parse(process.argv[2] ?? '{}') as ListChildOptions;
const database = openDatabase({ url, maxConnections: 4 });
const there = openDatabase({ url: serviceUrl, maxConnections: 2, timeout: 20_000 });
const service = memoryService('polar');
service.listAll = async (onPage, signal) => {
  for (let at = 0; ; at += page) {
    signal.throwIfAborted();
    const rows = await there.read(
      (sql) => sql<PaidSubscription[]>`select * from paid order by reference limit ${page} offset ${at}`,
    );
    if (rows.length === 0) return;
    console.log(`page ${at / page}`);
    while (!(await mayPass(at / page))) await pause(20);
    try {
      await onPage(rows.map((row) => ({ reference: row.reference, keyHash: null, status: paidStatus(row) })));
    } catch (error) {
      console.log(error instanceof WorkTaken ? 'refused' : 'failed');
      throw error;
    }
  }
};
const mirror = new Mirror({ database, clock: systemClock, service, endGrants: async () => {} });
startSubscriptionList({
  mirror,
  service,
  limits: CALL_LIMITS.polar,
  clock: systemClock,
  takeLease: () => takeLease(database, 'subscriptions of polar', lease),
  report: () => {},
  onList: () => console.log('listed'),
});
console.log('ready');
setInterval(() => {}, 60_000);

/** Whether the test lets this page through already. */
async function mayPass(number: number): Promise<boolean> {
  const [row] = await there.read((sql) => sql<{ pages: number }[]>`select pages from page_gate`);
  return number < (row?.pages ?? 0);
}

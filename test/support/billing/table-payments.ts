// Payment service that is a table of the test's database, so that several processes ask the same one: slow, and it fails now and then.

import { setTimeout as pause } from 'node:timers/promises';
import { ProviderUnavailable, type SubscriptionStatus } from '../../../src/access/tiers/provider.ts';
import type { Plan } from '../../../src/access/tiers/tiers.ts';
import type { PaymentSource } from '../../../src/billing/event-job.ts';
import { Mirror } from '../../../src/billing/mirror.ts';
import type { PaymentService, ProviderSubscription } from '../../../src/billing/payment-service.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Database } from '../../../src/postgres/client/database.ts';

/** A subscription at the service; `gone`: it knows it no more. */
export interface PaidSubscription {
  readonly reference: string;
  readonly customer: string;
  readonly state: 'active' | 'expired' | 'gone';
  readonly tier: Plan;
}

/** Milliseconds that an answer takes at most, and the share of questions without one. */
const LONGEST = 8;
const FAILING = 0.15;

export async function createPaymentTable(database: Database): Promise<void> {
  await database.write((sql) =>
    sql.unsafe('create table paid (reference text primary key, customer text, state text, tier text)'),
  );
}

export async function setPaid(
  database: Database,
  { reference, customer, state, tier }: PaidSubscription,
): Promise<void> {
  await database.write(
    (sql) => sql`
      insert into paid values (${reference}, ${customer}, ${state}, ${tier})
      on conflict (reference) do update set state = excluded.state, tier = excluded.tier`,
  );
}

/** What the service says of a subscription. */
export function paidStatus({ reference, customer, state, tier }: PaidSubscription): SubscriptionStatus {
  if (state === 'active') return { state, subscription: reference, customer, tier, endsAt: null };
  return state === 'expired' ? { state } : { state: 'unknown' };
}

/** The service as one process asks it, with the mirror that all processes share. */
export function tablePayments(database: Database) {
  const ask = async (column: 'reference' | 'customer', value: string) => {
    const rows = await database.read(
      (sql) => sql<PaidSubscription[]>`select * from paid where ${sql(column)} = ${value} order by reference`,
    );
    // What it says is as old as that.
    await pause(Math.random() * LONGEST);
    if (Math.random() < FAILING) throw new ProviderUnavailable(new Error('fails now and then'));
    return rows.filter(({ state }) => state !== 'gone');
  };
  const nothing = () => Promise.reject(new ProviderUnavailable(new Error('not asked here')));
  const service: PaymentService = {
    name: 'polar',
    findKey: nothing,
    async find(reference): Promise<ProviderSubscription | null> {
      const [row] = await ask('reference', reference);
      return row === undefined ? null : { reference, keyHash: null, status: paidStatus(row) };
    },
    async listAll() {},
    listPlans: nothing,
    createCheckout: nothing,
    findCheckout: nothing,
    async resolveSubject(subject) {
      const [, kind, id = ''] = /^(\w+):(.*)$/.exec(subject) ?? [];
      return kind === 'customer' ? (await ask('customer', id)).map(({ reference }) => reference) : [id];
    },
  };
  const mirror = new Mirror({ database, clock: systemClock, service, endGrants: async () => {} });
  const source: PaymentSource = {
    name: service.name,
    resolveSubject: service.resolveSubject,
    renew: (reference) => mirror.renew(reference),
  };
  return { source, mirror, close: () => mirror.close() };
}

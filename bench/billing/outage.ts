// What an outage of the payment service costs requests whose keys are known: latency with a Stripe that answers, and one that is silent.

import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { SUBSCRIPTIONS_CHANNEL } from '../../src/access/providers/subscription-store.ts';
import { type StripeServer, startStripeServer } from '../../test/support/billing/stripe/stripe-server.ts';
import { median, percentile } from '../statistics.ts';
import { type Arm, startService, type Testbed } from '../testbed.ts';
import type { Row } from '../throughput.ts';

const KEYS = 200;
const ROUNDS = 7;
/** Milliseconds of a round. */
const ROUND = 3_000;
/** Requests under way: few, so that it is latency that is measured. */
const CALLERS = 4;
/** Milliseconds: from this age on a row is renewed, while it still counts. */
const OLD = 500_000;

/** Every row is old, so that each request also begins a question to the payment service. */
export async function knownKeysInOutage(testbed: Testbed): Promise<Row[]> {
  const endings: (() => unknown)[] = [];
  const stripe = await startStripeServer({ after: (end) => void endings.push(end) }, { faults: false });
  const arm = await startService(
    testbed,
    'outage',
    { pro: { minute: 5_000_000, month: 1_000_000_000 } },
    {
      SUBSCRIPTIONS: 'stripe',
      STRIPE_API_URL: stripe.url,
      STRIPE_SECRET_KEY: stripe.secretKey,
      STRIPE_WEBHOOK_SECRET: stripe.webhookSecret,
    },
  );
  const path = `/v1/property/${testbed.ids[0]}`;
  const keys = await subscribe(testbed, stripe);
  for (const key of keys) await firstUse(arm, path, key);
  const rounds = { answering: [] as number[][], silent: [] as number[][] };
  for (let round = 0; round < ROUNDS * 2; round++) {
    const name = [0, 3].includes(round % 4) ? 'answering' : 'silent';
    stripe.intercept = name === 'silent' ? () => true : null;
    await makeOld(testbed);
    rounds[name].push(await latencies(arm, path, keys));
  }
  await arm.stop();
  for (const end of endings) await end();
  return [0.5, 0.99].map((share) => {
    const [answering, silent] = [rounds.answering, rounds.silent].map((all) =>
      all.map((times) => percentile(times, share)),
    );
    const ratios = (silent ?? []).map((time, at) => time / (answering?.[at] ?? Number.NaN));
    const both = [silent, answering].map((all) => `${median(all ?? []).toFixed(2)} ms`).join(' and ');
    return {
      name: `outage: ${KEYS} known keys while the payment service is silent / answers, p${share * 100}`,
      figure: `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}): ${both}`,
      floor: '',
      met: true,
    };
  });
}

/** Subscriptions with a key each, as if they had been bought. */
async function subscribe({ database }: Testbed, { account }: StripeServer): Promise<readonly string[]> {
  const price = account.addPlan('pro');
  const keys = Array.from({ length: KEYS }, () => `SERVICE-${randomUUID()}`.toUpperCase());
  for (const key of keys) {
    const { id } = account.subscribe({ prices: [price] });
    const hash = createHash('sha256').update(key).digest();
    await database.write(
      (sql) => sql`
        insert into issued_key (id, provider, key_hash, key_hint, state, subscription, created_at, activated_at)
        values (${`key_${randomBytes(12).toString('hex')}`}, 'stripe', ${hash}, ${key.slice(-4)}, 'active', ${id}, now(), now())`,
    );
  }
  return keys;
}

/** Ages what is known, and lets the service forget it: each key then serves from an old row, which is renewed. */
async function makeOld({ database }: Testbed): Promise<void> {
  await database.write(async (sql) => {
    await sql`update provider_subscription set checked_at = clock_timestamp() - ${OLD} * interval '1 millisecond'`;
    await sql`select pg_notify(${SUBSCRIPTIONS_CHANNEL}, reference) from provider_subscription`;
  });
}

async function latencies(arm: Arm, path: string, keys: readonly string[]): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + ROUND;
  let next = 0;
  const call = async (): Promise<void> => {
    while (performance.now() < end) {
      const begun = performance.now();
      await get(arm, path, keys[next++ % keys.length] ?? '');
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, call));
  return times;
}

/** Keys that were never seen wait for the budget of calls. */
async function firstUse(arm: Arm, path: string, key: string): Promise<void> {
  while ((await statusOf(arm, path, key)) === 503) await new Promise((resolve) => setTimeout(resolve, 200));
}

async function get(arm: Arm, path: string, key: string): Promise<void> {
  const status = await statusOf(arm, path, key);
  if (status !== 200) throw new Error(`${path} answered ${status}`);
}

async function statusOf({ url }: Arm, path: string, key: string): Promise<number> {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
}

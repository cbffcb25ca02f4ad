// Long runs of three services that count limits together, over faults of the network and of the server that counts.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Plan, TIERS } from '../../../src/access/tiers/tiers.ts';
import { until } from '../../support/check/until.ts';
import { testDatabase } from '../../support/database/database.ts';
import {
  type CountingService,
  newKey,
  startCountingService,
  untilShared,
} from '../../support/limits/counting-services.ts';
import { startRedis, withoutRedis } from '../../support/limits/redis-server.ts';
import { type FaultProxy, startFaultProxy } from '../../support/network/fault-proxy.ts';

const skip = withoutRedis;
/** Of each: most want little, or two cores would be busy with callers. */
const NUMBERS: Readonly<Record<string, number>> = { free: 30, pro: 9, business: 1 };
const LENGTH = 130_000;
const CALL_LIMIT = 20;

const PLANS = Object.entries(NUMBERS).flatMap(([plan, count]) => Array<Plan>(count).fill(plan as Plan));

interface Account {
  readonly key: string;
  readonly quota: number;
  /** Times at which an answer had come to an admitted request, in milliseconds, and before it was sent. */
  readonly admitted: { readonly sentAt: number; readonly answeredAt: number }[];
}

/** Three services, each behind a stretch of network of its own to the server. */
async function setUp(t: TestContext) {
  const database = await testDatabase(t);
  const redis = await startRedis(t);
  const services: CountingService[] = [];
  const links: FaultProxy[] = [];
  for (let count = 0; count < 3; count++) {
    const link = await startFaultProxy(t, { host: '127.0.0.1', port: redis.port });
    links.push(link);
    const url = `redis://127.0.0.1:${link.port}`;
    services.push(await startCountingService(t, database, url, CALL_LIMIT));
  }
  await untilShared(services);
  const accounts = await Promise.all(
    PLANS.map(async (plan): Promise<Account> => {
      return { key: await newKey(database, plan), quota: TIERS[plan].minute ?? 0, admitted: [] };
    }),
  );
  return { redis, services, links, accounts };
}

/** Callers who want half more than they may, each at any service, until the time is over. Gives how long answers took. */
async function load(services: readonly CountingService[], accounts: readonly Account[], length: number) {
  const times: { readonly at: number; readonly took: number }[] = [];
  const startedAt = performance.now();
  await Promise.all(
    accounts.map(async ({ key, quota, admitted }) => {
      const every = 60_000 / (quota * 1.5);
      for (let at = Math.random() * every; at < length; at += every) {
        const early = startedAt + at - performance.now();
        if (early > 0) await pause(early);
        const service = services[Math.floor(Math.random() * services.length)];
        const sentAt = performance.now();
        const answer = await service?.get('/v1/open', key);
        const answeredAt = performance.now();
        times.push({ at: sentAt - startedAt, took: answeredAt - sentAt });
        assert.ok(answer?.status === 200 || answer?.status === 429, `status ${answer?.status}`);
        if (answer.status === 200) admitted.push({ sentAt, answeredAt });
      }
    }),
  );
  return times;
}

/** The most that any 60 seconds certainly hold: from the sending of the first request to the answer of the last one. */
function mostInAMinute({ admitted }: Account): number {
  let [most, first] = [0, 0];
  for (const [last, { answeredAt }] of admitted.entries()) {
    while ((admitted[first]?.sentAt ?? 0) <= answeredAt - 60_000) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(share * (values.length - 1))] ?? 0;

test('forty accounts at any of three services: never over q in any window, and nearly all of it', {
  skip,
}, async (t) => {
  const { services, accounts } = await setUp(t);
  const times = await load(services, accounts, LENGTH);
  const shares = accounts.map((account) => mostInAMinute(account) / account.quota);
  const took = times.map((each) => each.took);
  t.diagnostic(
    `${times.length} requests; of its quota an account got at most ${Math.max(...shares).toFixed(3)}, at least ${Math.min(...shares).toFixed(3)}; ` +
      `answers: median ${percentile(took, 0.5).toFixed(1)} ms, p99 ${percentile(took, 0.99).toFixed(1)} ms; losses: ${(services[0]?.status().epoch ?? 1) - 1}`,
  );
  const hasLost = services.some(({ told }) => told.some(({ mode }) => mode === 'divided'));
  if (hasLost) t.diagnostic('calls took more than 20 ms: twice the quota is allowed around that');
  assert.ok(Math.max(...shares) <= (hasLost ? 2 : 1));
  assert.ok(Math.min(...shares) >= 0.97);
});

const FAULTS: Readonly<
  Record<string, (parts: Awaited<ReturnType<typeof setUp>>) => Promise<() => Promise<void> | void>>
> = {
  killed: async ({ redis }) => {
    await redis.kill();
    return () => redis.start();
  },
  'black-holed for one service': async ({ links }) => {
    links[0]?.set('blackhole');
    return () => links[0]?.set('pass');
  },
  'black-holed for all': async ({ links }) => {
    for (const link of links) link.set('blackhole');
    return () => {
      for (const link of links) link.set('pass');
    };
  },
  flushed: async ({ redis }) => {
    await redis.command('flushall');
    return () => {};
  },
};

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`the server is ${name}: at most 2q around it, q otherwise, and it decides again`, {
    skip,
  }, async (t) => {
    const parts = await setUp(t);
    const { services, accounts } = parts;
    const loading = load(services, accounts, 100_000);
    await pause(20_000);
    const repair = await fault(parts);
    await pause(20_000);
    await repair();
    const repairedAt = performance.now();
    await untilShared(services);
    const recovered = performance.now() - repairedAt;
    const times = await loading;
    const during = times.filter(({ at }) => at > 20_000 && at < 40_000).map(({ took }) => took);
    const before = times.filter(({ at }) => at < 20_000).map(({ took }) => took);
    const shares = accounts.map((account) => mostInAMinute(account) / account.quota);
    t.diagnostic(
      `at most ${Math.max(...shares).toFixed(2)} of a quota; p99 ${percentile(before, 0.99).toFixed(1)} ms before, ${percentile(during, 0.99).toFixed(1)} ms meanwhile; decides again after ${(recovered / 1_000).toFixed(1)} s`,
    );
    assert.ok(Math.max(...shares) <= 2);
    await until('the end of the loss is reported', () =>
      services.every(({ told }) => told.at(-1)?.mode === 'shared'),
    );
  });
}

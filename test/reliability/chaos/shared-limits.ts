// Long runs of three services in processes of their own that count limits together, over faults of the network and of the server.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Plan, TIERS } from '../../../src/access/tiers/tiers.ts';
import { testDatabase } from '../../support/database/database.ts';
import {
  type CountingProcess,
  type CountingReport,
  startCountingProcesses,
  startRelay,
  untilCountedTogether,
} from '../../support/limits/counting-processes.ts';
import { newKey } from '../../support/limits/counting-services.ts';
import { type Admission, findLosses, mostInAMinute, mostOutside } from '../../support/limits/minutes.ts';
import { type RedisServer, startRedis, withoutRedis } from '../../support/limits/redis-server.ts';

const skip = withoutRedis;
/** Of each: most want little, or two cores would be busy with callers. */
const NUMBERS: Readonly<Record<string, number>> = { free: 30, pro: 9, business: 1 };
/** Milliseconds: two whole minutes; and with a fault, a minute and what comes before and after it. */
const LENGTH = 124_000;
const [FAULT_AT, REPAIR_AT, FAULT_LENGTH] = [15_000, 30_000, 85_000];
const CALL_LIMIT = 20;
/** How much longer answers may take, in milliseconds, while the server is away. */
const MAX_DELAY = 25;

const PLANS = Object.entries(NUMBERS).flatMap(([plan, count]) => Array<Plan>(count).fill(plan as Plan));

interface Account {
  readonly key: string;
  readonly quota: number;
  readonly admitted: Admission[];
}

interface Answer {
  /** Milliseconds since the load began, and until the answer had come. */
  readonly at: number;
  readonly took: number;
}

const now = (): number => performance.timeOrigin + performance.now();

/** Three services; the first with a stretch of network of its own, where that is wanted. */
async function setUp(t: TestContext, hasRelay = false) {
  const database = await testDatabase(t);
  const redis = await startRedis(t);
  const relay = hasRelay ? await startRelay(t, redis.port) : null;
  const first = relay === null ? redis.url : `redis://127.0.0.1:${relay.port}`;
  const services = await startCountingProcesses(t, database, [first, redis.url, redis.url], CALL_LIMIT);
  const accounts = await Promise.all(
    PLANS.map(async (plan): Promise<Account> => {
      return { key: await newKey(database, plan), quota: TIERS[plan].minute ?? 0, admitted: [] };
    }),
  );
  return { redis, relay, services, accounts };
}

/** Callers who want half more than they may, each at any service, until the time is over. Gives how long answers took. */
async function load(services: readonly CountingProcess[], accounts: readonly Account[], length: number) {
  const answers: Answer[] = [];
  const startedAt = now();
  const call = async ({ key, admitted }: Account): Promise<void> => {
    const service = services[Math.floor(Math.random() * services.length)];
    const sentAt = now();
    const url = `http://127.0.0.1:${service?.port}/v1/open`;
    const answer = await fetch(url, { headers: { authorization: key } });
    await answer.arrayBuffer();
    const answeredAt = now();
    answers.push({ at: sentAt - startedAt, took: answeredAt - sentAt });
    assert.ok(answer.status === 200 || answer.status === 429, `status ${answer.status}`);
    if (answer.status === 200) admitted.push({ sentAt, answeredAt });
  };
  await Promise.all(
    accounts.map(async (account) => {
      const every = 60_000 / (account.quota * 1.5);
      for (let at = Math.random() * every; at < length; at += every) {
        const early = startedAt + at - now();
        if (early > 0) await pause(early);
        await call(account);
      }
    }),
  );
  return answers;
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(share * (values.length - 1))] ?? 0;

const timesIn = (answers: readonly Answer[], from: number, to: number): string => {
  const took = answers.filter(({ at }) => at >= from && at < to).map((each) => each.took);
  return `median ${percentile(took, 0.5).toFixed(1)} ms, p99 ${percentile(took, 0.99).toFixed(1)} ms`;
};

const slowCalls = (reports: readonly CountingReport[]): number =>
  reports.reduce((sum, { status }) => sum + status.slowCalls, 0);

test('forty accounts at any of three services: never over q in any window, and nearly all of it', {
  skip,
}, async (t) => {
  const { services, accounts } = await setUp(t);
  const answers = await load(services, accounts, LENGTH);
  const reports = await Promise.all(services.map((each) => each.report()));
  const losses = findLosses(reports.map(({ told }) => told));
  const most = accounts.map((account) => mostInAMinute(account.admitted) / account.quota);
  const inTwo = accounts.map((account) => account.admitted.length / (2 * account.quota));
  t.diagnostic(
    `${answers.length} requests; of its quota an account got in its fullest minute ${Math.min(...most).toFixed(3)} to ${Math.max(...most).toFixed(3)}, ` +
      `in two minutes at least ${Math.min(...inTwo).toFixed(3)} of two; ${timesIn(answers, 0, LENGTH)}; losses: ${losses.length}; slow calls: ${slowCalls(reports)}`,
  );
  assert.deepEqual(losses, [], 'the run is quiet');
  assert.ok(Math.max(...most) <= 1);
  assert.ok(Math.min(...most) >= 0.97 && Math.min(...inTwo) >= 0.97);
});

type Fault = (
  parts: Awaited<ReturnType<typeof setUp>>,
  t: TestContext,
) => Promise<() => Promise<void> | void>;

const FAULTS: Readonly<Record<string, Fault>> = {
  'killed and started again': async ({ redis }) => {
    await redis.kill();
    return () => redis.start();
  },
  'black-holed for one service': async ({ relay }) => {
    relay?.signal('SIGSTOP');
    return () => relay?.signal('SIGCONT');
  },
  'black-holed for all': async ({ redis }) => {
    redis.pause();
    return () => redis.resume();
  },
  flushed: async ({ redis }) => {
    await redis.command('flushall');
    return () => {};
  },
  'failed over to a replica': async ({ redis }, t) => {
    const replica = await startReplica(t, redis);
    await redis.kill();
    await replica.command('replicaof', 'no', 'one');
    // As an address that moves to the new primary.
    return async () => void (await replica.command('config', 'set', 'port', String(redis.port)));
  },
};

async function startReplica(t: TestContext, redis: RedisServer): Promise<RedisServer> {
  const replica = await startRedis(t, '--replicaof', '127.0.0.1', String(redis.port));
  for (let tries = 0; !(await replica.command('info', 'replication')).includes('link_status:up'); tries++) {
    assert.ok(tries < 100, 'the replica follows');
    await pause(100);
  }
  return replica;
}

for (const [name, fault] of Object.entries(FAULTS)) {
  test(`the server is ${name}: at most 2q around it, q otherwise, and it decides again`, {
    skip,
  }, async (t) => {
    const parts = await setUp(t, name.includes('for one'));
    const { services, accounts } = parts;
    const loading = load(services, accounts, FAULT_LENGTH);
    await pause(FAULT_AT);
    const faultAt = now();
    const repair = await fault(parts, t);
    await pause(REPAIR_AT - FAULT_AT);
    await repair();
    const repairedAt = now();
    await untilCountedTogether(services, 2);
    const recovered = now() - repairedAt;
    const answers = await loading;
    const reports = await untilCountedTogether(services, 2);
    const losses = findLosses(
      reports.map(({ told }) => told),
      faultAt,
    );
    const most = accounts.map((account) => mostInAMinute(account.admitted) / account.quota);
    const others = accounts.map((account) => mostOutside(account.admitted, losses) / account.quota);
    const [before, during] = [timesIn(answers, 0, FAULT_AT), timesIn(answers, FAULT_AT, REPAIR_AT)];
    t.diagnostic(
      `${answers.length} requests; of a quota at most ${Math.max(...most).toFixed(3)} in a minute with a loss, ${Math.max(...others).toFixed(3)} in any other; losses: ${losses.length}, ` +
        `known to all within ${losses.map(({ from, to }) => `${Math.round(to - from)} ms`).join(', ')}; before: ${before}; meanwhile: ${during}; counted together ${(recovered / 1_000).toFixed(1)} s after the repair; slow calls: ${slowCalls(reports)}`,
    );
    assert.ok(losses.length > 0);
    assert.ok(Math.max(...most) <= 2);
    assert.ok(Math.max(...others) <= 1);
    const p99 = (from: number, to: number): number =>
      percentile(
        answers.filter(({ at }) => at >= from && at < to).map(({ took }) => took),
        0.99,
      );
    assert.ok(p99(FAULT_AT, REPAIR_AT) <= p99(0, FAULT_AT) + MAX_DELAY);
    assert.ok(reports.every(({ told }) => told.at(-1)?.mode === 'shared'));
  });
}

// Proof that many keys stay within the calls of a payment service through several lists and after a stop, and that no answer is wrong.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CALL_LIMITS, createCallBudget, type Urgency } from '../../src/billing/call-budget.ts';
import { startSubscriptionList } from '../../src/billing/subscription-list.ts';
import { takeLease } from '../../src/postgres/leases/held-lease.ts';
import { memoryService } from '../support/billing/memory-service.ts';
import { mirrorWorld } from '../support/billing/mirror-world.ts';
import { busiest } from '../support/check/busiest.ts';
import { createRandom } from '../support/check/random.ts';
import { atEnd, type Closing, testDatabase } from '../support/database/database.ts';

const KEYS = 20_000;
/** Milliseconds for which a row counts. */
const BELIEVED = 600_000;
/** Milliseconds that are tried once every key is known: two more lists begin in them. */
const TRIED = 900_000;
/** Keys of a service that was stopped for an hour. */
const STOPPED = 5_000;
/** Keys that are used in any second, in force and ended. */
const USED = 10;

// Calls for a hundred subscriptions of a list and for one question, as the adapters need them.
for (const { name, perPage, perQuestion, stretch, below } of [
  { name: 'polar', perPage: 3, perQuestion: 3, stretch: 60_000, below: 500 },
  { name: 'stripe', perPage: 1, perQuestion: 2, stretch: 1_000, below: 15 },
] as const) {
  /** Subscriptions at the service, behind a budget of calls that two processes share. */
  async function setUp(t: Closing, count: number) {
    const { database } = await testDatabase(t);
    const service = memoryService(name);
    const world = await mirrorWorld(t, { database, service });
    const budgets = [1, 2].map(() =>
      createCallBudget({ database: world.database, clock: world.clock, service: name }),
    );
    const sentAt: number[] = [];
    const failures: unknown[] = [];
    const state = { lists: 0 };
    async function call(count: number, urgency: Urgency, signal: AbortSignal): Promise<void> {
      for (let each = 0; each < count; each++) {
        await budgets[sentAt.length % 2]?.reserve(urgency, signal);
        sentAt.push(world.passed);
      }
    }
    const { find, findKey, listAll } = service;
    service.find = async (reference, signal) => {
      await call(perQuestion, 'known', signal);
      return find(reference, signal);
    };
    service.findKey = async (key, signal) => {
      await call(1, 'unknown', signal);
      return findKey(key, signal);
    };
    service.listAll = (onPage, signal) =>
      listAll(async (page) => {
        await call(perPage, 'background', signal);
        await onPage(page);
      }, signal);
    const keys = Array.from({ length: count }, () => service.subscribe('pro'));
    function startProcesses(): readonly (() => Promise<void>)[] {
      return [0, 1].map((number) => {
        const { mirror } = world.start(number);
        const list = startSubscriptionList({
          mirror,
          service,
          limits: CALL_LIMITS[name],
          clock: world.clock,
          // By the clocks of this world, as its database counts.
          takeLease: () => takeLease({ ...world.database, clock: world.clock }, `subscriptions of ${name}`),
          report: (error) => failures.push(error),
          onList: () => state.lists++,
        });
        atEnd(t, () => list.stop());
        return () => list.stop();
      });
    }
    return { service, world, sentAt, failures, state, keys, startProcesses };
  }

  test(`20,000 active keys at ${name} stay below ${below} calls in any ${stretch / 1_000} s over two instances, and no answer is wrong`, async (t) => {
    const { service, world, sentAt, failures, state, keys, startProcesses } = await setUp(t, KEYS);
    startProcesses();
    await world.settle();
    while (state.lists === 0) await world.pass(1_000);

    const random = createRandom(20);
    /** Keys that ended at the service, and when. */
    const ended = new Map<(typeof keys)[number], number>();
    const uses: Promise<void>[] = [];
    const said = new Map<string, number>();
    let late = 0;

    async function use(used: (typeof keys)[number]): Promise<void> {
      const age = world.passed - (ended.get(used) ?? Number.POSITIVE_INFINITY);
      const answer = (await random.pick(world.processes).use(used.key)) ?? '';
      if (age > BELIEVED) late++;
      const isRight = age > BELIEVED ? answer !== 'in' : age >= 0 || answer === 'in';
      const what =
        isRight && (answer === 'in' || answer === 'EXPIRED_API_KEY') ? answer : `${answer} at ${age}`;
      said.set(what, (said.get(what) ?? 0) + 1);
    }

    const until = world.passed + TRIED;
    for (let second = 0; world.passed < until; second++) {
      if (second % 2 === 0) {
        const subscription = random.pick(keys);
        if (!ended.has(subscription)) ended.set(subscription, world.passed);
        service.change(subscription.reference, { state: 'expired' });
      }
      // Those that ended are used again and again.
      const old = [...ended.keys()];
      for (let each = 0; each < USED; each++) uses.push(use(random.pick(each % 2 === 0 ? keys : old)));
      // Now and then all of them in the same instant: more than there are calls for.
      if (second % 100 === 99) uses.push(...old.map(use));
      // Calls wait for a place of the budget: time must pass for them.
      for (let part = 0; part < 3; part++) await world.pass(part === 2 ? 400 : 300);
    }
    for (let second = 0; second < 10; second++) await world.pass(1_000);
    await Promise.all(uses);
    assert.deepEqual([...said.keys()].toSorted(), ['EXPIRED_API_KEY', 'in']);
    assert.deepEqual(failures, []);
    assert.ok(state.lists >= 3, `${state.lists} lists`);
    assert.ok(late > 100, `${late} uses of what ended long ago`);
    const most = busiest(sentAt, stretch);
    assert.ok(most < below, `${most} calls`);
  });

  test(`a service in front of ${name} that was stopped for an hour with 5,000 keys lets each in, or lets it wait`, async (t) => {
    const { world, keys, state, startProcesses } = await setUp(t, STOPPED);
    const stops = startProcesses();
    while (state.lists === 0) await world.pass(1_000);
    for (const stop of stops) await stop();
    await world.pass(3_600_000);
    startProcesses();
    const random = createRandom(5);
    const said = { first: new Set<string>(), later: new Set<string>() };
    const uses: Promise<unknown>[] = [];
    for (let second = 0; second < 90; second++) {
      const answers = second < 60 ? said.first : said.later;
      for (let each = 0; each < 100; each++) {
        const { key } = keys[(second * 100 + each) % keys.length] ?? random.pick(keys);
        uses.push(
          random
            .pick(world.processes)
            .use(key)
            .then((answer) => answers.add(answer)),
        );
      }
      for (let part = 0; part < 3; part++) await world.pass(part === 2 ? 400 : 300);
    }
    for (let second = 0; second < 10; second++) await world.pass(1_000);
    await Promise.all(uses);
    said.first.delete('SUBSCRIPTIONS_UNAVAILABLE');
    assert.deepEqual([[...said.first], [...said.later]], [['in'], ['in']]);
  });
}

// Proof that lists keep every row young, by one process at a time, and refuse nobody that they miss.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ProviderUnavailable } from '../../src/access/tiers/provider.ts';
import { CALL_LIMITS } from '../../src/billing/call-budget.ts';
import { Mirror } from '../../src/billing/mirror.ts';
import { maxListed, startSubscriptionList } from '../../src/billing/subscription-list.ts';
import { takeLease } from '../../src/postgres/leases/held-lease.ts';
import { active, type MemoryService, memoryService } from '../support/billing/memory-service.ts';
import { hearChanges } from '../support/billing/mirror-processes.ts';
import { until } from '../support/check/until.ts';
import { atEnd, type Closing, testDatabase } from '../support/database/database.ts';
import { type ManualClock, manualClock } from '../support/service/clock.ts';

const { database } = await testDatabase({ after });

interface Passing {
  readonly clock: ManualClock;
  readonly mirror: Mirror;
  /** Milliseconds of the lists that were complete. */
  readonly finished: number[];
  readonly reported: unknown[];
  /** How often it tried to get the right to make the lists. */
  readonly tries: { readonly count: number };
  /** Moves the clock in small steps, and lets what falls due happen. */
  pass(milliseconds: number): Promise<void>;
}

function start(t: Closing, service: MemoryService): Passing {
  const clock = manualClock();
  const mirror = new Mirror({ database, clock, service, endGrants: async () => {} });
  const [finished, reported]: [number[], unknown[]] = [[], []];
  const tries = { count: 0 };
  const list = startSubscriptionList({
    mirror,
    service,
    limits: CALL_LIMITS[service.name],
    clock,
    takeLease: () => {
      tries.count += 1;
      return takeLease(database, `subscriptions of ${service.name}`);
    },
    report: (error) => reported.push(error),
    onList: (milliseconds) => finished.push(milliseconds),
  });
  atEnd(t, () => list.stop());
  return {
    clock,
    mirror,
    finished,
    reported,
    tries,
    async pass(milliseconds) {
      // Between two rounds the next one waits, and while a list is made its deadline.
      const isIdle = () => (clock.waiting === 1 && clock.nextIn <= 2_000) || service.waiting.length > 0;
      for (let passed = 0; passed < milliseconds; passed += 10_000) {
        await until('a round is over', isIdle);
        if (service.waiting.length > 0) return;
        clock.advance(10_000);
        await until('a round is over', isIdle);
      }
    },
  };
}

/** Subscriptions, a few pages of them. */
const SOME = 250;

/** A service with so many subscriptions. */
function crowd(count: number, name: 'polar' | 'stripe' = 'polar'): MemoryService {
  const service = memoryService(name);
  for (let each = 0; each < count; each++) service.subscribe('pro');
  return service;
}

const lists = ({ questions }: MemoryService) => questions.filter((each) => each === 'all').length;

test('lists follow each other so that no row grows as old as 480 s, and come no more often than they must', async (t) => {
  const service = crowd(SOME);
  const { pass, finished, mirror } = start(t, service);
  await until('a list is complete', () => finished.length === 1);
  assert.equal((await mirror.count()).active, SOME);
  await pass(410_000);
  assert.equal(lists(service), 1);
  await pass(20_000);
  await until('the next list is complete', () => finished.length === 2);
  await pass(400_000);
  assert.equal(lists(service), 2);
});

test('a list that takes long is followed by the next one at once, and one that takes too long is given up', async (t) => {
  const service = crowd(SOME);
  const { clock, pass, finished, reported } = start(t, service);
  await until('a list is complete', () => finished.length === 1);
  service.mode = 'wait';
  await pass(430_000);
  await until('the second list has begun', () => service.waiting.length === 1);
  clock.advance(270_000);
  service.waiting.shift()?.answer();
  await until('it is complete', () => finished.length === 2);
  assert.equal(finished[1], 270_000);
  await pass(20_000);
  await until('the third list has begun', () => service.waiting.length === 1);
  clock.advance(280_000);
  await until('it is given up', () => reported.length === 1);
  assert.match(String(reported[0]), /too long/);
  assert.equal(finished.length, 2);
});

test('of two processes one makes the lists, and the other takes over when it stops', async (t) => {
  const service = crowd(SOME, 'stripe');
  const endings: (() => Promise<void>)[] = [];
  const first = start({ after: (end) => void endings.push(end) }, service);
  await until('a list is complete', () => first.finished.length === 1);
  const second = start(t, service);
  await second.pass(600_000);
  assert.equal(second.finished.length, 0);
  for (const end of endings) await end();
  await second.pass(20_000);
  await until('the other one makes it', () => second.finished.length > 0);
});

test('a list ends once another process has its lease', async (t) => {
  const service = crowd(SOME, 'stripe');
  service.mode = 'wait';
  const { clock, finished, reported, tries } = start(t, service);
  await until('the list has begun', () => service.waiting.length === 1);
  const lease = 'subscriptions of stripe';
  await database.write(
    (sql) => sql`update work_lease set holder = 'another', leased_until = 'infinity' where name = ${lease}`,
  );
  const before = tries.count;
  await until('it ends, and would make the next one', () => {
    clock.advance(10);
    return tries.count > before;
  });
  assert.deepEqual([finished, reported], [[], []]);
  await database.write((sql) => sql`update work_lease set holder = null where name = ${lease}`);
});

test('a list notifies of changes only, leaves what it misses, and overwrites no answer to a later request', async (t) => {
  const service = crowd(SOME);
  const [changed, missed, renewed] = [1, 2, 3].map(() => service.subscribe('pro').reference) as [
    string,
    string,
    string,
  ];
  const { pass, finished, mirror } = start(t, service);
  await until('a list is complete', () => finished.length === 1);
  const heard = await hearChanges(t, database);
  const { listAll } = service;
  service.mode = 'wait';
  service.listAll = (onPage, signal) =>
    listAll((page) => onPage(page.filter(({ reference }) => reference !== missed)), signal);
  await pass(430_000);
  await until('the next list has begun', () => service.waiting.length === 1);
  const later = await mirror.number();
  await mirror.save([{ reference: renewed, keyHash: null, status: active(renewed, 'business') }], later);
  service.change(changed, { state: 'expired' });
  service.waiting.shift()?.answer();
  await until('it is complete', () => finished.length === 2);
  const tierOrState = async (reference: string) => {
    const status = await mirror.refresh(reference, { signal: new AbortController().signal });
    return status.state === 'active' ? status.tier : status.state;
  };
  assert.equal(await tierOrState(changed), 'pro', 'the list was read before');
  assert.equal(await tierOrState(missed), 'pro');
  assert.equal(await tierOrState(renewed), 'business');
  await pass(430_000);
  await until('the third list has begun', () => service.waiting.length === 1);
  service.waiting.shift()?.answer();
  await until('it is complete', () => finished.length === 3);
  assert.equal(await tierOrState(changed), 'expired');
  assert.equal(await tierOrState(renewed), 'pro');
  await until('the changes were notified', () => heard.length >= 3);
  assert.deepEqual([...heard].toSorted(), [renewed, changed, renewed].toSorted());
});

test('a list that fails half-way keeps what it found, is reported, and is made again', async (t) => {
  const service = crowd(SOME);
  const { listAll } = service;
  let failing = true;
  service.listAll = (onPage, signal) =>
    listAll(async (page) => {
      await onPage(page);
      if (failing) throw new ProviderUnavailable(new Error('fails on demand'));
    }, signal);
  await database.write((sql) => sql`delete from provider_subscription`);
  const { pass, finished, reported, mirror } = start(t, service);
  await until('it has failed', () => reported.length === 1);
  assert.equal((await mirror.count()).active, 100);
  await pass(20_000);
  assert.equal(lists(service), 1, 'not at once');
  failing = false;
  await pass(40_000);
  await until('it is made again', () => finished.length === 1);
  assert.equal((await mirror.count()).active, SOME);
});

test('more subscriptions than can be listed in 280 s are not listed', async (t) => {
  assert.deepEqual(
    [
      maxListed(CALL_LIMITS.polar, 3),
      maxListed(CALL_LIMITS.polarSandbox, 3),
      maxListed(CALL_LIMITS.stripe, 1),
    ],
    [32_600, 6_200, 163_100],
  );
  await database.write((sql) => sql`delete from provider_subscription`);
  await database.write(
    (sql) => sql`
      insert into provider_subscription (provider, reference, state, tier, checked_at, question)
      select 'polar', 'many_' || number, 'active', 'pro', now(), 0 from generate_series(1, 32_601) as number`,
  );
  const service = crowd(SOME);
  const { pass } = start(t, service);
  await pass(600_000);
  assert.equal(lists(service), 0);
  await database.write((sql) => sql`delete from provider_subscription`);
});

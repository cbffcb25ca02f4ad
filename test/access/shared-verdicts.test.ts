// Proof that processes share what a payment service says, never for longer than ten minutes, and never an older answer.

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { createSharedVerdicts } from '../../src/access/providers/shared-verdicts.ts';
import { VerdictTable } from '../../src/access/providers/verdict-table.ts';
import { ProviderUnavailable, type SubscriptionStatus } from '../../src/access/tiers/provider.ts';
import { listen } from '../../src/postgres/client/listen.ts';
import { active, type MemoryService, memoryService } from '../support/billing/memory-service.ts';
import { until } from '../support/check/until.ts';
import { atEnd, testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { keyNumber } from '../support/service/stub-provider.ts';

const { database } = await testDatabase({ after });

const { signal } = new AbortController();
/** What a process may understate the age of a row by, which every age allows for. */
const TOLERANCE = 250;

/** So many processes, each with a clock of its own, over one service. */
function setUp(t: TestContext, service: MemoryService = memoryService()) {
  const ended: string[] = [];
  const reported: unknown[] = [];
  const start = () => {
    const clock = manualClock(Date.now());
    const table = new VerdictTable({
      ...{ database, clock, service: service.name },
      endGrants: async (_, reference) => void ended.push(reference),
    });
    const verdicts = createSharedVerdicts({
      ...{ table, clock, service },
      report: (error) => reported.push(error),
    });
    atEnd(t, () => verdicts.close());
    const validate = (key: string, fresh = false) => verdicts.validate(key, { signal, fresh });
    return { clock, table, verdicts, validate };
  };
  return { service, start, ended, reported };
}

/** Makes what is known of a subscription older by milliseconds. */
async function age(reference: string, milliseconds: number): Promise<void> {
  await database.write(
    (
      sql,
    ) => sql`update subscription_verdict set asked_at = subscription_time() - ${milliseconds} * interval '1 ms'
      where reference = ${reference}`,
  );
}

/** How often the table has been read from now on. */
function countReads(table: VerdictTable): { readonly count: number } {
  const reads = { count: 0 };
  const read = table.read.bind(table);
  table.read = async (subject) => {
    const found = await read(subject);
    reads.count++;
    return found;
  };
  return reads;
}

const tierOf = (status: SubscriptionStatus) => (status.state === 'active' ? status.tier : status);

function ageOf(status: SubscriptionStatus): number {
  assert.ok(status.state === 'active', JSON.stringify(status));
  return status.age ?? 0;
}

test('what one process has asked, the others read, with its age', async (t) => {
  const { service, start } = setUp(t);
  const [first, second] = [start(), start()];
  const { key, reference } = service.subscribe('business');
  assert.deepEqual(await first.validate(key), active(reference, 'business'));
  const read = await second.validate(key.toLowerCase());
  assert.equal(tierOf(read), 'business');
  assert.ok(ageOf(read) >= TOLERANCE);
  await age(reference, 470_000);
  const old = ageOf(await second.validate(key));
  assert.ok(old >= 470_000 + TOLERANCE && old < 500_000, String(old));
  assert.equal(tierOf(await second.verdicts.refresh(reference, { signal })), 'business');
  assert.deepEqual(service.questions, [key], 'one question for all of this');
});

test('an active verdict serves for ten minutes, and is asked for again from the eighth one on, waited for by nobody', async (t) => {
  const { service, start } = setUp(t);
  const { validate, verdicts } = start();
  const { key, reference } = service.subscribe('pro');
  await validate(key);
  service.mode = 'wait';
  await age(reference, 479_000);
  await validate(key);
  assert.equal(service.questions.length, 1);
  await age(reference, 481_000);
  assert.ok(ageOf(await validate(key)) >= 481_000);
  assert.ok(ageOf(await verdicts.refresh(reference, { signal })) >= 481_000);
  await until('it is asked', () => service.waiting.length > 0);
  assert.deepEqual(service.questions, [key, reference], 'asked once');
  service.change(reference, { state: 'expired' });
  service.waiting.shift()?.answer();
  await until('the answer is there', async () => ageOf(await validate(key)) < 400_000);
  await age(reference, 600_000);
  const waiting = validate(key);
  await until('it is asked', () => service.waiting.length > 0);
  service.waiting.shift()?.answer();
  assert.deepEqual(await waiting, { state: 'expired' });
});

test('a refusal serves for thirty seconds', async (t) => {
  const { service, start } = setUp(t);
  const { validate } = start();
  const { key, reference } = service.subscribe('pro');
  await validate(key);
  service.change(reference, { state: 'unknown', reason: 'unpaid' });
  await validate(key, true);
  await age(reference, 29_000);
  assert.deepEqual(await validate(key), { state: 'unknown', reason: 'unpaid' });
  assert.equal(service.questions.length, 2);
  await age(reference, 30_000);
  service.change(reference, active(reference));
  assert.equal(tierOf(await validate(key)), 'pro');
});

test('a refusal that has lasted serves for as long again, but not for ever, and one question renews it', async (t) => {
  const { service, start } = setUp(t);
  const { validate } = start();
  for (const [lasted, serves] of [
    [200_000, 200_000],
    [36_000_000, 480_000],
  ] as const) {
    const { key, reference } = service.subscribe('pro');
    await validate(key);
    service.change(reference, { state: 'expired' });
    await validate(key, true);
    const questions = service.questions.length;
    const makeOld = (milliseconds: number) =>
      database.write(
        (sql) => sql`
          update subscription_verdict set asked_at = subscription_time() - ${milliseconds} * interval '1 ms',
            since = subscription_time() - ${milliseconds + lasted} * interval '1 ms' where reference = ${reference}`,
      );
    await makeOld(serves - 5_000);
    assert.deepEqual(await validate(key), { state: 'expired' });
    assert.equal(service.questions.length, questions);
    await makeOld(serves);
    assert.deepEqual(await validate(key), { state: 'expired' });
    assert.equal(service.questions.length, questions + 1);
    service.change(reference, active(reference));
    await validate(key, true);
    service.change(reference, { state: 'expired' });
    await validate(key, true);
    await age(reference, 30_000);
    service.change(reference, active(reference));
    assert.equal(tierOf(await validate(key)), 'pro', 'a new refusal is short again');
  }
});

test('without the service a verdict serves until it is 600 s old, and then nobody can tell', async (t) => {
  const { service, start, reported } = setUp(t);
  const { validate } = start();
  const { key, reference } = service.subscribe('pro');
  await validate(key);
  service.mode = 'fail';
  for (const milliseconds of [100_000, 480_000, 590_000, 599_000 - TOLERANCE]) {
    await age(reference, milliseconds);
    assert.equal(tierOf(await validate(key)), 'pro', String(milliseconds));
  }
  await age(reference, 600_000 - TOLERANCE);
  await assert.rejects(validate(key), ProviderUnavailable);
  await assert.rejects(validate(keyNumber(1)), ProviderUnavailable);
  await until('the outage is reported', () => reported.length > 0);
  assert.equal(reported.length, 1, 'once');
  service.mode = 'answer';
  assert.equal(ageOf(await validate(key)), 0);
});

test('what is no key of anybody is never stored', async (t) => {
  const { service, start } = setUp(t);
  const { validate, verdicts } = start();
  const before = await database.read((sql) => sql`select from subscription_verdict`);
  assert.deepEqual(await validate(keyNumber(77)), { state: 'unknown' });
  assert.deepEqual(await verdicts.refresh('sub_nobody', { signal }), { state: 'unknown' });
  assert.deepEqual(await verdicts.renew('sub_nobody'), { state: 'unknown' });
  const pending = service.subscribe('pro');
  service.change(pending.reference, { state: 'unknown', reason: 'pending' });
  assert.deepEqual(await validate(pending.key), { state: 'unknown', reason: 'pending' });
  const stored = await database.read((sql) => sql`select from subscription_verdict`);
  assert.equal(stored.length, before.length);
  service.change(pending.reference, active(pending.reference));
  assert.equal(tierOf(await validate(pending.key)), 'pro');
});

test('a subscription that the service has forgotten is refused, and comes back if the service knows it again', async (t) => {
  const { service, start } = setUp(t);
  const { validate } = start();
  const { key, reference } = service.subscribe('pro');
  await validate(key);
  const status = service.statusOf(reference);
  const lost = service.find;
  service.find = async () => null;
  assert.deepEqual(await validate(key, true), { state: 'unknown' });
  assert.deepEqual(await validate(key), { state: 'unknown' });
  service.find = lost;
  assert.deepEqual(await validate(key, true), status);
});

test('another key for a subscription replaces the first one, and ends its grants once', async (t) => {
  const { service, start, ended } = setUp(t);
  const [first, second] = [start(), start()];
  const { key, reference } = service.subscribe('pro');
  await first.validate(key);
  const next = service.rekey(reference);
  assert.deepEqual(await second.validate(key, true), { state: 'unknown', reason: 'replaced' });
  assert.deepEqual(ended, [reference]);
  assert.equal(tierOf(await first.validate(next)), 'pro');
  assert.deepEqual(await first.validate(key), { state: 'unknown' });
  assert.deepEqual(ended, [reference]);
});

test('a key that moves to another subscription is taken from the first one', async (t) => {
  const { service, start, ended } = setUp(t);
  const { validate, verdicts } = start();
  const { key, reference } = service.subscribe('pro');
  await validate(key);
  const other = service.subscribe('business');
  const find = service.find;
  service.find = async (asked, left) => {
    const verdict = await find(asked, left);
    return asked === other.reference && verdict
      ? { ...verdict, keyHash: hashOf(await find(reference, left)) }
      : verdict;
  };
  await verdicts.renew(other.reference);
  assert.deepEqual(ended, [reference]);
  assert.equal(tierOf(await validate(key)), 'business');
});

function hashOf(verdict: Awaited<ReturnType<MemoryService['find']>>): Buffer | null {
  return verdict?.keyHash ?? null;
}

test('every process hears of a change once, of nothing else, and of a new subscription when it is renewed', async (t) => {
  const { service, start } = setUp(t);
  const heard: string[] = [];
  let joined = false;
  const listener = listen(
    database,
    'subscriptions',
    (payload) => heard.push(payload),
    () => {
      joined = true;
    },
  );
  atEnd(t, () => listener.close());
  await until('it listens', () => joined);
  const [first, second] = [start(), start()];
  const { key, reference } = service.subscribe('free');
  await first.validate(key);
  await second.verdicts.renew(reference);
  service.change(reference, active(reference, 'business'));
  await Promise.all([first.verdicts.renew(reference), second.verdicts.renew(reference)]);
  assert.equal(tierOf(await first.validate(key)), 'business');
  const bought = service.subscribe('pro');
  await first.verdicts.renew(bought.reference);
  const last = service.subscribe('pro');
  await second.verdicts.renew(last.reference);
  await until('the last one is heard of', () => heard.includes(last.reference));
  assert.deepEqual(heard, [reference, bought.reference, last.reference]);
});

test('a question for a decision of the moment is asked past every verdict and every question under way', async (t) => {
  const { service, start } = setUp(t);
  const { validate, verdicts } = start();
  const { key, reference } = service.subscribe('pro');
  await validate(key);
  service.mode = 'wait';
  await age(reference, 600_000);
  const slow = validate(key);
  await until('it is asked', () => service.waiting.length === 1);
  service.change(reference, { state: 'expired' });
  service.mode = 'answer';
  assert.deepEqual(await validate(key, true), { state: 'expired' });
  assert.deepEqual(await verdicts.refresh(reference, { signal, fresh: true }), { state: 'expired' });
  service.waiting.shift()?.answer();
  assert.deepEqual(await slow, { state: 'expired' }, 'a later answer is there');
});

test('who asks about the same at the same time shares one question, dated from its beginning', async (t) => {
  const { service, start } = setUp(t);
  const { validate, clock, table } = start();
  const { key } = service.subscribe('pro');
  const reads = countReads(table);
  service.mode = 'wait';
  const first = validate(key);
  await until('it is asked', () => service.waiting.length === 1);
  clock.advance(1_500);
  const second = validate(key);
  await until('it has read the table', () => reads.count === 2);
  await new Promise((resolve) => setImmediate(resolve));
  service.waiting.shift()?.answer();
  assert.equal(ageOf(await first), 0);
  const joined = ageOf(await second);
  assert.ok(joined >= 1_500, String(joined));
  assert.equal(service.questions.length, 1);
});

test('an answer about another subscription is no answer', async (t) => {
  const { service, start } = setUp(t);
  const { validate } = start();
  const [one, other] = [service.subscribe('pro'), service.subscribe('internal')];
  await validate(one.key);
  const { find } = service;
  service.find = (_, left) => find(other.reference, left);
  await assert.rejects(validate(one.key, true), ProviderUnavailable);
  service.find = async (asked, left) => {
    const verdict = await find(asked, left);
    return verdict && { ...verdict, status: active(other.reference, 'internal') };
  };
  await assert.rejects(validate(one.key, true), ProviderUnavailable);
  assert.equal(tierOf(await validate(one.key)), 'pro');
});

test('time that passes on the clock of any process ages every verdict, though the clock of the database stands', async (t) => {
  const { service, start } = setUp(t);
  const [first, second] = [start(), start()];
  const { key } = service.subscribe('pro');
  const other = service.subscribe('free');
  await first.validate(key);
  await second.validate(key);
  first.clock.advance(599_000);
  await first.validate(other.key);
  service.mode = 'fail';
  const old = ageOf(await second.validate(key));
  assert.ok(old >= 599_000, String(old));
  first.clock.advance(1_000);
  await assert.rejects(first.validate(key), ProviderUnavailable);
  await assert.rejects(second.validate(key), ProviderUnavailable);
});

test('a verdict from the future, as after a clock that was set back unseen, makes all of them too old', async (t) => {
  const { service, start } = setUp(t);
  const { validate } = start();
  const [one, other] = [service.subscribe('pro'), service.subscribe('free')];
  await validate(one.key);
  await validate(other.key);
  await age(one.reference, -20_000);
  service.change(one.reference, { state: 'expired' });
  service.change(other.reference, { state: 'expired' });
  assert.deepEqual(await start().validate(one.key), { state: 'expired' });
  assert.deepEqual(await start().validate(other.key), { state: 'expired' });
});

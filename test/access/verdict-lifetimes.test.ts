// Proof of how long what a payment service said is believed: by its age, by its state, and by every clock.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ProviderUnavailable } from '../../src/access/tiers/provider.ts';
import { active } from '../support/billing/memory-service.ts';
import {
  ageOf,
  makeOlder,
  startKnown,
  startVerdicts,
  TOLERANCE,
  tierOf,
} from '../support/billing/verdict-processes.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { keyNumber } from '../support/service/stub-provider.ts';

const { database } = await testDatabase({ after });
const { signal } = new AbortController();

test('an active verdict serves for ten minutes, and is asked for again from the eighth one on, waited for by nobody', async (t) => {
  const { service, validate, verdicts, key, reference } = await startKnown(t, database);
  service.mode = 'wait';
  await makeOlder(database, reference, 479_000);
  await validate(key);
  assert.equal(service.questions.length, 1);
  await makeOlder(database, reference, 481_000);
  assert.ok(ageOf(await validate(key)) >= 481_000);
  assert.ok(ageOf(await verdicts.refresh(reference, { signal })) >= 481_000);
  await until('it is asked', () => service.waiting.length > 0);
  assert.deepEqual(service.questions, [key, reference], 'asked once');
  service.change(reference, { state: 'expired' });
  service.waiting.shift()?.answer();
  await until('the answer is there', async () => ageOf(await validate(key)) < 400_000);
  await makeOlder(database, reference, 600_000);
  const waiting = validate(key);
  await until('it is asked', () => service.waiting.length > 0);
  service.waiting.shift()?.answer();
  assert.deepEqual(await waiting, { state: 'expired' });
});

test('a subscription whose end passes while its verdict serves is asked about again: it may have been renewed', async (t) => {
  const { service, validate, clock, key, reference } = await startKnown(t, database);
  const endsAt = clock.now() + 60_000;
  const own = { state: 'active', subscription: reference, customer: null, tier: 'pro' } as const;
  service.change(reference, { ...own, endsAt });
  await validate(key, true);
  const asked = service.questions.length;
  clock.advance(59_999);
  assert.equal(tierOf(await validate(key)), 'pro');
  assert.equal(service.questions.length, asked);
  clock.advance(1);
  service.change(reference, { ...own, endsAt: endsAt + 30_000 });
  const renewed = await validate(key);
  assert.equal(renewed.state === 'active' && renewed.endsAt, endsAt + 30_000);
  assert.equal(service.questions.length, asked + 1);
  service.change(reference, { state: 'expired' });
  clock.advance(30_000);
  assert.deepEqual(await validate(key), { state: 'expired' });
  assert.equal(service.questions.length, asked + 2);
});

test('a refusal serves for thirty seconds', async (t) => {
  const { service, validate, key, reference } = await startKnown(t, database);
  service.change(reference, { state: 'unknown', reason: 'unpaid' });
  await validate(key, true);
  await makeOlder(database, reference, 29_000);
  assert.deepEqual(await validate(key), { state: 'unknown', reason: 'unpaid' });
  assert.equal(service.questions.length, 2);
  await makeOlder(database, reference, 30_000);
  service.change(reference, active(reference));
  assert.equal(tierOf(await validate(key)), 'pro');
});

test('a refusal that has lasted serves for as long again, but not for ever, and one question renews it', async (t) => {
  const { service, start } = startVerdicts(t, database);
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
    await makeOlder(database, reference, 30_000);
    service.change(reference, active(reference));
    assert.equal(tierOf(await validate(key)), 'pro', 'a new refusal is short again');
  }
});

test('a refusal that nobody lifts in two seconds stands until it is 600 s old, and an answer that comes later counts', async (t) => {
  const { service, validate, clock, key, reference } = await startKnown(t, database);
  service.change(reference, { state: 'expired' });
  await validate(key, true);
  service.mode = 'fail';
  for (const milliseconds of [30_000, 300_000, 599_000 - TOLERANCE]) {
    await makeOlder(database, reference, milliseconds);
    assert.deepEqual(await validate(key), { state: 'expired' }, String(milliseconds));
  }
  await assert.rejects(validate(key, true), ProviderUnavailable);
  await makeOlder(database, reference, 600_000 - TOLERANCE);
  await assert.rejects(validate(key), ProviderUnavailable);
  await makeOlder(database, reference, 590_000);
  service.mode = 'wait';
  service.change(reference, active(reference));
  const waiting = validate(key);
  await until('it is asked', () => service.waiting.length === 1);
  const answered = { yet: false };
  void waiting.then(() => (answered.yet = true));
  clock.advance(1_999);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(answered.yet, false);
  clock.advance(1);
  assert.deepEqual(await waiting, { state: 'expired' });
  service.waiting.shift()?.answer();
  await until('the answer is there', async () => tierOf(await validate(key)) === 'pro');
});

test('without the service a verdict serves until it is 600 s old, and then nobody can tell', async (t) => {
  const { service, reported, validate, key, reference } = await startKnown(t, database);
  service.mode = 'fail';
  for (const milliseconds of [100_000, 480_000, 590_000, 599_000 - TOLERANCE]) {
    await makeOlder(database, reference, milliseconds);
    assert.equal(tierOf(await validate(key)), 'pro', String(milliseconds));
  }
  await makeOlder(database, reference, 600_000 - TOLERANCE);
  await assert.rejects(validate(key), ProviderUnavailable);
  await assert.rejects(validate(keyNumber(1)), ProviderUnavailable);
  await until('the outage is reported', () => reported.length > 0);
  assert.equal(reported.length, 1, 'once');
  service.mode = 'answer';
  assert.equal(ageOf(await validate(key)), 0);
});

test('time that passes on the clock of any process ages every verdict, though the clock of the database stands', async (t) => {
  const { service, start } = startVerdicts(t, database);
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
  const { service, start } = startVerdicts(t, database);
  const { validate } = start();
  const [one, other] = [service.subscribe('pro'), service.subscribe('free')];
  await validate(one.key);
  await validate(other.key);
  await makeOlder(database, one.reference, -20_000);
  service.change(one.reference, { state: 'expired' });
  service.change(other.reference, { state: 'expired' });
  assert.deepEqual(await start().validate(one.key), { state: 'expired' });
  assert.deepEqual(await start().validate(other.key), { state: 'expired' });
});

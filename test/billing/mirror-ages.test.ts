// Proof of how long a row of the mirror counts: for ten minutes by the clock of the database, whoever wrote it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SubscriptionCache } from '../../src/access/keys/subscription-cache.ts';
import { ProviderUnavailable } from '../../src/access/tiers/provider.ts';
import { active } from '../support/billing/memory-service.ts';
import {
  ageOf,
  type KnownKey,
  makeOlder,
  startKnown,
  TOLERANCE,
  tierOf,
} from '../support/billing/mirror-processes.ts';
import { until } from '../support/check/until.ts';
import { type Closing, testDatabase } from '../support/database/database.ts';
import { keyNumber } from '../support/service/stub-provider.ts';

const { database } = await testDatabase({ after });

/** The same with the memory of the process in front. */
async function startCached(
  t: Closing,
): Promise<KnownKey & { readonly cache: SubscriptionCache; readonly reported: unknown[] }> {
  const known = await startKnown(t, database);
  const reported: unknown[] = [];
  const { mirror, clock } = known;
  const report = (error: unknown) => void reported.push(error);
  return { ...known, reported, cache: new SubscriptionCache({ provider: mirror, clock, report }) };
}

test('a row that is asked for and older than 480 s is renewed in the background, once, and counts meanwhile', async (t) => {
  const { service, cache, key, reference } = await startCached(t);
  service.mode = 'wait';
  await makeOlder(database, reference, 479_000);
  await cache.findByKey(key);
  assert.deepEqual(service.questions, [key]);
  await makeOlder(database, reference, 481_000);
  cache.clear();
  service.change(reference, { state: 'expired' });
  assert.equal(tierOf(await cache.findByKey(key)), 'pro');
  for (let use = 0; use < 10; use++) assert.equal(tierOf(await cache.findByKey(key)), 'pro');
  assert.equal(tierOf(await cache.find(reference)), 'pro');
  await until('it is asked', () => service.waiting.length > 0);
  const before = service.questions.length;
  for (const { answer } of service.waiting.splice(0)) answer();
  await until('the answer is there', async () => (await cache.findByKey(key)).state === 'expired');
  assert.deepEqual([before, service.questions.length], [2, 2], 'asked once');
});

test('a row counts for 600 s, and is asked about first from then on', async (t) => {
  const { service, validate, key, reference } = await startKnown(t, database);
  await makeOlder(database, reference, 590_000);
  assert.ok(ageOf(await validate(key)) >= 590_000 + TOLERANCE);
  assert.equal(service.questions.length, 1);
  service.change(reference, { state: 'expired' });
  await makeOlder(database, reference, 600_001 - TOLERANCE);
  assert.equal((await validate(key)).state, 'expired');
  assert.equal(service.questions.length, 2);
});

test('a refusal counts as long as an approval, and one that is lifted counts from its answer on', async (t) => {
  const { service, validate, key, reference } = await startKnown(t, database);
  service.change(reference, { state: 'unknown', reason: 'unpaid' });
  await validate(key, 0);
  service.change(reference, active(reference));
  await makeOlder(database, reference, 590_000);
  assert.equal((await validate(key)).state, 'unknown');
  assert.equal(service.questions.length, 2);
  await makeOlder(database, reference, 600_000);
  assert.equal(tierOf(await validate(key)), 'pro');
});

test('without the service a row counts until it is 600 s old, and then nobody can tell, of known and unknown keys', async (t) => {
  const { service, cache, reported, key, reference, clock } = await startCached(t);
  service.mode = 'fail';
  for (const milliseconds of [100_000, 480_000, 590_000, 599_000 - TOLERANCE]) {
    await makeOlder(database, reference, milliseconds);
    cache.clear();
    assert.equal(tierOf(await cache.findByKey(key)), 'pro', String(milliseconds));
  }
  await makeOlder(database, reference, 600_001 - TOLERANCE);
  cache.clear();
  await assert.rejects(cache.findByKey(key), ProviderUnavailable);
  await assert.rejects(cache.findByKey(keyNumber(1)), ProviderUnavailable);
  await until('the outage is reported', () => reported.length > 0);
  assert.equal(reported.length, 1, 'once');
  service.mode = 'answer';
  clock.advance(1_000);
  assert.ok(ageOf(await cache.findByKey(key)) < 10_000);
});

test('a row from the future, as after a clock that was set back, is worth nothing, and is replaced', async (t) => {
  const { service, validate, key, reference } = await startKnown(t, database);
  await makeOlder(database, reference, -20_000);
  service.mode = 'fail';
  await assert.rejects(validate(key), ProviderUnavailable);
  service.mode = 'answer';
  service.change(reference, { state: 'expired' });
  assert.equal((await validate(key)).state, 'expired');
  service.mode = 'fail';
  assert.equal((await validate(key)).state, 'expired', 'the row is of now');
});

test('a subscription whose end passes is asked about: it may have been renewed', async (t) => {
  const { service, validate, clock, key, reference } = await startKnown(t, database);
  const endsAt = clock.now() + 60_000;
  const own = { state: 'active', subscription: reference, customer: null, tier: 'pro' } as const;
  service.change(reference, { ...own, endsAt });
  await validate(key, 0);
  const asked = service.questions.length;
  clock.advance(59_999);
  assert.equal(tierOf(await validate(key)), 'pro');
  assert.equal(service.questions.length, asked);
  clock.advance(1);
  service.change(reference, { ...own, endsAt: endsAt + 30_000 });
  const renewed = await validate(key);
  assert.equal(renewed.state === 'active' && renewed.endsAt, endsAt + 30_000);
  assert.equal(service.questions.length, asked + 1);
  service.change(reference, { state: 'unknown', reason: 'unpaid' });
  clock.advance(30_000);
  assert.equal((await validate(key)).state, 'unknown');
  assert.equal(service.questions.length, asked + 2);
});

test('a key that waits for its payment is asked about again after two seconds, one that is nowhere after thirty', async (t) => {
  const { service, cache, clock } = await startCached(t);
  const pending = service.subscribe('pro');
  service.change(pending.reference, { state: 'unknown', reason: 'pending' });
  const asked = service.questions.length;
  for (const [key, lifetime] of [
    [pending.key, 2_000],
    [keyNumber(77), 30_000],
  ] as const) {
    const before = service.questions.length;
    assert.equal((await cache.findByKey(key)).state, 'unknown');
    clock.advance(lifetime - 1);
    assert.equal((await cache.findByKey(key)).state, 'unknown');
    assert.equal(service.questions.length, before + 1, key);
    clock.advance(1);
    await cache.findByKey(key);
    assert.equal(service.questions.length, before + 2, key);
  }
  cache.invalidate('anything');
  await cache.findByKey(keyNumber(77));
  assert.equal(service.questions.length, asked + 5, 'a notification ends such refusals');
});

// Proof that processes share what a payment service says, notify each other of changes, and never keep an older answer.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { keyHash } from '../../src/access/providers/subscription-store.ts';
import { ProviderUnavailable, type SubscriptionStatus } from '../../src/access/tiers/provider.ts';
import { active, type MemoryService } from '../support/billing/memory-service.ts';
import {
  ageOf,
  hearChanges,
  makeOlder,
  startKnown,
  startMirrors,
  TOLERANCE,
  tierOf,
} from '../support/billing/mirror-processes.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { keyNumber } from '../support/service/stub-provider.ts';

const { database } = await testDatabase({ after });
const { signal } = new AbortController();

/** The status without its age. */
async function said(status: Promise<SubscriptionStatus>) {
  const { age: _, ...rest } = { age: 0, ...(await status) };
  return rest;
}

test('what one process has asked, the others read, with its age', async (t) => {
  const { service, start } = startMirrors(t, database);
  const [first, second] = [start(), start()];
  const { key, reference } = service.subscribe('business');
  assert.deepEqual(await said(first.validate(key)), active(reference, 'business'));
  const read = await second.validate(key.toLowerCase());
  assert.equal(tierOf(read), 'business');
  assert.ok(ageOf(read) >= TOLERANCE);
  await makeOlder(database, reference, 470_000);
  const old = ageOf(await second.validate(key));
  assert.ok(old >= 470_000 + TOLERANCE && old < 500_000, String(old));
  assert.equal(tierOf(await second.mirror.refresh(reference, { signal })), 'business');
  assert.deepEqual(service.questions, [key], 'one question for all of this');
});

test('what is no key of anybody is never stored', async (t) => {
  const { service, start } = startMirrors(t, database);
  const { validate, mirror } = start();
  const before = await database.read((sql) => sql`select from provider_subscription`);
  assert.deepEqual(await said(validate(keyNumber(77))), { state: 'unknown' });
  assert.deepEqual(await said(mirror.refresh('sub_nobody', { signal })), { state: 'unknown' });
  assert.deepEqual(await said(mirror.renew('sub_nobody')), { state: 'unknown' });
  const pending = service.subscribe('pro');
  service.change(pending.reference, { state: 'unknown', reason: 'pending' });
  assert.deepEqual(await said(validate(pending.key)), { state: 'unknown', reason: 'pending' });
  const stored = await database.read((sql) => sql`select from provider_subscription`);
  assert.equal(stored.length, before.length);
  service.change(pending.reference, active(pending.reference));
  assert.equal(tierOf(await validate(pending.key)), 'pro');
});

test('a subscription that the service has forgotten is refused, and comes back if the service knows it again', async (t) => {
  const { service, validate, key, reference } = await startKnown(t, database);
  const status = service.statusOf(reference);
  const lost = service.find;
  service.find = async () => null;
  assert.deepEqual(await said(validate(key, 0)), { state: 'unknown' });
  assert.deepEqual(await said(validate(key)), { state: 'unknown' });
  service.find = lost;
  assert.deepEqual(await said(validate(key, 0)), status);
});

test('another key for a subscription replaces the first one, and ends its grants once', async (t) => {
  const { service, start, ended } = startMirrors(t, database);
  const [first, second] = [start(), start()];
  const { key, reference } = service.subscribe('pro');
  await first.validate(key);
  const next = service.rekey(reference);
  assert.deepEqual(await said(second.validate(key, 0)), { state: 'unknown', reason: 'replaced' });
  assert.deepEqual(ended, [reference]);
  assert.equal(tierOf(await first.validate(next)), 'pro');
  assert.deepEqual(await said(first.validate(key)), { state: 'unknown' });
  assert.deepEqual(ended, [reference]);
});

test('a key that moves to another subscription is taken from the first one, and every process hears of both', async (t) => {
  const { service, ended, validate, mirror, key, reference } = await startKnown(t, database);
  const heard = await hearChanges(t, database);
  const other = service.subscribe('business');
  const find = service.find;
  service.find = async (asked, left) => {
    const found = await find(asked, left);
    return asked === other.reference && found
      ? { ...found, keyHash: hashOf(await find(reference, left)) }
      : found;
  };
  await mirror.renew(other.reference);
  assert.deepEqual(ended, [reference]);
  assert.equal(tierOf(await validate(key)), 'business');
  await until('both are heard of', () => heard.length === 2);
  assert.deepEqual(heard.toSorted(), [reference, other.reference].sort());
});

function hashOf(found: Awaited<ReturnType<MemoryService['find']>>): Buffer | null {
  return found?.keyHash ?? null;
}

test('every process hears of a change once, of nothing else, and of a new subscription when it is renewed', async (t) => {
  const { service, start } = startMirrors(t, database);
  const heard = await hearChanges(t, database);
  const [first, second] = [start(), start()];
  const { key, reference } = service.subscribe('free');
  await first.validate(key);
  await second.mirror.renew(reference);
  service.change(reference, active(reference, 'business'));
  await Promise.all([first.mirror.renew(reference), second.mirror.renew(reference)]);
  assert.equal(tierOf(await first.validate(key)), 'business');
  const bought = service.subscribe('pro');
  await first.mirror.renew(bought.reference);
  const last = service.subscribe('pro');
  await second.mirror.renew(last.reference);
  await until('the last one is heard of', () => heard.includes(last.reference));
  assert.deepEqual(heard, [reference, bought.reference, last.reference]);
});

test('a decision of the moment asks past every row and every request under way', async (t) => {
  const { service, validate, mirror, key, reference } = await startKnown(t, database);
  service.mode = 'wait';
  await makeOlder(database, reference, 600_000);
  const slow = validate(key);
  await until('it is asked', () => service.waiting.length === 1);
  service.change(reference, { state: 'expired' });
  service.mode = 'answer';
  assert.deepEqual(await said(validate(key, 0)), { state: 'expired' });
  assert.deepEqual(await said(mirror.refresh(reference, { signal, maxAge: 0 })), { state: 'expired' });
  service.waiting.shift()?.answer();
  assert.deepEqual(await said(slow), { state: 'expired' }, 'a later answer is there');
});

test('who asks about the same at the same time shares one request', async (t) => {
  const { service, start } = startMirrors(t, database);
  const { validate } = start();
  const { key } = service.subscribe('pro');
  service.mode = 'wait';
  const both = [validate(key), validate(key)];
  await until('it is asked', () => service.waiting.length === 1);
  await new Promise((resolve) => setImmediate(resolve));
  service.waiting.shift()?.answer();
  for (const status of await Promise.all(both)) assert.equal(tierOf(status), 'pro');
  assert.equal(service.questions.length, 1);
});

test('an answer that comes later than that to a request which began after it changes nothing', async (t) => {
  const { service, mirror, validate, key, reference } = await startKnown(t, database);
  const early = await mirror.number();
  service.change(reference, { state: 'expired' });
  await mirror.renew(reference);
  await mirror.save([{ reference, keyHash: keyHash(key), status: active(reference) }], early);
  assert.deepEqual(await said(validate(key)), { state: 'expired' });
});

test('a late answer takes no key from the subscription that has it by now', async (t) => {
  const { service, mirror, ended, validate, key, reference } = await startKnown(t, database);
  const early = await mirror.number();
  const other = service.subscribe('business');
  await mirror.save(
    [
      { reference, keyHash: null, status: { state: 'expired' } },
      { reference: other.reference, keyHash: keyHash(key), status: active(other.reference, 'business') },
    ],
    await mirror.number(),
  );
  await mirror.save([{ reference, keyHash: keyHash(key), status: active(reference) }], early);
  assert.equal(tierOf(await validate(key)), 'business');
  assert.deepEqual(ended, [reference]);
});

test('an answer about the former subscription of a key, to a request from before the key moved, does not move it back', async (t) => {
  const { service, mirror, ended, validate, key, reference } = await startKnown(t, database);
  const early = await mirror.number();
  const other = service.subscribe('business');
  await mirror.save(
    [{ reference: other.reference, keyHash: keyHash(key), status: active(other.reference, 'business') }],
    await mirror.number(),
  );
  await mirror.save([{ reference, keyHash: keyHash(key), status: active(reference) }], early);
  assert.equal(tierOf(await validate(key)), 'business');
  assert.deepEqual(ended, [reference]);
});

test('nothing is asked about a key of which nothing is stored if the caller must not', async (t) => {
  const { service, mirror, key } = await startKnown(t, database);
  const refuse = () => {
    throw new Error('not now');
  };
  await assert.rejects(mirror.validate(keyNumber(5), { signal, onUnknown: refuse }), /not now/);
  assert.equal(tierOf(await mirror.validate(key, { signal, maxAge: 0, onUnknown: refuse })), 'pro');
  assert.deepEqual(service.questions.length, 2);
});

test('an answer about another subscription is no answer', async (t) => {
  const { service, start } = startMirrors(t, database);
  const { validate } = start();
  const [one, other] = [service.subscribe('pro'), service.subscribe('internal')];
  await validate(one.key);
  const { find } = service;
  service.find = (_, left) => find(other.reference, left);
  await assert.rejects(validate(one.key, 0), ProviderUnavailable);
  service.find = async (asked, left) => {
    const found = await find(asked, left);
    return found && { ...found, status: active(other.reference, 'internal') };
  };
  await assert.rejects(validate(one.key, 0), ProviderUnavailable);
  assert.equal(tierOf(await validate(one.key)), 'pro');
});

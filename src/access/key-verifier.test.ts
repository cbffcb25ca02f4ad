// Proof of what the service promises about keys: how long a status is cached, and how often the provider is queried.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../test/support/service/clock.ts';
import { keyNumber, stubProvider } from '../../test/support/service/stub-provider.ts';
import { Problem } from '../lib/problem.ts';
import { KeyVerifier } from './keys/key-verifier.ts';
import { SubscriptionCache } from './keys/subscription-cache.ts';
import { FailureThrottle } from './limits/failure-throttle.ts';
import { createIdentify } from './phases.ts';
import { FAILURES_PER_MINUTE, type Plan } from './tiers/tiers.ts';

const MINUTES = 60_000;

function setUp() {
  const clock = manualClock();
  const provider = stubProvider();
  const reported: unknown[] = [];
  const subscriptions = new SubscriptionCache({ provider, clock, report: (error) => reported.push(error) });
  const keys = new KeyVerifier(subscriptions);
  const identify = createIdentify({ verifiers: [keys], failures: new FailureThrottle({ clock }) });
  const access = { credentials: 'required', counts: 'month' } as const;
  /** The tier of a caller with this key, or the code it is refused with. */
  async function call(key: string, address = '192.0.2.1'): Promise<string> {
    const headers = { authorization: `Bearer ${key}` };
    try {
      const principal = await identify({ headers, address }, access);
      return principal.tier;
    } catch (error) {
      return codeOf(error);
    } finally {
      // What goes on in the background is over before the next caller comes.
      await settled();
    }
  }
  return { clock, provider, subscriptions, keys, call, reported };
}

/** The same with a key of this tier that has been verified once. */
async function setUpVerified(tier: Plan) {
  const verifier = setUp();
  const key = verifier.provider.subscribe(tier);
  await verifier.call(key);
  return { ...verifier, key };
}

function codeOf(error: unknown): string {
  if (error instanceof Problem) return error.code;
  throw error;
}

/** Lets promises settle that wait for nothing but each other. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

test('the status of a good key is cached for 600.000 s from the query of the provider, and then queried anew', async () => {
  const { clock, provider, call } = setUp();
  const key = provider.subscribe('pro');
  assert.equal(await call(key), 'pro');
  provider.mode = 'fail';
  clock.advance(10 * MINUTES - 1);
  assert.equal(await call(key), 'pro');
  clock.advance(1);
  assert.equal(await call(key), 'SUBSCRIPTIONS_UNAVAILABLE');
});

test('the ten minutes run from the query, not from a late answer', async () => {
  const { clock, provider, call } = setUp();
  const key = provider.subscribe('pro');
  provider.mode = 'wait';
  const first = call(key);
  await settled();
  clock.advance(4_900);
  provider.settle();
  assert.equal(await first, 'pro');
  provider.mode = 'fail';
  clock.advance(10 * MINUTES - 4_901);
  assert.equal(await call(key), 'pro');
  clock.advance(1);
  assert.equal(await call(key), 'SUBSCRIPTIONS_UNAVAILABLE');
});

test('a revoked key is refused at the latest 600 s after the provider last called it good', async () => {
  const { clock, provider, call, key } = await setUpVerified('business');
  provider.change(key, { state: 'unknown' });
  clock.advance(10 * MINUTES);
  assert.equal(await call(key), 'INVALID_API_KEY');
});

test('a key ends with its subscription, though its status was cached for longer', async () => {
  const { clock, provider, call } = setUp();
  const key = provider.subscribe('free', clock.now() + 5 * MINUTES);
  assert.equal(await call(key), 'free');
  clock.advance(5 * MINUTES - 1);
  assert.equal(await call(key), 'free');
  clock.advance(1);
  assert.equal(await call(key), 'EXPIRED_API_KEY');
});

test('from 80 % of its lifetime on a status is refreshed in the background, by one query', async () => {
  const { clock, provider, call, key } = await setUpVerified('free');
  clock.advance(8 * MINUTES);
  provider.change(key, { state: 'active', subscription: 'sub_x', customer: null, tier: 'pro', endsAt: null });
  const answers = await Promise.all(Array.from({ length: 100 }, () => call(key)));
  assert.deepEqual(new Set(answers), new Set(['free']), 'nobody waits');
  assert.equal(provider.calls, 2);
  assert.equal(await call(key), 'pro');
  clock.advance(3 * MINUTES);
  assert.equal(await call(key), 'pro');
  assert.equal(provider.calls, 2, 'the new status is cached for ten minutes of its own');
});

test('a provider that fails is reported, and serves nobody past the end of the old status', async () => {
  const { clock, provider, call, reported, key } = await setUpVerified('free');
  provider.mode = 'fail';
  for (let passed = 0; passed < 10; passed++) {
    assert.equal(await call(key), 'free');
    clock.advance(MINUTES);
  }
  assert.ok(reported.length >= 1 && reported.length <= 4, 'background attempts keep their distance');
  assert.equal(await call(key), 'SUBSCRIPTIONS_UNAVAILABLE');
  provider.mode = 'answer';
  assert.equal(await call(key), 'SUBSCRIPTIONS_UNAVAILABLE', 'a failing provider gets a second of rest');
  clock.advance(1_000);
  assert.equal(await call(key), 'free');
});

test('a provider that never answers is given up at the deadline with 503 and Retry-After', async () => {
  const { clock, provider, keys } = setUp();
  provider.mode = 'wait';
  const attempt = new FailureThrottle({ clock }).attempt('192.0.2.1');
  const answer = Promise.resolve(keys.verify(keyNumber(1), attempt)).catch((error: unknown) => error);
  await settled();
  clock.advance(5_000);
  const problem = await answer;
  assert.ok(problem instanceof Problem);
  assert.equal(problem.status, 503);
  assert.equal(problem.headers['retry-after'], '1');
  assert.equal(clock.waiting, 0);
});

test('a thousand callers whose status has just run out cost one query', async () => {
  const { clock, provider, call, key } = await setUpVerified('pro');
  clock.advance(10 * MINUTES);
  provider.mode = 'wait';
  const answers = Array.from({ length: 1_000 }, () => call(key));
  await settled();
  provider.settle();
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(['pro']));
  assert.equal(provider.calls, 2);
});

test('a thousand callers with a good key that this process has never seen are all let in', async () => {
  const { provider, call } = setUp();
  const key = provider.subscribe('pro');
  provider.mode = 'wait';
  const calls = Array.from({ length: 1_000 }, () => call(key));
  await settled();
  provider.settle();
  assert.deepEqual(new Set(await Promise.all(calls)), new Set(['pro']));
});

test('junk keys of one address reach the provider at most as often as it may fail, however many come at once', async () => {
  const { clock, provider, call } = setUp();
  const codes = await Promise.all(Array.from({ length: 1_000 }, (_, number) => call(keyNumber(number))));
  assert.equal(provider.calls, FAILURES_PER_MINUTE);
  assert.equal(codes.filter((code) => code === 'INVALID_API_KEY').length, FAILURES_PER_MINUTE);
  assert.equal(codes.filter((code) => code === 'RATE_LIMITED').length, 1_000 - FAILURES_PER_MINUTE);
  clock.advance(MINUTES - 1);
  assert.equal(await call(keyNumber(5_000)), 'RATE_LIMITED');
  clock.advance(1);
  assert.equal(await call(keyNumber(5_000)), 'INVALID_API_KEY');
});

test('a key known to be good is not locked out by failures of its address, even when it has to be queried', async () => {
  const { clock, provider, call, key } = await setUpVerified('pro');
  const newcomer = provider.subscribe('pro');
  clock.advance(10 * MINUTES);
  for (let number = 0; number < 100; number++) await call(keyNumber(number));
  assert.equal(await call(key), 'pro');
  assert.equal(await call(newcomer), 'pro', 'nor is one that is stored and was never used');
});

test('good keys leave the throttle as it was', async () => {
  const { provider, call } = setUp();
  const keys = Array.from({ length: 2 * FAILURES_PER_MINUTE }, () => provider.subscribe('free'));
  for (const key of keys) assert.equal(await call(key), 'free');
});

test('a refusal is cached for 30 s, and then queried anew', async () => {
  const { clock, provider, call } = setUp();
  const key = keyNumber(1);
  assert.equal(await call(key), 'INVALID_API_KEY');
  provider.change(key, {
    state: 'active',
    subscription: 'sub_new',
    customer: null,
    tier: 'free',
    endsAt: null,
  });
  clock.advance(29_999);
  assert.equal(await call(key), 'INVALID_API_KEY');
  assert.equal(provider.calls, 1);
  clock.advance(1);
  assert.equal(await call(key), 'free');
});

test('malformed keys are refused without a query, and keys are the same in any case', async () => {
  const { provider, call } = setUp();
  const key = provider.subscribe('free');
  for (const malformed of [
    'SERVICE-',
    'service-abc',
    `${key}0`,
    `${key} x`,
    key.replaceAll('-', '_'),
    `${key}\u00e9`,
  ]) {
    const expected = malformed.startsWith('SERVICE_') ? 'INVALID_TOKEN' : 'INVALID_API_KEY';
    assert.equal(await call(malformed), expected, malformed);
  }
  assert.equal(provider.calls, 0);
  assert.equal(await call(key.toLowerCase()), 'free');
  assert.equal(await call(key), 'free');
  assert.equal(provider.calls, 1);
});

test('a hint that a subscription changed makes its key be queried at the next use', async () => {
  const { provider, subscriptions, call } = setUp();
  const [key, other] = [provider.subscribe('free'), provider.subscribe('free')];
  await call(key);
  await call(other);
  provider.change(key, { state: 'expired' });
  subscriptions.invalidate(`sub_${key.slice(-12).toLowerCase()}`);
  assert.equal(await call(key), 'EXPIRED_API_KEY');
  assert.equal(await call(other), 'free');
  assert.equal(provider.calls, 3);
});

test('an answer to a query from before a hint is used once and not cached', async () => {
  const { provider, subscriptions, call } = setUp();
  const key = provider.subscribe('free');
  provider.mode = 'wait';
  const first = call(key);
  await settled();
  subscriptions.invalidate('sub_any');
  provider.settle();
  assert.equal(await first, 'free');
  provider.mode = 'answer';
  provider.change(key, { state: 'unknown' });
  assert.equal(await call(key), 'INVALID_API_KEY');
});

test('where notifications may have been missed, every key is looked up again at its next use', async () => {
  const { provider, subscriptions, call, key } = await setUpVerified('free');
  provider.change(key, { state: 'unknown' });
  subscriptions.clear();
  assert.equal(await call(key), 'INVALID_API_KEY');
});

test('a fresh verification queries the provider however good the cached status is, and its answer counts', async () => {
  const { provider, keys, call, key } = await setUpVerified('free');
  assert.equal((await keys.verifyFresh(key)).tier, 'free');
  provider.change(key, { state: 'expired' });
  assert.equal(await keys.verifyFresh(key).then(() => 'active', codeOf), 'EXPIRED_API_KEY');
  assert.equal(provider.calls, 3);
  assert.equal(await call(key), 'EXPIRED_API_KEY');
});

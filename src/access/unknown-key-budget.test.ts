// Proves that junk keys are bounded together, and that they keep nobody else's new keys out.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../test/support/service/clock.ts';
import { keyNumber, stubProvider } from '../../test/support/service/stub-provider.ts';
import { Problem } from '../lib/problem.ts';
import { KeyVerifier } from './keys/key-verifier.ts';
import { FailureThrottle } from './limits/failure-throttle.ts';
import { createIdentify } from './phases.ts';

const MINUTES = 60_000;

function setUp(probesPerMinute: number) {
  const clock = manualClock();
  const provider = stubProvider();
  const keys = new KeyVerifier({ provider, clock, report: () => {}, unknownKeysPerMinute: probesPerMinute });
  const identify = createIdentify({ verifiers: [keys], failures: new FailureThrottle(clock) });
  /** The tier of a caller with this key, or the code it is refused with. */
  async function call(key: string, address: string): Promise<string> {
    const incoming = { headers: { authorization: `Bearer ${key}` }, address };
    try {
      return (await identify(incoming, { credentials: 'required', counts: 'month' })).tier;
    } catch (error) {
      if (error instanceof Problem) return error.code;
      throw error;
    }
  }
  return { clock, provider, call };
}

test('junk keys from many addresses are bounded together, and then are 503, never 401', async () => {
  const { provider, call } = setUp(100);
  const codes = new Map<string, number>();
  for (let number = 0; number < 300; number++) {
    const code = await call(keyNumber(number), `2001:db8:${number.toString(16)}::1`);
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  assert.equal(provider.calls, 100);
  assert.deepEqual(Object.fromEntries(codes), { INVALID_API_KEY: 100, SUBSCRIPTIONS_UNAVAILABLE: 200 });
});

test('junk keys from addresses that keep sending them leave room for new keys from others', async () => {
  const { clock, provider, call } = setUp(100);
  for (let number = 0; number < 600; number++) await call(keyNumber(number), `192.0.2.${number % 10}`);
  assert.equal(provider.calls, 50, 'they use up the common half');
  const newcomers = Array.from({ length: 200 }, () => provider.subscribe('pro'));
  for (const [number, key] of newcomers.entries())
    assert.equal(await call(key, `198.51.100.${number}`), 'pro', 'good keys use nothing up');
  assert.equal(await call(provider.subscribe('pro'), '192.0.2.1'), 'SUBSCRIPTIONS_UNAVAILABLE');
  clock.advance(MINUTES);
  assert.equal(await call(provider.subscribe('pro'), '192.0.2.1'), 'pro');
});

test('a thousand networks of one IPv6 customer are one neighbour, also when they send all at once', async () => {
  const { provider, call } = setUp(100);
  const from = (number: number) => `2001:db8:0:${number.toString(16)}::1`;
  await Promise.all(Array.from({ length: 1_000 }, (_, number) => call(keyNumber(number), from(number))));
  assert.equal(provider.calls, 50);
  assert.equal(await call(provider.subscribe('pro'), '2001:db8:1::1'), 'pro');
});

test('a key that others have seen needs no place, and junk is looked up no more often than it is asked about', async () => {
  const { clock, provider, call } = setUp(100);
  const known = Array.from({ length: 20 }, () => provider.subscribe('pro'));
  const lookedUp: string[] = [];
  Object.assign(provider, {
    recognizes: async (key: string) => lookedUp.push(key) > 0 && known.includes(key),
  });
  const from = (count: number, first: number) =>
    Promise.all(Array.from({ length: count }, (_, at) => call(keyNumber(first + at), '192.0.2.1')));
  await from(70, 0);
  assert.deepEqual(new Set(await Promise.all(known.map((key) => call(key, '192.0.2.1')))), new Set(['pro']));
  await from(10_000, 1_000);
  assert.equal(provider.calls, 50 + known.length);
  assert.equal(lookedUp.length, 50 + known.length, 'the common half, and what is known uses nothing up');
  clock.advance(MINUTES);
  await from(10_000, 20_000);
  assert.equal(lookedUp.length, 100 + known.length);
});

test('a provider that fails is asked no more often than one that answers, and good keys wait no longer than a minute', async () => {
  const { clock, provider, call } = setUp(100);
  const keys = Array.from({ length: 300 }, () => provider.subscribe('pro'));
  provider.mode = 'fail';
  for (const [number, key] of keys.entries())
    assert.equal(await call(key, `192.0.2.${number % 250}`), 'SUBSCRIPTIONS_UNAVAILABLE');
  assert.equal(provider.calls, 100);
  provider.mode = 'answer';
  clock.advance(MINUTES);
  for (const [number, key] of keys.entries()) assert.equal(await call(key, `192.0.2.${number % 250}`), 'pro');
});

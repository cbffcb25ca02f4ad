// Proves that the minute is exact against a plain model, and what callers are told about it. No database is needed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { manualClock } from '../../../test/support/service/clock.ts';
import type { Access } from '../../http/frame/route.ts';
import type { Headers } from '../../http/output/reply.ts';
import { Problem } from '../../lib/problem.ts';
import type { Database } from '../../postgres/client/database.ts';
import { EVERYTHING } from '../tiers/reach.ts';
import { anonymous, type Principal, TIERS, type TierPlan } from '../tiers/tiers.ts';

import { RateLimiter } from './rate-limiter.ts';

const MINUTE = { credentials: 'optional', counts: 'minute' } as const;
const STREAM = { credentials: 'required', counts: 'minute', stream: true } as const;

function setUp(numbers: Partial<TierPlan> = {}, capacity?: number) {
  const clock = manualClock();
  let shift = 0;
  const tiers = {
    ...TIERS,
    anonymous: { ...TIERS.anonymous, ...numbers },
    pro: { ...TIERS.pro, ...numbers },
  };
  const limits = new RateLimiter({
    tiers,
    clock: { ...clock, now: () => clock.now() + shift },
    database: UNUSED,
    report: (error) => assert.fail(String(error)),
    ...(capacity !== undefined && { capacity }),
  });
  return { clock, limits, jump: (milliseconds: number) => (shift += milliseconds) };
}

/** Counting minutes asks no database: any use of this fails. */
const UNUSED = {} as Database;

function subscriber(name: string, tier: Principal['tier'] = 'pro'): Principal {
  return {
    kind: 'key',
    tier,
    account: `sub:${name}`,
    subscription: name,
    owner: null,
    grant: null,
    scopes: null,
    reach: EVERYTHING,
  };
}

/** The headers of an admitted request, or the Problem of a refused one. */
async function ask(
  limits: RateLimiter,
  caller: Principal,
  access: Access = MINUTE,
): Promise<Headers | Problem> {
  try {
    return await limits.admit(caller, access);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

test('in no 60 seconds are more requests admitted than the quota, and none is refused that could be admitted', async () => {
  const quota = 7;
  const step = fc.record({
    caller: fc.integer({ min: 0, max: 2 }),
    wait: fc.oneof(fc.constantFrom(0, 1, 59_999, 60_000), fc.integer({ min: 0, max: 12_000 })),
    jump: fc.constantFrom(0, 0, 0, 3_600_000, -3_600_000),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 250 }), async (steps) => {
      const { clock, limits, jump } = setUp({ minute: quota });
      const admitted = new Map<number, number[]>();
      for (const { caller, wait, jump: distance } of steps) {
        clock.advance(wait);
        jump(distance);
        const now = clock.monotonic();
        const times = (admitted.get(caller) ?? []).filter((time) => now - time < 60_000);
        const refused = (await ask(limits, anonymous(`192.0.2.${caller}`))) instanceof Problem;
        assert.equal(refused, times.length >= quota);
        admitted.set(caller, refused ? times : [...times, now]);
      }
    }),
  );
});

test('the edge: refused at 59.999 s, admitted at 60.000 s, and as often as places were freed', async () => {
  const { clock, limits } = setUp();
  const caller = anonymous('192.0.2.1');
  for (let count = 0; count < 10; count++) assert.ok(!((await ask(limits, caller)) instanceof Problem));
  clock.advance(59_999);
  assert.ok((await ask(limits, caller)) instanceof Problem);
  clock.advance(1);
  for (let count = 0; count < 10; count++) assert.ok(!((await ask(limits, caller)) instanceof Problem));
  assert.ok((await ask(limits, caller)) instanceof Problem);
});

test('an answer tells the policy, what is left of it, and when the oldest request leaves', async () => {
  const { clock, limits } = setUp();
  const caller = anonymous('192.0.2.1');
  await ask(limits, caller);
  clock.advance(41_500);
  assert.deepEqual(await ask(limits, caller), {
    'ratelimit-policy': '"minute";q=10;w=60',
    ratelimit: '"minute";r=8;t=19',
    'x-ratelimit-limit': '10',
    'x-ratelimit-remaining': '8',
    'x-ratelimit-reset': '19',
  });
});

test('a request that leaves in 60 seconds is never said to leave in 61, at whatever fraction of a millisecond it came', async () => {
  const { clock, limits } = setUp();
  // The sum of such a time and a minute passes a power of two, where it is rounded.
  clock.advance(1_000_000);
  for (let host = 0; host < 1_000; host++) {
    clock.advance(0.1);
    const headers = (await ask(limits, anonymous(`10.0.${host >> 8}.${host & 255}`))) as Headers;
    assert.equal(headers['x-ratelimit-reset'], '60');
  }
});

test('a refusal names the policy and how long to wait, and after that wait a request is admitted', async () => {
  const { clock, limits } = setUp();
  const caller = anonymous('192.0.2.1');
  for (let count = 0; count < 10; count++) {
    await ask(limits, caller);
    clock.advance(100);
  }
  const problem = await ask(limits, caller);
  assert.ok(problem instanceof Problem);
  assert.equal(problem.code, 'RATE_LIMITED');
  assert.deepEqual(problem.members, { violatedPolicies: ['minute'] });
  assert.equal(problem.headers['retry-after'], '59');
  assert.equal(problem.headers.ratelimit, '"minute";r=0;t=59');
  clock.advance(59_000);
  assert.ok(!((await ask(limits, caller)) instanceof Problem));
});

test('callers do not use up each other', async () => {
  const { limits } = setUp();
  for (let count = 0; count < 11; count++) await ask(limits, anonymous('192.0.2.1'));
  assert.ok(!((await ask(limits, anonymous('192.0.2.2'))) instanceof Problem));
});

test('a thousand addresses of one /64 have ten requests together', async () => {
  const { limits } = setUp();
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, host) => ask(limits, anonymous(`2001:db8::${host.toString(16)}`))),
  );
  assert.equal(answers.filter((answer) => !(answer instanceof Problem)).length, 10);
});

test('a caller who changes to a higher tier keeps what it used in the last minute', async () => {
  const { limits } = setUp();
  for (let count = 0; count < 60; count++) await ask(limits, subscriber('a', 'free'));
  assert.ok((await ask(limits, subscriber('a', 'free'))) instanceof Problem);
  const headers = await ask(limits, subscriber('a', 'pro'));
  assert.ok(!(headers instanceof Problem));
  assert.equal(headers['x-ratelimit-remaining'], '239');
  assert.ok((await ask(limits, subscriber('a', 'free'))) instanceof Problem, 'and back');
});

test('a flood of addresses makes nobody free who is limited, and touches no subscription', async () => {
  const { clock, limits } = setUp({}, 1_000);
  const limited = anonymous('192.0.2.1');
  for (let count = 0; count < 10; count++) await ask(limits, limited);
  const codes = new Set<string>();
  for (let host = 0; host < 50_000; host++) {
    clock.advance(1);
    const answer = await ask(limits, anonymous(`10.${host >> 16}.${(host >> 8) & 255}.${host & 255}`));
    if (answer instanceof Problem) codes.add(answer.code);
  }
  assert.deepEqual(codes, new Set(['OVERLOADED']));
  assert.equal(((await ask(limits, limited)) as Problem).code, 'RATE_LIMITED');
  assert.ok(!((await ask(limits, subscriber('a'))) instanceof Problem));
});

test('a caller without limits is told of none and counted nowhere', async () => {
  const { limits } = setUp();
  const access = { credentials: 'required', counts: 'month' } as const;
  for (let count = 0; count < 5_000; count++)
    assert.deepEqual(await ask(limits, subscriber('a', 'internal'), access), {});
});

test('as many streams are open at once as the tier allows, and one that ends makes room for one', async () => {
  const { limits } = setUp({ streams: 3 });
  const caller = subscriber('a');
  const [release] = await Promise.all(Array.from({ length: 3 }, () => limits.streams.open(caller)));
  await assert.rejects(limits.streams.open(caller), {
    code: 'TOO_MANY_STREAMS',
    members: { violatedPolicies: ['streams'] },
  });
  await limits.streams.open(subscriber('b'));
  release?.();
  release?.();
  assert.equal(await limits.streams.count(caller), 2, 'ending twice frees one place');
  await limits.streams.open(caller);
  await assert.rejects(limits.streams.open(caller), Problem);
});

test('a stream too many is refused before it is charged', async () => {
  const { limits } = setUp({ streams: 1 });
  const caller = subscriber('a');
  await ask(limits, caller, STREAM);
  const release = await limits.streams.open(caller);
  const refusal = await ask(limits, caller, STREAM);
  assert.ok(refusal instanceof Problem);
  assert.equal(refusal.code, 'TOO_MANY_STREAMS');
  assert.equal(refusal.headers['x-ratelimit-remaining'], '299');
  assert.equal(refusal.headers['retry-after'], '10');
  release();
  const headers = await ask(limits, caller, STREAM);
  assert.ok(!(headers instanceof Problem));
  assert.equal(headers['x-ratelimit-remaining'], '298');
});

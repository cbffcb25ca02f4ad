// Proof that no header, clock or flood gets anybody more requests than the limits say.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { RateLimiter } from '../../src/access/limits/rate-limiter.ts';
import { EVERYTHING } from '../../src/access/tiers/reach.ts';
import { type Principal, TIERS } from '../../src/access/tiers/tiers.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { Problem } from '../../src/lib/problem.ts';
import { createRandom, type Random } from '../support/check/random.ts';
import { testDatabase } from '../support/database/database.ts';
import { floodAddresses } from '../support/guard/memory.ts';
import { serveGuarded } from '../support/guard/service.ts';
import { manualClock } from '../support/service/clock.ts';
import { stubProvider } from '../support/service/stub-provider.ts';

const { database } = await testDatabase({ after });
const HOUR = 3_600_000;

/** One client in all the ways in which a proxy may write it down. */
const WRITTEN = [
  '198.51.100.9',
  '::ffff:198.51.100.9',
  '::FFFF:c633:6409',
  '198.51.100.9:4711',
  '[::ffff:198.51.100.9]:80',
  ' 198.51.100.9 ',
];
const FORGED = [
  '',
  '10.0.0.1',
  '127.0.0.1',
  '::1',
  'unknown',
  '_hidden',
  '999.1.1.1',
  '198.51.100.9',
  '%00',
  'a'.repeat(400),
];

function forged(random: Random): Record<string, string> {
  const address = `203.0.113.${random.below(256)}`;
  return {
    forwarded: `for=${address};proto=https, for="[2001:db8::${random.below(9_999)}]"`,
    'x-real-ip': address,
    'true-client-ip': address,
    'cf-connecting-ip': address,
    'x-client-ip': address,
    'x-forwarded': address,
  };
}

test('whatever a client puts before what its proxy adds, in one header or in two, it has ten requests a minute', async (t) => {
  const random = createRandom(34);
  const clock = manualClock();
  const service = await serveGuarded(t, { database, clock, provider: stubProvider() });
  for (let minute = 0; minute < 3; minute++) {
    let admitted = 0;
    for (let count = 0; count < 120; count++) {
      const before = Array.from({ length: random.below(4) }, () => random.pick(FORGED));
      const own = random.pick(WRITTEN);
      const whole = [...before, own].join(',');
      const forwarded = random.chance(0.5) ? whole : [...(before.length > 0 ? [before.join(', ')] : []), own];
      const { status } = await service.ask({ headers: { ...forged(random), 'x-forwarded-for': forwarded } });
      assert.ok(status === 200 || status === 429, String(status));
      if (status === 200) admitted++;
    }
    assert.equal(admitted, 10, `minute ${minute}`);
    clock.advance(60_000);
  }
});

test('a client that is no trusted proxy has ten requests a minute, whoever it says it is', async (t) => {
  const random = createRandom(35);
  const service = await serveGuarded(t, {
    database,
    clock: manualClock(),
    provider: stubProvider(),
    trustedProxies: ['10.0.0.0/8', '::/0', '192.0.2.1'],
  });
  let admitted = 0;
  for (let count = 0; count < 200; count++) {
    const headers = { ...forged(random), 'x-forwarded-for': [`10.0.0.${count}`, `198.51.100.${count}`] };
    if ((await service.ask({ headers })).status === 200) admitted++;
  }
  assert.equal(admitted, 10);
});

test('a thousand addresses of one /64 have ten requests a minute together, and the next /64 has its own', async (t) => {
  const random = createRandom(64);
  const service = await serveGuarded(t, { database, clock: manualClock(), provider: stubProvider() });
  const part = () => random.below(65_536).toString(16);
  for (const network of ['2001:db8:a:b', '2001:0DB8:000A:000c']) {
    let admitted = 0;
    for (let count = 0; count < 1_000; count++) {
      const address = `${network}:${part()}:${part()}:${part()}:${part()}`;
      const written = random.chance(0.2) ? `[${address}]:443` : address;
      if ((await service.ask({ headers: { 'x-forwarded-for': written } })).status === 200) admitted++;
    }
    assert.equal(admitted, 10, network);
  }
});

/** A clock whose wall can be set without its monotonic time noticing. */
function jumpingClock(
  start?: number,
): Clock & { jump(milliseconds: number): void; advance(milliseconds: number): void } {
  const clock = manualClock(start);
  let offset = 0;
  return {
    now: () => clock.now() + offset,
    monotonic: clock.monotonic,
    after: clock.after,
    advance: clock.advance,
    jump(milliseconds) {
      offset += milliseconds;
    },
  };
}

const caller: Principal = {
  kind: 'key',
  tier: 'pro',
  account: 'sub:jump',
  subscription: 'jump',
  owner: null,
  grant: null,
  scopes: null,
  reach: EVERYTHING,
};

test('the minute is exact however the wall clock jumps', async () => {
  const step = fc.oneof(
    fc.record({ pass: fc.integer({ min: 0, max: 40_000 }) }),
    fc.record({ jump: fc.constantFrom(-HOUR, HOUR, -60_000, 60_000, -1) }),
    fc.constant({ ask: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), async (steps) => {
      const clock = jumpingClock();
      const tiers = { ...TIERS, pro: { ...TIERS.pro, minute: 5, month: null } };
      const limits = new RateLimiter({ tiers, clock, database, report: () => assert.fail() });
      let admitted: number[] = [];
      for (const each of steps) {
        if ('pass' in each) clock.advance(each.pass);
        else if ('jump' in each) clock.jump(each.jump);
        else {
          const now = clock.monotonic();
          admitted = admitted.filter((at) => at + 60_000 > now);
          let isIn = true;
          try {
            await limits.admit(caller, { credentials: 'optional', counts: 'minute' });
          } catch (error) {
            assert.ok(error instanceof Problem);
            isIn = false;
          }
          assert.equal(isIn, admitted.length < 5, `${admitted.length} in the last minute`);
          if (isIn) admitted.push(now);
        }
      }
    }),
    { seed: 35, numRuns: 300 },
  );
});

test('no month is overdrawn by a wall clock that jumps over its end and back', async () => {
  const clock = jumpingClock(Date.UTC(2026, 1, 1) - 1_800_000);
  const tiers = { ...TIERS, pro: { ...TIERS.pro, minute: null, month: 120 } };
  const limits = new RateLimiter({ tiers, clock, database, report: (error) => assert.fail(String(error)) });
  const admitted = new Map<number, number>();
  for (let round = 0; round < 60; round++) {
    clock.jump(round % 2 === 0 ? HOUR : -HOUR);
    const month = new Date(clock.now()).getUTCMonth();
    for (let count = 0; count < 7; count++) {
      try {
        await limits.admit(caller, { credentials: 'optional', counts: 'month' });
        admitted.set(month, (admitted.get(month) ?? 0) + 1);
      } catch (error) {
        assert.equal((error as Problem).code, 'QUOTA_EXCEEDED');
      }
    }
  }
  await limits.close();
  assert.equal(admitted.size, 2, 'both months were met');
  for (const count of admitted.values()) assert.ok(count <= 120 && count > 60, `${count} of 120`);
});

test('three hundred thousand addresses take bounded memory, free nobody and harm no subscription', async (t) => {
  const result = await floodAddresses(database, { addresses: 300_000, pace: 3_000 });
  t.diagnostic(JSON.stringify(result));
  assert.ok(result.megabytes < 150, `${result.megabytes} MB`);
  assert.equal(result.freed, 0);
  assert.equal(result.harmed, 0);
  assert.ok(result.turnedAway > 0, 'there were more than fit');
});

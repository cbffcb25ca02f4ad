// Proof that calls of all processes together stay below the limit of a payment service, with slots left for known keys.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { ProviderUnavailable } from '../../src/access/tiers/provider.ts';
import { CALL_LIMITS, createCallBudget, type Urgency } from '../../src/billing/call-budget.ts';
import { type DatabaseTime, moveableTime } from '../support/billing/database-time.ts';
import { assertEvery } from '../support/check/every.ts';
import { runs } from '../support/check/runs.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';

const { database } = await testDatabase({ after });
const time = await moveableTime(database);
const { signal } = new AbortController();

/** Two processes that share a service's budget, and what they were given. */
function setUp(service: 'polar' | 'stripe') {
  const clock = manualClock();
  const budgets = [1, 2].map(() => createCallBudget({ database, clock, service }));
  const given: { readonly at: number; readonly urgency: Urgency }[] = [];
  /** Whether there was a slot; a known one would wait, so its signal has been aborted once it does. */
  async function take(process: number, urgency: Urgency): Promise<boolean> {
    const waiting = new AbortController();
    let isGiven: boolean | null = null;
    budgets[process % 2]?.reserve(urgency, waiting.signal).then(
      () => {
        isGiven = true;
      },
      () => {
        isGiven = false;
      },
    );
    await until('it is decided', () => isGiven !== null || clock.waiting > 0);
    if (isGiven) given.push({ at: await time.now(), urgency });
    waiting.abort(new ProviderUnavailable('left'));
    return isGiven ?? false;
  }
  return { clock, budgets, given, take };
}

/** The most calls that any stretch of so many milliseconds holds. */
function busiest(calls: readonly { readonly at: number }[], milliseconds: number): number {
  return Math.max(
    0,
    ...calls.map(({ at }) => calls.filter((other) => other.at >= at && other.at < at + milliseconds).length),
  );
}

async function clear(clockOfDatabase: DatabaseTime): Promise<void> {
  await clockOfDatabase.advance(120_000);
}

for (const [service, window, max] of [
  ['polar', 60_000, 490],
  ['stripe', 1_000, 14],
] as const) {
  test(`two processes send ${service} at most ${max} calls in any ${window} ms, and all of them are used`, async () => {
    await clear(time);
    const { take, given } = setUp(service);
    const step = window / 20;
    for (let moment = 0; moment < 60; moment++) {
      // In bursts, so that a window which is counted from a fixed moment would let in twice as many.
      for (let call = 0; call < (moment % 7 === 0 ? max * 2 : 1); call++) {
        if (!(await take(call, 'known')) && call > 2) break;
      }
      await time.advance(step);
    }
    assert.equal(busiest(given, window), max);
    assert.equal(busiest(given, window + window / 12), max, 'calls that are late stay below it too');
  });

  test(`junk and lists leave a quarter of the calls to ${service} for known keys`, async () => {
    await clear(time);
    const { take, given } = setUp(service);
    const limits = CALL_LIMITS[service];
    const drain = async (urgency: Urgency) => {
      let count = 0;
      while (await take(count, urgency)) count++;
      return count;
    };
    assert.equal(await drain('stranger'), limits.maxStrangers, 'made-up purchases have a share of their own');
    assert.equal(await drain('unknown'), limits.maxUnknown, 'and take nothing from keys that are new');
    assert.equal(await drain('background'), limits.maxOthers - limits.maxUnknown - limits.maxStrangers);
    const known = await drain('known');
    assert.equal(known, max - limits.maxOthers);
    assert.ok(known >= Math.floor(max / 4));
    assert.equal(given.length, max);
  });
}

test('calls that come at the same time from two processes are counted one by one', async () => {
  await clear(time);
  const { budgets, clock } = setUp('stripe');
  const reserved = Array.from({ length: 60 }, (_, at) => budgets[at % 2]?.reserve('known', signal));
  let given = 0;
  const refused: unknown[] = [];
  for (const each of reserved)
    each?.then(
      () => given++,
      (error: unknown) => refused.push(error),
    );
  await until('14 have a place, and the others wait', () => given === 14 && clock.waiting === 2);
  await time.advance(1_000);
  clock.advance(1_000);
  assert.equal(given, 14, 'the oldest are counted for a moment longer than a second');
  await time.advance(200);
  clock.advance(200);
  await until('nobody waits for longer than two seconds', () => given + refused.length === 60);
  assert.equal(given, 28);
  assertEvery(refused, (error) => error instanceof ProviderUnavailable);
});

test('a clock of the database that is set back frees no place and locks none', async () => {
  await clear(time);
  const { take, given } = setUp('polar');
  for (let call = 0; call < 490; call++) await take(call, 'known');
  await time.advance(-3_600_000);
  assert.equal(await take(0, 'known'), false);
  await time.advance(70_000);
  assert.equal(await take(0, 'known'), true);
  assert.equal(given.length, 491);
});

test('whatever is asked for when, no stretch of time holds more calls than the limit', async () => {
  const step = fc.record({
    process: fc.nat(1),
    urgency: fc.constantFrom<Urgency>('known', 'unknown', 'stranger', 'background'),
    calls: fc.integer({ min: 1, max: 12 }),
    pause: fc.integer({ min: 0, max: 400 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      await clear(time);
      const { take, given } = setUp('stripe');
      for (const { process, urgency, calls, pause } of steps) {
        for (let call = 0; call < calls; call++) if (!(await take(process, urgency))) break;
        await time.advance(pause);
      }
      assert.ok(busiest(given, 1_000) <= 14);
      for (const urgency of ['unknown', 'background']) {
        assert.ok(
          busiest(
            given.filter((each) => each.urgency === urgency),
            1_000,
          ) <= 7,
          urgency,
        );
      }
    }),
    runs(25, 1812),
  );
});

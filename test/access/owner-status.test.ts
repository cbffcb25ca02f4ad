// Proof of how work in the background learns that a subscription or grant has ended: in time, with few questions, never by a guess.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAccess } from '../../src/access/access.ts';
import { createOwnerStatus, type GrantState, type OwnerHint } from '../../src/access/keys/owner-status.ts';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import type { SubscriptionStatus } from '../../src/access/tiers/provider.ts';
import { type Plan, TIERS } from '../../src/access/tiers/tiers.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';

const TEN_MINUTES = 600_000;
const { database, name } = await testDatabase({ after });

/** A provider that says what the test wants, when the test wants, and counts the questions. */
function setUp() {
  const clock = manualClock();
  const verdicts = new Map<string, SubscriptionStatus>();
  const grants = new Map<string, GrantState>();
  const faults: unknown[] = [];
  const gate = { isDown: false, questions: 0, release: () => {}, waiting: null as Promise<void> | null };
  async function refresh(subscription: string): Promise<SubscriptionStatus> {
    gate.questions++;
    const verdict = verdicts.get(subscription) ?? { state: 'unknown' };
    await gate.waiting;
    if (gate.isDown) throw new Error('no answer');
    return verdict;
  }
  const owners = createOwnerStatus({
    clock,
    provider: { validate: () => Promise.reject(new Error('not asked by key')), refresh },
    report: (error) => faults.push(error),
    findGrantState: async (grant) => {
      if (gate.isDown) throw new Error('no answer');
      return grants.get(grant) ?? 'ended';
    },
  });
  const subscribe = (subscription: string, tier: Plan, endsAt: number | null = null) =>
    verdicts.set(subscription, { state: 'active', subscription, customer: null, tier, endsAt });
  /** Makes questions wait until the returned function is called. */
  function hold(): void {
    gate.waiting = new Promise((resolve) => {
      gate.release = () => {
        gate.waiting = null;
        resolve();
      };
    });
  }
  return { clock, verdicts, grants, faults, gate, owners, subscribe, hold };
}

test('a subscription is asked about once in ten minutes, whoever checks it and however many at once', async () => {
  const { clock, gate, owners, subscribe } = setUp();
  subscribe('one', 'pro');
  const answers = await Promise.all(Array.from({ length: 50 }, () => owners.check('one')));
  assert.deepEqual(answers[49], { state: 'active', plan: 'pro' });
  clock.advance(TEN_MINUTES - 1);
  await owners.check('one');
  assert.equal(gate.questions, 1);
  clock.advance(1);
  await owners.check('one');
  assert.equal(gate.questions, 2);
});

test('ten minutes count from when the question was sent, not from its answer', async () => {
  const { clock, gate, owners, subscribe, hold } = setUp();
  subscribe('one', 'pro');
  hold();
  const slow = owners.check('one');
  clock.advance(4_000);
  gate.release();
  await slow;
  clock.advance(TEN_MINUTES - 4_001);
  await owners.check('one');
  assert.equal(gate.questions, 1);
  clock.advance(1);
  await owners.check('one');
  assert.equal(gate.questions, 2);
});

test('ended and revoked are told apart, and a known end is seen at its moment', async () => {
  const { clock, verdicts, owners, subscribe } = setUp();
  subscribe('one', 'pro', clock.now() + 1_000);
  assert.equal((await owners.check('one')).state, 'active');
  clock.advance(999);
  assert.equal((await owners.check('one')).state, 'active');
  clock.advance(1);
  assert.deepEqual(await owners.check('one'), { state: 'ended', plan: null });
  verdicts.set('two', { state: 'expired' });
  assert.equal((await owners.check('two')).state, 'ended');
  assert.equal((await owners.check('never')).state, 'revoked');
});

test('without an answer the state is unavailable with the last plan, never ended, and the provider is tried again', async () => {
  const { clock, gate, faults, owners, subscribe } = setUp();
  subscribe('one', 'business');
  await owners.check('one');
  gate.isDown = true;
  clock.advance(TEN_MINUTES);
  assert.deepEqual(await owners.check('one'), { state: 'unavailable', plan: 'business' });
  assert.deepEqual(await owners.check('two'), { state: 'unavailable', plan: null });
  assert.deepEqual(await owners.checkGrant('7'), { state: 'unavailable', plan: null });
  for (let second = 0; second < 300; second++) {
    clock.advance(1_000);
    assert.equal((await owners.check('one')).state, 'unavailable');
  }
  assert.equal(gate.questions, 1 + 1 + 1 + 10, 'one question in thirty seconds');
  assert.equal(faults.length, 1, 'one line in the log for the outage');
  gate.isDown = false;
  clock.advance(30_000);
  assert.deepEqual(await owners.check('one'), { state: 'active', plan: 'business' });
});

test('an answer that takes longer than five seconds is none', async () => {
  const { clock, owners, subscribe, hold } = setUp();
  subscribe('one', 'pro');
  hold();
  const check = owners.check('one');
  clock.advance(5_000);
  assert.equal((await check).state, 'unavailable');
});

test('after a hint the next check asks again, and does not join a question from before', async () => {
  const { verdicts, gate, owners, subscribe, hold } = setUp();
  subscribe('one', 'pro');
  hold();
  const before = owners.check('one');
  verdicts.set('one', { state: 'unknown' });
  owners.invalidate({ subscription: 'one' });
  gate.waiting = null;
  const following = owners.check('one');
  await until('the provider is asked again', () => gate.questions === 2);
  assert.equal((await following).state, 'revoked');
  gate.release();
  assert.equal((await before).state, 'active');
  assert.equal((await owners.check('one')).state, 'revoked', 'the late answer was not stored');
});

test('a hint names what may have changed to all who listen', async () => {
  const { owners } = setUp();
  const heard: OwnerHint[] = [];
  const stop = owners.onHint((hint) => heard.push(hint));
  owners.invalidate({ subscription: 'one' });
  owners.invalidate({ grant: '17' });
  owners.invalidate('any');
  stop();
  owners.invalidate('any');
  assert.deepEqual(heard, [{ subscription: 'one' }, { grant: '17' }, 'any']);
});

test('a grant without a key is checked in the same way', async () => {
  const { grants, owners } = setUp();
  grants.set('7', 'active');
  assert.deepEqual(await owners.checkGrant('7'), { state: 'active', plan: 'free' });
  grants.set('7', 'revoked');
  assert.equal((await owners.checkGrant('7')).state, 'active', 'cached');
  owners.invalidate({ grant: '7' });
  assert.deepEqual(await owners.checkGrant('7'), { state: 'revoked', plan: null });
  assert.equal((await owners.checkGrant('8')).state, 'ended', 'a grant that is not known any more');
});

test('a subscription that is revoked anywhere is known to every process without waiting for ten minutes', async (t) => {
  const clock = manualClock();
  const subscriptions = createLocalSubscriptions(database, clock);
  const report = () => {};
  const common = { database, clock, report, tiers: TIERS, provider: subscriptions.provider };
  const owners = createOwnerStatus({ ...common, findGrantState: async () => 'ended' });
  const access = createAccess({ ...common, onHint: (hint) => owners.invalidate(hint) });
  t.after(() => access.close());
  await until('the process listens', async () => {
    const rows = await database.read(
      (sql) => sql`select from pg_stat_activity where datname = ${name} and query ilike 'listen%'`,
    );
    return rows.length > 0;
  });
  const { id } = await subscriptions.create({ plan: 'pro' });
  assert.equal((await owners.check(id)).state, 'active');
  await subscriptions.revoke(id);
  await until('the revocation is known', async () => (await owners.check(id)).state === 'revoked');
});

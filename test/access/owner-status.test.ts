// Proof of how work in the background learns that a subscription or grant has ended: in time, and never by a guess.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createAccess } from '../../src/access/access.ts';
import { createOwnerStatus, type GrantState, type OwnerHint } from '../../src/access/keys/owner-status.ts';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { ProviderUnavailable, type SubscriptionStatus } from '../../src/access/tiers/provider.ts';
import { TIERS } from '../../src/access/tiers/tiers.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';

const { database, name } = await testDatabase({ after });

function setUp() {
  const statuses = new Map<string, SubscriptionStatus>();
  const grants = new Map<string, GrantState>();
  const faults: unknown[] = [];
  const gate = { isDown: false };
  const requireUp = () => {
    if (gate.isDown) throw new ProviderUnavailable(new Error('no answer'));
  };
  const owners = createOwnerStatus({
    subscriptions: {
      async find(subscription) {
        requireUp();
        return statuses.get(subscription) ?? { state: 'unknown' };
      },
    },
    report: (error) => faults.push(error),
    async findGrantState(grant) {
      requireUp();
      return grants.get(grant) ?? 'ended';
    },
  });
  return { statuses, grants, faults, gate, owners };
}

test('a subscription in force gives its plan; ended and revoked are told apart', async () => {
  const { statuses, owners } = setUp();
  statuses.set('one', { state: 'active', subscription: 'one', customer: null, tier: 'pro', endsAt: null });
  statuses.set('two', { state: 'expired' });
  assert.deepEqual(await owners.check('one'), { state: 'active', plan: 'pro' });
  assert.deepEqual(await owners.check('two'), { state: 'ended', plan: null });
  assert.deepEqual(await owners.check('never'), { state: 'revoked', plan: null });
});

test('without an answer the state is unavailable, never ended, and an outage is one line in the log', async () => {
  const { statuses, gate, faults, owners } = setUp();
  statuses.set('one', { state: 'active', subscription: 'one', customer: null, tier: 'pro', endsAt: null });
  gate.isDown = true;
  for (let times = 0; times < 10; times++) {
    assert.deepEqual(await owners.check('one'), { state: 'unavailable', plan: null });
    assert.deepEqual(await owners.checkGrant('7'), { state: 'unavailable', plan: null });
  }
  assert.equal(faults.length, 1);
  gate.isDown = false;
  assert.deepEqual(await owners.check('one'), { state: 'active', plan: 'pro' });
});

test('a hint names what may have changed to all who listen', () => {
  const { owners } = setUp();
  const heard: OwnerHint[] = [];
  const stop = owners.onHint((hint) => heard.push(hint));
  owners.hint({ subscription: 'one' });
  owners.hint({ grant: '17' });
  stop();
  owners.hint({ subscription: 'two' });
  assert.deepEqual(heard, [{ subscription: 'one' }, { grant: '17' }]);
});

test('a grant without a key is checked in the same way', async () => {
  const { grants, owners } = setUp();
  grants.set('7', 'active');
  assert.deepEqual(await owners.checkGrant('7'), { state: 'active', plan: 'free' });
  grants.set('7', 'revoked');
  assert.deepEqual(await owners.checkGrant('7'), { state: 'revoked', plan: null });
  assert.equal((await owners.checkGrant('8')).state, 'ended', 'a grant that is not known any more');
});

test('a subscription that is revoked anywhere is known to every process without waiting for ten minutes', async (t) => {
  const clock = manualClock();
  const local = createLocalSubscriptions(database, clock);
  const report = () => {};
  const changed: string[] = [];
  const onChange = (subscription: string) => void changed.push(subscription);
  const access = createAccess({ database, clock, report, tiers: TIERS, provider: local.provider, onChange });
  const owners = createOwnerStatus({ ...access, report, findGrantState: async () => 'ended' });
  t.after(() => access.close());
  await until('the process listens', async () => {
    const rows = await database.read(
      (sql) => sql`select from pg_stat_activity where datname = ${name} and query ilike 'listen%'`,
    );
    return rows.length > 0;
  });
  const { id } = await local.create({ plan: 'pro' });
  assert.equal((await owners.check(id)).state, 'active');
  await local.revoke(id);
  await until('the revocation is known', async () => (await owners.check(id)).state === 'revoked');
  assert.deepEqual(changed, [id]);
});

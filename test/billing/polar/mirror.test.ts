// Polar behind the mirror, with faults: rotation, changes of plan and ends as people meet them.

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Mirror } from '../../../src/billing/mirror.ts';
import { polarService, startPolarShop } from '../../support/billing/polar/polar-service.ts';
import { atEnd, testDatabase } from '../../support/database/database.ts';
import { manualClock } from '../../support/service/clock.ts';
import { keyNumber } from '../../support/service/stub-provider.ts';

const { database } = await testDatabase({ after });
const { signal } = new AbortController();
const clock = manualClock(Date.now());
const { server, products, settings } = await startPolarShop({ after }, { now: clock.now, seed: 11 });
const { world } = server;
const { service, ask } = polarService({ after }, { settings, clock });
const endedGrants: string[] = [];
const mirror = new Mirror({
  database,
  clock,
  service,
  endGrants: async (_, reference) => void endedGrants.push(reference),
});
atEnd({ after }, () => mirror.close());

const validate = (key: string, maxAge = 0) => ask(() => mirror.validate(key, { signal, maxAge }));
const refresh = (reference: string) => ask(() => mirror.refresh(reference, { signal, maxAge: 0 }));

/** The status without its age. */
async function said(status: ReturnType<typeof validate>) {
  const { age: _, ...rest } = { age: 0, ...(await status) };
  return rest;
}

describe('a key of Polar in the mirror', () => {
  test('that was rotated is replaced, its grants end, and the new one has the same reference', async () => {
    const key = world.keyOf(world.subscribe(products.pro));
    const former = key.key;
    const before = await said(validate(former));
    assert.equal(before.state === 'active' && before.subscription, key.id);
    const now = world.rotate(key);
    assert.deepEqual(await said(validate(former)), { state: 'unknown', reason: 'replaced' });
    assert.deepEqual(await said(validate(now)), before);
    assert.deepEqual(await validate(former), { state: 'unknown' }, 'nobody knows the former one any more');
    assert.deepEqual(endedGrants, [key.id]);
  });

  test('follows its subscription through plans, an end that is taken back, and the end', async () => {
    const subscription = world.subscribe(products.free);
    const key = world.keyOf(subscription);
    const tier = async () => {
      const status = await said(validate(key.key));
      return status.state === 'active' ? [status.tier, status.endsAt] : status;
    };
    assert.deepEqual(await tier(), ['free', null]);
    world.changePlan(subscription, products.business);
    assert.deepEqual(await tier(), ['business', null]);
    world.cancelAtPeriodEnd(subscription);
    assert.deepEqual(await tier(), ['business', subscription.periodEnd]);
    world.uncancel(subscription);
    assert.deepEqual(await tier(), ['business', null]);
    world.revoke(subscription);
    assert.deepEqual(await tier(), { state: 'expired' });
    assert.deepEqual(await said(refresh(key.id)), { state: 'expired' });
  });

  test('that was never seen costs one call when it is junk', async () => {
    await validate(world.keyOf(world.subscribe(products.pro)).key);
    const usual = server.fault;
    server.fault = () => null;
    const from = server.requests.length;
    for (let number = 1; number <= 20; number++) {
      assert.deepEqual(await validate(keyNumber(number)), { state: 'unknown' });
    }
    assert.equal(server.requests.length - from, 20);
    server.fault = usual;
  });

  test('keeps what was said of it while Polar cannot be asked, and nothing wrong is said', async () => {
    const key = world.keyOf(world.subscribe(products.pro));
    const before = await said(validate(key.key));
    const usual = server.fault;
    for (const fault of [
      { kind: 'failing', status: 500 },
      { kind: 'dropped' },
      { kind: 'limited', retryAfter: 60 },
    ] as const) {
      server.fault = () => fault;
      assert.deepEqual(await said(validate(key.key, 600_000)), before);
    }
    server.fault = usual;
    assert.deepEqual(await said(validate(key.key)), before);
  });
});

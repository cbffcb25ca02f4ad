// Tests of the plans on sale: remembered for minutes, asked for again soon after a failure, and reported once an outage.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryService, offer } from '../../../test/support/billing/memory-service.ts';
import { manualClock } from '../../../test/support/service/clock.ts';
import { createFindOffers } from './offers.ts';

const MINUTE = 60_000;

function setUp() {
  const service = memoryService();
  service.offers = [offer('pro', 900)];
  const clock = manualClock();
  const reported: unknown[] = [];
  const find = createFindOffers({ service, clock, report: (error) => reported.push(error) });
  return { service, clock, reported, find, asked: () => service.questions.length };
}

test('plans are asked for once in five minutes, however many people look', async () => {
  const { clock, find, asked, service } = setUp();
  assert.deepEqual(await Promise.all([find(), find()]), [service.offers, service.offers]);
  clock.advance(5 * MINUTE - 1);
  await find();
  assert.equal(asked(), 1);
  clock.advance(1);
  await find();
  assert.equal(asked(), 2);
});

test('a failure is asked about again after ten seconds, and each outage is reported once', async () => {
  const { clock, find, asked, service, reported } = setUp();
  for (let outage = 1; outage <= 2; outage++) {
    service.mode = 'fail';
    const before = asked();
    assert.equal(await find(), null);
    clock.advance(9_999);
    assert.equal(await find(), null);
    assert.equal(asked(), before + 1);
    clock.advance(1);
    assert.equal(await find(), null);
    assert.equal(asked(), before + 2);
    assert.equal(reported.length, outage);
    service.mode = 'answer';
    clock.advance(10_000);
    assert.deepEqual(await find(), service.offers);
    clock.advance(5 * MINUTE);
  }
});

// Tests of plans in plain words.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TIERS } from '../../access/tiers/tiers.ts';
import type { OfferedPlan } from '../../billing/payment-service.ts';
import { planFacts, priceWords } from './plan-words.ts';

const price = (amount: number, currency: string, more: Partial<OfferedPlan> = {}): string =>
  priceWords({
    plan: 'pro',
    priceId: 'price_1',
    name: 'Pro',
    amount,
    currency,
    interval: 'month',
    intervalCount: 1,
    ...more,
  });

test('a price is written in its currency, from the unit in which payment services count it', () => {
  assert.equal(price(2_900, 'eur'), '€29 a month');
  assert.equal(price(1_234_550, 'usd'), '$12,345.50 a month');
  assert.equal(price(9_000, 'jpy'), '¥9,000 a month');
  assert.equal(price(5_120, 'kwd').replaceAll('\u00a0', ' '), 'KWD 5.120 a month');
  assert.equal(price(50_000, 'isk').replaceAll('\u00a0', ' '), 'ISK 500 a month');
  assert.equal(price(50_000, 'ugx').replaceAll('\u00a0', ' '), 'UGX 500 a month');
  assert.equal(price(500, 'mga').replaceAll('\u00a0', ' '), 'MGA 500 a month');
  assert.equal(price(0, 'eur'), 'No charge');
});

test('a price says how long it pays for', () => {
  assert.equal(price(29_000, 'eur', { interval: 'year' }), '€290 a year');
  assert.equal(price(7_500, 'gbp', { intervalCount: 3 }), '£75 every 3 months');
});

test('what a plan gets stands in words, with the numbers in force', () => {
  const facts = (plan: keyof typeof TIERS) => Object.fromEntries(planFacts(TIERS[plan]));
  assert.deepEqual(facts('business'), {
    Requests: '1,200 a minute, 500,000 a month',
    Results: 'up to 200 a page',
    Streams: '100 listings at once',
    Watchers: '1,000, notified at once',
    Properties: 'fetched live from their source',
  });
  assert.deepEqual(facts('free'), {
    Requests: '60 a minute, 1,000 a month',
    Results: 'up to 25 a page',
    Streams: 'none',
    Watchers: '1, notified every day',
    Properties: 'as they are stored',
  });
  assert.equal(facts('internal').Requests, 'unlimited');
  assert.equal(facts('internal').Watchers, 'any number, notified at once');
  const halfLimited = { ...TIERS.free, month: null, watchers: 0 };
  assert.equal(Object.fromEntries(planFacts(halfLimited)).Requests, '60 a minute, unlimited a month');
  assert.equal(Object.fromEntries(planFacts(halfLimited)).Watchers, 'none');
});

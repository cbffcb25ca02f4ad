// Proof of what is read of events: which subjects, and never more than ids.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { EVENT_TYPES, isLiveKey, readPolarEvent, readStripeEvent } from './event-subjects.ts';

const ORGANIZATION = '1dbfc517-0bbf-4301-9ba8-555ca42b9737';

const polar = (type: string, data: unknown) =>
  readPolarEvent('msg_1', { type, data }, ORGANIZATION)?.subjects;
const stripe = (type: string, object: unknown) =>
  readStripeEvent({ id: 'evt_1', type, livemode: false, data: { object } }, false)?.subjects;

test('events of Polar name customers, or the keys of a grant', () => {
  const subscription = { id: 'sub', customer_id: 'cus' };
  assert.deepEqual(polar('subscription.revoked', subscription), ['customer:cus']);
  assert.deepEqual(polar('subscription.revoked', { id: 'sub' }), ['subscription:sub']);
  assert.deepEqual(polar('customer.state_changed', { id: 'cus' }), ['customer:cus']);
  assert.deepEqual(polar('customer.deleted', { id: 'cus' }), ['customer:cus']);
  const grant = { id: 'grant', customer_id: 'cus', benefit: { type: 'license_keys' } };
  const properties = { license_key_id: 'new', display_key: 'SERVICE-****' };
  assert.deepEqual(polar('benefit_grant.updated', { ...grant, properties }), ['key:new']);
  const previous_properties = { license_key_id: 'old' };
  assert.deepEqual(polar('benefit_grant.revoked', { ...grant, properties, previous_properties }), [
    'key:new',
    'key:old',
  ]);
  assert.deepEqual(polar('benefit_grant.created', { ...grant, properties: {} }), ['customer:cus']);
  assert.deepEqual(polar('benefit_grant.created', { ...grant, benefit: { type: 'custom' } }), []);
  assert.deepEqual(polar('order.paid', { id: 'order', customer_id: 'cus' }), []);
});

test('events of Stripe name subscriptions, checkouts and customers, expanded or not', () => {
  assert.deepEqual(stripe('customer.subscription.deleted', { id: 'sub_1', customer: 'cus_1' }), [
    'subscription:sub_1',
  ]);
  assert.deepEqual(stripe('checkout.session.completed', { id: 'cs_1', subscription: { id: 'sub_1' } }), [
    'checkout:cs_1',
    'subscription:sub_1',
  ]);
  assert.deepEqual(stripe('checkout.session.expired', { id: 'cs_1', subscription: null }), ['checkout:cs_1']);
  const parent = { type: 'subscription_details', subscription_details: { subscription: 'sub_1' } };
  assert.deepEqual(stripe('invoice.payment_failed', { id: 'in_1', parent }), ['subscription:sub_1']);
  assert.deepEqual(stripe('invoice.paid', { id: 'in_1', subscription: 'sub_1' }), ['subscription:sub_1']);
  assert.deepEqual(stripe('invoice.paid', { id: 'in_1', parent: null, subscription: null }), []);
  assert.deepEqual(stripe('entitlements.active_entitlement_summary.updated', { customer: 'cus_1' }), [
    'customer:cus_1',
  ]);
  assert.deepEqual(stripe('customer.deleted', { id: 'cus_1' }), ['customer:cus_1']);
  assert.deepEqual(stripe('charge.refunded', { id: 'ch_1' }), []);
});

test('events of other accounts, organizations and modes are told apart', () => {
  const read = (data: unknown) =>
    readPolarEvent('msg', { type: 'customer.deleted', data }, ORGANIZATION)?.isForeign;
  assert.equal(read({ id: 'c', organization_id: ORGANIZATION }), false);
  assert.equal(read({ id: 'c' }), false);
  assert.equal(read({ id: 'c', organization_id: 'other' }), true);
  for (const part of ['customer', 'product', 'benefit'])
    assert.equal(read({ id: 'c', [part]: { organization_id: 'other' } }), true, part);
  const event = { id: 'evt_1', type: 'customer.deleted', livemode: true, data: { object: { id: 'cus_1' } } };
  const foreign = (body: object, isLive: boolean | null) => readStripeEvent(body, isLive)?.isForeign;
  assert.deepEqual([foreign(event, true), foreign(event, false), foreign(event, null)], [false, true, false]);
  assert.equal(foreign({ ...event, account: 'acct_1' }, true), true);
  assert.equal(foreign({ ...event, livemode: undefined }, true), true);
  assert.deepEqual(['sk_live_abcdefghij', 'rk_test_abcdefghij', 'sk_org_abcdefghij', 'abc'].map(isLiveKey), [
    true,
    false,
    null,
    null,
  ]);
});

test('the page about billing names every type that counts, so that no webhook leaves one out', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/billing.md'), 'utf8');
  const names = [...page.matchAll(/`([a-z_]+\.[a-z_.]*)`/g)].map(([, name = '']) => name);
  const isNamed = (type: string) =>
    names.some((name) => (name.endsWith('.') ? type.startsWith(name) : type === name));
  for (const type of Object.values(EVENT_TYPES).flat()) {
    // Another name for `invoice.paid`: whoever listens to both gets both.
    if (type !== 'invoice.payment_succeeded') assert.ok(isNamed(type), type);
  }
});

test('whatever an event holds, what is read of it can be stored', () => {
  const types = fc.constantFrom(
    ...EVENT_TYPES.polar,
    ...EVENT_TYPES.stripe,
    '__proto__',
    'x'.repeat(300),
    '',
  );
  const id = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.constantFrom('sub_1', 'a-b', '', 'a b', 'x'.repeat(151)),
    fc.anything(),
  );
  const names = [
    'id',
    'customer_id',
    'customer',
    'subscription',
    'license_key_id',
    'properties',
    'parent',
    'previous_properties',
  ];
  const object = fc.dictionary(
    fc.constantFrom(...names),
    fc.oneof(id, fc.dictionary(fc.constantFrom(...names), id)),
  );
  fc.assert(
    fc.property(types, object, id, (type, data, eventId) => {
      const read = [
        readPolarEvent(eventId, { type, data }, ORGANIZATION),
        readStripeEvent({ id: eventId, type, data: { object: data } }, null),
        readPolarEvent(eventId, data, ORGANIZATION),
      ];
      for (const event of read) {
        if (event === null) continue;
        assert.match(event.id, /^[\w.-]{1,200}$/);
        assert.match(event.type, /^[\w.]{1,200}$/);
        assert.ok(
          event.subjects.length <= 20 &&
            event.subjects.every((subject) => /^\w+:[\w-]{1,150}$/.test(subject)),
        );
      }
    }),
  );
  for (const body of [null, undefined, 7, 'text', [], {}]) {
    assert.equal(readPolarEvent('msg', body, ORGANIZATION), null);
    assert.equal(readStripeEvent(body, null), null);
  }
});

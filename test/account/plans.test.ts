// Proves over HTTP what the page of plans says: what is sold, what each gets, and how to get a key.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageHeaders } from '../../src/page/form-page.ts';
import { serveBillingPages } from '../support/billing/billing-pages.ts';
import { offer } from '../support/billing/memory-service.ts';

test('the page of plans shows what is sold, what each gets and what it costs, and nothing else', async (t) => {
  const { open, payments } = await serveBillingPages(t);
  const { status, text, html, headers } = await open('/billing');
  assert.equal(status, 200);
  assert.match(text, /Pro Requests 300 a minute, 50,000 a month Results up to 100 a page/);
  assert.match(text, /€29 a month Subscribe €290 a year Subscribe/);
  assert.match(text, /Business .* fetched live from their source €199\.50 a month Subscribe/);
  assert.ok(!/Free Requests|Internal/.test(text), 'what nobody sells is not there');
  assert.deepEqual(
    [...html.matchAll(/name="price" value="([^"]*)"/g)].map(([, id]) => id),
    payments.offers.map(({ priceId }) => priceId),
  );
  for (const [name, value] of Object.entries(pageHeaders())) assert.equal(headers.get(name), value, name);
  assert.ok(!/<script|\son\w+=/.test(html));
});

test('plans are remembered for five minutes, by one question for all who look', async (t) => {
  const { open, clock, countOf } = await serveBillingPages(t);
  await Promise.all(Array.from({ length: 20 }, () => open('/billing')));
  clock.advance(299_999);
  await open('/billing');
  assert.equal(countOf('plans'), 1);
  clock.advance(1);
  await open('/billing');
  assert.equal(countOf('plans'), 2);
});

test('while the payment service is dead the page says so, and asks again after ten seconds', async (t) => {
  const { open, subscribe, payments, clock, reported, countOf } = await serveBillingPages(t);
  payments.mode = 'fail';
  for (let count = 0; count < 3; count += 1) {
    const { status, text } = await open('/billing');
    assert.equal(status, 200);
    assert.match(text, /No prices at the moment\. The payment service does not answer/);
    assert.match(text, /Free Requests 60 a minute.* Pro Requests 300 a minute.* Business Requests/);
    assert.ok(!text.includes('month Subscribe'));
  }
  const refused = await subscribe('price_pro_2900');
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get('retry-after'), '60');
  assert.match(refused.text, /The payment service does not answer Nothing was charged/);
  assert.deepEqual([countOf('plans'), countOf('checkout')], [1, 0]);
  payments.mode = 'answer';
  clock.advance(10_000);
  assert.match((await open('/billing')).text, /€29 a month/);
  assert.equal(reported.length, 2, 'the outage once, and the refused purchase');
});

test('without a payment service the page says how to get a key, and nothing can be bought', async (t) => {
  const { open, subscribe } = await serveBillingPages(t, { service: null });
  const { text } = await open('/billing');
  assert.match(text, /Free Requests .* Pro Requests .* Business Requests/);
  assert.match(text, /How to get a key Ask the operator of this service for a subscription\./);
  assert.ok(!text.includes('Internal') && !text.includes('Subscribe'));
  assert.equal((await subscribe('price_pro_2900')).status, 404);
  const elsewhere = await serveBillingPages(t, { service: null, portalUrl: 'https://shop.example/freehold' });
  assert.match(
    (await elsewhere.open('/billing')).html,
    /href="https:\/\/shop\.example\/freehold" rel="noreferrer">Subscribe at shop\.example</,
  );
});

test('where nothing is on sale the page says so', async (t) => {
  const { open, payments } = await serveBillingPages(t);
  payments.offers = [];
  assert.match((await open('/billing')).text, /No plan is on sale at the moment\./);
});

test('names of products are text, whatever they hold', async (t) => {
  const { open, payments } = await serveBillingPages(t);
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
  payments.offers = [offer('pro', 2_900, { name: `\u202E${hostile}`, priceId: `p"><b>` })];
  const { html, text } = await open('/billing');
  assert.ok(text.includes(hostile.slice(0, 50)));
  assert.ok(!/<script|<img|<b>|<[^>]*\son\w+=/i.test(html.replaceAll(/="[^"]*"/g, '')));
  assert.ok(!html.includes('\u202E'));
});

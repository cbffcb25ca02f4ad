// Proves over HTTP what the pages of a purchase show, to whom, and what they refuse.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageHeaders } from '../../src/page/form-page.ts';
import { serveBillingPages } from '../support/billing/billing-pages.ts';

const PRO = 'price_pro_2900';
const from = (address: string) => ({ 'x-forwarded-for': address });

test('a payment service that never answers holds nobody for more than eight seconds', async (t) => {
  const { open, subscribe, payments, clock, countOf } = await serveBillingPages(t);
  await open('/billing');
  payments.mode = 'freeze';
  const asked = subscribe(PRO);
  const returned = open('/billing/return?session=cs_1');
  while (countOf('checkout') + countOf('cs_1') < 2) await new Promise(setImmediate);
  clock.advance(8_000);
  for (const answer of [await asked, await returned]) assert.equal(answer.status, 503);
});

test('a purchase shows its key once, before the payment, and leads on to it', async (t) => {
  const { open, subscribe, payments } = await serveBillingPages(t);
  const { status, text, html, headers } = await subscribe(PRO);
  const [key = ''] = payments.keys;
  assert.equal(status, 200);
  assert.ok(key.startsWith('SERVICE-') && text.includes(key));
  assert.match(
    text,
    /your key for Pro, €29 a month\. It is shown only now, and works as soon as the payment is complete\./,
  );
  assert.ok(text.includes(`export FREEHOLD_PRO_KEY=${key}`));
  assert.match(text, /freehold subscriptions create --for/);
  assert.match(html, /<a class="btn primary" href="https:\/\/pay\.example\/c\/cs_1" rel="noreferrer">/);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('content-security-policy'), pageHeaders()['content-security-policy']);
  assert.deepEqual(payments.wanted, [
    {
      priceId: PRO,
      returnUrl: 'https://api.example/billing/return',
      cancelUrl: 'https://api.example/billing/canceled',
    },
  ]);
  payments.states.set('cs_1', 'complete');
  for (const path of ['/billing', '/billing/checkout', '/billing/return?session=cs_1', '/billing/canceled'])
    assert.ok(!(await open(path)).html.includes(key), path);
});

test('where the payment service issues the key, a purchase leads straight on to it, and pages say where the key will be', async (t) => {
  const { open, subscribe, payments } = await serveBillingPages(t);
  payments.name = 'polar';
  assert.match((await open('/billing')).text, /Polar shows your key when you have paid\./);
  const { status, headers, html } = await subscribe(PRO);
  assert.deepEqual([status, headers.get('location'), html], [303, payments.payment.url, '']);
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('cache-control'), 'no-store');
  payments.states.set('cs_1', 'complete');
  assert.match((await open('/billing/return?session=cs_1')).text, /Polar shows your key with your order/);
});

test('nobody is led to an address that is no payment page', async (t) => {
  const { subscribe, payments } = await serveBillingPages(t);
  for (const url of ['javascript:alert(1)', 'http://pay.example/', 'data:text/html,x', '/c/cs_1', '']) {
    payments.payment = { ...payments.payment, url };
    const { status, html } = await subscribe(PRO);
    assert.equal(status, 503, url);
    assert.ok(!html.includes('SERVICE-'));
  }
});

test('only a price that is offered begins a purchase', async (t) => {
  const { subscribe, web, clock, countOf } = await serveBillingPages(t);
  for (const price of ['price_other', ' price_pro_2900', '__proto__']) {
    const { status, text } = await subscribe(price);
    assert.equal(status, 400, price);
    assert.match(text, /not offered any more/);
  }
  const twice = [
    ['price', PRO],
    ['price', PRO],
  ];
  const sent = [
    { body: new URLSearchParams({ price: '' }), status: 400 },
    { body: new URLSearchParams({ price: 'x'.repeat(201) }), status: 400 },
    { body: new URLSearchParams(twice), status: 400 },
    { body: JSON.stringify({ price: PRO }), status: 415, type: 'application/json' },
  ];
  clock.advance(60_000);
  for (const { body, status, type } of sent) {
    const init = { method: 'POST', body, ...(type !== undefined && { headers: { 'content-type': type } }) };
    assert.equal((await web.fetch('/billing/checkout', init)).status, status, String(body));
  }
  assert.equal((await web.fetch('/billing/checkout')).status, 405);
  assert.equal(countOf('checkout'), 0);
});

test('what another site makes a browser send begins no purchase', async (t) => {
  const { subscribe, countOf } = await serveBillingPages(t);
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ];
  for (const headers of foreign) assert.equal((await subscribe(PRO, headers)).status, 403);
  assert.equal(countOf('checkout'), 0);
  const own = { origin: 'https://api.example', 'sec-fetch-site': 'same-origin' };
  assert.equal((await subscribe(PRO, own)).status, 200);
});

test('an address begins ten purchases in any minute, an IPv6 network as one, and others are not held up', async (t) => {
  const { subscribe, clock, countOf } = await serveBillingPages(t);
  const network = (host: number) => from(`2001:db8::${host}`);
  for (let count = 0; count < 10; count += 1)
    assert.equal((await subscribe(PRO, network(count))).status, 200);
  const refused = await subscribe(PRO, network(99));
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '60');
  assert.equal((await subscribe(PRO, from('192.0.2.1'))).status, 200);
  assert.equal(countOf('checkout'), 11);
  clock.advance(60_000);
  assert.equal((await subscribe(PRO, network(99))).status, 200);
});

test('the page of return tells the state of its purchase and nothing else', async (t) => {
  const { open, payments } = await serveBillingPages(t);
  const pages = {
    open: [200, 'Payment not complete yet'],
    complete: [200, 'Payment complete'],
    expired: [200, 'Payment page closed'],
    unknown: [404, 'No such purchase'],
  } as const;
  for (const state of ['open', 'complete', 'expired', 'unknown'] as const) {
    const [status, title] = pages[state];
    payments.states.set('cs_test_1', state);
    const answer = await open('/billing/return?session=cs_test_1&customer_session_token=secret');
    assert.equal(answer.status, status);
    assert.ok(answer.text.includes(title));
    assert.ok(!answer.html.includes('secret'));
    assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.equal(answer.html.includes('href="return?session=cs_test_1"'), state === 'open');
  }
  const before = payments.questions.length;
  const noIds = [
    '',
    '?session=',
    '?session=%22%3E%3Cscript%3E',
    `?session=${'x'.repeat(201)}`,
    '?session=a%20',
  ];
  for (const query of noIds) assert.equal((await open(`/billing/return${query}`)).status, 404, query);
  assert.equal(payments.questions.length, before, 'what cannot be an id is asked about nowhere');
});

test('an address opens thirty pages of return in any minute', async (t) => {
  const { open, countOf } = await serveBillingPages(t);
  for (let count = 0; count < 30; count += 1)
    assert.equal((await open('/billing/return?session=cs_1', from('192.0.2.7'))).status, 404);
  assert.equal((await open('/billing/return?session=cs_1', from('192.0.2.7'))).status, 429);
  assert.equal(countOf('cs_1'), 30);
});

test('no key and no id of a purchase is in a line of the log', async (t) => {
  const { open, subscribe, payments, web } = await serveBillingPages(t);
  await subscribe(PRO);
  await open('/billing/return?session=cs_secret&customer_session_token=token_secret');
  const [key = ''] = payments.keys;
  while (!web.log().includes('/billing/return')) await new Promise(setImmediate);
  const log = web.log();
  for (const secret of [key, key.slice(8), 'cs_secret', 'token_secret'])
    assert.ok(!log.includes(secret), secret);
});

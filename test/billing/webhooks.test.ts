// Proof of the webhooks of payment services over HTTP: what is taken, what is refused, and what is stored of it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { readMetric } from '../support/billing/read-metric.ts';
import {
  deliver,
  OLD_POLAR_SECRET,
  ORGANIZATION,
  POLAR_SECRET,
  POLAR_SETTINGS,
  polarEvent,
  type SignedEvent,
  STRIPE_SECRET,
  STRIPE_SETTINGS,
  signPolar,
  signStripe,
  stripeEvent,
} from '../support/billing/signed-events.ts';
import { atEnd } from '../support/database/database.ts';
import { startDatabaseProxy } from '../support/database/database-proxy.ts';
import { startService, type TestService } from '../support/service/service.ts';

const NEW_SECRETS = {
  polar: 'whsec_YW5vdGhlciBzZWNyZXQgb2YgdGhpcyB3ZWJob29rISE=',
  stripe: 'whsec_aNewSecretOfThisEndpoint0123456',
};
const polar = await startService(
  { after },
  { environment: { ...POLAR_SETTINGS, POLAR_WEBHOOK_SECRET: `${OLD_POLAR_SECRET}, ${POLAR_SECRET}` } },
);
const stripe = await startService(
  { after },
  { environment: { ...STRIPE_SETTINGS, STRIPE_WEBHOOK_SECRET: `${STRIPE_SECRET},${NEW_SECRETS.stripe}` } },
);
const services = { polar, stripe };

const customer = { id: 'cus-1', organization_id: ORGANIZATION };
const subscription = { id: 'sub-1', customer_id: 'cus-1', customer };
const at = (service: TestService) => service.clock.now();

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly subjects: readonly string[];
}

const stored = ({ database }: TestService) =>
  database.read((sql) => sql<StoredEvent[]>`select id, type, subjects from billing_event order by no`);

async function refusal(answer: Promise<Response>): Promise<string> {
  const { status, json } = await answer.then(async (response) => ({
    status: response.status,
    json: (await response.json()) as { readonly code?: string },
  }));
  return `${status} ${json.code}`;
}

test('a signed event is stored with what it names and nothing else, once, however often it comes', async () => {
  const before = { polar: await stored(polar), stripe: await stored(stripe) };
  const data = { ...subscription, secret_note: 'nobody stores this' };
  const first = polarEvent('subscription.revoked', data, { at: at(polar) });
  const second = stripeEvent(
    'checkout.session.completed',
    { id: 'cs_test_1', object: 'checkout.session', subscription: 'sub_1', customer: 'cus_1' },
    { at: at(stripe) },
  );
  for (const event of [first, second])
    for (let time = 0; time < 3; time += 1) {
      const answer = await deliver(services[event.provider], event);
      assert.deepEqual([answer.status, await answer.json()], [200, { received: true }]);
    }
  const id = first.headers['webhook-id'] ?? '';
  assert.deepEqual((await stored(polar)).slice(before.polar.length), [
    { id, type: 'subscription.revoked', subjects: ['customer:cus-1'] },
  ]);
  assert.deepEqual((await stored(stripe)).slice(before.stripe.length), [
    {
      id: (JSON.parse(second.body) as StoredEvent).id,
      type: 'checkout.session.completed',
      subjects: ['checkout:cs_test_1', 'subscription:sub_1'],
    },
  ]);
  const [row] = await polar.database.read(
    (sql) => sql`select to_json(e)::text as text from billing_event e where id = ${id}`,
  );
  assert.doesNotMatch(String(row?.text), /nobody stores this/);
});

test('secrets of both services are rotated: both of two sign, and Polar’s older ones too', async () => {
  const events = [
    polarEvent('customer.state_changed', customer, { at: at(polar), secret: OLD_POLAR_SECRET }),
    polarEvent('customer.state_changed', customer, { at: at(polar), secret: POLAR_SECRET }),
    polarEvent('customer.state_changed', customer, { at: at(polar), form: 'text' }),
    stripeEvent('customer.subscription.updated', { id: 'sub_2' }, { at: at(stripe) }),
    stripeEvent(
      'customer.subscription.updated',
      { id: 'sub_2' },
      { at: at(stripe), secret: NEW_SECRETS.stripe },
    ),
  ];
  for (const event of events) {
    const count = (await stored(services[event.provider])).length;
    assert.equal((await deliver(services[event.provider], event)).status, 200);
    assert.equal((await stored(services[event.provider])).length, count + 1);
  }
  const other = polarEvent('customer.state_changed', customer, { at: at(polar), secret: NEW_SECRETS.polar });
  assert.equal(await refusal(deliver(polar, other)), '400 INVALID_SIGNATURE');
});

test('tampered bodies, other secrets, missing, old and future signatures are refused, and nothing is stored', async () => {
  const count = { polar: (await stored(polar)).length, stripe: (await stored(stripe)).length };
  const make = {
    polar: (time: number, secret?: string) =>
      polarEvent('subscription.updated', subscription, { at: time, ...(secret && { secret }) }),
    stripe: (time: number, secret?: string) =>
      stripeEvent('customer.subscription.deleted', { id: 'sub_3' }, { at: time, ...(secret && { secret }) }),
  };
  for (const provider of ['polar', 'stripe'] as const) {
    const service = services[provider];
    const now = Math.floor(at(service) / 1_000) * 1_000;
    service.clock.advance(1_000 - (at(service) % 1_000));
    const good = make[provider](now);
    const bad: SignedEvent[] = [
      { ...good, body: good.body.replace('sub', 'sbu') },
      { ...good, body: `${good.body} ` },
      { ...good, headers: {} },
      make[provider](now, 'whsec_bm90IHRoZSBzZWNyZXQgb2YgdGhpcyBlbmRwb2ludCE='),
      make[provider](at(service) - 301_000),
      make[provider](at(service) + 301_000),
    ];
    for (const event of bad) assert.equal(await refusal(deliver(service, event)), '400 INVALID_SIGNATURE');
    assert.equal((await stored(service)).length, count[provider]);
    for (const distance of [-299_000, 299_000, -300_000, 300_000])
      assert.equal((await deliver(service, make[provider](at(service) + distance))).status, 200);
    assert.equal((await stored(service)).length, count[provider] + 4);
  }
});

test('the tolerance ends between 299.9 and 300.1 seconds, before and after', async () => {
  for (const provider of ['polar', 'stripe'] as const) {
    const service = services[provider];
    const sent = async (distance: number) => {
      // Signatures have whole seconds; the clock is moved to the wanted distance from one.
      const second = Math.ceil(at(service) / 1_000) * 1_000 + 1_000;
      service.clock.advance(second - at(service) + (((distance % 1_000) + 1_000) % 1_000));
      const signedAt = at(service) - distance;
      assert.equal(signedAt % 1_000, 0);
      const event =
        provider === 'polar'
          ? polarEvent('subscription.updated', subscription, { at: signedAt })
          : stripeEvent('invoice.paid', { subscription: 'sub_4' }, { at: signedAt });
      return (await deliver(service, event)).status;
    };
    assert.deepEqual(
      [await sent(299_900), await sent(300_100), await sent(-299_900), await sent(-300_100)],
      [200, 400, 200, 400],
    );
  }
});

test('what is too large, no JSON, no event or of another form is refused after its signature only', async () => {
  for (const sign of [signPolar, signStripe]) {
    const signed = (body: string) => sign(body, { at: at(polar) });
    const { provider } = signed('');
    const service = services[provider];
    const send = (body: string) => refusal(deliver(service, sign(body, { at: at(service) })));
    for (const body of ['', '{', '[]', '"text"', '{"type":1}', '{"data":{}}', '\0'])
      assert.equal(await send(body), '400 INVALID_BODY', body);
    assert.equal(await send(`{"type":"a","pad":"${'x'.repeat(262_144)}"}`), '413 PAYLOAD_TOO_LARGE');
    const typed = deliver(service, signed('{}'), { headers: { 'content-type': 'text/plain' } });
    assert.equal(await refusal(typed), '415 UNSUPPORTED_MEDIA_TYPE');
    const padded = { id: 'evt_padded', type: 'a', livemode: false, pad: 'x'.repeat(262_144 - 80) };
    const largest = sign(JSON.stringify(padded), { at: at(service) });
    assert.ok(largest.body.length > 262_000);
    assert.equal((await deliver(service, largest)).status, 200);
  }
});

test('events of other types, accounts and modes are answered with 200, counted and not stored', async () => {
  const count = { polar: (await stored(polar)).length, stripe: (await stored(stripe)).length };
  const foreign = { ...customer, organization_id: 'another' };
  const sends: [event: SignedEvent, type: string, outcome: string][] = [
    [polarEvent('product.updated', { id: 'p' }, { at: at(polar) }), 'other', 'ignored'],
    [
      polarEvent('subscription.updated', { id: '../x', customer_id: 7 }, { at: at(polar) }),
      'subscription.updated',
      'ignored',
    ],
    [polarEvent('constructor', { id: 'p' }, { at: at(polar) }), 'other', 'ignored'],
    [
      polarEvent(
        'benefit_grant.created',
        { customer_id: 'cus-1', benefit: { type: 'discord' } },
        { at: at(polar) },
      ),
      'benefit_grant.created',
      'ignored',
    ] as const,
    [
      polarEvent('subscription.updated', { ...subscription, customer: foreign }, { at: at(polar) }),
      'subscription.updated',
      'foreign',
    ] as const,
    [stripeEvent('charge.succeeded', { id: 'ch_1' }, { at: at(stripe) }), 'other', 'ignored'],
    [
      stripeEvent('invoice.paid', { id: 'in_1', parent: null }, { at: at(stripe) }),
      'invoice.paid',
      'ignored',
    ],
    [
      stripeEvent('invoice.paid', { subscription: 'sub_5' }, { at: at(stripe), livemode: true }),
      'invoice.paid',
      'foreign',
    ],
    [
      stripeEvent('invoice.paid', { subscription: 'sub_5' }, { at: at(stripe), account: 'acct_1' }),
      'invoice.paid',
      'foreign',
    ],
  ];
  for (const [event, type, outcome] of sends) {
    const service = services[event.provider];
    const read = () => readMetric(service, 'freehold_billing_events_total', { type, outcome });
    const before = await read();
    assert.equal((await deliver(service, event)).status, 200);
    assert.equal(await read(), before + 1, `${type} ${outcome}`);
  }
  assert.deepEqual(
    [(await stored(polar)).length, (await stored(stripe)).length],
    [count.polar, count.stripe],
  );
});

test('only the service that was chosen has a webhook here, and with keys of our own there is none', async (t) => {
  const local = await startService(t);
  const events = [signPolar('{}', { at: Date.now() }), signStripe('{}', { at: Date.now() })];
  for (const event of events) assert.equal(await refusal(deliver(local, event)), '404 NOT_FOUND');
  assert.equal(await refusal(deliver(polar, events[1] as SignedEvent)), '404 NOT_FOUND');
  assert.equal(await refusal(deliver(stripe, events[0] as SignedEvent)), '404 NOT_FOUND');
  assert.equal(await refusal(polar.get('/billing/webhooks/polar')), '405 METHOD_NOT_ALLOWED');
});

test('without the database an event is answered with 503, and it is taken when the service sends it again', async (t) => {
  let mode: (value: 'pass' | 'cut') => void = () => {};
  const service = await startService(t, {
    environment: { ...STRIPE_SETTINGS },
    async connect(url) {
      const proxy = await startDatabaseProxy(t, url);
      mode = (value) => {
        proxy.mode = value;
      };
      const database = openDatabase({ url: proxy.url, maxConnections: 4, timeout: 20_000 });
      atEnd(t, () => database.close(100));
      return database;
    },
  });
  const event = stripeEvent('invoice.paid', { subscription: 'sub_6' }, { at: at(service) });
  mode('cut');
  const answer = await deliver(service, event);
  assert.equal(answer.status, 503);
  assert.ok(Number(answer.headers.get('retry-after')) > 0);
  assert.equal((await stored(service)).length, 0);
  mode('pass');
  assert.equal((await deliver(service, event)).status, 200);
  assert.equal((await stored(service)).length, 1);
});

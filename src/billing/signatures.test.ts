// Proof that signatures are judged as the services' own packages judge them.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  isAcceptedByPolar,
  isAcceptedByStripe,
  OLD_POLAR_SECRET,
  POLAR_SECRET,
  polarEvent,
  type SignedEvent,
  STRIPE_SECRET,
  signPolar,
  signStripe,
  stripeEvent,
} from '../../test/support/billing/signed-events.ts';
import { faultOfPolar, faultOfStripe, TOLERANCE } from './signatures.ts';

const AT = Date.UTC(2026, 10, 23, 12);
const NO_SECRET = 'whsec_bm90IHRoZSBzZWNyZXQgb2YgdGhpcyBlbmRwb2ludCE=';

const judge = ({ provider, headers, body }: SignedEvent, secrets: readonly string[], now = AT) =>
  (provider === 'polar' ? faultOfPolar : faultOfStripe)({
    headers,
    secrets,
    now,
    body: Buffer.from(body),
  });

const isAccepted = (event: SignedEvent, secret: string): Promise<boolean> | boolean =>
  event.provider === 'polar'
    ? isAcceptedByPolar(event, secret)
    : isAcceptedByStripe(event, secret, Date.now());

test('what the packages sign is accepted, with Polar’s secrets of both kinds used in both ways', () => {
  const data = { id: 'sub_1', note: 'Ž🏠' };
  assert.equal(judge(polarEvent('subscription.active', data, { at: AT }), [POLAR_SECRET]), null);
  const asText = polarEvent('subscription.active', data, { at: AT, form: 'text' });
  assert.equal(judge(asText, [POLAR_SECRET]), null);
  const old = polarEvent('subscription.active', data, { at: AT, secret: OLD_POLAR_SECRET });
  assert.equal(judge(old, [OLD_POLAR_SECRET]), null);
  assert.equal(judge(stripeEvent('invoice.paid', data, { at: AT }), [STRIPE_SECRET]), null);
});

test('either of two secrets is accepted, and no other', () => {
  for (const sign of [signPolar, signStripe]) {
    const event = sign('{}', { at: AT, secret: POLAR_SECRET });
    assert.equal(judge(event, [NO_SECRET, POLAR_SECRET]), null);
    assert.equal(judge(event, [POLAR_SECRET, NO_SECRET]), null);
    assert.equal(judge(event, [NO_SECRET]), 'signature');
    assert.equal(judge(event, []), 'signature');
  }
});

test('a signature holds for five minutes before and after its time, and no millisecond longer', () => {
  for (const event of [signPolar('{}', { at: AT }), signStripe('{}', { at: AT, secret: POLAR_SECRET })]) {
    for (const distance of [0, 299_900, TOLERANCE])
      for (const sign of [-1, 1])
        assert.equal(judge(event, [POLAR_SECRET], AT + sign * distance), null, `${sign * distance} ms`);
    for (const distance of [TOLERANCE + 1, 300_100, 86_400_000])
      for (const sign of [-1, 1])
        assert.equal(judge(event, [POLAR_SECRET], AT + sign * distance), 'time', `${sign * distance} ms`);
  }
});

test('one good signature among several is enough, of any version but v1 none is', () => {
  const polar = signPolar('{}', { at: AT });
  const stripe = signStripe('{}', { at: AT });
  const good = polar.headers['webhook-signature'] ?? '';
  const other = signPolar('{}', { at: AT, secret: NO_SECRET }).headers['webhook-signature'] ?? '';
  const sent = (signature: string): SignedEvent => ({
    ...polar,
    headers: { ...polar.headers, 'webhook-signature': signature },
  });
  assert.equal(judge(sent(`${other} ${good}`), [POLAR_SECRET]), null);
  assert.equal(judge(sent(`v1a,AAAA ${good} v2,${good.slice(3)}`), [POLAR_SECRET]), null);
  assert.equal(judge(sent(good.replace('v1,', 'v2,')), [POLAR_SECRET]), 'missing');
  assert.equal(judge(sent(other), [POLAR_SECRET]), 'signature');
  const header = stripe.headers['stripe-signature'] ?? '';
  const [time = '', signature = ''] = header.split(',');
  const written = (text: string): SignedEvent => ({ ...stripe, headers: { 'stripe-signature': text } });
  const zeros = `v1=${'0'.repeat(64)}`;
  assert.equal(judge(written(`${time},${zeros},${signature},v0=1`), [STRIPE_SECRET]), null);
  assert.equal(judge(written(`${signature}, ${time}`), [STRIPE_SECRET]), null);
  assert.equal(judge(written(`${time},${signature.replace('v1', 'v0')}`), [STRIPE_SECRET]), 'missing');
  assert.equal(judge(written(`${time},${zeros}`), [STRIPE_SECRET]), 'signature');
  assert.equal(judge(written(`${time},t=1,${signature}`), [STRIPE_SECRET]), 'missing');
  const many = Array.from({ length: 100 }, () => zeros).join(',');
  assert.equal(judge(written(`${time},${many},${signature}`), [STRIPE_SECRET]), 'signature');
});

test('without any of its headers a request has no signature', () => {
  const polar = signPolar('{}', { at: AT });
  for (const name of Object.keys(polar.headers)) {
    const { [name]: _, ...headers } = polar.headers;
    assert.equal(judge({ ...polar, headers }, [POLAR_SECRET]), 'missing', name);
    const time = { ...polar.headers, 'webhook-timestamp': '1e9' };
    assert.equal(judge({ ...polar, headers: time }, [POLAR_SECRET]), 'missing');
  }
  const stripe = signStripe('{}', { at: AT });
  for (const header of ['', 't=', 'v1=', 't=abc,v1=00', `t=${AT / 1_000}`, 'nonsense'])
    assert.equal(judge({ ...stripe, headers: { 'stripe-signature': header } }, [STRIPE_SECRET]), 'missing');
  assert.equal(judge({ ...stripe, headers: {} }, [STRIPE_SECRET]), 'missing');
});

/** Bodies, and a change of one place of what is sent. */
const sendings = fc.record({
  provider: fc.constantFrom('polar' as const, 'stripe' as const),
  secret: fc.constantFrom(POLAR_SECRET, OLD_POLAR_SECRET, STRIPE_SECRET),
  form: fc.constantFrom('decoded' as const, 'text' as const),
  body: fc.json({ maxDepth: 2 }).map((json) => `{"type":"order.paid","data":${json}}`),
  part: fc.constantFrom(
    'nothing',
    'body',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    'stripe-signature',
  ),
  place: fc.nat(200),
  letter: fc.constantFrom('0', '7', 'a', 'Z', '=', ' '),
});

test('a request with any change to it is judged as the packages judge it', async () => {
  await fc.assert(
    fc.asyncProperty(sendings, async ({ provider, secret, form, body, part, place, letter }) => {
      const isPlain = secret === OLD_POLAR_SECRET;
      const at = Date.now();
      const signed =
        provider === 'polar'
          ? signPolar(body, { at, secret, form: isPlain ? 'text' : form })
          : signStripe(body, { at, secret });
      const change = (text: string) => {
        const index = place % text.length;
        return text.slice(0, index) + letter + text.slice(index + 1);
      };
      const headers = Object.fromEntries(
        Object.entries(signed.headers).map(([name, value]) => [name, name === part ? change(value) : value]),
      );
      const sent = { ...signed, headers, body: part === 'body' ? change(body) : body };
      const isSame =
        sent.body === body &&
        Object.entries(headers).every(([name, value]) => value === signed.headers[name]);
      const ours = judge(sent, [secret], at) === null;
      if (isSame) assert.ok(ours, 'unchanged');
      // A body that is no JSON any more is refused after its signature.
      if (ours) assert.ok(await isAccepted(sent, secret), 'accepted here only');
      else assert.ok(!isSame);
    }),
    { numRuns: 300 },
  );
});

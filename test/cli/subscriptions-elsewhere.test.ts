// Proves what commands do where a payment service keeps the subscriptions: issue keys of Stripe's, and say where plans are changed.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { keyHash } from '../../src/access/providers/subscription-store.ts';
import { startStripeServer } from '../support/billing/stripe/stripe-server.ts';
import { stripeEnvironment } from '../support/billing/stripe/stripe-service.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';

const { database, url } = await testDatabase({ after });
const folder = await temporaryFolder({ after }, 'elsewhere');
const server = await startStripeServer({ after }, { faults: false });
const { account } = server;

const STRIPE = { ...stripeEnvironment(server), DATABASE_URL: url };
const POLAR = {
  DATABASE_URL: url,
  SUBSCRIPTIONS: 'polar',
  POLAR_ACCESS_TOKEN: 'polar_oat_0123456789abcdef',
  POLAR_ORGANIZATION_ID: 'organization',
  POLAR_WEBHOOK_SECRET: 'polar_whs_0123456789abcdef',
  POLAR_PLANS: 'product=pro',
};

const run = (environment: Record<string, string>, ...args: string[]) =>
  runCommand(['subscriptions', ...args], { folder, environment });

const KEY = /SERVICE-[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}/;

const statesOf = async (subscription: string) => {
  const rows = await database.read(
    (sql) => sql<{ state: string; keyHash: Buffer }[]>`
      select state, key_hash as "keyHash" from issued_key where subscription = ${subscription}`,
  );
  return new Map(rows.map((row) => [row.keyHash.toString('hex'), row.state]));
};

test('create --for issues the key of a subscription at Stripe, and ends its earlier key at once', async () => {
  const { id, customer } = account.subscribe({ prices: [account.addPlan('business')] });
  const first = await run(STRIPE, 'create', '--for', id);
  assert.equal(first.code, 0, first.stderr);
  assert.match(first.stdout, new RegExp(`^Subscription  ${id} \\(business\\)$`, 'm'));
  assert.match(first.stdout, new RegExp(`^Customer      ${customer}$`, 'm'));
  const [lost = ''] = KEY.exec(first.stdout) ?? [];
  const second = await run(STRIPE, 'create', '--for', id, '--json');
  assert.equal(second.code, 0, second.stderr);
  const { key, ...rest } = JSON.parse(second.stdout) as Record<string, string>;
  assert.deepEqual(rest, { id, plan: 'business', customer });
  const states = await statesOf(id);
  assert.equal(states.get(keyHash(lost).toString('hex')), 'ended');
  assert.equal(states.get(keyHash(key ?? '').toString('hex')), 'active');
  const [verdict] = await database.read(
    (sql) => sql<{ keyHash: Buffer; tier: string }[]>`
      select key_hash as "keyHash", tier from provider_subscription where reference = ${id}`,
  );
  assert.deepEqual([verdict?.keyHash.equals(keyHash(key ?? '')), verdict?.tier], [true, 'business']);
});

test('create --for says what is wrong with a subscription, and issues nothing', async () => {
  const over = account.subscribe({ prices: [account.addPlan('pro')] }).id;
  account.cancel(over);
  const foreign = account.subscribe({ prices: [account.addPrice(account.addProduct('Another product'))] }).id;
  const cases = [
    ['sub_none', /Stripe knows no such subscription/],
    [over, /it has ended at Stripe/],
    [foreign, /it names no plan\. Give its price the lookup key freehold_<plan>/],
  ] as const;
  for (const [id, message] of cases) {
    const end = await run(STRIPE, 'create', '--for', id);
    assert.deepEqual([end.code, end.stdout], [1, '']);
    assert.match(end.stderr, message);
    assert.equal((await statesOf(id)).size, 0);
  }
  const refused = await run({ ...STRIPE, STRIPE_SECRET_KEY: 'sk_test_0123456789' }, 'create', '--for', over);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /answered 401 .*: it does not accept the credentials/);
  assert.ok(!refused.stderr.includes('sk_test_0123456789'));
});

test('commands say that plans are changed where they are kept, and --for what it is for', async () => {
  const id = 'sub_0123456789abcdef01234567';
  const commands = [
    ['create', '--plan', 'pro'],
    ['change', id, '--plan', 'pro'],
    ['end', id],
    ['revoke', id],
  ];
  for (const command of commands) {
    const atStripe = await run(STRIPE, ...command);
    assert.equal(atStripe.code, 2, command.join(' '));
    assert.match(
      atStripe.stderr,
      /Stripe keeps the subscriptions\. Make, change and end them there; .*--for/,
    );
    const atPolar = await run(POLAR, ...command);
    assert.equal(atPolar.code, 2, command.join(' '));
    assert.match(atPolar.stderr, /Polar keeps the subscriptions and issues their keys\./);
  }
  const local = await run({ DATABASE_URL: url }, 'create', '--for', id);
  assert.deepEqual([local.code, local.stdout], [2, '']);
  assert.match(local.stderr, /--for is for SUBSCRIPTIONS=stripe, and this is local: .*create --plan/);
  const polar = await run(POLAR, 'create', '--for', id);
  assert.match(polar.stderr, /this is polar: Polar issues a key with each order/);
  const both = await run(STRIPE, 'create', '--for', id, '--plan', 'pro');
  assert.equal(both.code, 2);
  assert.match(both.stderr, /'--for <id>' cannot be used with option '--plan <plan>'/);
});

// Proof of `freehold billing status` and `sync` against the shops of the tests.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { SUBSCRIPTIONS_CHANNEL } from '../../src/access/providers/subscription-store.ts';
import { progressText } from '../../src/cli/billing/sync.ts';
import { listen } from '../../src/postgres/client/listen.ts';
import { startPolarShop } from '../support/billing/polar/polar-service.ts';
import { storeEvent } from '../support/billing/stored-events.ts';
import { startStripeServer } from '../support/billing/stripe/stripe-server.ts';
import { stripeEnvironment } from '../support/billing/stripe/stripe-service.ts';
import { until } from '../support/check/until.ts';
import { atEnd, type Closing, temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';

const folder = await temporaryFolder({ after }, 'status');

async function stripeStage(t: Closing) {
  const server = await startStripeServer(t, { faults: false });
  const { database, url } = await testDatabase(t);
  const environment = { ...stripeEnvironment(server), DATABASE_URL: url };
  return { server, database, run: runner(environment) };
}

async function polarStage(t: Closing) {
  const { server, products, environment } = await startPolarShop(t, { faults: false });
  const { database, url } = await testDatabase(t);
  return { server, products, database, run: runner({ ...environment, DATABASE_URL: url }) };
}

const runner =
  (environment: Readonly<Record<string, string>>) =>
  (args: readonly string[], other: Readonly<Record<string, string>> = {}) =>
    runCommand(['billing', ...args], { folder, environment: { ...environment, ...other } });

interface Status {
  readonly provider: string;
  readonly credentials: { readonly state: string; readonly error: string | null };
  readonly subscriptions: readonly {
    readonly state: string;
    readonly count: number;
    readonly oldestSeconds: number;
  }[];
  readonly issuedKeys: { readonly active: number; readonly pending: number } | null;
  readonly withoutKey: readonly { readonly reference: string; readonly command: string }[] | null;
  readonly events: { readonly waiting: number; readonly failing: readonly { readonly id: string }[] };
}

test('the state of Stripe names subscriptions that were made elsewhere, with the command that issues their key', async (t) => {
  const { server, database, run } = await stripeStage(t);
  const price = server.account.addPlan('pro');
  const { id } = server.account.subscribe({ prices: [price] });
  server.account.subscribe({ prices: [price], status: 'canceled' });
  server.account.subscribe({ prices: [server.account.addPrice(server.account.addProduct('Another'))] });
  await storeEvent(database, 'evt_waits', ['subscription:sub_1'], 'stripe');
  await database.write((sql) => sql`update billing_event set last_error = 'answered 503', attempts = 3`);
  const { code, stdout } = await run(['status', '--json']);
  assert.equal(code, 0);
  const status = JSON.parse(stdout) as Status;
  assert.deepEqual([status.provider, status.credentials], ['stripe', { state: 'accepted', error: null }]);
  assert.deepEqual(status.withoutKey, [
    { reference: id, command: `freehold subscriptions create --for ${id}` },
  ]);
  assert.deepEqual(status.issuedKeys, { active: 0, pending: 0, ended: 0 });
  assert.deepEqual(
    [status.events.waiting, status.events.failing.map((event) => event.id)],
    [1, ['evt_waits']],
  );
  const text = (await run(['status'])).stdout;
  for (const line of [
    /^Provider +stripe, http:/m,
    /^Credentials +accepted$/m,
    new RegExp(`^ +freehold subscriptions create --for ${id}$`, 'm'),
    /^Events +1 waiting, the oldest for /m,
    /^ +evt_waits +customer\.state_changed +answered 503$/m,
  ])
    assert.match(text, line);
});

test('credentials that are not accepted, and a service that does not answer, are told apart and fail', async (t) => {
  const { server, run } = await stripeStage(t);
  const other = server.secretKey.replace(/.{8}$/, 'deadbeef');
  const denied = await run(['status', '--json'], { STRIPE_SECRET_KEY: other });
  assert.deepEqual([denied.code, (JSON.parse(denied.stdout) as Status).credentials.state], [1, 'denied']);
  const away = { STRIPE_API_URL: 'http://127.0.0.1:1' };
  const unavailable = await run(['status'], away);
  assert.equal(unavailable.code, 1);
  assert.match(unavailable.stdout, /^Credentials +unavailable: /m);
  const sync = await run(['sync'], away);
  assert.deepEqual([sync.code, sync.stdout], [1, '']);
  assert.match(sync.stderr, /The payment service gave no answer: .*`freehold billing status`/);
});

test('a synchronization stores what holds now, tells every process, and asks singly about what is gone', async (t) => {
  const { server, products, database, run } = await polarStage(t);
  const { world } = server;
  const subscriptions = Array.from({ length: 5 }, () => world.subscribe(products.pro));
  const idOf = (at: number) => world.keyOf(subscriptions[at] as (typeof subscriptions)[number]).id;
  const first = await run(['sync', '--json']);
  assert.deepEqual(
    [first.code, (JSON.parse(first.stdout) as { renewed: number }).renewed],
    [0, 5],
    first.stderr,
  );
  const told: string[] = [];
  const listener = listen(
    database,
    SUBSCRIPTIONS_CHANNEL,
    (id) => void told.push(id),
    () => void told.push('joined'),
  );
  atEnd(t, () => listener.close());
  await until('we listen', () => told.length > 0);
  world.revoke(subscriptions[0] as (typeof subscriptions)[number]);
  const ids = [idOf(0), idOf(1)];
  // Nobody tells of a key that is gone with its grant and subscription.
  const gone = subscriptions[1];
  world.keys.splice(
    world.keys.findIndex(({ id }) => id === ids[1]),
    1,
  );
  world.grants.splice(
    world.grants.findIndex(({ subscription }) => subscription === gone),
    1,
  );
  const second = await run(['sync']);
  assert.equal(second.code, 0, second.stderr);
  assert.match(second.stdout, /^5 renewed in \d/);
  await until('both are told', () => ids.every((id) => told.includes(id)));
  assert.equal(told.length, 3, 'the others are the same');
  const status = JSON.parse((await run(['status', '--json'])).stdout) as Status;
  assert.deepEqual(
    status.subscriptions.map(({ state, count }) => `${count} ${state}`),
    ['3 active', '1 expired', '1 unknown'],
  );
  assert.deepEqual([status.issuedKeys, status.withoutKey], [null, null], 'Polar issues the keys');
});

test('progress tells what is done, how fast, and how long the rest takes', () => {
  assert.equal(progressText({ done: 1_600, known: 3_000 }, 10), '1,600 renewed  160/s  8.8 s left');
  assert.equal(progressText({ done: 40, known: 30 }, 4), '40 renewed  10/s');
  assert.equal(progressText({ done: 0, known: 30 }, 0), '0 renewed  0/s');
});

test('where the service keeps the subscriptions itself, the state says so and a synchronization fails', async () => {
  const run = runner({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
  const status = await run(['status']);
  assert.equal(status.code, 0);
  assert.match(status.stdout, /^There is no payment service: SUBSCRIPTIONS=local/);
  assert.deepEqual(JSON.parse((await run(['status', '--json'])).stdout), { provider: 'local' });
  const sync = await run(['sync']);
  assert.equal(sync.code, 1);
  assert.match(sync.stderr, /There is no payment service/);
});

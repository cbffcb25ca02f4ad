// Proof of a whole service with Stripe: a key from its first sight to its use, and one that the operator replaces beside it.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startPayingService } from '../../support/billing/paying-service.ts';
import { until } from '../../support/check/until.ts';
import { temporaryFolder } from '../../support/database/database.ts';
import { refresh, signIn, statusOf } from '../../support/oauth/oauth.ts';
import { runCommand } from '../../support/process/cli.ts';

async function start(t: TestContext) {
  const { service, shop } = await startPayingService(t, 'stripe', { TRUSTED_PROXIES: '127.0.0.1' });
  const { server, environment } = shop;
  const price = shop.prices.pro;
  let asked = 0;
  return {
    service,
    server,
    account: server.account,
    clock: service.clock,
    environment,
    /** Sends the form of the page of plans: gives the key that is shown, and its session. */
    async subscribe() {
      const answer = await fetch(`${service.url}/billing/checkout`, {
        method: 'POST',
        headers: { origin: service.url, 'sec-fetch-site': 'same-origin' },
        body: new URLSearchParams({ price }),
      });
      const page = await answer.text();
      assert.equal(answer.status, 200, page);
      const [key = ''] = /SERVICE-[0-9A-F-]{36}/.exec(page) ?? [];
      const [session = ''] = server.account.sales.keys();
      return { key, session };
    },
    /** Each time from another address: one that is refused too often is told to wait. */
    async ask(key: string) {
      const address = `2001:db8:${(++asked).toString(16)}::1`;
      const answer = await service.get('/v1/usage', key, { 'x-forwarded-for': address });
      const body = (await answer.json()) as { code?: string; reason?: string; tier?: string };
      return [answer.status, body.tier ?? body.code, body.reason];
    },
  };
}

const PENDING = [401, 'INVALID_API_KEY', 'pending'];
const PRO = [200, 'pro', undefined];

test('a key from the page of plans says that it waits, and works two seconds after the payment without any webhook', async (t) => {
  const { account, ask, clock, subscribe } = await start(t);
  const { key, session } = await subscribe();
  assert.deepEqual(await ask(key), PENDING);
  account.complete(session);
  clock.advance(2_000);
  assert.deepEqual(await ask(key), PRO);
});

test('a key that was refused before its payment works as soon as the webhook has come', async (t) => {
  const { account, ask, server, service, subscribe } = await start(t);
  const { key, session } = await subscribe();
  assert.deepEqual(await ask(key), PENDING);
  account.complete(session);
  const paid = account.events.find(({ type }) => type === 'checkout.session.completed');
  assert.ok(paid !== undefined);
  const { body, headers } = server.sign(paid);
  const answer = await fetch(`${service.url}/billing/webhooks/stripe`, { method: 'POST', body, headers });
  assert.equal(answer.status, 200, await answer.text());
  await until('the key works', async () => (await ask(key))[0] === 200);
  assert.deepEqual(await ask(key), PRO);
});

test('a key that the operator replaces by command ends in a running service at once, with what it let in', async (t) => {
  const { account, ask, clock, environment, service, subscribe } = await start(t);
  const { key, session } = await subscribe();
  const { id } = account.complete(session);
  assert.deepEqual(await ask(key), PRO);
  const app = await signIn(service, { key });
  assert.equal(await statusOf(service, app.accessToken), 200);
  const folder = await temporaryFolder(t, 'command');
  const options = { folder, environment: { ...environment, DATABASE_URL: service.databaseUrl } };
  const issued = await runCommand(['subscriptions', 'create', '--for', id, '--json'], options);
  assert.equal(issued.code, 0, issued.stderr);
  const { key: next } = JSON.parse(issued.stdout) as { key: string };
  // A second for each call, below the limit of its plan, and well below the ten minutes of a row.
  await until('the former key ends', async () => {
    clock.advance(1_000);
    return (await ask(key))[0] === 401;
  });
  assert.deepEqual(await ask(key), [401, 'INVALID_API_KEY', 'replaced']);
  assert.deepEqual(await ask(next), PRO);
  await until('the app is out', async () => {
    clock.advance(1_000);
    return (await statusOf(service, app.accessToken)) !== 200;
  });
  assert.equal((await refresh(service, app)).body.error, 'invalid_grant');
});

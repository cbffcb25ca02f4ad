// Proof of whose watchers are whose: a customer's with every key of theirs, a subscription's, or a grant's, and nobody else's.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { PLANS } from '../../src/access/tiers/tiers.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { writer } from '../support/catalogue/property-market.ts';
import { until } from '../support/check/until.ts';
import { authorizationRequest, LOOPBACK, sendJson } from '../support/oauth/authorize.ts';
import { parseSession, redeem, type Session, signIn } from '../support/oauth/oauth.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';
import { sendWatcher, subscriber } from '../support/watch/watchers.ts';

const service = await startService(
  { after },
  {
    clock: manualClock(Date.UTC(2026, 5, 1, 12)),
    environment: { TRUSTED_PROXIES: '127.0.0.1' },
    overrides: { freeGrantLimits: { perAddress: 5, total: 1_000 } },
  },
);
const { subscribe, end, revoke } = subscriber(service);
const ids = await writer(service)(draft('one'));
const body = { target: { type: 'listing', listingId: ids.get('one') } };

const create = (key: string) => sendWatcher(service, 'POST', '', { key, body });
const read = (key: string, id: string) => sendWatcher(service, 'GET', `/${id}`, { key });

async function idsOf(key: string): Promise<string[]> {
  const { data } = (await service.json('/v1/watchers', key)) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

async function usage(key: string) {
  return (await service.json('/v1/usage', key)) as {
    readonly tier: string;
    readonly watchers: { limit: number | null; used: number };
    readonly feeds: { limit: number; open: number };
  };
}

/** Signs in without a key, from this address. */
async function freeSession(address: string): Promise<Session> {
  const { verifier, parameters } = authorizationRequest();
  const answer = await sendJson(service, { ...parameters, decision: 'free' }, { 'x-forwarded-for': address });
  const { code } = (await answer.json()) as { code: string };
  const clientId = 'desktop-app';
  return parseSession(await redeem(service, { code, verifier, clientId, redirectUri: LOOPBACK }), clientId);
}

/** Watchers and their states, past the API: of owners who have no credentials any more. */
async function statusOf(id: string): Promise<string | undefined> {
  const [row] = await service.database.read(
    (sql) => sql<{ status: string; reason: string | null }[]>`
      select status, status_reason as reason from watcher where id = ${id}`,
  );
  return row && [row.status, row.reason].filter(Boolean).join(' ');
}

/** Resolves when all ends so far have had their effect: a later one has. */
async function ended(): Promise<void> {
  const { key, id: subscription } = await subscribe('pro');
  const { id } = (await create(key)).watcher;
  await revoke(subscription);
  await until('a later end has its effect', async () => (await statusOf(id)) === 'paused subscription_ended');
}

test('all keys and tokens of a customer share its watchers', async () => {
  const [first, second] = [await subscribe('pro', 'acme'), await subscribe('free', 'acme')];
  const token = (await signIn(service, { key: second.key })).accessToken;
  const { id } = (await create(first.key)).watcher;
  for (const key of [first.key, second.key, token]) assert.deepEqual(await idsOf(key), [id]);
});

/** Each operation below one watcher, as the OpenAPI document lists them. */
async function operationsOfWatchers(): Promise<{ method: string; path: string }[]> {
  const { paths } = (await service.json('/openapi.json')) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, operations]) => {
    const [, below] = /^\/v1\/watchers\/\{id\}(.*)$/.exec(path) ?? [];
    if (below === undefined) return [];
    const methods = Object.keys(operations).filter((name) => /^(?:get|post|put|patch|delete)$/.test(name));
    return methods.map((method) => ({ method: method.toUpperCase(), path: below }));
  });
}

test('R38: to all others, of any tier and with any kind of credentials, a watcher is as one that never was', async () => {
  const owner = await subscribe('pro', 'private');
  const { id } = (await create(owner.key)).watcher;
  const keys = await Promise.all(PLANS.map(async (plan) => (await subscribe(plan)).key));
  const namesake = await subscribe('pro', owner.id);
  const token = (await signIn(service, { key: keys.at(-1) ?? '' })).accessToken;
  const others = [...keys, namesake.key, token, (await freeSession('192.0.2.9')).accessToken];
  const operations = await operationsOfWatchers();
  assert.ok(operations.length >= 6, `${operations.length} operations`);
  for (const key of others) {
    assert.deepEqual(await idsOf(key), []);
    for (const { method, path } of operations) {
      const request = { key, ...(method === 'PATCH' && { body: { name: 'mine' } }) };
      const [foreign, unknown] = [
        await sendWatcher(service, method, `/${id}${path}`, request),
        await sendWatcher(service, method, `/wat_${'0'.repeat(24)}${path}`, request),
      ];
      assert.deepEqual([foreign.status, foreign.code], [404, 'WATCHER_NOT_FOUND'], `${method} ${path}`);
      assert.equal(foreign.detail, unknown.detail);
    }
  }
  assert.equal((await read(owner.key, id)).watcher.version, 1, 'nothing has changed');
});

test('a key that replaces another finds the watchers, which stay active when the old subscription ends', async () => {
  const old = await subscribe('pro', 'rotating');
  const { id } = (await create(old.key)).watcher;
  const successor = await subscribe('pro', 'rotating');
  assert.equal((await read(successor.key, id)).status, 200);
  await end(old.id);
  await ended();
  assert.equal((await read(successor.key, id)).watcher.status, 'active');
});

test('the highest plan of a customer sets the limits that each of its keys is told', async () => {
  const [free, business] = [await subscribe('free', 'growing'), await subscribe('business', 'growing')];
  assert.equal((await create(free.key)).status, 201);
  assert.deepEqual((await usage(free.key)).watchers, { limit: 1, used: 1 });
  assert.equal((await create(business.key)).status, 201);
  const told = await usage(free.key);
  assert.deepEqual([told.tier, told.watchers, told.feeds.limit], ['free', { limit: 1_000, used: 2 }, 100]);
  assert.equal((await create(free.key)).status, 201);
});

test('grants without a key have watchers of their own, and share the one that their address may have', async () => {
  const [first, second] = [await freeSession('192.0.2.1'), await freeSession('192.0.2.1')];
  const elsewhere = await freeSession('192.0.2.2');
  const { id } = (await create(first.accessToken)).watcher;
  assert.equal((await read(second.accessToken, id)).code, 'WATCHER_NOT_FOUND');
  const refused = await create(second.accessToken);
  assert.deepEqual([refused.status, refused.code], [403, 'TIER_RESTRICTED']);
  assert.match(refused.detail, /1 watcher/);
  assert.deepEqual((await usage(second.accessToken)).watchers, { limit: 1, used: 1 });
  assert.equal((await create(elsewhere.accessToken)).status, 201);
});

test('the end of a grant without a key expires its watchers and frees the place of its address', async () => {
  const session = await freeSession('192.0.2.3');
  const { id } = (await create(session.accessToken)).watcher;
  const { refreshToken: token, clientId } = session;
  const fields = new URLSearchParams({ token, client_id: clientId });
  assert.equal((await fetch(`${service.url}/oauth/revoke`, { method: 'POST', body: fields })).status, 200);
  await until('the watcher has expired', async () => (await statusOf(id)) === 'expired');
  assert.equal((await create((await freeSession('192.0.2.3')).accessToken)).status, 201);
});

test('a grant without a key that has a watcher outlives newer ones of its address, until the watcher is gone', async () => {
  const session = await freeSession('192.0.2.4');
  const { id } = (await create(session.accessToken)).watcher;
  for (let made = 0; made < 10; made++) {
    service.clock.advance(1_000);
    await freeSession('192.0.2.4');
  }
  assert.equal((await read(session.accessToken, id)).status, 200);
  assert.equal((await sendWatcher(service, 'DELETE', `/${id}`, { key: session.accessToken })).status, 204);
  for (let made = 0; made < 5; made++) await freeSession('192.0.2.4');
  assert.equal((await read(session.accessToken, id)).code, 'INVALID_TOKEN');
});

test('a token with a key creates watchers of the subscription, which outlive the grant', async () => {
  const { key } = await subscribe('pro');
  const session = await signIn(service, { key });
  const { id } = (await create(session.accessToken)).watcher;
  const fields = new URLSearchParams({ token: session.refreshToken, client_id: session.clientId });
  await fetch(`${service.url}/oauth/revoke`, { method: 'POST', body: fields });
  await ended();
  assert.equal((await read(key, id)).watcher.status, 'active');
});

test('a subscription that is revoked pauses its watchers without waiting for ten minutes', ended);

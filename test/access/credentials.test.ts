// Proof over HTTP of who is let in, which limits are shown, and who is charged for which answer.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createLocalSubscriptions } from '../../src/access/providers/subscription-store.ts';
import { EVERYTHING } from '../../src/access/tiers/reach.ts';
import { PLANS, type Principal, type Scope } from '../../src/access/tiers/tiers.ts';
import { type Closing, testDatabase } from '../support/database/database.ts';
import { type Caller, type Documented, walkMatrix } from '../support/service/access-matrix.ts';
import { left, serveAccess } from '../support/service/access-service.ts';

const own = await testDatabase({ after });
const { database } = own;
const serve = (t: Closing, trustedProxies: readonly string[] = []) => serveAccess(own, t, trustedProxies);

test('every route lets in exactly the tiers and scopes that are documented for it', async (t) => {
  const { clock, get, bearer } = await serve(t);
  const documented: Record<string, Documented> = {
    '/v1/open': { tier: 'anonymous', scope: 'listings:read' },
    '/v1/any': { tier: 'free', scope: 'listings:read' },
    '/v1/usage': { tier: 'free', scope: 'listings:read' },
    '/v1/stream': { tier: 'pro', scope: 'listings:live' },
    '/v1/watch': { tier: 'free', scope: 'watchers' },
    '/v1/export': { tier: 'business', scope: 'listings:read' },
    '/free': { tier: 'anonymous' },
  };
  const grants: Scope[][] = [[], ['listings:read'], ['listings:live'], ['watchers', 'listings:read']];
  const callers: Caller[] = [{ tier: 'anonymous', scopes: null, authorization: null }];
  for (const tier of PLANS) {
    callers.push({ tier, scopes: null, authorization: await bearer(tier) });
    for (const scopes of grants) {
      callers.push({ tier, scopes, authorization: `Bearer ${['test', tier, ...scopes].join('/')}` });
    }
  }
  await walkMatrix(documented, callers, async (path, { authorization }) => {
    clock.advance(1_000);
    const { status, code, headers } = await get(path, authorization);
    return { status, code: code === null ? null : String(code), challenge: headers.get('www-authenticate') };
  });
});

test('a 401 leads to the metadata, and names an error only where a credential was sent', async (t) => {
  const { get } = await serve(t);
  const metadata = 'resource_metadata="https://api.example/.well-known/oauth-protected-resource"';
  const table: [authorization: string | null, code: string, error: string | null][] = [
    [null, 'MISSING_API_KEY', null],
    ['', 'MISSING_API_KEY', null],
    ['Basic dXNlcjpwYXNz', 'INVALID_TOKEN', null],
    ['Bearer nonsense', 'INVALID_TOKEN', 'invalid_token'],
    ['Bearer test/none', 'EXPIRED_TOKEN', 'invalid_token'],
    ['Bearer SERVICE-1', 'INVALID_API_KEY', 'invalid_token'],
    ['Bearer SERVICE-00000000-0000-4000-8000-000000000000', 'INVALID_API_KEY', 'invalid_token'],
  ];
  for (const [authorization, code, error] of table) {
    const answer = await get('/v1/any', authorization);
    assert.equal(answer.status, 401);
    assert.equal(answer.code, code);
    const challenge = answer.headers.get('www-authenticate') ?? '';
    assert.ok(challenge.startsWith(`Bearer ${metadata}`), challenge);
    assert.equal(/error="(\w+)"/.exec(challenge)?.[1] ?? null, error, challenge);
    assert.equal(challenge.includes('error_description='), error !== null);
  }
});

test('an ended key is EXPIRED_API_KEY and a revoked one INVALID_API_KEY', async (t) => {
  const { clock, get } = await serve(t);
  const subscriptions = createLocalSubscriptions(database, clock);
  const ended = await subscriptions.create({ plan: 'pro' });
  await subscriptions.end(ended.id);
  const revoked = await subscriptions.create({ plan: 'pro' });
  await subscriptions.revoke(revoked.id);
  assert.equal((await get('/v1/any', `Bearer ${ended.key}`)).code, 'EXPIRED_API_KEY');
  assert.equal((await get('/v1/open', `Bearer ${revoked.key}`)).code, 'INVALID_API_KEY');
});

test('anonymous callers have ten requests in a minute, and the eleventh learns when to come back', async (t) => {
  const { clock, get } = await serve(t);
  for (let count = 1; count <= 10; count++) {
    const { status, headers } = await get('/v1/open');
    assert.equal(status, 200);
    assert.equal(left(headers), `minute ${10 - count}, month ${100 - count}`);
    assert.equal(headers.get('ratelimit-policy'), '"minute";q=10;w=60, "month";q=100;w=2678400');
  }
  const refused = await get('/v1/open');
  assert.equal(refused.status, 429);
  assert.equal(refused.code, 'RATE_LIMITED');
  assert.deepEqual(refused.body.violatedPolicies, ['minute']);
  assert.equal(refused.headers.get('retry-after'), '60');
  assert.equal(refused.headers.get('www-authenticate'), null);
  assert.equal(left(refused.headers), 'minute 0, month 90', 'a 429 is charged to nobody');
  clock.advance(60_000);
  assert.equal((await get('/v1/open')).status, 200);
});

test('the hundred and first anonymous request of a month is QUOTA_EXCEEDED until the month ends', async (t) => {
  const { clock, get } = await serve(t);
  for (let count = 0; count < 100; count++) {
    if (count % 10 === 0) clock.advance(60_000);
    assert.equal((await get('/v1/open')).status, 200);
  }
  clock.advance(60_000);
  const refused = await get('/v1/open');
  assert.equal(refused.code, 'QUOTA_EXCEEDED');
  assert.deepEqual(refused.body.violatedPolicies, ['month']);
  const wait = Number(refused.headers.get('retry-after'));
  assert.equal(clock.now() + wait * 1000, Date.UTC(2026, 1, 1));
  clock.advance(wait * 1000);
  assert.equal((await get('/v1/open')).status, 200);
});

test('refusals of an identified caller are charged to it, and tell what is left', async (t) => {
  const { get, bearer } = await serve(t);
  const free = await bearer('free');
  assert.equal(left((await get('/v1/any', free)).headers), 'minute 59, month 999');
  assert.equal(left((await get('/v1/stream', free)).headers), 'minute 58, month 998', 'a 403 is');
  assert.equal(left((await get('/v1/missing', free)).headers), 'minute 57, month 997', 'a 404 is');
  assert.equal(left((await get('/v1/any?unknown=1', free)).headers), 'minute 56, month 996', 'a 400 is');
  assert.equal(left((await get('/v1/any', free)).headers), 'minute 55, month 995');
});

test('a 401 costs an address none of its anonymous requests, only a place of the throttle on failures', async (t) => {
  const { get } = await serve(t);
  for (let count = 0; count < 60; count++) assert.equal((await get('/v1/any')).status, 401);
  const refused = await get('/v1/any', 'Bearer nonsense');
  assert.equal(refused.code, 'RATE_LIMITED');
  assert.deepEqual(refused.body.violatedPolicies, ['failures']);
  assert.equal(refused.headers.get('retry-after'), '60');
  assert.equal(refused.headers.get('www-authenticate'), null);
  assert.equal(left((await get('/v1/open')).headers), 'minute 9, month 99');
});

test('answers to credentials are private and checked again; anonymous ones depend on the credentials too', async (t) => {
  const { get, bearer } = await serve(t);
  const { headers } = await get('/v1/open', await bearer('pro'));
  assert.equal(headers.get('cache-control'), 'private, no-cache');
  assert.match(headers.get('vary') ?? '', /Authorization/);
  assert.match((await get('/v1/open')).headers.get('vary') ?? '', /Authorization/);
});

test('usage tells what is left, costs a place of the minute and none of the month', async (t) => {
  const { clock, get, bearer } = await serve(t);
  const key = await bearer('pro');
  await get('/v1/any', key);
  clock.advance(15_000);
  const first = await get('/v1/usage', key);
  assert.deepEqual(first.body, {
    object: 'usage',
    tier: 'pro',
    minute: { limit: 300, remaining: 298, resetSeconds: 45 },
    month: {
      limit: 50_000,
      remaining: 49_999,
      resetSeconds: (Date.UTC(2026, 1, 1) - clock.now()) / 1000,
      start: '2026-01-01T00:00:00.000Z',
      end: '2026-02-01T00:00:00.000Z',
    },
    streams: { limit: 10, open: 0 },
    watchers: { limit: 25, used: 0 },
    feeds: { limit: 10, open: 0 },
  });
  assert.equal(left(first.headers), 'minute 298');
  const internal = await get('/v1/usage', await bearer('internal'));
  const unlimited = { limit: null, remaining: null, resetSeconds: null };
  assert.deepEqual(internal.body.minute, unlimited);
  assert.deepEqual(internal.body.month, {
    ...unlimited,
    start: '2026-01-01T00:00:00.000Z',
    end: '2026-02-01T00:00:00.000Z',
  });
  assert.equal(internal.headers.get('ratelimit'), null, 'a caller without a limit sees none');
  assert.equal((await get('/v1/usage')).code, 'MISSING_API_KEY');
});

test('a stream too many is refused uncharged while the others are open, and usage counts them', async (t) => {
  const { access, clock, get } = await serve(t);
  const { id, key } = await createLocalSubscriptions(database, clock).create({ plan: 'pro' });
  const caller: Principal = {
    kind: 'key',
    tier: 'pro',
    account: `sub:${id}`,
    subscription: id,
    owner: null,
    grant: null,
    scopes: null,
    reach: EVERYTHING,
  };
  const releases = await Promise.all(
    Array.from({ length: 10 }, () => access.rateLimiter.streams.open(caller)),
  );
  const refused = await get('/v1/stream', `Bearer ${key}`);
  assert.equal(refused.code, 'TOO_MANY_STREAMS');
  assert.deepEqual(refused.body.violatedPolicies, ['streams']);
  const usage = await get('/v1/usage', `Bearer ${key}`);
  assert.deepEqual(usage.body.streams, { limit: 10, open: 10 });
  for (const release of releases) release();
  assert.equal(left((await get('/v1/stream', `Bearer ${key}`)).headers), 'minute 298, month 49999');
});

test('an address is what the socket says; a forged header changes nothing', async (t) => {
  const { get } = await serve(t);
  const codes = new Map<number, number>();
  for (let count = 0; count < 30; count++) {
    const forged = { 'x-forwarded-for': `198.51.100.${count}`, forwarded: `for=198.51.100.${count}` };
    const { status } = await get('/v1/open', null, forged);
    codes.set(status, (codes.get(status) ?? 0) + 1);
  }
  assert.deepEqual(Object.fromEntries(codes), { 200: 10, 429: 20 });
});

test('behind a trusted proxy each client has its own ten, a /64 one ten, and IPv4 in IPv6 is IPv4', async (t) => {
  const { get } = await serve(t, ['127.0.0.1']);
  const groups = [
    ['198.51.100.1', '::ffff:198.51.100.1', '10.9.9.9, 198.51.100.1'],
    ['2001:db8:1:1::1', '2001:db8:1:1:ffff::2'],
    ['198.51.100.2'],
  ];
  for (const addresses of groups) {
    for (let count = 0; count < 12; count++) {
      const address = addresses[count % addresses.length] ?? '';
      const { status } = await get('/v1/open', null, { 'x-forwarded-for': address });
      assert.equal(status, count < 10 ? 200 : 429, `${address} ${count}`);
    }
  }
});

test('what asks for no credentials is charged to nobody', async (t) => {
  const { get } = await serve(t);
  for (let count = 0; count < 20; count++) assert.equal((await get('/free', 'Bearer nonsense')).status, 200);
  assert.equal(left((await get('/v1/open')).headers), 'minute 9, month 99');
});

test('a tier refusal names the lowest tier that suffices', async (t) => {
  const { get, bearer } = await serve(t);
  const refusal = await get('/v1/stream', await bearer('free'));
  assert.match(String(refusal.body.detail), /needs the Pro tier or higher/);
  const business = await get('/v1/export', await bearer('pro'));
  assert.match(String(business.body.detail), /needs the Business tier or higher/);
});

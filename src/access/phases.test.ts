// Proves how an Authorization header is read, and that what is wrong in it never makes an anonymous caller.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '../../test/support/service/clock.ts';
import { stubProvider } from '../../test/support/service/stub-provider.ts';
import type { Access } from '../http/frame/route.ts';
import { Problem } from '../lib/problem.ts';
import { KeyVerifier } from './keys/key-verifier.ts';
import { SubscriptionCache } from './keys/subscription-cache.ts';
import { FailureThrottle } from './limits/failure-throttle.ts';
import { createIdentify } from './phases.ts';
import { NOTHING } from './tiers/reach.ts';
import { FAILURES_PER_MINUTE, type Principal } from './tiers/tiers.ts';

function setUp() {
  const clock = manualClock();
  const provider = stubProvider();
  const keys = new KeyVerifier(
    new SubscriptionCache({ provider, clock, report: (error) => assert.fail(String(error)) }),
  );
  const identify = createIdentify({ verifiers: [keys], failures: new FailureThrottle({ clock }) });
  async function call(
    header: string | undefined,
    credentials: Access['credentials'] = 'required',
    address = '192.0.2.1',
  ): Promise<Principal | string> {
    const headers = header === undefined ? {} : { authorization: header };
    const incoming = { headers, address };
    try {
      return await identify(incoming, { credentials, counts: 'month' });
    } catch (error) {
      if (error instanceof Problem) return error.code;
      throw error;
    }
  }
  return { clock, provider, call };
}

test('a header that is present but wrong is refused with the same code where credentials are optional', async () => {
  const table: Record<string, string> = {
    '': 'MISSING_API_KEY',
    Bearer: 'MISSING_API_KEY',
    'Bearer  ': 'MISSING_API_KEY',
    'Basic dXNlcjpwYXNz': 'INVALID_TOKEN',
    'DPoP abc': 'INVALID_TOKEN',
    'SERVICE-00000000-0000-4000-8000-000000000000': 'INVALID_TOKEN',
    'Bearer abc': 'INVALID_TOKEN',
    'Bearer XSERVICE-00000000-0000-4000-8000-000000000000': 'INVALID_TOKEN',
    'Bearer SERVICE-123': 'INVALID_API_KEY',
    'bearer service-123': 'INVALID_API_KEY',
    'Bearer SERVICE-00000000-0000-4000-8000-000000000000': 'INVALID_API_KEY',
  };
  for (const [header, code] of Object.entries(table)) {
    for (const credentials of ['required', 'optional'] as const) {
      assert.equal(await setUp().call(header, credentials), code, `${credentials}: ${header}`);
    }
  }
});

test('without a header a caller is anonymous where that is allowed, and refused where it is not', async () => {
  const { call } = setUp();
  assert.equal(await call(undefined), 'MISSING_API_KEY');
  const anonymous = {
    kind: 'anonymous',
    tier: 'anonymous',
    account: 'ip:192.0.2.1',
    subscription: null,
    owner: null,
    grant: null,
    scopes: null,
    reach: NOTHING,
  };
  assert.deepEqual(await call(undefined, 'optional'), anonymous);
});

test('the scheme is read in any case and with any number of spaces', async () => {
  const { provider, call } = setUp();
  const key = provider.subscribe('pro');
  for (const header of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key}`]) {
    const principal = await call(header);
    assert.ok(typeof principal !== 'string');
    assert.equal(principal.tier, 'pro');
    assert.equal(principal.account, `sub:${principal.subscription}`);
  }
});

test('an endpoint without credentials looks at no header', async () => {
  const principal = await setUp().call('Bearer nonsense', 'none');
  assert.ok(typeof principal !== 'string');
  assert.equal(principal.kind, 'anonymous');
});

test('IPv6 addresses of one /64 are one caller, those of another are another', async () => {
  const { call } = setUp();
  const account = async (address: string) => {
    const principal = await call(undefined, 'optional', address);
    return typeof principal === 'string' ? principal : principal.account;
  };
  assert.equal(await account('2001:db8:1:2:3:4:5:6'), await account('2001:db8:1:2::9'));
  assert.notEqual(await account('2001:db8:1:2::9'), await account('2001:db8:1:3::9'));
});

test('every 401 is charged to the address, and the one after the last allowed is a 429', async () => {
  for (const header of [undefined, '', 'Basic x', 'Bearer token', 'Bearer SERVICE-1']) {
    const { clock, call } = setUp();
    for (let count = 0; count < FAILURES_PER_MINUTE; count++)
      assert.notEqual(await call(header), 'RATE_LIMITED');
    assert.equal(await call(header), 'RATE_LIMITED', `${header}`);
    assert.notEqual(await call(header, 'required', '192.0.2.2'), 'RATE_LIMITED', 'another address is free');
    clock.advance(60_000);
    assert.notEqual(await call(header), 'RATE_LIMITED');
  }
});

test('addresses of one /64 share the throttle on refused credentials', async () => {
  const { call } = setUp();
  for (let count = 0; count < FAILURES_PER_MINUTE; count++)
    await call('Bearer x', 'required', `2001:db8::${count}`);
  assert.equal(await call('Bearer x', 'required', '2001:db8::ffff'), 'RATE_LIMITED');
});

test('an anonymous caller is served while its address may send no more credentials', async () => {
  const { call } = setUp();
  for (let count = 0; count <= FAILURES_PER_MINUTE; count++) await call('Bearer x');
  assert.notEqual(typeof (await call(undefined, 'optional')), 'string');
});

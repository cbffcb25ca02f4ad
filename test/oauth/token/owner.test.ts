// Tests of whose a token's watchers are: the customer's, the subscription's, or the grant's.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FailureThrottle } from '../../../src/access/limits/failure-throttle.ts';
import { limitAccount, type Principal } from '../../../src/access/tiers/tiers.ts';
import { AccessTokens } from '../../../src/oauth/token/access-tokens.ts';
import { atEnd } from '../../support/database/database.ts';
import { refreshSession, type Session, signIn } from '../../support/oauth/oauth.ts';
import { startService } from '../../support/service/service.ts';
import { stubProvider } from '../../support/service/stub-provider.ts';

const provider = stubProvider();
const service = await startService({ after }, { overrides: { provider } });
const { database, clock, url } = service;
const tokens = new AccessTokens({ database, clock, publicUrl: url, report: () => {} });
atEnd({ after }, () => tokens.close());

async function principalOf({ accessToken }: Session): Promise<Principal> {
  return tokens.verify(accessToken, new FailureThrottle({ clock }).attempt('192.0.2.1'));
}

test('the tokens of all keys of a customer have one owner, and those of a key without customer that of the key', async () => {
  const keys = [
    provider.subscribe('pro', undefined, 'acme'),
    provider.subscribe('business', undefined, 'acme'),
    provider.subscribe('pro'),
  ];
  const principals = await Promise.all(keys.map(async (key) => principalOf(await signIn(service, { key }))));
  const [first, second, third] = principals;
  assert.deepEqual([first?.owner, second?.owner], ['cus:acme', 'cus:acme']);
  assert.equal(third?.owner, `sub:${third?.subscription}`);
  assert.equal(new Set(principals.map(({ grant }) => grant)).size, 3, 'each names its grant');
});

test('a grant without a key is an owner of its own, and shares the limits of the address that consented', async () => {
  const [first, second] = await Promise.all([1, 2].map(async () => principalOf(await signIn(service))));
  assert.equal(first?.owner, `grant:${first?.grant}`);
  assert.notEqual(first?.owner, second?.owner);
  assert.ok(first && second && limitAccount(first) === limitAccount(second));
  assert.match(limitAccount(first), /^free:[0-9a-f]{64}$/);
});

test('a customer that becomes known after the consent owns what the next token creates', async () => {
  const key = provider.subscribe('pro');
  const session = await signIn(service, { key });
  const before = await provider.validate(key, { signal: AbortSignal.abort() });
  assert.ok(before.state === 'active');
  assert.equal((await principalOf(session)).owner, `sub:${before.subscription}`);
  provider.change(key, { ...before, customer: 'late' });
  const next = await refreshSession(service, session);
  assert.equal((await principalOf(next)).owner, 'cus:late');
});

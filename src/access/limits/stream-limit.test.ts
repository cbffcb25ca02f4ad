// Proves that feeds are counted by owner, apart from streams. Streams are proven with the rate limiter.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anonymous, type Principal, TIERS } from '../tiers/tiers.ts';
import { createFeedLimit, StreamLimit } from './stream-limit.ts';

function key(subscription: string, owner: string, tier: Principal['tier'] = 'pro'): Principal {
  return {
    ...anonymous('192.0.2.1'),
    kind: 'key',
    tier,
    account: `sub:${subscription}`,
    subscription,
    owner,
  };
}

function keylessToken(grant: string, address: string): Principal {
  const account = `free:${address}`;
  return { ...anonymous('192.0.2.1'), kind: 'token', tier: 'free', account, owner: `grant:${grant}`, grant };
}

test('all keys of a customer share its feeds, and others have their own', async () => {
  const feeds = createFeedLimit({ ...TIERS, pro: { ...TIERS.pro, feeds: 2 } });
  const close = await feeds.open(key('a', 'cus:acme'));
  await feeds.open(key('b', 'cus:acme'));
  await assert.rejects(feeds.open(key('c', 'cus:acme')), {
    code: 'TOO_MANY_STREAMS',
    status: 429,
    message: 'The Pro tier allows 2 open feeds. Close one, or wait for one to end.',
    members: { violatedPolicies: ['feeds'] },
    headers: { 'retry-after': '60' },
  });
  await feeds.open(key('d', 'cus:other'));
  close();
  close();
  assert.equal(await feeds.count(key('b', 'cus:acme')), 1, 'closing twice frees one place');
});

test('grants without a key share the feeds of the address that consented', async () => {
  const feeds = createFeedLimit(TIERS);
  await feeds.open(keylessToken('1', 'aa'));
  await assert.rejects(feeds.open(keylessToken('2', 'aa')), { code: 'TOO_MANY_STREAMS' });
  await feeds.open(keylessToken('3', 'bb'));
});

test('an open feed takes no place of a listing stream', async () => {
  const [feeds, streams] = [createFeedLimit(TIERS), new StreamLimit(TIERS)];
  await feeds.open(key('a', 'cus:acme'));
  assert.equal(await streams.count(key('a', 'cus:acme')), 0);
});

// Tests of the cookie of the pages about a key.

import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { manualClock } from '../../../test/support/service/clock.ts';
import { Keyring } from '../../lib/keyring.ts';
import { COOKIE_NAME, KeyCookie } from './key-cookie.ts';

const clock = manualClock();
const key = randomBytes(32);
const cookieOf = (publicUrl = 'https://api.example', proofKey = key) =>
  new KeyCookie({ clock, publicUrl, proofKey: async () => proofKey });

/** What the browser sends back. */
async function jar(cookie: KeyCookie, subscription = 'sub-1'): Promise<string> {
  const { 'set-cookie': header = '' } = await cookie.remember(subscription);
  return header.split(';')[0] ?? '';
}

test('a cookie names its subscription for ten minutes, to this service alone', async () => {
  const cookie = cookieOf();
  const { 'set-cookie': header = '' } = await cookie.remember('sub-1');
  assert.match(header, /^__Host-[a-z-]+=[\w-]+; Max-Age=600; Path=\/; Secure; HttpOnly; SameSite=Strict$/);
  const sent = await jar(cookie);
  assert.equal(await cookie.read({ cookie: `a=b; ${sent}; c=d` }), 'sub-1');
  assert.equal(await cookieOf('https://api.example', randomBytes(32)).read({ cookie: sent }), null);
  clock.advance(599_999);
  assert.equal(await cookie.read({ cookie: sent }), 'sub-1');
  clock.advance(1);
  assert.equal(await cookie.read({ cookie: sent }), null);
});

test('what a cookie holds can be neither read nor changed, and none is taken that is there twice', async () => {
  const cookie = cookieOf();
  const sent = await jar(cookie);
  const sealed = Buffer.from(sent.slice(COOKIE_NAME.length + 1), 'base64url');
  assert.ok(!sealed.includes('sub-1'));
  for (const at of [0, 1, 5, 20, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    assert.equal(await cookie.read({ cookie: `${COOKIE_NAME}=${changed.toString('base64url')}` }), null);
  }
  assert.equal(await cookie.read({ cookie: `${sent}; ${await jar(cookie, 'sub-2')}` }), null);
  for (const value of ['', 'x', 'x'.repeat(5_000)])
    assert.equal(await cookie.read({ cookie: `${COOKIE_NAME}=${value}` }), null);
  assert.equal(await cookie.read({}), null);
});

test('a cookie of another family of pages opens nothing here', async () => {
  const cookie = cookieOf();
  const ring = new Keyring([createHmac('sha256', key).update('cookie of the pages about a key').digest()]);
  const sealed = (family: string, context = 'account') => {
    const text = JSON.stringify([clock.now() + 1_000, family, 'sub-1']);
    return `${COOKIE_NAME}=${ring.seal(Buffer.from(text), context).toString('base64url')}`;
  };
  assert.equal(await cookie.read({ cookie: sealed('account') }), 'sub-1');
  assert.equal(await cookie.read({ cookie: sealed('console') }), null);
  assert.equal(await cookie.read({ cookie: sealed('account', 'console') }), null);
});

test('a cookie is used where browsers keep it and nothing else on the host gets it', async () => {
  for (const url of ['https://api.example', 'http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]'])
    assert.ok(cookieOf(url).isUsed, url);
  for (const url of ['http://homes.lan', 'http://10.0.0.7:8080', 'https://api.example/homes']) {
    const cookie = cookieOf(url);
    assert.ok(!cookie.isUsed, url);
    assert.deepEqual([await cookie.remember('sub-1'), cookie.forget()], [{}, {}]);
    assert.equal(await cookie.read({ cookie: await jar(cookieOf()) }), null);
  }
});

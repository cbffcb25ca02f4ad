// Tests of the key form: a proof opens the page that it was made for, and all pages count the guesses of an address together.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { manualClock } from '../../../test/support/service/clock.ts';
import { Problem } from '../../lib/problem.ts';
import { createKeyForm, isSameOrigin } from './key-form.ts';

const PAGE = '/oauth/grants';
const OTHER = '/account/watchers';
const ADDRESS = '192.0.2.1';
const proofKey = randomBytes(32);

function keyForm() {
  const clock = manualClock();
  const verifyFresh = async () => {
    throw new Problem('INVALID_API_KEY', 'The API key belongs to no active subscription.');
  };
  return {
    clock,
    form: createKeyForm({
      keys: { verifyFresh, verifySubscription: verifyFresh },
      clock,
      proofKey: async () => proofKey,
      publicUrl: 'https://api.example',
    }),
  };
}

test('a proof replaces the key of its subscription on its own page, and on no other', async () => {
  const { form } = keyForm();
  const proof = await form.signProof(PAGE, 'sub-1');
  assert.deepEqual(await form.identify(PAGE, { proof }, ADDRESS), { subscription: 'sub-1', status: null });
  assert.equal(await form.identify(OTHER, { proof }, ADDRESS), null);
  assert.equal(await form.identify('', { proof }, ADDRESS), null);
  assert.notEqual(await form.signProof(OTHER, 'sub-1'), proof);
});

test('a proof lasts ten minutes, and cannot be changed into that of another subscription', async () => {
  const { form, clock } = keyForm();
  const proof = await form.signProof(PAGE, 'sub-1');
  const [payload = '', signature] = proof.split('.');
  const changed = Buffer.from(payload, 'base64url').toString().replace('sub-1', 'sub-2');
  const forged = `${Buffer.from(changed).toString('base64url')}.${signature}`;
  assert.equal(await form.identify(PAGE, { proof: forged }, ADDRESS), null);
  assert.equal(await form.identify(PAGE, { proof: '' }, ADDRESS), null);
  clock.advance(599_999);
  assert.equal((await form.identify(PAGE, { proof }, ADDRESS))?.subscription, 'sub-1');
  clock.advance(1);
  assert.equal(await form.identify(PAGE, { proof }, ADDRESS), null);
});

test('R33: an address has ten wrong keys in a minute over all pages', async () => {
  const { form, clock } = keyForm();
  const guess = (page: string) =>
    form.identify(page, { api_key: 'SERVICE-x' }, ADDRESS).catch((error: Problem) => error.code);
  for (let count = 0; count < 5; count += 1)
    for (const page of [PAGE, OTHER]) assert.equal(await guess(page), 'INVALID_API_KEY');
  for (const page of [PAGE, OTHER]) assert.equal(await guess(page), 'RATE_LIMITED');
  await assert.rejects(form.checkKey('SERVICE-x', ADDRESS), { code: 'RATE_LIMITED' });
  clock.advance(60_000);
  assert.equal(await guess(OTHER), 'INVALID_API_KEY');
});

test('a form without a key and without a proof is told that the key is missing', async () => {
  const { form } = keyForm();
  for (const fields of [{}, { api_key: ' ' }])
    await assert.rejects(form.identify(PAGE, fields, ADDRESS), { code: 'MISSING_API_KEY' });
});

test('a form is ours unless the browser says that another site sent it', () => {
  const ours = (headers: Record<string, string>) => isSameOrigin(headers, 'https://api.example');
  assert.ok(ours({}) && ours({ origin: 'https://api.example', 'sec-fetch-site': 'same-origin' }));
  assert.ok(ours({ 'sec-fetch-site': 'none' }));
  for (const site of ['cross-site', 'same-site', 'x']) assert.ok(!ours({ 'sec-fetch-site': site }), site);
  for (const origin of ['null', 'https://api.example.evil', 'http://api.example'])
    assert.ok(!ours({ origin }), origin);
});

test('a service on this machine takes forms under each name of it, from the page of that very name and port', () => {
  const ours = (headers: Record<string, string>, publicUrl = 'http://127.0.0.1:8080') =>
    isSameOrigin(headers, publicUrl);
  for (const host of ['127.0.0.1:8080', 'localhost:8080', '[::1]:8080', '127.0.0.2:8080'])
    assert.ok(ours({ origin: `http://${host}`, host }), host);
  for (const [origin, host] of [
    ['http://localhost:8081', 'localhost:8081'],
    ['https://localhost:8080', 'localhost:8080'],
    ['http://[::1]:8080', '127.0.0.1:8080'],
    ['http://evil.example:8080', 'evil.example:8080'],
    ['http://localhost.evil.example:8080', 'localhost.evil.example:8080'],
    ['null', 'localhost:8080'],
  ] as const)
    assert.ok(!ours({ origin, host }), origin);
  const local = { origin: 'http://localhost:8080', host: 'localhost:8080' };
  assert.ok(!ours({ ...local, 'sec-fetch-site': 'cross-site' }));
  assert.ok(!ours(local, 'https://api.example'), 'behind a public URL only that one counts');
});

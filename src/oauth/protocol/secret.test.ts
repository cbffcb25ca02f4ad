// Proof that a pair of tokens is derived from a token and its nonce alone, and has the form of all that is issued.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createSecret, deriveTokenPair, isSecret } from './secret.ts';

const createNonce = () => randomBytes(32).toString('hex');

test('the same token and nonce make the same pair, and either of them another makes another', () => {
  const [token, nonce] = [createSecret('rt'), createNonce()];
  assert.deepEqual(deriveTokenPair(token, nonce), deriveTokenPair(token, nonce));
  const pairs = [
    deriveTokenPair(token, nonce),
    deriveTokenPair(createSecret('rt'), nonce),
    deriveTokenPair(token, createNonce()),
  ];
  const bodies = pairs.flatMap(({ accessToken, refreshToken }) => [
    accessToken.slice(3),
    refreshToken.slice(3),
  ]);
  assert.equal(new Set(bodies).size, 6, 'nor is one of a pair the other');
});

test('a pair has the form and the checksum of what is issued here', () => {
  const { accessToken, refreshToken } = deriveTokenPair(createSecret('rt'), createNonce());
  assert.ok(isSecret('at', accessToken));
  assert.ok(isSecret('rt', refreshToken));
});

// Owns the proof that a pair is made again from the same token and nonce alone, and is of the form of all that is issued.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecret, newSecret } from '../protocol/secret.ts';
import { newNonce, successorOf } from './succession.ts';

test('the same token and nonce make the same pair, and either of them another makes another', () => {
  const [token, nonce] = [newSecret('rt'), newNonce()];
  assert.deepEqual(successorOf(token, nonce), successorOf(token, nonce));
  const pairs = [
    successorOf(token, nonce),
    successorOf(newSecret('rt'), nonce),
    successorOf(token, newNonce()),
  ];
  const bodies = pairs.flatMap(({ accessToken, refreshToken }) => [
    accessToken.slice(3),
    refreshToken.slice(3),
  ]);
  assert.equal(new Set(bodies).size, 6, 'nor is one of a pair the other');
});

test('a pair has the form and the checksum of what is issued here', () => {
  const { accessToken, refreshToken } = successorOf(newSecret('rt'), newNonce());
  assert.ok(isSecret('at', accessToken));
  assert.ok(isSecret('rt', refreshToken));
});

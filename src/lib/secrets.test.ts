// Proves that secrets are random, hashed one way, and compared whole.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { equalSecrets, hashSecret, randomToken } from './secrets.ts';

test('tokens are as long as asked for, safe in addresses, and never the same', () => {
  const tokens = new Set(Array.from({ length: 100 }, () => randomToken()));
  assert.equal(tokens.size, 100);
  for (const token of tokens) assert.match(token, /^[\w-]{43}$/);
  assert.match(randomToken(12), /^[\w-]{16}$/);
});

test('the hash is SHA-256 in hexadecimal', () => {
  assert.equal(hashSecret('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('only equal texts are equal, whatever their lengths', () => {
  assert.ok(equalSecrets('abc', 'abc'));
  for (const other of ['abd', 'ab', 'abcd', '', 'ABC']) assert.ok(!equalSecrets('abc', other));
});

// Proves that a sealed secret opens with its key and for its purpose only, and that two keys can overlap.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { CannotOpen, KEY_BYTES, Keyring, keyIdOf, parseKeys } from './keyring.ts';

const newKey = () => randomBytes(KEY_BYTES);

test('whatever is sealed opens to the same bytes, and is in no part of what is stored', () => {
  const ring = new Keyring([newKey()]);
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 8, maxLength: 200 }), fc.string(), (bytes, context) => {
      const secret = Buffer.from(bytes);
      const sealed = ring.seal(secret, context);
      assert.ok(!sealed.includes(secret));
      assert.deepEqual(ring.open(sealed, context), secret);
      assert.notDeepEqual(ring.seal(secret, context), sealed, 'each time with another nonce');
    }),
  );
});

test('a secret does not open for another context, with another key, or with any byte changed', () => {
  const ring = new Keyring([newKey()]);
  const sealed = ring.seal(Buffer.from('a secret of the test'), 'wat_a');
  assert.throws(() => ring.open(sealed, 'wat_b'), CannotOpen);
  for (let others = 0; others < 600; others++)
    assert.throws(() => new Keyring([newKey()]).open(sealed, 'wat_a'), CannotOpen, 'also with the same id');
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    assert.throws(() => ring.open(changed, 'wat_a'), CannotOpen, `byte ${at}`);
    assert.throws(() => ring.open(sealed.subarray(0, at), 'wat_a'), CannotOpen, `cut at ${at}`);
  }
});

test('with two keys the first seals and both open; without the second, what it sealed stays shut', () => {
  const [former, next] = [newKey(), newKey()];
  const old = new Keyring([former]).seal(Buffer.from('old'), 'wat_a');
  const both = new Keyring([next, former]);
  const fresh = both.seal(Buffer.from('new'), 'wat_a');
  assert.equal(String(both.open(old, 'wat_a')), 'old');
  assert.equal(String(both.open(fresh, 'wat_a')), 'new');
  assert.equal(keyIdOf(fresh), both.currentKeyId);
  assert.equal(String(new Keyring([next]).open(fresh, 'wat_a')), 'new');
  assert.throws(() => new Keyring([next]).open(old, 'wat_a'), CannotOpen);
});

test('keys are read from base64 in either alphabet, and an error never repeats them', () => {
  const [one, two] = [newKey(), newKey()];
  assert.deepEqual(parseKeys(one.toString('base64')), [one]);
  assert.deepEqual(parseKeys(`${one.toString('base64url')},${two.toString('base64')}\n`), [one, two]);
  const bad = [
    '',
    ',',
    'short',
    randomBytes(31).toString('base64'),
    randomBytes(33).toString('base64'),
    one.toString('hex'),
    `${one.toString('base64')},`.repeat(3),
    `${one.toString('base64')},x`,
  ];
  for (const text of bad)
    assert.throws(
      () => parseKeys(text),
      (error) =>
        error instanceof RangeError && (text.length < 6 || !error.message.includes(text.slice(0, 8))),
      text,
    );
});

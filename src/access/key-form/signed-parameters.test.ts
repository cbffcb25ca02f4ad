// Tests of signed parameters: unchanged, and only while they are valid.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { signParameters, verifyParameters } from './signed-parameters.ts';

const key = randomBytes(32);
const NOW = Date.UTC(2026, 0, 5);
const entries = fc.uniqueArray(
  fc.tuple(fc.string(), fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 3 })),
  {
    selector: ([name]) => name,
    maxLength: 8,
  },
);

test('whatever is sealed opens as it was', () => {
  fc.assert(
    fc.property(entries, (sent) => {
      const parameters = new Map(sent);
      const opened = verifyParameters(key, signParameters(key, parameters, NOW), NOW);
      assert.deepEqual(opened, { parameters, expired: false });
    }),
  );
});

test('CP6: no changed text opens, and none of another key', () => {
  const sealed = signParameters(key, new Map([['client_id', ['a']]]), NOW);
  assert.equal(verifyParameters(randomBytes(32), sealed, NOW), null);
  fc.assert(
    fc.property(fc.nat(sealed.length - 1), fc.constantFrom('A', 'b', '.', '-', '', 'AA'), (at, letter) => {
      const changed = sealed.slice(0, at) + letter + sealed.slice(at + 1);
      if (changed !== sealed) assert.equal(verifyParameters(key, changed, NOW), null, changed);
    }),
    { numRuns: 500 },
  );
  for (const text of ['', '.', 'a', `${sealed}.`, `${sealed} `, sealed.replace('.', ''), `x${sealed}`]) {
    assert.equal(verifyParameters(key, text, NOW), null, text);
  }
});

test('a transaction is good for ten minutes, and not before it was made', () => {
  const sealed = signParameters(key, new Map(), NOW);
  const staleAt = (milliseconds: number) => verifyParameters(key, sealed, NOW + milliseconds)?.expired;
  assert.deepEqual([-1, 0, 599_999, 600_000].map(staleAt), [true, false, false, true]);
});

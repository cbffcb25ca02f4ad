// Proof that no text of others makes a terminal do anything, and that JSON keeps its value.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { safeJson, safeLine, safeLines } from './safe-text.ts';

/** Texts with many of what is dangerous. */
const texts = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\u001b',
        '\u009b',
        '\u001b[31m',
        '\u001b]0;x\u0007',
        '\r',
        '\n',
        '\u202e',
        '\u2028',
        '\u007f',
      ),
      fc.string({ unit: 'binary' }),
    ),
  )
  .map((parts) => parts.join(''));

/** By code points, not by the expression that is tested. */
const isDangerous = (code: number): boolean =>
  code < 0x20 ||
  (code >= 0x7f && code <= 0x9f) ||
  (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2066 && code <= 0x2069) ||
  [0x61c, 0x200e, 0x200f, 0x2028, 0x2029].includes(code);

const dangers = (text: string): number[] =>
  [...text].map((one) => one.codePointAt(0) ?? 0).filter(isDangerous);

test('a line has nothing that a terminal acts on, and lines have only their ends and tabs', () => {
  fc.assert(
    fc.property(texts, (text) => {
      assert.deepEqual(dangers(safeLine(text)), []);
      assert.deepEqual(
        dangers(safeLines(text)).filter((code) => code !== 0x0a && code !== 0x09),
        [],
      );
    }),
  );
  assert.equal(safeLine('4 \u001b[31mElm\u001b[0m\tStreet\r\nB'), '4 Elm Street B');
});

test('JSON means the same afterwards', () => {
  fc.assert(
    fc.property(texts, (text) => {
      const json = safeJson(JSON.stringify({ text }, null, 2));
      assert.equal((JSON.parse(json) as { text: string }).text, text);
      assert.deepEqual(
        dangers(json).filter((code) => code !== 0x0a),
        [],
      );
    }),
  );
});

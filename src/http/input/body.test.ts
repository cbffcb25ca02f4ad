// Proves that a JSON body is read whole or refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../lib/problem.ts';
import { parseJson } from './body.ts';

const parse = (text: string) => parseJson(Buffer.from(text));
const refuses = (text: string) =>
  assert.throws(
    () => parse(text),
    (error) => error instanceof Problem && error.code === 'INVALID_BODY',
    text,
  );

test('every JSON value is read as JSON.parse reads it, in any layout', () => {
  const dangerous = /__proto__|constructor|prototype|\0/;
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), fc.constantFrom(0, 2, '\t'), (json, indent) => {
      const text = JSON.stringify(JSON.parse(json), null, indent);
      if (dangerous.test(JSON.stringify(text))) return;
      if (text.includes('\\u0000') || text.includes('__proto__')) return;
      assert.deepEqual(parse(text), JSON.parse(text));
    }),
  );
});

test('a member that is named twice is refused wherever it stands', () => {
  for (const text of [
    '{"a":1,"a":2}',
    '[{"b":{"a":1 , "a" :2}}]',
    '{"a":1,"\\u0061":2}',
    '{"x":"\\"a\\":","x":1}',
  ])
    refuses(text);
  assert.deepEqual(parse('{"a":"a","b":{"a":"\\"b\\":"},"c":["a","a"]}'), {
    a: 'a',
    b: { a: '"b":' },
    c: ['a', 'a'],
  });
});

test('nesting is bounded at 32 levels', () => {
  assert.doesNotThrow(() => parse('['.repeat(32) + ']'.repeat(32)));
  refuses('['.repeat(34) + ']'.repeat(34));
});

test('prototypes cannot be named', () => {
  for (const name of ['__proto__', 'constructor', 'prototype']) refuses(`[{"a":{"${name}":{}}}]`);
});

test('text that no table can hold is refused, in names too', () => {
  for (const text of ['\\u0000', '\\ud800', '\\udc00x', 'x\\udfff\\ud800'])
    for (const json of [`"${text}"`, `{"${text}":1}`, `[{"a":["${text}"]}]`]) refuses(json);
  assert.equal(parse('"\\ud83d\\ude00"'), '😀');
});

test('what is not UTF-8 is refused', () => {
  assert.throws(() => parseJson(Buffer.from([0x22, 0xc3, 0x28, 0x22])), Problem);
});

// Tests of the parsers of text from outside.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/support/check/runs.ts';
import { parseExactJson, parseTimeZone } from './parse.ts';

test('zones are known by the names of today and by those they had before, in any letters', () => {
  for (const name of [
    'Asia/Kolkata',
    'Asia/Calcutta',
    'Europe/Kyiv',
    'Europe/Kiev',
    'America/Indiana/Indianapolis',
  ])
    assert.deepEqual([parseTimeZone(name), parseTimeZone(name.toLowerCase())], [name, name]);
  for (const name of ['UTC', ...Intl.supportedValuesOf('timeZone')]) assert.equal(parseTimeZone(name), name);
});

test('what names no zone is none, and neither is an offset', () => {
  for (const name of [
    '',
    '+05:30',
    '-08',
    'Europe/Seattle',
    'Europe/Berlin ',
    'America',
    '2026-01-01T00:00[UTC]',
  ])
    assert.equal(parseTimeZone(name), null, name);
});

const SAFE = 2n ** 53n - 1n;

/** Below 1e21 JSON writes the digits of a whole number. */
const largeAsText = (_key: string, value: unknown): unknown =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(Number(value)) < 1e21
    ? String(value)
    : value;

test('a whole number beyond 2^53 keeps its digits as a text, and every other value is what JSON says', () => {
  const whole = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
  const text = fc.string({ unit: fc.constantFrom('"', '\\', ':', '[', ' ', '1234567890123456789', 'é') });
  fc.assert(
    fc.property(fc.array(whole, { maxLength: 5 }), text, fc.jsonValue(), (numbers, key, other) => {
      const rest = JSON.stringify({ [key]: other, text: key });
      const read = parseExactJson(`[ [${numbers.join(' ,\n')}],${rest}, ${SAFE + 1n}\n]`);
      const expected = numbers.map((value) =>
        value <= SAFE && value >= -SAFE ? Number(value) : String(value),
      );
      assert.deepEqual(read, [expected, JSON.parse(rest, largeAsText), String(SAFE + 1n)]);
    }),
    runs(1_000, 7),
  );
});

test('fractions, exponents, and digits inside texts stay as they are', () => {
  const text =
    '{"a":0.12345678901234567,"b":1e20,"c":": 12345678901234567890","d":9007199254740991,"e":1234567890123456789.5,"f":1E1234567890123456789}';
  assert.deepEqual(parseExactJson(text), JSON.parse(text));
});

test('what is no JSON is none, large numbers or not', () => {
  for (const text of [
    '{"a":12345678901234567890',
    '{"a:12345678901234567890}',
    '[12345678901234567890\\"',
    '[1,',
  ])
    assert.throws(() => parseExactJson(text), SyntaxError, text);
});

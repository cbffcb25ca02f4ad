// Owns the proof that dates and large numbers come out of the database as they went in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseInstant, parseInt8 } from './column-types.ts';

test('every moment with milliseconds keeps its value as RFC 3339 in UTC', () => {
  const moment = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(moment, (date) => {
      const iso = date.toISOString();
      const fraction = iso.slice(20, 23).replace(/0+$/, '');
      const text = `${iso.slice(0, 10)} ${iso.slice(11, 19)}${fraction === '' ? '' : `.${fraction}`}+00`;
      assert.equal(parseInstant(text), iso);
    }),
  );
});

test('microseconds are cut off, not rounded into the next moment', () => {
  assert.equal(parseInstant('2026-01-05 23:59:59.999999+00'), '2026-01-05T23:59:59.999Z');
});

test('what RFC 3339 cannot write stays as it is', () => {
  for (const text of ['infinity', '-infinity', '0044-03-15 00:00:00+00 BC', '10000-01-01 00:00:00+00']) {
    assert.equal(parseInstant(text), text);
  }
});

test('an int8 is a number where that is exact, else a bigint', () => {
  assert.equal(parseInt8('9007199254740991'), 9_007_199_254_740_991);
  assert.equal(parseInt8('9007199254740993'), 9_007_199_254_740_993n);
  assert.equal(parseInt8('-9223372036854775808'), -9_223_372_036_854_775_808n);
});

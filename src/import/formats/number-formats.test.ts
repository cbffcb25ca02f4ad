// Proves which numbers of workbooks are dates, and which days they are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dateText, numberForm } from './number-formats.ts';

test('formats of dates, times, codes and numbers are told apart', () => {
  for (const id of [14, 17, 20, 22, 31]) assert.equal(numberForm(id, undefined), 'date', String(id));
  for (const id of [0, 1, 2, 4, 9, 10, 11, 49]) assert.equal(numberForm(id, undefined), 'number', String(id));
  assert.equal(numberForm(46, undefined), 'duration');
  const dates = [
    'yyyy-mm-dd',
    'd. mmmm yyyy',
    '[$-409]m/d/yy h:mm AM/PM;@',
    'dd"th of" mmm',
    'hh:mm',
    '[Red]d/m/yy',
    'yyyy"年"m"月"',
  ];
  for (const code of dates) assert.equal(numberForm(164, code), 'date', code);
  const numbers = [
    '#,##0.00',
    '0.00E+00',
    '[$€-407] #,##0',
    '"dollars" 0',
    'General',
    '#,##0 "m²"',
    '0%',
    '[Red]-0',
    '\\d0',
    '_-* #,##0_-',
    '0',
  ];
  for (const code of numbers) assert.equal(numberForm(164, code), 'number', code);
  assert.deepEqual(numberForm(164, '00000'), { zeros: 5 });
  assert.deepEqual(numberForm(164, '00000-0000'), { zeros: 9 });
  assert.equal(numberForm(164, '[h]:mm:ss'), 'duration');
});

test('days are counted from 1900 with the day that never was, or from 1904', () => {
  assert.equal(dateText(1, false), '1900-01-01');
  assert.equal(dateText(59, false), '1900-02-28');
  assert.equal(dateText(60, false), '1900-02-29');
  assert.equal(dateText(61, false), '1900-03-01');
  assert.equal(dateText(46_354, false), '2026-11-28');
  assert.equal(dateText(46_354 - 1_462, true), '2026-11-28');
  assert.equal(dateText(0, true), '1904-01-01');
  assert.equal(dateText(46_354.75, false), '2026-11-28T18:00:00');
  assert.equal(dateText(0.5, false), '12:00:00');
  assert.equal(dateText(2_958_465, false), '9999-12-31');
  for (const none of [-1, 2_958_466, Number.NaN]) assert.equal(dateText(none, false), null);
});

test('a day is written back as the number that it came from', () => {
  fc.assert(
    fc.property(fc.integer({ min: 61, max: 2_958_465 }), fc.boolean(), (serial, is1904) => {
      const text = dateText(serial - (is1904 ? 1_462 : 0), is1904);
      if (serial < 1_462 && is1904) return text === null;
      return Date.parse(`${text}T00:00:00Z`) / 86_400_000 + 25_569 === serial;
    }),
  );
});

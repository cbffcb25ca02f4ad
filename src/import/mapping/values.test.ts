// Tests of how texts become numbers and dates.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { patternFault, readDate, readTime, readTimeOrDate } from './dates.ts';
import { Unreadable } from './fields.ts';
import { NUMBER_FORMATS, readNumber } from './numbers.ts';
import { perMonth, toSquareFeet } from './values.ts';

test('a plain number is read as JavaScript writes it, scientific notation included', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      // Texts have no negative zero.
      assert.equal(readNumber(String(value), undefined), value === 0 ? Number(String(value)) : value);
    }),
  );
  assert.equal(readNumber('1.2e+006', undefined), 1_200_000);
});

test('each format reads what its country writes, and nothing else', () => {
  const written: Readonly<Record<string, string>> = {
    '1,234.5': '$1,234,567.25',
    '1.234,5': '1.234.567,25 €',
    '1 234,5': '1\u202f234\u202f567,25',
    "1'234.5": "CHF 1'234’567.25",
    '1234.5': 'US$1234567.25',
    '1234,5': '1234567,25 €',
  };
  for (const format of NUMBER_FORMATS) {
    assert.equal(readNumber(written[format] ?? '', format), 1_234_567.25, format);
    assert.throws(() => readNumber(written[format] ?? '', undefined), Unreadable);
  }
  for (const wrong of ['1,23', '12,3456.5', '1,234,56', '0,234', '$', '', 'x1', '1e999']) {
    assert.throws(() => readNumber(wrong, '1,234.5'), Unreadable, wrong);
  }
  for (const [text, format, value] of [
    ['3.000', '1.234,5', 3_000],
    ['3.5', '1.234,5', null],
    ['1.2e+006', '1.234,5', 1_200_000],
    ['1.200,-', '1.234,5', 1_200],
    ['1’200.–', "1'234.5", 1_200],
    ['US$1,200', '1,234.5', 1_200],
    ['-CA$1,200.50', '1,234.5', -1_200.5],
    ['155.000', '1234,5', null],
  ] as const)
    if (value === null) assert.throws(() => readNumber(text, format), Unreadable, text);
    else assert.equal(readNumber(text, format), value, text);
});

test('areas and yearly amounts are turned into the units of the catalogue', () => {
  assert.equal(toSquareFeet(100, 'sqm'), 1_076.39);
  assert.equal(toSquareFeet(0.25, 'acres'), 10_890);
  assert.equal(toSquareFeet(1_234, 'sqft'), 1_234);
  assert.equal(perMonth(1_200, 'year'), 100);
  assert.equal(perMonth(300, 'week'), 1_300);
  assert.equal(perMonth(99.5, undefined), 99.5);
});

test('a date written by a pattern is read back as the same day', () => {
  const writers: Readonly<Record<string, (y: string, m: string, d: string) => string>> = {
    'YYYY-MM-DD': (y, m, d) => `${y}-${m}-${d}`,
    'MM/DD/YYYY': (y, m, d) => `${m}/${d}/${y}`,
    'D.M.YYYY': (y, m, d) => `${Number(d)}.${Number(m)}.${y}`,
    YYYYMMDDTHHmmss: (y, m, d) => `${y}${m}${d}T235959`,
  };
  const days = fc.date({ min: new Date('1700-01-01'), max: new Date('2900-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(days, (date) => {
      const day = date.toISOString().slice(0, 10);
      const [y = '', m = '', d = ''] = day.split('-');
      for (const [pattern, write] of Object.entries(writers))
        assert.equal(readDate(write(y, m, d), pattern, 'UTC'), day);
    }),
  );
});

test('a day that no calendar has is refused', () => {
  for (const [text, format] of [
    ['02/30/2026', 'MM/DD/YYYY'],
    ['2026-13-01', undefined],
    ['2026-1-1', undefined],
    ['20261001', 'YYYYMMDDTHHmmss'],
    ['tomorrow', undefined],
  ] as const) {
    assert.throws(() => readDate(text, format, 'UTC'), Unreadable, text);
  }
});

test('a time without an offset is of the time zone that the map names, and one with it is not', () => {
  assert.equal(readTime('2026-07-01 09:30', undefined, 'America/Los_Angeles'), '2026-07-01T16:30:00.000Z');
  assert.equal(readTime('2026-01-01', undefined, 'America/Los_Angeles'), '2026-01-01T08:00:00.000Z');
  assert.equal(
    readTime('2026-07-01T09:30:00+02:00', undefined, 'America/Los_Angeles'),
    '2026-07-01T07:30:00.000Z',
  );
  assert.equal(readTime('1782898200', 'unix', 'America/Los_Angeles'), '2026-07-01T09:30:00.000Z');
  assert.equal(readDate('1782882000', 'unix', 'America/Los_Angeles'), '2026-06-30');
});

test('a time that is written as a mere day stays a day, whatever time zone the map names', () => {
  const zone = 'America/Los_Angeles';
  assert.equal(readTimeOrDate('2026-07-01', undefined, zone), '2026-07-01');
  assert.equal(readTimeOrDate('7/1/2026', 'M/D/YYYY', zone), '2026-07-01');
  assert.equal(readTimeOrDate('2026-07-01T00:00:00Z', undefined, zone), '2026-07-01T00:00:00.000Z');
  assert.equal(readTimeOrDate('20260701T000000', 'YYYYMMDDTHHmmss', zone), '2026-07-01T07:00:00.000Z');
  assert.equal(readTimeOrDate('1782864000', 'unix', zone), '2026-07-01T00:00:00.000Z');
});

test('a pattern that could mean two days is refused before any row is read', () => {
  assert.equal(patternFault('YYYYMMDDTHHmmss'), null);
  assert.equal(patternFault('unix'), null);
  assert.match(patternFault('MM/DD') ?? '', /YYYY/);
  assert.match(patternFault('YYYY-MM-DD MM') ?? '', /twice/);
  assert.match(patternFault('YYYY-MM-DD h:mm') ?? '', /both h and A/);
  assert.match(patternFault('YYYY-MM-DD HH:mm A') ?? '', /both h and A/);
  assert.match(patternFault('YYYY-MM-DD HH h A') ?? '', /twice/);
  assert.equal(patternFault('D-MMM-YY h:mm A'), null);
});

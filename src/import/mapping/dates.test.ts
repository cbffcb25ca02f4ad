// Proof of dates and times against calendars and clocks of another kind: tables, arithmetic, and what Intl shows of an instant.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/check/runs.ts';
import { readDate, readTime } from './dates.ts';
import { Unreadable } from './fields.ts';

const LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
const lengthOf = (year: number, month: number): number =>
  (LENGTHS[month - 1] ?? 0) + (month === 2 && isLeap(year) ? 1 : 0);

/** Days from 1970-01-01, counted year by year and month by month. */
function daysSince1970(year: number, month: number, day: number): number {
  let days = day - 1;
  for (let at = 1; at < month; at++) days += lengthOf(year, at);
  for (let at = 1970; at < year; at++) days += isLeap(at) ? 366 : 365;
  for (let at = year; at < 1970; at++) days -= isLeap(at) ? 366 : 365;
  return days;
}

const two = (value: number): string => String(value).padStart(2, '0');

/** Parts of which each may be one too many now and then. */
const parts = fc.record({
  year: fc.integer({ min: 1850, max: 2150 }),
  month: fc.integer({ min: 0, max: 13 }),
  day: fc.integer({ min: 0, max: 32 }),
  hour: fc.integer({ min: 0, max: 26 }),
  minute: fc.integer({ min: 0, max: 61 }),
  second: fc.integer({ min: 0, max: 61 }),
  offset: fc.option(
    fc.record({
      sign: fc.constantFrom(1, -1),
      hours: fc.integer({ min: 0, max: 25 }),
      minutes: fc.integer({ min: 0, max: 61 }),
    }),
  ),
});

const tried = (read: () => string): string | null => {
  try {
    return read();
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
};

test('a text is a time if every part of it is on a calendar and a clock, and then it is that instant', () => {
  let [good, bad] = [0, 0];
  fc.assert(
    fc.property(parts, ({ year, month, day, hour, minute, second, offset }) => {
      const isDay = month >= 1 && month <= 12 && day >= 1 && day <= lengthOf(year, month);
      const isTime = hour <= 23 && minute <= 59 && second <= 60;
      const isOffset = offset === null || (offset.hours <= 23 && offset.minutes <= 59);
      const date = `${year}-${two(month)}-${two(day)}`;
      const written =
        offset === null ? '' : `${offset.sign < 0 ? '-' : '+'}${two(offset.hours)}:${two(offset.minutes)}`;
      const text = `${date}T${two(hour)}:${two(minute)}:${two(second)}${written}`;
      const shift = offset === null ? 0 : offset.sign * (offset.hours * 60 + offset.minutes);
      const minutes = daysSince1970(year, month, day) * 1_440 + hour * 60 + minute - shift;
      const expected = isDay && isTime && isOffset ? minutes * 60_000 + Math.min(second, 59) * 1_000 : null;
      const time = tried(() => readTime(text, undefined, 'UTC'));
      assert.equal(time === null ? null : Date.parse(time), expected, text);
      assert.equal(
        tried(() => readDate(text, undefined, undefined)),
        expected === null ? null : date,
        text,
      );
      if (offset === null) {
        const american = `${two(month)}/${two(day)}/${year} ${two(hour)}:${two(minute)}:${two(second)}`;
        const read = tried(() => readTime(american, 'MM/DD/YYYY HH:mm:ss', 'UTC'));
        assert.equal(read === null ? null : Date.parse(read), expected, american);
      }
      expected === null ? bad++ : good++;
    }),
    runs(3_000, 5),
  );
  assert.ok(good > 300 && bad > 300, `${good} good and ${bad} bad`);
});

test('a time without an offset is the instant at which the clocks of the zone show it', () => {
  const zones = [
    'America/Los_Angeles',
    'Asia/Kolkata',
    'Australia/Lord_Howe',
    'Europe/Kyiv',
    'Pacific/Apia',
    'UTC',
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.integer({ min: Date.UTC(1975, 0), max: Date.UTC(2035, 0) }).map((at) => at - (at % 1_000)),
      (zone, at) => {
        const shown = (instant: number): string =>
          new Intl.DateTimeFormat('sv-SE', {
            timeZone: zone,
            dateStyle: 'short',
            timeStyle: 'medium',
          }).format(instant);
        const text = shown(at).replace(' ', 'T');
        const read = Date.parse(readTime(text, undefined, zone));
        assert.equal(shown(read).replace(' ', 'T'), text);
        // Where clocks are put back, two instants show the same: it is one of the two.
        assert.ok(Math.abs(read - at) <= 7_200_000, `${text} in ${zone}`);
      },
    ),
    runs(1_500, 6),
  );
});

test('an instant is the same day in the zone of the map, with an offset or as seconds, and no other than its clocks show', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('America/Los_Angeles', 'Asia/Bangkok', 'Pacific/Apia', 'UTC'),
      fc.integer({ min: Date.UTC(1975, 0) / 1_000, max: Date.UTC(2035, 0) / 1_000 }),
      fc.integer({ min: -14 * 60, max: 14 * 60 }),
      (zone, seconds, offset) => {
        const shown = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
        const day = shown.format(seconds * 1_000);
        const local = new Date((seconds + offset * 60) * 1_000).toISOString().slice(0, 19);
        const [hours, minutes] = [Math.trunc(Math.abs(offset) / 60), Math.abs(offset) % 60];
        const text = `${local}${offset < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
        assert.equal(readDate(text, undefined, zone), day, text);
        assert.equal(readDate(new Date(seconds * 1_000).toISOString(), undefined, zone), day);
        assert.equal(readDate(String(seconds), 'unix', zone), day);
        // A day without an offset is the day that is written.
        assert.equal(readDate(local, undefined, zone), local.slice(0, 10));
      },
    ),
    runs(1_500, 8),
  );
  assert.equal(readDate('2026-05-31T17:00:00Z', undefined, 'Asia/Bangkok'), '2026-06-01');
  assert.equal(readDate('1780246800', 'unix', 'Asia/Bangkok'), '2026-06-01');
  // Exports that write a day as midnight in UTC are read by a pattern with that midnight in it.
  const midnight = 'YYYY-MM-DDT00:00:00Z';
  assert.equal(readDate('2026-05-31T00:00:00Z', midnight, 'America/Los_Angeles'), '2026-05-31');
});

test('clocks of twelve hours, years of two digits and names of months can be described', () => {
  const zone = 'America/Chicago';
  const halves = 'M/D/YYYY h:mm:ss A';
  assert.equal(readDate('5/11/2026 12:00:00 AM', halves, zone), '2026-05-11');
  assert.equal(readTime('5/11/2026 12:00:00 AM', halves, zone), '2026-05-11T05:00:00.000Z');
  assert.equal(readTime('5/11/2026 12:30:00 pm', halves, zone), '2026-05-11T17:30:00.000Z');
  assert.equal(readTime('5/11/2026 1:00:00 p.m.', halves, zone), '2026-05-11T18:00:00.000Z');
  assert.equal(readDate('5/11/26', 'M/D/YY', zone), '2026-05-11');
  assert.equal(readDate('11/05/68', 'DD/MM/YY', zone), '2068-05-11');
  assert.equal(readDate('11/05/69', 'DD/MM/YY', zone), '1969-05-11');
  for (const [text, format] of [
    ['11-May-2026', 'DD-MMM-YYYY'],
    ['11-MAY-26', 'D-MMM-YY'],
    ['May 11, 2026', 'MMMM D, YYYY'],
  ] as const)
    assert.equal(readDate(text, format, zone), '2026-05-11', text);
  assert.equal(readDate('2 September 2026', 'D MMMM YYYY', zone), '2026-09-02');
  for (const [text, format] of [
    ...['5/11/2026 0:00:00 AM', '5/11/2026 13:00:00 PM', '5/11/2026 1:00:00'].map((text) => [text, halves]),

    ['31-Feb-2026', 'DD-MMM-YYYY'],
    ['11-Mao-2026', 'DD-MMM-YYYY'],
    ['11-September-2026', 'DD-MMM-YYYY'],
  ] as const)
    assert.throws(() => readDate(text ?? '', format, zone), Unreadable, text);
});

test('what no clock shows is no time, and no date is taken from it', () => {
  for (const text of [
    '2026-03-31T25:00:00',
    '2026-03-31T24:00:00',
    '2026-03-31T12:60',
    '2026-03-31 12:00:61',
    '2026-03-31T12:00:00+25:00',
    '2026-03-31T12:00:00+01:60',
    '2026-03-31T12:00:00.1234567890Z',
  ])
    for (const read of [readDate, readTime])
      assert.throws(() => read(text, undefined, 'UTC'), Unreadable, text);
  assert.throws(() => readDate('20260331T250000', 'YYYYMMDDTHHmmss', 'UTC'), Unreadable);
});

// Proves that wall times are those of the platform's calendar, in zones with all kinds of clocks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { wallTimeOf } from './wall-time.ts';

const ZONES = [
  'UTC',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'America/Havana',
  'Africa/Casablanca',
  'Pacific/Apia',
  'Europe/Dublin',
  'America/Phoenix',
  'Antarctica/Troll',
];
const HOUR = 3_600_000;

const expected = (at: number, timeZone: string): number =>
  at + Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).offsetNanoseconds / 1e6;

test('clocks show what the calendar says, around every change of them and at any other moment', () => {
  let changes = 0;
  for (const timeZone of ZONES) {
    const wall = wallTimeOf(timeZone);
    let next = Temporal.ZonedDateTime.from({ year: 1960, month: 1, day: 1, timeZone }).getTimeZoneTransition(
      'next',
    );
    while (next !== null && next.year < 2060) {
      for (const off of [-HOUR, -1, 0, 1, HOUR]) {
        const at: number = next.epochMilliseconds + off;
        assert.equal(wall(at), expected(at, timeZone), `${timeZone} ${at}`);
      }
      changes++;
      next = next.getTimeZoneTransition('next');
    }
  }
  assert.ok(changes > 500, `enough changes: ${changes}`);
  const moment = fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2090, 0) });
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), moment, (timeZone, at) => {
      assert.equal(wallTimeOf(timeZone)(at), expected(at, timeZone));
    }),
    { numRuns: 2_000 },
  );
  assert.equal(wallTimeOf('America/New_York')(Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY);
});

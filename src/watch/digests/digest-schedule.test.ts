// Proves that digests are due as clocks on the wall show, also where they are changed, by a walk over those clocks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/check/runs.ts';
import {
  CLOCK_CHANGES,
  DIGEST_CADENCES,
  dueTimes,
  walkClock,
} from '../../../test/support/watch/wall-clocks.ts';
import { type DigestCadence, nextDigestAt } from './digest-schedule.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

const WALKED = new Map(
  CLOCK_CHANGES.flatMap(([timeZone, day]) => {
    const walk = walkClock(timeZone, day);
    return DIGEST_CADENCES.map(
      (cadence) => [`${timeZone} ${day} ${cadence}`, dueTimes(cadence, walk)] as const,
    );
  }),
);

const timeOf = (at: number): string => new Date(at).toISOString();

/** The same by the schedule. */
function schedule(cadence: DigestCadence, timeZone: string, from: number, to: number): number[] {
  const due: number[] = [];
  for (let at = nextDigestAt(from, cadence, timeZone); at <= to; at = nextDigestAt(at, cadence, timeZone))
    due.push(at);
  return due;
}

for (const [timeZone, day] of CLOCK_CHANGES)
  test(`around ${day}, digests in ${timeZone} are due when its clocks show it`, () => {
    const middle = Date.parse(`${day}T00:00:00Z`);
    const [from, to] = [middle - 7 * DAY, middle + 9 * DAY];
    for (const cadence of DIGEST_CADENCES) {
      const expected = WALKED.get(`${timeZone} ${day} ${cadence}`)?.filter((at) => at > from && at <= to);
      assert.deepEqual(schedule(cadence, timeZone, from, to).map(timeOf), expected?.map(timeOf), cadence);
    }
  });

test('whenever something happens, its digest is the first that clocks show after it', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...CLOCK_CHANGES),
      fc.constantFrom(...DIGEST_CADENCES),
      // Mostly near the change, to the millisecond.
      fc.oneof(
        fc.integer({ min: -DAY, max: 2 * DAY }),
        fc.integer({ min: -24, max: 48 }).map((hours) => (hours * DAY) / 24),
        fc.integer({ min: -24 * 60, max: 48 * 60 }).map((minutes) => minutes * MINUTE - 1),
      ),
      ([timeZone, day], cadence, offset) => {
        const after = Date.parse(`${day}T00:00:00Z`) + offset;
        const expected = WALKED.get(`${timeZone} ${day} ${cadence}`)?.find((at) => at > after);
        assert.equal(nextDigestAt(after, cadence, timeZone), expected);
      },
    ),
    runs(1_000, 18),
  );
});

test('where clocks are changed, no hour and no day has two digests, and none goes without', () => {
  const show = (timeZone: string, from: string, to: string, cadence: DigestCadence) =>
    schedule(cadence, timeZone, Date.parse(from), Date.parse(to)).map((at) =>
      new Date(at).toISOString().slice(11, 16),
    );
  // 02:00 does not exist; 01:00 is there twice.
  assert.deepEqual(show('America/New_York', '2026-03-08T05:30Z', '2026-03-08T08:30Z', 'hourly'), [
    '06:00',
    '07:00',
    '08:00',
  ]);
  assert.deepEqual(show('America/New_York', '2026-11-01T04:30Z', '2026-11-01T08:30Z', 'hourly'), [
    '05:00',
    '07:00',
    '08:00',
  ]);
  assert.deepEqual(show('America/New_York', '2026-03-07T00:00Z', '2026-03-10T00:00Z', 'daily'), [
    '13:00',
    '12:00',
    '12:00',
  ]);
  // Half an hour of summer time.
  assert.deepEqual(show('Australia/Lord_Howe', '2026-10-03T14:00Z', '2026-10-03T16:30Z', 'hourly'), [
    '14:30',
    '15:30',
    '16:00',
  ]);
  // A day that never was.
  assert.deepEqual(
    schedule('daily', 'Pacific/Apia', Date.parse('2011-12-29T00:00Z'), Date.parse('2012-01-01T00:00Z')).map(
      (at) => new Date(at).toISOString(),
    ),
    ['2011-12-29T18:00:00.000Z', '2011-12-30T18:00:00.000Z', '2011-12-31T18:00:00.000Z'],
  );
});

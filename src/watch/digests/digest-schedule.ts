// Schedule of digests: on the hour, at 08:00, or on Mondays at 08:00, in a time zone. Pure.

import type { Cadence } from '../../access/tiers/tiers.ts';

/** A cadence with digests. */
export type DigestCadence = Exclude<Cadence, 'instant'>;

/** Hour of daily and weekly digests. */
const MORNING = 8;

interface Schedule {
  readonly step: Temporal.DurationLike;
  /** The time of the schedule that is in the same hour, day or week. */
  readonly nearest: (local: Temporal.PlainDateTime) => Temporal.PlainDateTime;
}

const morningOf = (local: Temporal.PlainDateTime): Temporal.PlainDateTime =>
  local.toPlainDate().toPlainDateTime({ hour: MORNING });

const SCHEDULES: Readonly<Record<DigestCadence, Schedule>> = {
  hourly: {
    step: { hours: 1 },
    nearest: (local) => local.round({ smallestUnit: 'hour', roundingMode: 'floor' }),
  },
  daily: { step: { days: 1 }, nearest: morningOf },
  weekly: {
    step: { days: 7 },
    nearest: (local) => morningOf(local.subtract({ days: local.dayOfWeek - 1 })),
  },
};

/**
 * When the next digest after a moment is due; both in milliseconds since the epoch. A local time that clocks skip is due when
 * it would have been had they not been changed; one that they repeat, the first time alone.
 */
export function nextDigestAt(after: number, cadence: DigestCadence, timeZone: string): number {
  const { step, nearest } = SCHEDULES[cadence];
  const local = Temporal.Instant.fromEpochMilliseconds(after).toZonedDateTimeISO(timeZone).toPlainDateTime();
  // Not only the next step: a repeated time may be over.
  for (let time = nearest(local); ; time = time.add(step)) {
    const at = time.toZonedDateTime(timeZone).epochMilliseconds;
    if (at > after) return at;
  }
}

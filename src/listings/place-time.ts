// Time on the clocks of a place: when its days begin, and how long lies between two moments by them. Pure.

/** Where no area of a place says what its clocks tell. */
export const UNKNOWN_ZONE = 'UTC';

/** Milliseconds since the epoch at which a day (YYYY-MM-DD) begins. */
export function startOfDay(day: string, timeZone: string): number {
  if (timeZone === 'UTC') return Date.parse(`${day}T00:00:00Z`);
  return Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds;
}

/** Milliseconds by which the clocks are ahead of UTC at a moment. */
function offsetAt(at: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  return (
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).offsetNanoseconds / 1_000_000
  );
}

/** Milliseconds that the clocks move on between two moments: whole days from one midnight to another, all year round. */
export function clockTimeBetween(from: number, to: number, timeZone: string): number {
  return to - from + offsetAt(to, timeZone) - offsetAt(from, timeZone);
}

/** The moment at which the clocks have moved on so many milliseconds. */
export function afterClockTime(from: number, milliseconds: number, timeZone: string): number {
  const to = from + milliseconds;
  return to - (offsetAt(to, timeZone) - offsetAt(from, timeZone));
}

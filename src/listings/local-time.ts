// Local time: when days begin in a time zone, and how much local time lies between two moments. Pure.

/** The time zone of places whose areas name none. */
export const DEFAULT_TIME_ZONE = 'UTC';

/** Milliseconds since the epoch at which a day (YYYY-MM-DD) begins. */
export function startOfDay(day: string, timeZone: string): number {
  if (timeZone === 'UTC') return Date.parse(`${day}T00:00:00Z`);
  return Temporal.PlainDate.from(day).toZonedDateTime(timeZone).epochMilliseconds;
}

/** The moment at which the clocks of a time zone show what those of UTC show at `utc`; of two such moments the first. */
export function clockTime(utc: number, timeZone: string): number {
  if (timeZone === 'UTC') return utc;
  const shown = Temporal.Instant.fromEpochMilliseconds(utc).toZonedDateTimeISO('UTC').toPlainDateTime();
  return shown.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
}

/** Milliseconds by which local time is ahead of UTC at a moment. */
function offsetAt(at: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  return (
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).offsetNanoseconds / 1_000_000
  );
}

/** Milliseconds of local time between two moments: whole days from midnight to midnight, also across a change to summer time. */
export function localTimeBetween(from: number, to: number, timeZone: string): number {
  return to - from + offsetAt(to, timeZone) - offsetAt(from, timeZone);
}

/** The moment that many milliseconds of local time later. */
export function addLocalTime(from: number, milliseconds: number, timeZone: string): number {
  const to = from + milliseconds;
  return to - (offsetAt(to, timeZone) - offsetAt(from, timeZone));
}

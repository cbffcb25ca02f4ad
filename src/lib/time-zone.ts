// Time zones by their names in the IANA database, those of today and those that they had before.

/**
 * The name of a time zone in its usual letters, `Asia/Kolkata` for `asia/kolkata`; null for what names none. Offsets such as
 * +05:30 are no names: databases read their sign the other way round.
 */
export function parseTimeZone(name: string): string | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

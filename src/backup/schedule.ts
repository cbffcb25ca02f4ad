// Schedule of nightly backups: once a day at a time of day. Pure.

import type { TimeOfDay } from './backup-settings.ts';

/**
 * When a backup was due last, at `now` or before; both in milliseconds since the epoch. A local time that clocks skip is due when it
 * would have been had they not been changed; one that they repeat, the first time alone.
 */
export function lastDueAt(now: number, { hour, minute, timeZone }: TimeOfDay): number {
  const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate();
  for (let day = today; ; day = day.subtract({ days: 1 })) {
    const at = day.toPlainDateTime({ hour, minute }).toZonedDateTime(timeZone).epochMilliseconds;
    if (at <= now) return at;
  }
}

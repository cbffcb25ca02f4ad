// Clocks on walls: when they show that a digest is due, found by looking at them every minute.

import type { DigestCadence } from '../../../src/watch/digests/digest-schedule.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

/** Zones with a day on which their clocks are changed, both ways where they do that. */
export const CLOCK_CHANGES = [
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Asia/Kathmandu', '2026-03-29'],
  ['Pacific/Apia', '2011-12-30'],
  ['Pacific/Apia', '2010-09-26'],
  ['UTC', '2026-03-29'],
] as const;

export const DIGEST_CADENCES: readonly DigestCadence[] = ['hourly', 'daily', 'weekly'];

/** A clock on a wall: what it shows at a moment, as `YYYY-MM-DD HH:mm`. */
function clockOf(timeZone: string): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return (at) => format.format(at);
}

const millisecondsOf = (shown: string): number => Date.parse(`${shown.replace(' ', 'T')}Z`);
const isMonday = (shown: string): boolean => new Date(millisecondsOf(shown)).getUTCDay() === 1;
const isTold: Readonly<Record<DigestCadence, (shown: string) => boolean>> = {
  hourly: (shown) => shown.endsWith(':00'),
  daily: (shown) => shown.endsWith(' 08:00'),
  weekly: (shown) => shown.endsWith(' 08:00') && isMonday(shown),
};

/** What clocks show, and how much they have just skipped, minute by minute for eight days before a day and ten after it. */
export function walkClock(
  timeZone: string,
  day: string,
): { at: number; shown: string; skipped: readonly string[] }[] {
  const show = clockOf(timeZone);
  const middle = Date.parse(`${day}T00:00:00Z`);
  let last: number | null = null;
  return Array.from({ length: 18 * 1_440 }, (_, minute) => {
    const at = middle - 8 * DAY + minute * MINUTE;
    const shown = show(at);
    const skipped: string[] = [];
    for (let time = (last ?? Number.POSITIVE_INFINITY) + MINUTE; time < millisecondsOf(shown); time += MINUTE)
      skipped.push(new Date(time).toISOString().slice(0, 16).replace('T', ' '));
    last = millisecondsOf(shown);
    return { at, shown, skipped };
  });
}

/** All times on such a walk at which a digest is due. */
export function dueTimes(cadence: DigestCadence, walk: ReturnType<typeof walkClock>): number[] {
  const due = new Set<number>();
  const seen = new Set<string>();
  for (const { at, shown, skipped } of walk) {
    // It would have come by itself so much later.
    for (const [minutes, time] of skipped.entries())
      if (isTold[cadence](time)) due.add(at + minutes * MINUTE);
    if (isTold[cadence](shown) && !seen.has(shown)) due.add(at);
    seen.add(shown);
  }
  return [...due].sort((a, b) => a - b);
}

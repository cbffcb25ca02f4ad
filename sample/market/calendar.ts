// Calendar of the market: working hours and weekends. The metro keeps the hours of UTC-8.
import type { Random } from '../random.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The same day, at a moment when offices are open. */
export function workingTime(at: number, random: Random): number {
  const day = Math.floor(at / DAY) * DAY;
  return day + Math.floor(random.between(15 * HOUR, 24 * HOUR));
}

/** Start of an open house on the first Saturday (or Sunday) at least a day away. */
export function nextWeekend(at: number, random: Random): number {
  const day = Math.floor((at + DAY) / DAY) * DAY;
  const weekday = new Date(day).getUTCDay();
  const saturday = day + ((6 - weekday + 7) % 7) * DAY;
  const start = saturday + (random.chance(0.4) ? DAY : 0);
  return start + 18 * HOUR + random.integer(0, 4) * 30 * MINUTE;
}

/** `2026-03-14` */
export function dateOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

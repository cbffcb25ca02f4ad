// Homes, amounts and ages in words, for pages and browsers alike.

import type { HomeKind } from '../view/state.ts';

/** `86 homes for sale`, `1 home to rent`, `24 homes sold` */
export function homesWords(count: number, kind: HomeKind, isSold = false): string {
  const what = isSold ? (kind === 'sale' ? 'sold' : 'let') : kind === 'sale' ? 'for sale' : 'to rent';
  return `${countWords(count)} ${count === 1 ? 'home' : 'homes'} ${what}`;
}

export const countWords = (count: number): string => count.toLocaleString('en-US');

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A time that has passed, as short as it can be: `38 min`, `5 h`, `3 days`. */
export function shortAge(since: number, now: number): string {
  const passed = Math.max(0, now - since);
  if (passed < MINUTE) return `${Math.round(passed / 1_000)} s`;
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min`;
  if (passed < 2 * DAY) return `${Math.floor(passed / HOUR)} h`;
  return `${Math.floor(passed / DAY)} days`;
}

/** `3 bd`, or `Studio`. */
export function bedsWords(beds: number): string {
  return beds === 0 ? 'Studio' : `${beds} bd`;
}

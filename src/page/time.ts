// Times as people read them, in UTC: pages without scripts do not know the reader's time zone.

import { type Html, html } from './html.ts';

const ZONE = { timeZone: 'UTC' } as const;
const DATE_TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', ...ZONE });
const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', ...ZONE });
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', ...ZONE });
const DAY = 86_400_000;

/** 21 November 2026 at 19:15 UTC */
export function dateAndTime(at: number): Html {
  return timeElement(at, `${DATE_TIME.format(at)} UTC`);
}

/** 22 November 2026 */
export function date(at: number): Html {
  return html`<time datetime="${new Date(at).toISOString().slice(0, 10)}">${DATE.format(at)}</time>`;
}

const DAYS: Readonly<Record<number, string>> = { [-1]: 'yesterday', 0: 'today', 1: 'tomorrow' };

/** The same within a sentence: `today at 19:15 UTC`, or with the date if it is neither today nor a day from it. */
export function dayAndTime(at: number, now: number): Html {
  const day = DAYS[Math.floor(at / DAY) - Math.floor(now / DAY)];
  return day === undefined ? dateAndTime(at) : timeElement(at, `${day} at ${TIME.format(at)} UTC`);
}

function timeElement(at: number, words: string): Html {
  return html`<time datetime="${new Date(at).toISOString()}">${words}</time>`;
}

const UNITS = [
  ['day', DAY],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** How far away a time is, rounded to the largest unit of which there are two: `in 7 days`, `in 1 minute`. */
export function timeUntil(at: number, now: number): string {
  for (const [unit, length] of UNITS) {
    const count = Math.round((at - now) / length);
    if (count >= 2) return `in ${count} ${unit}s`;
  }
  return at - now >= 60_000 ? 'in 1 minute' : 'in less than a minute';
}

/** How long ago a time is, short: `14 s ago`, `22 min ago`, `3 h ago`, `5 days ago`. */
export function age(at: number, now: number): string {
  const seconds = Math.max(0, Math.round((now - at) / 1_000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 48 * 3_600) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / 86_400)} days ago`;
}

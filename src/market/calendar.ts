// Calendar of statistics: dates, half-open periods, and the periods to compare with. Pure.

import { DAY } from '../lib/clock.ts';

/** A day as YYYY-MM-DD. */
export type Day = string;

/** From the first instant of `start` up to that of `end`, in local time. */
export interface Period {
  readonly start: Day;
  readonly end: Day;
}

export const INTERVALS = ['week', 'month', 'quarter', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];

const millis = (day: Day): number => Date.parse(`${day}T00:00:00Z`);
const dayOf = (at: number): Day => new Date(at).toISOString().slice(0, 10);

export const addDays = (day: Day, days: number): Day => dayOf(millis(day) + days * DAY);
export const daysBetween = ({ start, end }: Period): number =>
  Math.round((millis(end) - millis(start)) / DAY);

/** The same day of another month; the last day of it where it is shorter. */
export function addMonths(day: Day, months: number): Day {
  const date = new Date(millis(day));
  const dayOfMonth = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(dayOfMonth, last));
  return dayOf(date.getTime());
}

/** The day that it is in a time zone. */
export function today(now: number, timeZone: string): Day {
  const parts = new Intl.DateTimeFormat('en-CA', {
    ...{ timeZone, year: 'numeric', month: '2-digit', day: '2-digit' },
  }).formatToParts(now);
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

/** The first day of the week (a Monday), month, quarter or year that holds the day. */
export function startOf(day: Day, interval: Interval): Day {
  if (interval === 'week') return addDays(day, -((new Date(millis(day)).getUTCDay() + 6) % 7));
  const month = Number(day.slice(5, 7));
  const first = interval === 'year' ? 1 : interval === 'quarter' ? month - ((month - 1) % 3) : month;
  return `${day.slice(0, 5)}${String(first).padStart(2, '0')}-01`;
}

const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** The first day that many intervals later; negative: earlier. */
export function addIntervals(day: Day, interval: Interval, count: number): Day {
  return interval === 'week' ? addDays(day, count * 7) : addMonths(day, count * MONTHS[interval]);
}

/** Whole calendar months, if the period is made of them; else null. */
export function wholeMonths({ start, end }: Period): number | null {
  if (!start.endsWith('-01') || !end.endsWith('-01')) return null;
  const months = (day: Day): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
  return months(end) - months(start);
}

const moved = ({ start, end }: Period, by: (day: Day) => Day): Period => ({ start: by(start), end: by(end) });

/** As many months before, or as many days where the period is not made of whole months. */
export function previousOf(period: Period): Period {
  const months = wholeMonths(period);
  if (months !== null) return moved(period, (day) => addMonths(day, -months));
  return moved(period, (day) => addDays(day, -daysBetween(period)));
}

/** A year before; whole weeks go back 52 weeks, so that they hold the same days of the week. */
export function yearBefore(period: Period): Period {
  const weeks = wholeMonths(period) === null && daysBetween(period) % 7 === 0;
  return moved(period, (day) => (weeks ? addDays(day, -364) : addMonths(day, -12)));
}

/** A calendar month before; whole weeks go back four weeks. */
export function monthBefore(period: Period): Period {
  const weeks = wholeMonths(period) === null && daysBetween(period) % 7 === 0;
  return moved(period, (day) => (weeks ? addDays(day, -28) : addMonths(day, -1)));
}

/** The three months up to the end of the period. */
export function quarterBefore({ end }: Period): Period {
  return { start: addMonths(end, -3), end };
}

export const keyOf = ({ start, end }: Period): string => `${start}/${end}`;

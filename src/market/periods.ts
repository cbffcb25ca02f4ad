// Periods of figures: the days that a request names, and those of the points of a series.

import { invalidParameter } from '../lib/problem.ts';
import {
  addDays,
  addIntervals,
  type Day,
  daysBetween,
  type Interval,
  type Period,
  startOf,
  today,
} from './calendar.ts';
import type { MarketQuery } from './parameters.ts';

/** Earliest date of a period. */
const FIRST_DAY = '1900-01-01';
/** Longest period: a hundred years. */
const MAX_DAYS = 36_525;

/** The period of `from` and `to`; by default the last full calendar month. Throws INVALID_PARAMETER. */
export function parsePeriod({ from, to }: MarketQuery, now: number, timeZone: string): Period {
  const day = today(now, timeZone);
  if (from === undefined && to === undefined) {
    const end = startOf(day, 'month');
    return { start: addIntervals(end, 'month', -1), end };
  }
  if (from === undefined) throw invalidParameter('from', 'is missing: send from and to together');
  if (to === undefined) throw invalidParameter('to', 'is missing: send from and to together');
  return validatePeriod({ start: from, end: to }, day);
}

function validatePeriod(period: Period, day: Day): Period {
  if (period.start < FIRST_DAY) throw invalidParameter('from', `is before ${FIRST_DAY}`);
  if (period.start >= period.end) throw invalidParameter('from', `is not before to, which is ${period.end}`);
  if (period.end > addDays(day, 1))
    throw invalidParameter('to', `is after tomorrow, ${addDays(day, 1)}: there is no data about the future`);
  if (daysBetween(period) > MAX_DAYS) throw invalidParameter('from', 'is more than 100 years before to');
  return period;
}

const DEFAULT_POINTS = 12;
const MAX_POINTS = 1_200;

/** The points of a series, the oldest first. Throws INVALID_PARAMETER. */
export function parseSeries(query: MarketQuery, now: number, timeZone: string): Period[] {
  const { interval = 'month', from, to, periods } = query;
  if (from !== undefined && to !== undefined && periods !== undefined)
    throw invalidParameter('periods', 'cannot be combined with both from and to: send two of the three');
  const day = today(now, timeZone);
  for (const [name, value] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (value !== undefined && startOf(value, interval) !== value)
      throw invalidParameter(name, `is not the first day of a ${interval}`, startOf(value, interval));
  }
  const current = startOf(day, interval);
  const count = periods ?? DEFAULT_POINTS;
  const end =
    to ?? (from !== undefined && periods !== undefined ? addIntervals(from, interval, count) : current);
  const start = from ?? addIntervals(end, interval, -count);
  if (to === undefined && from !== undefined && periods === undefined && start >= end)
    throw invalidParameter('from', `must be before ${current}: no full ${interval} has passed since then`);
  if (start < FIRST_DAY) throw invalidParameter(from ? 'from' : 'periods', `goes back before ${FIRST_DAY}`);
  if (start >= end) throw invalidParameter('from', `is not before to, which is ${end}`);
  if (end > startOf(addIntervals(day, interval, 1), interval))
    throw invalidParameter(to ? 'to' : 'periods', 'goes past the current interval');
  return pointsOf(start, end, interval, query.window);
}

function pointsOf(start: Day, end: Day, interval: Interval, window: string | undefined): Period[] {
  const points: Period[] = [];
  for (let from = start; from < end; ) {
    const to = addIntervals(from, interval, 1);
    const days = window === undefined ? null : Number(window.slice(1, -1));
    points.push({ start: days === null ? from : addDays(to, -days), end: to });
    if (points.length > MAX_POINTS)
      throw invalidParameter('from', `produces more than ${MAX_POINTS} points; choose a longer interval`);
    from = to;
  }
  return points;
}

// Parsing of the requested metrics and periods, with their errors. Pure.

import { nearest } from '../lib/nearest.ts';
import { invalidParameter } from '../lib/problem.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import { METRICS, metricOf, metricsFor } from '../search/summaries/metrics.ts';
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
import type { Asked } from './figures.ts';
import type { MarketQuery } from './parameters.ts';

/** The metrics that were named, or all that this kind of listings has. Throws INVALID_PARAMETER. */
export function parseMetrics(texts: readonly string[] | undefined, type: ListingType): Asked[] {
  if (!texts) return metricsFor(type).map((metric) => ({ id: metric.id, metric, change: null }));
  return texts.map((id) => {
    const [, base = id, change] = /^(.+)_(mom|yoy)$/.exec(id) ?? [];
    const metric = metricOf(base);
    if (!metric) {
      const known = METRICS.map((each) => each.id);
      const suggestion = nearest(id, known);
      throw invalidParameter(
        'metrics',
        `there is no metric "${id}"; GET /v1/market/metrics lists all`,
        suggestion,
      );
    }
    if (metric.statistic === 'yield')
      throw invalidParameter('metrics', `${id} compares rentals with sales: use GET /v1/market/yield`);
    if (!metric.types.includes(type))
      throw invalidParameter('metrics', `${id} does not exist for listingType=${type}`);
    return { id, metric, change: change === 'mom' || change === 'yoy' ? change : null };
  });
}

/** What dates can be: the years in which PostgreSQL and everybody's calendar agree. */
const FIRST_DAY = '1900-01-01';
/** Longest period: a hundred years. */
const MOST_DAYS = 36_525;

/** The period of `from` and `to`; the last full calendar month without them. Throws INVALID_PARAMETER. */
export function parsePeriod({ from, to }: MarketQuery, now: number, timeZone: string): Period {
  const day = today(now, timeZone);
  if (from === undefined && to === undefined) {
    const end = startOf(day, 'month');
    return { start: addIntervals(end, 'month', -1), end };
  }
  if (from === undefined) throw invalidParameter('from', 'is missing: send from and to together');
  if (to === undefined) throw invalidParameter('to', 'is missing: send from and to together');
  return checked({ start: from, end: to }, day);
}

function checked(period: Period, day: Day): Period {
  if (period.start < FIRST_DAY) throw invalidParameter('from', `is before ${FIRST_DAY}`);
  if (period.start >= period.end) throw invalidParameter('from', `is not before to, which is ${period.end}`);
  if (period.end > addDays(day, 1))
    throw invalidParameter('to', `is after tomorrow, ${addDays(day, 1)}: there is no data about the future`);
  if (daysBetween(period) > MOST_DAYS) throw invalidParameter('from', 'is more than 100 years before to');
  return period;
}

const USUAL_POINTS = 12;
const MOST_POINTS = 1_200;

/** The points of a series, the oldest first. Throws INVALID_PARAMETER. */
export function parseSeries(asked: MarketQuery, now: number, timeZone: string): Period[] {
  const { interval = 'month', from, to, periods } = asked;
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
  const known = startOf(day, interval);
  const count = periods ?? USUAL_POINTS;
  const end =
    to ?? (from !== undefined && periods !== undefined ? addIntervals(from, interval, count) : known);
  const start = from ?? addIntervals(end, interval, -count);
  if (to === undefined && from !== undefined && periods === undefined && start >= end)
    throw invalidParameter('from', `must be before ${known}: no full ${interval} has passed since then`);
  if (start < FIRST_DAY) throw invalidParameter(from ? 'from' : 'periods', `goes back before ${FIRST_DAY}`);
  if (start >= end) throw invalidParameter('from', `is not before to, which is ${end}`);
  if (end > startOf(addIntervals(day, interval, 1), interval))
    throw invalidParameter(to ? 'to' : 'periods', 'goes past the current interval');
  return pointsOf(start, end, interval, asked.window);
}

function pointsOf(start: Day, end: Day, interval: Interval, window: string | undefined): Period[] {
  const points: Period[] = [];
  for (let from = start; from < end; ) {
    const to = addIntervals(from, interval, 1);
    const days = window === undefined ? null : Number(window.slice(1, -1));
    points.push({ start: days === null ? from : addDays(to, -days), end: to });
    if (points.length > MOST_POINTS)
      throw invalidParameter('from', `produces more than ${MOST_POINTS} points; choose a longer interval`);
    from = to;
  }
  return points;
}

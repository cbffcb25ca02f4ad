// Questions to the record of use: which days, and what sums are grouped by. Pure.

import { DAY } from '../lib/clock.ts';
import { invalidParameter } from '../lib/problem.ts';
import type { UsageGroup, UsageQuestion } from './history-store.ts';
import { HOUR_DAYS, SUM_DAYS } from './usage-store.ts';

export interface UsageQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly groupBy?: readonly UsageGroup[] | undefined;
}

/** Days of a question that names none. */
const DEFAULT_DAYS = 30;
/** Days that a question by hour can have. */
const MAX_HOUR_DAYS = 31;
const TIMES: readonly UsageGroup[] = ['hour', 'day', 'month'];
const MAX_GROUPS = 3;
/** Nothing was used before. Two calendars do not agree on the year 0. */
const EARLIEST = '2000-01-01';

/** The days and groups of a query; `now` in milliseconds. Throws INVALID_PARAMETER. */
export function readQuestion(
  { from, to, groupBy = ['day'] }: UsageQuery,
  now: number,
): Pick<UsageQuestion, 'from' | 'to' | 'groups'> {
  if (from !== undefined && from < EARLIEST) throw invalidParameter('from', `is before ${EARLIEST}`);
  if (to !== undefined && to < EARLIEST) throw invalidParameter('to', `is before ${EARLIEST}`);
  const last = to ?? lastDay(from, now);
  const first = from ?? dayOf(Date.parse(last) - (DEFAULT_DAYS - 1) * DAY);
  const groups = [...new Set(groupBy)];
  const days = (Date.parse(last) - Date.parse(first)) / DAY + 1;
  if (days < 1) throw invalidParameter('from', `is after to (${last})`);
  if (days > SUM_DAYS)
    throw invalidParameter('from', `is ${days} days before to: ask for ${SUM_DAYS} at most`);
  if (groups.filter((group) => TIMES.includes(group)).length > 1)
    throw invalidParameter('groupBy', 'can have one of hour, day and month');
  if (groups.length > MAX_GROUPS) throw invalidParameter('groupBy', `can have ${MAX_GROUPS} names at most`);
  if (groups.includes('hour') && days > MAX_HOUR_DAYS)
    throw invalidParameter(
      'groupBy',
      `hour needs ${MAX_HOUR_DAYS} days at most, and hours are kept for ${HOUR_DAYS} days: ask for days, or set from`,
    );
  return { from: first, to: last, groups };
}

/** Today, unless that is too long after the first day, or before it. */
function lastDay(from: string | undefined, now: number): string {
  if (from === undefined) return dayOf(now);
  const first = Date.parse(from);
  return dayOf(Math.max(first, Math.min(now, first + (SUM_DAYS - 1) * DAY)));
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

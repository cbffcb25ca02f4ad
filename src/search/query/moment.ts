// Points in time as a query writes them: a date, a time, or a duration back from now.

import { invalidParameter } from '../../lib/problem.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const DURATION =
  /^P(?=\d|T\d)(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,5})W)?(?:(\d{1,6})D)?(?:T(?=\d)(?:(\d{1,7})H)?(?:(\d{1,8})M)?(?:(\d{1,9})S)?)?$/;

/** The range of both RFC 3339 and PostgreSQL: the years 1 to 9999. */
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Milliseconds since the epoch. A date is its first instant in UTC; P1M goes back a calendar month, and P1D a day of
 * 24 hours. Throws INVALID_PARAMETER.
 */
export function parseMoment(parameter: string, text: string, now: number): number {
  const duration = DURATION.exec(text);
  const at = duration ? back(duration, now) : parseTime(text);
  if (at === null || at < FIRST || at > LAST) {
    throw invalidParameter(
      parameter,
      'must be a date (2026-03-31), a time (2026-03-31T12:00:00Z) or a duration (P7D)',
    );
  }
  return at;
}

/** Whether a text is a duration, which counts back from now. */
export const isDuration = (text: string): boolean => DURATION.test(text);

function parseTime(text: string): number | null {
  const day = TIME.exec(text)?.[1] ?? (DATE.test(text) ? text : null);
  if (day === null) return null;
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // The round trip refuses days that do not exist.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

function back(match: RegExpExecArray, now: number): number {
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const date = new Date(now);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() - (years * 12 + months));
  // In a shorter month, use its last day.
  date.setUTCDate(
    Math.min(day, new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()),
  );
  return date.getTime() - ((((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
}

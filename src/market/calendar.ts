// Calendar of statistics: dates, half-open periods, and the periods to compare with. Pure.

/** A day as YYYY-MM-DD. */
export type Day = string;

/** From the first instant of `start` up to that of `end`, in local time. */
export interface Period {
  readonly start: Day;
  readonly end: Day;
}

export const INTERVALS = ['week', 'month', 'quarter', 'year'] as const;
export type Interval = (typeof INTERVALS)[number];

const dateOf = (day: Day): Temporal.PlainDate => Temporal.PlainDate.from(day);

export const addDays = (day: Day, days: number): Day => dateOf(day).add({ days }).toString();
export const daysBetween = ({ start, end }: Period): number => dateOf(start).until(end).days;

/** The same day of another month, or the last day of a shorter one. */
const addMonths = (day: Day, months: number): Day => dateOf(day).add({ months }).toString();

/** The current day in a time zone. `now` in milliseconds since the epoch. */
export function today(now: number, timeZone: string): Day {
  return Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

/** The first day of the week (a Monday), month, quarter or year that holds the day. */
export function startOf(day: Day, interval: Interval): Day {
  const date = dateOf(day);
  if (interval === 'week') return addDays(day, 1 - date.dayOfWeek);
  const month = interval === 'month' ? date.month : date.month - ((date.month - 1) % MONTHS[interval]);
  return date.with({ month, day: 1 }).toString();
}

const MONTHS = { month: 1, quarter: 3, year: 12 } as const;

/** The day that many intervals later; negative: earlier. */
export function addIntervals(day: Day, interval: Interval, count: number): Day {
  return interval === 'week' ? addDays(day, count * 7) : addMonths(day, count * MONTHS[interval]);
}

/** The number of calendar months in a period of whole months; null for other periods. */
export function wholeMonths({ start, end }: Period): number | null {
  if (!start.endsWith('-01') || !end.endsWith('-01')) return null;
  return dateOf(start).until(end, { largestUnit: 'month' }).months;
}

const shift = ({ start, end }: Period, by: (day: Day) => Day): Period => ({ start: by(start), end: by(end) });

/** As many months before, or as many days where the period is not made of whole months. */
export function previousOf(period: Period): Period {
  const months = wholeMonths(period);
  return shift(period, (day) =>
    months === null ? addDays(day, -daysBetween(period)) : addMonths(day, -months),
  );
}

/** A year before: 52 weeks for a period of whole weeks, so that it has the same days of the week. */
export const yearBefore = (period: Period): Period => goBack(period, { months: 12, weeks: 52 });

/** A calendar month before; four weeks for a period of whole weeks. */
export const monthBefore = (period: Period): Period => goBack(period, { months: 1, weeks: 4 });

function goBack(period: Period, { months, weeks }: { readonly months: number; readonly weeks: number }) {
  const isWholeWeeks = wholeMonths(period) === null && daysBetween(period) % 7 === 0;
  return shift(period, (day) => (isWholeWeeks ? addDays(day, -7 * weeks) : addMonths(day, -months)));
}

/** The three months up to the end of the period. */
export function quarterBefore({ end }: Period): Period {
  return { start: addMonths(end, -3), end };
}

export const keyOf = ({ start, end }: Period): string => `${start}/${end}`;

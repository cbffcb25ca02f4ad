// Date and time parsing: ISO 8601, seconds since 1970, and patterns such as MM/DD/YYYY.

import { Unreadable } from './fields.ts';

/** A moment as written: calendar parts, and the offset where one was written. */
interface Written {
  readonly date: string;
  /** Null where the day alone is written. */
  readonly time: string | null;
  readonly offset: string | null;
}

const ISO =
  /^(?<date>\d{4}-\d{2}-\d{2})(?:[T ](?<time>\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(?<offset>Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Languages whose names of months are understood. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl'];

/** Months by their names, in lower case and without a point behind an abbreviation. */
const monthNames = (style: 'long' | 'short'): ReadonlyMap<string, number> =>
  new Map(
    LANGUAGES.flatMap((language) => {
      const format = new Intl.DateTimeFormat(language, { month: style, timeZone: 'UTC' });
      const nameOf = (month: number): string => format.format(Date.UTC(2026, month, 1)).toLowerCase();
      return Array.from({ length: 12 }, (_, month) => [nameOf(month).replace(/\.$/, ''), month + 1] as const);
    }),
  );

const MONTHS = monthNames('long');
const SHORT_MONTHS = new Map([...monthNames('short'), ['sept', 9], ['mär', 3]]);
const anyOf = (names: ReadonlyMap<string, number>): string =>
  [...names.keys()]
    .sort((a, b) => b.length - a.length)
    .map((name) => RegExp.escape(name))
    .join('|');

const PARTS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<shortYear>\\d{2})',
  MMMM: `(?<monthName>${anyOf(MONTHS)})`,
  MMM: `(?<monthName>${anyOf(SHORT_MONTHS)})\\.?`,
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{2})',
  D: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{2})',
  H: '(?<hour>\\d{1,2})',
  hh: '(?<halfHour>\\d{2})',
  h: '(?<halfHour>\\d{1,2})',
  A: '(?<half>[ap])\\.?m\\.?',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
  SSS: '(?<millisecond>\\d{3})',
};
const TOKEN = /YYYY|YY|MMMM|MMM|MM|M|DD|D|HH|H|hh|h|mm|ss|SSS|A/g;

/** Seconds and milliseconds since 1970 have names instead of patterns. */
const EPOCH: Readonly<Record<string, number>> = { unix: 1_000, unixMilliseconds: 1 };

const compiled = new Map<string, RegExp>();

/** Why a pattern is none; null when it can be used. */
export function patternFault(format: string): string | null {
  if (format in EPOCH) return null;
  const tokens = format.match(TOKEN) ?? [];
  const fields = tokens.map((token) => token.charAt(0));
  if (['Y', 'M', 'D'].some((part) => !fields.includes(part)))
    return `must be unix, unixMilliseconds or hold YYYY, MM and DD, such as YYYYMMDDTHHmmss`;
  if (new Set(fields).size < fields.length || (fields.includes('h') && fields.includes('H')))
    return 'names a part of the date twice';
  if (fields.includes('h') !== fields.includes('A'))
    return 'needs both h and A, the hour and its half of the day, or H';
  return null;
}

/**
 * YYYY-MM-DD: of an instant, the day in the time zone, whether it is written with an offset or as seconds since 1970. Without
 * a time zone it is the day as written, in UTC for seconds.
 */
export function readDate(text: string, format: string | undefined, timeZone: string | undefined): string {
  const written = writtenMoment(text, format, timeZone ?? 'UTC');
  if (written.offset === null || timeZone === undefined) return written.date;
  const instant = Temporal.Instant.from(instantOf(written, format, timeZone));
  return instant.toZonedDateTimeISO(timeZone).toPlainDate().toString();
}

/** RFC 3339 in UTC. A time without an offset is of the time zone. */
export function readTime(text: string, format: string | undefined, timeZone: string): string {
  return instantOf(writtenMoment(text, format, timeZone), format, timeZone);
}

/** The same, but YYYY-MM-DD where no time of day is written: the listing's own time zone decides when that day begins. */
export function readTimeOrDate(text: string, format: string | undefined, timeZone: string): string {
  const written = writtenMoment(text, format, timeZone);
  return written.time === null ? written.date : instantOf(written, format, timeZone);
}

function instantOf({ date, time, offset }: Written, format: string | undefined, timeZone: string): string {
  const local = `${date}T${time ?? '00:00'}`;
  try {
    const at =
      offset === null
        ? Temporal.PlainDateTime.from(local).toZonedDateTime(timeZone).epochMilliseconds
        : Temporal.Instant.from(`${local}${offset}`).epochMilliseconds;
    return new Date(at).toISOString();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw unreadable(format);
  }
}

function writtenMoment(text: string, format: string | undefined, timeZone: string): Written {
  const unit = format === undefined ? undefined : EPOCH[format];
  const moment = unit === undefined ? calendarMoment(text, format) : epochMoment(text, unit, timeZone);
  if (moment === null || !isDay(moment.date) || !isTime(moment)) throw unreadable(format);
  return moment;
}

function calendarMoment(text: string, format: string | undefined): Written | null {
  const groups = (format === undefined ? ISO : patternOf(format)).exec(text)?.groups;
  if (groups === undefined) return null;
  if (format === undefined) {
    return { date: groups.date ?? '', time: groups.time ?? null, offset: groups.offset ?? null };
  }
  const two = (part: string | undefined): string => (part ?? '').padStart(2, '0');
  const date = `${yearOf(groups)}-${two(monthOf(groups))}-${two(groups.day)}`;
  const hour = hourOf(groups);
  if (hour === null) return { date, time: null, offset: null };
  const time = `${two(hour)}:${two(groups.minute)}:${two(groups.second)}.${groups.millisecond ?? '000'}`;
  return { date, time, offset: null };
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Two digits are of the years 1969 to 2068, as POSIX reads them. */
const yearOf = ({ year, shortYear }: Groups): string | undefined =>
  shortYear === undefined ? year : `${Number(shortYear) < 69 ? '20' : '19'}${shortYear}`;

const monthOf = ({ month, monthName }: Groups): string | undefined =>
  monthName === undefined
    ? month
    : String(MONTHS.get(monthName.toLowerCase()) ?? SHORT_MONTHS.get(monthName.toLowerCase()));

/** Null where no time of day is written; `12 AM` is midnight, and no hour is 0 or 13 of a half day. */
function hourOf({ hour, halfHour, half }: Groups): string | null {
  if (halfHour === undefined) return hour ?? null;
  const value = Number(halfHour);
  if (value < 1 || value > 12) return '99';
  return String((value % 12) + (half?.toLowerCase() === 'p' ? 12 : 0));
}

function epochMoment(text: string, unit: number, timeZone: string): Written | null {
  const at = /^-?\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) * unit : Number.NaN;
  if (!(Math.abs(at) < 8.64e15)) return null;
  const moment = Temporal.Instant.fromEpochMilliseconds(Math.round(at)).toZonedDateTimeISO(timeZone);
  const [date = '', time = ''] = moment.toPlainDateTime().toString().split('T');
  return { date, time, offset: moment.offset };
}

function patternOf(format: string): RegExp {
  const known = compiled.get(format);
  if (known !== undefined) return known;
  const parts = format.split(new RegExp(`(${TOKEN.source})`));
  const pattern = new RegExp(`^${parts.map((token) => PARTS[token] ?? RegExp.escape(token)).join('')}$`, 'i');
  compiled.set(format, pattern);
  return pattern;
}

/** Date.parse turns 30 February into March; such a day is invalid. */
function isDay(date: string): boolean {
  const at = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date);
}

/** To the nanosecond, leap seconds included. */
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d(?::(?:[0-5]\d|60)(?:\.\d{1,9})?)?$/;
const OFFSET = /^(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/i;

/** A text with an impossible time has no date either: it must mean something else. */
function isTime({ time, offset }: Written): boolean {
  return (time === null || TIME.test(time)) && (offset === null || OFFSET.test(offset));
}

function unreadable(format: string | undefined): Unreadable {
  return new Unreadable(
    format === undefined
      ? 'is not a date such as 2026-03-31 or 2026-03-31T12:00:00Z (give its pattern as "format", such as "MM/DD/YYYY")'
      : `is not a date written like ${format}`,
  );
}

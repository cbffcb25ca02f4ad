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

const PARTS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{2})',
  D: '(?<day>\\d{1,2})',
  HH: '(?<hour>\\d{2})',
  H: '(?<hour>\\d{1,2})',
  mm: '(?<minute>\\d{2})',
  ss: '(?<second>\\d{2})',
  SSS: '(?<millisecond>\\d{3})',
};
const TOKEN = /YYYY|MM|M|DD|D|HH|H|mm|ss|SSS/g;

/** Seconds and milliseconds since 1970 have names instead of patterns. */
const EPOCH: Readonly<Record<string, number>> = { unix: 1_000, unixMilliseconds: 1 };

const compiled = new Map<string, RegExp>();

/** Why a pattern is none; null when it can be used. */
export function patternFault(format: string): string | null {
  if (format in EPOCH) return null;
  const tokens = format.match(TOKEN) ?? [];
  for (const part of ['YYYY', 'M', 'D']) {
    if (!tokens.some((token) => token.startsWith(part))) {
      return `must be unix, unixMilliseconds or hold YYYY, MM and DD, such as YYYYMMDDTHHmmss`;
    }
  }
  const fields = tokens.map((token) => token.charAt(0));
  return new Set(fields).size === fields.length ? null : 'names a part of the date twice';
}

/** YYYY-MM-DD; of a time, the day as it is written there. The time zone is for seconds since 1970. */
export function readDate(text: string, format: string | undefined, timeZone: string): string {
  return writtenMoment(text, format, timeZone).date;
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
  const two = (name: string): string => (groups[name] ?? '').padStart(2, '0');
  const date = `${groups.year}-${two('month')}-${two('day')}`;
  if (groups.hour === undefined) return { date, time: null, offset: null };
  const time = `${two('hour')}:${two('minute')}:${two('second')}.${groups.millisecond ?? '000'}`;
  return { date, time, offset: null };
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
  const pattern = new RegExp(`^${parts.map((token) => PARTS[token] ?? RegExp.escape(token)).join('')}$`);
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

// Values of fields: one bounded parser for each kind, numbers and units included.

import { parseTimeZone } from '../../lib/parse.ts';
import { roundTo } from '../../lib/round.ts';
import { SQUARE_FEET } from '../../listings/area-units.ts';
import type { OpenHouse, Photo } from '../../listings/draft.ts';
import { readDate, readTime, readTimeOrDate } from './dates.ts';
import { type Field, type Kind, Unreadable } from './fields.ts';
import {
  hasTwoReadings,
  type NumberColumn,
  type NumberJudge,
  readNumber,
  requireOneReading,
} from './numbers.ts';

/** How a value is written, according to the map. */
export interface Writing {
  readonly format?: string | undefined;
  readonly unit?: string | undefined;
  readonly per?: string | undefined;
  /** What the number is multiplied by. */
  readonly factor?: number | undefined;
  /** What the other values of the column show; absent for a number that is no text. */
  readonly column?: NumberColumn | undefined;
  /** Absent where the map names none. */
  readonly timeZone: string | undefined;
}

/** A value as a draft holds it. */
export type Value = string | number | boolean | readonly unknown[];

type Read = (text: string, field: Field, writing: Writing) => Value;

const MAX_ITEMS = 1_000;
const MAX_URL_LENGTH = 2_000;

const SCALARS: Partial<Readonly<Record<Kind, Read>>> = {
  text: (text) => text,
  choice(text, { choices = [] }) {
    const folded = text.toUpperCase().replace(/[\s-]+/g, '_');
    const found = choices.find((candidate) => candidate.toUpperCase() === folded);
    if (found !== undefined) return found;
    throw new Unreadable(`is none of ${choices.join(', ')} (say in "values" which of them it means)`);
  },
  currency(text) {
    if (/^[A-Z]{3}$/.test(text)) return text;
    throw new Unreadable('is not a currency code such as USD');
  },
  url: readUrl,
  number: (text, field, writing) => bounded(numberOf(text, field, writing), field),
  integer(text, field, writing) {
    const value = numberOf(text, field, writing);
    if (Number.isInteger(value)) return bounded(value, field);
    throw new Unreadable('is not a whole number');
  },
  money: (text, field, writing) => bounded(numberOf(text, field, writing), field),
  monthlyMoney: (text, field, writing) =>
    bounded(
      numberOf(text, field, writing, (value) => perMonth(value, writing.per)),
      field,
    ),
  area: (text, field, writing) =>
    bounded(
      numberOf(text, field, writing, (value) => toSquareFeet(value, writing.unit)),
      field,
    ),
  boolean(text) {
    const folded = text.toLowerCase();
    if (['true', 'yes', 'y', 't', '1'].includes(folded)) return true;
    if (['false', 'no', 'n', 'f', '0'].includes(folded)) return false;
    throw new Unreadable('is neither yes nor no (say in "values" what it means)');
  },
  date: (text, _field, { format, timeZone }) => readDate(text, format, timeZone),
  time: (text, _field, { format, timeZone = 'UTC' }) => readTime(text, format, timeZone),
  timeOrDate: (text, _field, { format, timeZone = 'UTC' }) => readTimeOrDate(text, format, timeZone),
  timeZone(text) {
    const zone = parseTimeZone(text);
    if (zone !== null) return zone;
    throw new Unreadable('is not the name of a time zone such as America/Chicago');
  },
  degrees: (text, field, writing) => readDegrees(numberOf(text, field, writing), field),
};

type ReadItems = (items: readonly string[], timeZone: string | undefined) => readonly unknown[];
const LISTS: Partial<Readonly<Record<Kind, ReadItems>>> = {
  list: (items) => [...new Set(items)],
  slugs: (items) => [...new Set(items.map(slugOf))].filter((slug) => slug !== '').sort(),
  urls: (items) => items.map(readPhoto),
  amounts: (items) => items.map(readAmount),
  intervals: (items, timeZone) => items.map((item) => readOpenHouse(item, timeZone)),
};

/** Reads the text of a value that is no list. Throws Unreadable. */
export function readScalar(text: string, field: Field, writing: Writing): Value {
  const { kind, maxLength = 500 } = field;
  const read = SCALARS[kind];
  if (read === undefined) throw new Unreadable('is not a list');
  requireStorable(text);
  if (text.length > maxLength && kind !== 'url')
    throw new Unreadable(`is longer than ${maxLength} characters`);
  return read(text, field, writing);
}

/** Reads the items of a list. Throws Unreadable. */
export function readItems(items: readonly string[], { kind }: Field, timeZone: string | undefined): Value {
  const read = LISTS[kind];
  if (read === undefined) throw new Unreadable('is a list, and one value is wanted');
  if (items.length > MAX_ITEMS) throw new Unreadable(`has more than ${MAX_ITEMS} items`);
  for (const item of items) {
    requireStorable(item);
    if (item.length > MAX_URL_LENGTH) throw new Unreadable('has an item that is too long');
  }
  return read(items, timeZone);
}

/** PostgreSQL stores neither NUL nor half a surrogate pair. */
function requireStorable(text: string): void {
  if (text.includes('\0') || !text.isWellFormed())
    throw new Unreadable('has a character that cannot be stored (NUL, or half a surrogate pair)');
}

/** The number of a text in the unit of the field. Throws Unreadable, also where its column leaves two readings. */
function numberOf(
  text: string,
  field: Field,
  { format, column, factor = 1 }: Writing,
  convert: (value: number) => number = (value) => value,
): number {
  const value = readNumber(text, format);
  const converted = (read: number): number => convert(factor === 1 ? read : roundTo(read * factor, 6));
  if (column !== undefined) requireOneReading(text, format, column, judgeOf(field, converted));
  return converted(value);
}

function judgeOf(
  { kind, min = kind === 'degrees' ? -180 : 0, max = Number.MAX_SAFE_INTEGER, plausible }: Field,
  convert: (value: number) => number,
): NumberJudge {
  return {
    isPossible(value) {
      const converted = convert(value);
      return converted >= min && converted <= max && (kind !== 'integer' || Number.isInteger(value));
    },
    isPlausible(value) {
      const converted = convert(value);
      return plausible === undefined ? null : converted >= plausible[0] && converted <= plausible[1];
    },
  };
}

function bounded(value: number, { min = 0, max = Number.MAX_SAFE_INTEGER }: Field): number {
  if (value >= min && value <= max) return value;
  throw new Unreadable(`is not between ${min} and ${max}`);
}

function readDegrees(value: number, { max = 180 }: Field): number {
  if (Math.abs(value) <= max) return value;
  if (Math.abs(value) > 360)
    throw new Unreadable(
      'is not in degrees; it looks like metres or feet of a projection: give longitude and latitude (WGS 84, EPSG:4326)',
    );
  const isSwapped = max === 90 && Math.abs(value) <= 180;
  throw new Unreadable(
    `is beyond ${max} degrees${isSwapped ? ': it looks as if latitude and longitude are swapped' : ''}`,
  );
}

function readUrl(text: string): string {
  const scheme = URL.canParse(text) ? new URL(text).protocol : '';
  if ((scheme === 'https:' || scheme === 'http:') && text.length <= MAX_URL_LENGTH) return text;
  throw new Unreadable(`is not an http or https address of at most ${MAX_URL_LENGTH} characters`);
}

function slugOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
}

function readPhoto(url: string, order: number): Photo {
  const nothing = { thumbnailUrl: null, width: null, height: null, caption: null, category: null };
  return { id: String(order), url: readUrl(url), ...nothing, order };
}

/** `Deposit=1500`, or `Deposit` where the amount is not known. */
function readAmount(item: string): { type: string; amount: number | null } {
  const [type = '', amount] = item.split('=').map((side) => side.trim());
  if (type === '') throw new Unreadable('has an amount without a name (write Deposit=1500)');
  if (amount === undefined) return { type, amount: null };
  if (hasTwoReadings(amount))
    throw new Unreadable(`has an amount that could be two numbers, ${amount} (write 1500 or 1.50)`);
  return { type, amount: readNumber(amount, undefined) };
}

/**
 * An ISO 8601 interval: `2026-01-03T10:00:00-08:00/2026-01-03T12:00:00-08:00`; its end may be missing. Times without an offset
 * are of the map's time zone; where it names none, of the place of the listing, which is known later.
 */
function readOpenHouse(item: string, timeZone: string | undefined): OpenHouse {
  const [start = '', end] = item.split('/');
  const read = (text: string): string => {
    const time = readTime(text, undefined, timeZone ?? 'UTC');
    return timeZone !== undefined || HAS_OFFSET.test(text.trim()) ? time : time.slice(0, -1);
  };
  const id = readTime(start, undefined, timeZone ?? 'UTC');
  const nothing = { type: null, status: null, remarks: null, livestreamUrl: null, appointmentRequired: null };
  return { id, startsAt: read(start), endsAt: end ? read(end) : null, ...nothing };
}

const HAS_OFFSET = /:\d\d(?:\.\d+)?\s*(?:z|[+-]\d\d:?\d\d)$/i;

export const UNITS = Object.keys(SQUARE_FEET);

/** Months in one of each period. */
const MONTHS = { month: 1, quarter: 3, year: 12, week: 12 / 52 } as const;

export const PERIODS = Object.keys(MONTHS);

/** Square feet, to two decimals when converted. */
export function toSquareFeet(value: number, unit: string | undefined): number {
  const factor = SQUARE_FEET[unit as keyof typeof SQUARE_FEET] ?? 1;
  return factor === 1 ? value : roundTo(value * factor, 2);
}

/** An amount a period as an amount a month, to the cent. */
export function perMonth(value: number, period: string | undefined): number {
  const months = MONTHS[period as keyof typeof MONTHS] ?? 1;
  return months === 1 ? value : roundTo(value / months, 2);
}

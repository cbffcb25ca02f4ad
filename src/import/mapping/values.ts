// Values of fields: one bounded parser for each kind, numbers and units included.

import { parseTimeZone } from '../../lib/parse.ts';
import { roundTo } from '../../lib/round.ts';
import { SQUARE_FEET } from '../../listings/area-units.ts';
import type { OpenHouse, Photo } from '../../listings/draft.ts';
import { readDate, readTime, readTimeOrDate } from './dates.ts';
import { type Field, type Kind, Unreadable } from './fields.ts';

/** How a value is written, according to the map. */
export interface Writing {
  readonly format?: string | undefined;
  readonly unit?: string | undefined;
  readonly per?: string | undefined;
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
  number: (text, field, { format }) => bounded(readNumber(text, format), field),
  integer(text, field, { format }) {
    const value = readNumber(text, format);
    if (Number.isInteger(value)) return bounded(value, field);
    throw new Unreadable('is not a whole number');
  },
  money: (text, field, { format }) => bounded(readNumber(text, format), field),
  monthlyMoney: (text, field, { format, per }) => bounded(perMonth(readNumber(text, format), per), field),
  area: (text, field, { format, unit }) => bounded(toSquareFeet(readNumber(text, format), unit), field),
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
  degrees: (text, field, { format }) => readDegrees(readNumber(text, format), field),
};

const LISTS: Partial<Readonly<Record<Kind, (items: readonly string[]) => readonly unknown[]>>> = {
  list: (items) => [...new Set(items)],
  slugs: (items) => [...new Set(items.map(slugOf))].filter((slug) => slug !== '').sort(),
  urls: (items) => items.map(readPhoto),
  amounts: (items) => items.map(readAmount),
  intervals: (items) => items.map(readOpenHouse),
};

/** Reads the text of a value that is no list. Throws Unreadable. */
export function readScalar(text: string, field: Field, writing: Writing): Value {
  const { kind, maxLength = 500 } = field;
  const read = SCALARS[kind];
  if (read === undefined) throw new Unreadable('is not a list');
  if (text.length > maxLength && kind !== 'url')
    throw new Unreadable(`is longer than ${maxLength} characters`);
  return read(text, field, writing);
}

/** Reads the items of a list. Throws Unreadable. */
export function readItems(items: readonly string[], { kind }: Field): Value {
  const read = LISTS[kind];
  if (read === undefined) throw new Unreadable('is a list, and one value is wanted');
  if (items.length > MAX_ITEMS) throw new Unreadable(`has more than ${MAX_ITEMS} items`);
  for (const item of items)
    if (item.length > MAX_URL_LENGTH) throw new Unreadable('has an item that is too long');
  return read(items);
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
  return { type, amount: amount === undefined ? null : readNumber(amount, undefined) };
}

/** An ISO 8601 interval: `2026-01-03T10:00:00-08:00/2026-01-03T12:00:00-08:00`; its end may be missing. */
function readOpenHouse(item: string): OpenHouse {
  const [start = '', end] = item.split('/');
  const startsAt = readTime(start, undefined, 'UTC');
  const endsAt = end ? readTime(end, undefined, 'UTC') : null;
  const nothing = { type: null, status: null, remarks: null, livestreamUrl: null, appointmentRequired: null };
  return { id: startsAt, startsAt, endsAt, ...nothing };
}

const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;

const CURRENCY = /^(?<sign>-?)(?:\p{Sc}|[A-Z]{3})?\s*(?<digits>[\d.,'\s]+?)\s*(?:\p{Sc}|[A-Z]{3})?$/u;

/** How numbers are written, named by how one thousand two hundred thirty-four and a half is. */
const WRITTEN: Readonly<Record<string, { readonly whole: RegExp; readonly thousands: RegExp }>> = {
  '1,234.5': { whole: /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$|^\d+(?:\.\d+)?$/, thousands: /,/g },
  '1.234,5': { whole: /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$|^\d+(?:,\d+)?$/, thousands: /\./g },
  '1 234,5': { whole: /^\d{1,3}(?:\s\d{3})+(?:,\d+)?$|^\d+(?:,\d+)?$/, thousands: /\s/g },
  "1'234.5": { whole: /^\d{1,3}(?:'\d{3})+(?:\.\d+)?$|^\d+(?:\.\d+)?$/, thousands: /'/g },
};

export const NUMBER_FORMATS = Object.keys(WRITTEN);

export const UNITS = Object.keys(SQUARE_FEET);

/** Months in one of each period. */
const MONTHS = { month: 1, quarter: 3, year: 12, week: 12 / 52 } as const;

export const PERIODS = Object.keys(MONTHS);

/** A number from its text. Without a format only digits, a point and an exponent are understood: `1.2e+006`. */
export function readNumber(text: string, format: string | undefined): number {
  const value = PLAIN.test(text) ? Number(text) : format === undefined ? Number.NaN : written(text, format);
  if (Number.isFinite(value)) return value;
  throw new Unreadable(
    format === undefined
      ? 'is not a number such as 1234.5 (for thousands separators and currency signs give a "format" such as "1,234.5")'
      : `is not a number written like ${format}`,
  );
}

function written(text: string, format: string): number {
  const rules = WRITTEN[format];
  const { sign = '', digits = '' } = CURRENCY.exec(text)?.groups ?? {};
  if (!rules?.whole.test(digits)) return Number.NaN;
  return Number(sign + digits.replace(rules.thousands, '').replace(',', '.'));
}

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

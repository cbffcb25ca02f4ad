// Tolerant decoding of upstream fields: a value of the right type, or null.

import { HOUR } from '../../../lib/clock.ts';
import { clockTime } from '../../../listings/local-time.ts';

/** One upstream record, or one expanded child of it. */
export type UpstreamRecord = Readonly<Record<string, unknown>>;

/** Called with the name of each field whose value is unreadable. */
export type NoteField = (field: string) => void;

/** Called with a value that keeps a listing, or a part of it, from being shown. */
export type NoteWithheld = (field: string, value: unknown) => void;

export interface ReaderOptions {
  /** Of clocks that are written without one; default UTC. */
  readonly timeZone?: string | null;
  readonly withheld?: NoteWithheld;
}

export const MAX_TEXT_LENGTH = 32_000;
export const MAX_LIST_LENGTH = 200;
const MAX_NUMBER = 1e12;
const MAX_INTEGER = 2_147_483_647;

// PostgreSQL stores neither NUL nor lone surrogates, and no reader misses the other control characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const DATED = /^(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}/;
const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;
const NUMBER = /^[+-]?\$?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d*)?(?:e[+-]?\d{1,3})?$/i;
const TRUE: readonly string[] = ['true', 'yes', 'y', '1'];
const FALSE: readonly string[] = ['false', 'no', 'n', '0'];
/** Milliseconds by which the clocks that are furthest ahead of UTC are. */
const FURTHEST_AHEAD = 14 * HOUR;

/** True for what a JSON object parses to. */
export function isRecord(value: unknown): value is UpstreamRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function absent(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** Servers send single values as lists of one, and lists as single values. */
function single(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** Text without control characters and surrounding space, of bounded length; null when nothing is left. */
function cleanText(value: string): string | null {
  const text = value.replace(CONTROLS, '').slice(0, MAX_TEXT_LENGTH).toWellFormed().trim();
  return text === '' ? null : text;
}

function parseNumber(value: unknown): number | null {
  const text = typeof value === 'string' ? value.trim() : null;
  const written = text !== null && text.length <= 40 && NUMBER.test(text) && /\d/.test(text);
  const number = text === null ? value : written ? Number(text.replace(/[$,]/g, '')) : null;
  return typeof number === 'number' && Number.isFinite(number) && Math.abs(number) <= MAX_NUMBER
    ? number
    : null;
}

function isCalendarDate(text: string): boolean {
  const parts = DATE.exec(text);
  if (parts === null || Number(parts[1]) < 1000) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Milliseconds since the epoch; what is written without a zone is a clock in `timeZone`. Null for any other text. */
function parseInstant(text: string, timeZone: string): { at: number; hasZone: boolean } | null {
  const parts = TIME.exec(text.trim());
  if (parts === null) return null;
  const [, date = '', clock = '00:00', zone] = parts;
  if (!isCalendarDate(date)) return null;
  const time = Date.parse(`${date}T${clock}${zone?.toUpperCase() ?? 'Z'}`);
  if (Number.isNaN(time)) return null;
  const isElsewhere = zone === undefined && timeZone !== 'UTC';
  return { at: isElsewhere ? clockTime(time, timeZone) : time, hasZone: zone !== undefined };
}

/** RFC 3339 in UTC, to the millisecond; what is written without a zone is a clock in `timeZone`. Null for any other text. */
export function parseTime(text: string, timeZone = 'UTC'): string | null {
  const time = parseInstant(text, timeZone);
  return time === null ? null : new Date(time.at).toISOString();
}

/** RFC 3339 in UTC, or, of what is written without a zone, the time that clocks at the place show, without Z. */
export function parsePlaceTime(text: string): string | null {
  const time = parseInstant(text, 'UTC');
  if (time === null) return null;
  const shown = new Date(time.at).toISOString();
  return time.hasZone ? shown : shown.slice(0, -1);
}

/**
 * The earliest moment that a timestamp can mean, in milliseconds since the epoch: where neither it nor `timeZone` says which
 * zone it is of, its clock may be one ahead of UTC. Null for what is no timestamp.
 */
export function earliestMoment(stated: unknown, timeZone: string | null): number | null {
  const time = typeof stated === 'string' ? parseInstant(stated, timeZone ?? 'UTC') : null;
  if (time === null) return null;
  return time.hasZone || timeZone !== null ? time.at : time.at - FURTHEST_AHEAD;
}

function parseDate(text: string): string | null {
  const date = DATED.exec(text)?.[1] ?? text;
  return isCalendarDate(date) ? date : null;
}

/** Reads typed values out of one record; what cannot be read is noted by field and becomes null. */
export class FieldReader {
  readonly record: UpstreamRecord;
  readonly #note: NoteField;
  readonly #options: ReaderOptions;
  readonly #noted = new Set<string>();

  constructor(record: UpstreamRecord, note: NoteField, options: ReaderOptions = {}) {
    this.record = record;
    this.#note = note;
    this.#options = options;
  }

  /** The zone of clocks that are written without one; null where it is not known. */
  get timeZone(): string | null {
    return this.#options.timeZone ?? null;
  }

  /** Counts the field as unreadable, once a record; for rules above single values too. */
  unreadable(field: string): null {
    if (!this.#noted.has(field)) this.#note(field);
    this.#noted.add(field);
    return null;
  }

  #read<T>(field: string, parse: (value: unknown) => T | null): T | null {
    const value = single(this.record[field]);
    if (absent(value) || (Array.isArray(value) && value.length === 0)) return null;
    return parse(value) ?? this.unreadable(field);
  }

  #parse(field: string, parse: (text: string) => string | null): string | null {
    return this.#read(field, (value) => (typeof value === 'string' ? parse(value) : null));
  }

  text(field: string): string | null {
    return this.#read(field, (value) => {
      if (typeof value === 'string') return cleanText(value);
      return typeof value === 'number' && Number.isFinite(value) ? String(value) : null;
    });
  }

  number(field: string): number | null {
    return this.#read(field, parseNumber);
  }

  /** A number that cannot be below zero. */
  amount(field: string): number | null {
    const value = this.number(field);
    return value !== null && value < 0 ? this.unreadable(field) : value;
  }

  /** A price: zero is how servers write that there is none. */
  price(field: string): number | null {
    const value = this.amount(field);
    return value === 0 ? null : value;
  }

  /** A whole number; 12.0 is 12, and of 2.5 spaces 2 are whole. */
  integer(field: string): number | null {
    const value = this.number(field);
    if (value === null) return null;
    const whole = Math.trunc(value);
    return Math.abs(whole) <= MAX_INTEGER ? whole + 0 : this.unreadable(field);
  }

  /** A whole number of things. */
  count(field: string): number | null {
    const value = this.integer(field);
    return value !== null && value < 0 ? this.unreadable(field) : value;
  }

  /** A year people build in; 0 and the like are how servers write that it is unknown. */
  year(field: string): number | null {
    const value = this.integer(field);
    if (value === null || value === 0) return null;
    return value >= 1000 && value <= 2999 ? value : this.unreadable(field);
  }

  /** Null where the source does not say. */
  flag(field: string): boolean | null {
    return this.#read(field, (value) => {
      // An object may say of itself that it cannot be written as text.
      if (typeof value === 'object') return null;
      const word = String(value).trim().toLowerCase();
      if (TRUE.includes(word)) return true;
      return FALSE.includes(word) ? false : null;
    });
  }

  /**
   * Whether a display rule lets the listing be shown: where it is absent or null, as `byDefault` says; else only a plain yes
   * does, and every other value is counted.
   */
  shows(field: string, byDefault = true): boolean {
    const stated = this.record[field];
    if (stated === undefined || stated === null) return byDefault;
    const value = single(stated);
    const isYes = typeof value !== 'object' && TRUE.includes(String(value).trim().toLowerCase());
    if (!isYes) this.withheld(field, value);
    return isYes;
  }

  /** Counts a value that keeps the listing, or a part of it, from being shown. */
  withheld(field: string, value: unknown): void {
    this.#options.withheld?.(field, value);
  }

  /** YYYY-MM-DD. */
  date(field: string): string | null {
    return this.#parse(field, (text) => parseDate(text.trim()));
  }

  /** RFC 3339 in UTC. */
  time(field: string): string | null {
    return this.#parse(field, (text) => parseTime(text, this.timeZone ?? 'UTC'));
  }

  /** RFC 3339 in UTC; YYYY-MM-DD where the day alone is written. */
  timeOrDate(field: string): string | null {
    return this.#parse(field, (text) =>
      DATE.test(text.trim()) ? parseDate(text.trim()) : parseTime(text, this.timeZone ?? 'UTC'),
    );
  }

  /** An absolute http or https address. */
  url(field: string): string | null {
    return this.#parse(field, (text) => {
      const url = text.length > 8_000 ? null : URL.parse(text.trim());
      return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : null;
    });
  }

  /** A list of texts, written as a list, as one value, or as values between commas. */
  list(field: string): string[] {
    const value = this.record[field];
    if (absent(value)) return [];
    const items = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value];
    const texts = items
      .slice(0, MAX_LIST_LENGTH)
      .map((item) => (typeof item === 'string' ? cleanText(item) : null));
    if (items.some((item) => !absent(item) && typeof item !== 'string')) this.unreadable(field);
    return texts.filter((text) => text !== null);
  }

  /** Expanded children: null when the answer did not carry them. */
  children(...names: readonly string[]): FieldReader[] | null {
    const name = names.find((candidate) => Array.isArray(this.record[candidate]));
    if (name === undefined) return null;
    const items = this.record[name] as readonly unknown[];
    return items.flatMap((item) => {
      if (isRecord(item))
        return [new FieldReader(item, (field) => this.#note(`${name}.${field}`), this.#options)];
      this.unreadable(name);
      return [];
    });
  }
}

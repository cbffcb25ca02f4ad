// Value types: conversion between the values of PostgreSQL and JavaScript, the same for every store.

type Serialize = (value: unknown) => string;

/** Type numbers (OIDs) of PostgreSQL, from pg_type.dat. */
const OID = {
  int8: 20,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  numeric: 1700,
  byteaArray: 1001,
  int4Array: 1007,
  textArray: 1009,
  int8Array: 1016,
  float8Array: 1022,
  timestamptzArray: 1185,
};

/** The driver's `types` option. The rest (text, float8, bool, json, bytea) is the driver's own. */
export const VALUE_TYPES = {
  int8: scalar(OID.int8, String, parseInt8),
  numeric: scalar(OID.numeric, String, Number),
  /** Stays text: a calendar day has no time zone that could move it. */
  date: scalar(OID.date, formatDay, String),
  timestamp: scalar(OID.timestamp, formatInstant, String),
  timestamptz: scalar(OID.timestamptz, formatInstant, parseInstant),
  byteaArray: arrayOf(OID.byteaArray, formatHex, (text) => Buffer.from(text.slice(2), 'hex')),
  int4Array: arrayOf(OID.int4Array, String, Number),
  textArray: arrayOf(OID.textArray, String, String),
  int8Array: arrayOf(OID.int8Array, String, parseInt8),
  float8Array: arrayOf(OID.float8Array, String, Number),
  timestamptzArray: arrayOf(OID.timestamptzArray, formatInstant, parseInstant),
};

function scalar<T>(oid: number, serialize: Serialize, parse: (text: string) => T) {
  return { to: oid, from: [oid], serialize, parse };
}

/** Declared here: the driver would otherwise query each new connection for its array types. */
function arrayOf<T>(oid: number, serialize: Serialize, parse: (text: string) => T) {
  const format = (list: unknown) => (Array.isArray(list) ? formatArray(list, serialize) : String(list));
  return scalar(oid, format, (text) => parseArray(text, parse));
}

/** A number if it is exact, else a bigint: arithmetic that mixes them fails loudly. */
export function parseInt8(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

/**
 * '2026-01-05 14:02:11.123456+00' -> '2026-01-05T14:02:11.123Z'. Sessions run in UTC, so the offset is always +00.
 * Microseconds are cut off, so columns whose values become cursors are timestamptz(3). What RFC 3339 cannot express
 * (infinity, years before 1 or past 9999) stays PostgreSQL's text.
 */
export function parseInstant(text: string): string {
  if (text.charCodeAt(10) !== 32 || !text.endsWith('+00')) return text;
  const fraction = text.charCodeAt(19) === 46 ? text.slice(20, -3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

function formatInstant(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

function formatDay(value: unknown): string {
  return value instanceof Date ? value.toISOString().slice(0, 10) : String(value);
}

function formatHex(value: unknown): string {
  if (typeof value === 'string') return `\\x${value}`;
  if (value instanceof Uint8Array) return `\\x${value.toHex()}`;
  throw new TypeError('An element of a bytea[] must be bytes, or their hexadecimal digits');
}

/** `{"a","say \"b\"",NULL}` */
export function formatArray(list: readonly unknown[], serialize: Serialize): string {
  const items = list.map((item) => {
    if (item === undefined) throw new TypeError('An array for PostgreSQL must not hold undefined');
    if (item === null) return 'NULL';
    return typeof item === 'number' ? serialize(item) : `"${serialize(item).replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${items.join()}}`;
}

/** One-dimensional arrays only. */
export function parseArray<T>(text: string, parse: (text: string) => T): (T | null)[] {
  const parseBare = (bare: string): T | null => (bare === 'NULL' ? null : parse(bare));
  // Most have none. Matches of the words of changed listings were a sixth of what outlived collections of young objects.
  if (!text.includes('"')) return text === '{}' ? [] : text.slice(1, -1).split(',').map(parseBare);
  const items: (T | null)[] = [];
  for (const [, quoted, bare = ''] of text.matchAll(/"([^"\\]*(?:\\.[^"\\]*)*)"|([^,{}"]+)/gs))
    items.push(quoted === undefined ? parseBare(bare) : parse(quoted.replace(/\\(.)/gs, '$1')));
  return items;
}

/** JSON that PostgreSQL accepts: without the NUL characters and lone surrogates that sources do send. */
export function toJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!/\\u(?:0000|d[89a-f])/.test(text)) return text;
  return JSON.stringify(value, (_key, part) =>
    typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '') : part,
  );
}

// Owns how PostgreSQL's values become JavaScript's and back: decided here once, so that no store has to.

/** PostgreSQL's type numbers (pg_type.dat). */
const INT8 = 20;
const DATE = 1082;
const TIMESTAMP = 1114;
const TIMESTAMPTZ = 1184;
const NUMERIC = 1700;

/** In the form of the driver's `types` option. The rest (text, float8, bool, json, bytea) is the driver's own. */
export const COLUMN_TYPES = {
  int8: { to: INT8, from: [INT8], serialize: String, parse: parseInt8 },
  numeric: { to: NUMERIC, from: [NUMERIC], serialize: String, parse: Number },
  /** A calendar day stays what it is: it has no time zone that could move it. */
  date: { to: DATE, from: [DATE], serialize: dayText, parse: String },
  timestamp: { to: TIMESTAMP, from: [TIMESTAMP], serialize: instantText, parse: String },
  timestamptz: { to: TIMESTAMPTZ, from: [TIMESTAMPTZ], serialize: instantText, parse: parseInstant },
};

/** A number where it is exact, else a bigint: arithmetic that mixes them up then fails loudly. */
export function parseInt8(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

/**
 * '2026-01-05 14:02:11.123456+00' -> '2026-01-05T14:02:11.123Z'. Sessions run in UTC, so the offset is always +00.
 * Finer digits are cut off: a column whose values come back as a cursor is declared timestamptz(3). What RFC 3339
 * cannot write (infinity, years before 1 or past 9999) stays PostgreSQL's text.
 */
export function parseInstant(text: string): string {
  if (text.charCodeAt(10) !== 32 || !text.endsWith('+00')) return text;
  const fraction = text.charCodeAt(19) === 46 ? text.slice(20, -3) : '';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
}

function instantText(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

function dayText(value: unknown): string {
  return value instanceof Date ? value.toISOString().slice(0, 10) : String(value);
}

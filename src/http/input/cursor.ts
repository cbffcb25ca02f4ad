// Keyset cursor: the start of the next page, opaque to clients and bound to filters and sort.

import { createHash } from 'node:crypto';
import { parseJson } from '../../lib/parse.ts';
import { Problem } from '../../lib/problem.ts';

export type SortValue = number | string | null;

/** Types of sort keys in a cursor. */
export type ValueKind = 'number' | 'time' | 'text';

export interface Cursor {
  /** Ties the cursor to one query. */
  readonly query: string;
  readonly direction: 'next' | 'previous';
  /** Time of the first page in milliseconds, so that durations and days on market stay the same on all pages. */
  readonly startedAt: number;
  /** Sort values and id of the last row of the page. */
  readonly values: readonly SortValue[];
  readonly id: string;
  /** Currency (ISO 4217) if prices are compared, fixed on the first page. */
  readonly currency?: string | null;
}

/** A short digest of everything that decides the rows and their order. */
export function queryDigest(parts: unknown): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);
}

export function writeCursor(cursor: Cursor): string {
  const { query, direction, startedAt, values, id, currency } = cursor;
  const parts = [
    query,
    direction === 'next' ? 1 : -1,
    startedAt,
    values,
    id,
    ...(currency ? [currency] : []),
  ];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Parses a cursor. Throws INVALID_CURSOR for anything that writeCursor did not create for this query. */
export function readCursor(text: string, query: string, kinds: readonly ValueKind[]): Cursor {
  const parts = parse(text);
  if (!Array.isArray(parts) || (parts.length !== 5 && parts.length !== 6))
    throw invalidCursor('this service did not issue it');
  const [digest, sign, startedAt, values, id, currency = null] = parts as unknown[];
  if (digest !== query)
    throw invalidCursor('it belongs to other filters or another sort; keep both while paging');
  const sound =
    (sign === 1 || sign === -1) &&
    isInstant(startedAt) &&
    typeof id === 'string' &&
    id.length <= 200 &&
    (currency === null || isCurrency(currency)) &&
    !id.includes('\0') &&
    Array.isArray(values) &&
    values.length === kinds.length &&
    values.every((value, index) => value === null || isSound(value, kinds[index]));
  if (!sound) throw invalidCursor('this service did not issue it');
  const direction = sign === 1 ? 'next' : 'previous';
  return { query, direction, startedAt: Number(startedAt), values, id, currency };
}

/** The currency of a cursor, of any query; null if it has none or is malformed. */
export function currencyOfCursor(text: string | undefined): string | null {
  const parts = text === undefined ? null : parse(text);
  const currency: unknown = Array.isArray(parts) ? parts[5] : null;
  return isCurrency(currency) ? currency : null;
}

const isCurrency = (value: unknown): value is string => typeof value === 'string' && /^[A-Z]{3}$/.test(value);

const isInstant = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < Date.UTC(9999, 0);

function isSound(value: unknown, kind: ValueKind | undefined): boolean {
  if (kind === 'number') return Number.isFinite(value);
  if (typeof value !== 'string') return false;
  if (kind === 'text') return value.length <= 400 && !value.includes('\0');
  return /^\d{4}-\d{2}-\d{2}T[\d:.]{8,12}Z$/.test(value) && isOnCalendar(value);
}

/** JavaScript parses 30 February as 1 March and allows year 0; PostgreSQL rejects both. */
function isOnCalendar(time: string): boolean {
  const at = new Date(time);
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === time.slice(0, 10) && time >= '0001';
}

function parse(text: string): unknown {
  if (!/^[A-Za-z0-9_-]+$/.test(text)) return null;
  return parseJson(Buffer.from(text, 'base64url').toString('utf8')) ?? null;
}

/** `why` follows on “The cursor cannot be used:”. */
export function invalidCursor(why: string): Problem {
  const detail = `The cursor cannot be used: ${why}. Start again without a cursor.`;
  return new Problem('INVALID_CURSOR', detail, { errors: [{ parameter: 'cursor', detail: why }] });
}

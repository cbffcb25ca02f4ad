// Owns how a query becomes a plan: conditions, order and page. Pure, and the only place where filters get their meaning.

import { refuse } from '../http/query.ts';
import { nearest } from '../http/values.ts';
import { type FieldError, invalidParameter } from '../lib/problem.ts';
import { type Cursor, queryDigest, readCursor, type ValueKind } from './cursor.ts';
import { type Fields, parseFields } from './fields.ts';
import { readMoment } from './moment.ts';
import { ListingSchema } from './record.ts';
import { type SearchQuery, SORT_KEYS, type SortKey } from './search-parameters.ts';
import { keptBounds, type Measure } from './shown-bounds.ts';
import { readShapes, type Shape } from './spatial.ts';
import { HIDDEN_STATUSES, type ListingType, STATUSES, type Status, type UnitSystem } from './vocabulary.ts';

/** Columns of the search row that a range can be asked of. */
export type RangeColumn =
  | 'price'
  | 'closePrice'
  | 'pricePerArea'
  | 'bedrooms'
  | 'bathrooms'
  | 'livingArea'
  | 'lotSize'
  | 'yearBuilt'
  | 'listedAt'
  | 'updatedAt'
  | 'closedAt';

export type WordColumn =
  | 'city'
  | 'neighborhood'
  | 'county'
  | 'state'
  | 'postalCode'
  | 'country'
  | 'propertyType'
  | 'id';

/** One condition; a listing must meet all of them. Bounds are inclusive but `below`; moments are RFC 3339. */
export type Condition =
  | { readonly kind: 'statuses'; readonly statuses: readonly Status[] }
  | {
      readonly kind: 'range';
      readonly column: RangeColumn;
      readonly least?: number | string | undefined;
      readonly most?: number | string | undefined;
      readonly below?: number | string | undefined;
    }
  | { readonly kind: 'numbers'; readonly column: 'bedrooms'; readonly values: readonly number[] }
  | { readonly kind: 'words'; readonly column: WordColumn; readonly values: readonly string[] }
  | { readonly kind: 'photos'; readonly some: boolean }
  | { readonly kind: 'areas'; readonly ids: readonly string[] }
  | Shape;

export interface Order {
  readonly key: SortKey;
  readonly falling: boolean;
}

export interface SearchPlan {
  readonly listingType: ListingType;
  readonly conditions: readonly Condition[];
  readonly order: readonly Order[];
  readonly limit: number;
  readonly cursor: Cursor | null;
  /** Ties cursors and cached counts to this query. */
  readonly digest: string;
  /** When the walk began, in milliseconds: what durations and days on market count from. */
  readonly startedAt: number;
  readonly count: 'exact' | 'estimate' | 'none';
  readonly fields: Fields;
  readonly units: UnitSystem;
  readonly ignoreDisplayRules: boolean;
}

/**
 * The plan of a parsed query. `now` in milliseconds; `limit` already fits the caller's tier. Throws INVALID_PARAMETER,
 * INVALID_GEOMETRY or INVALID_CURSOR.
 */
export function planSearch(
  listingType: ListingType,
  query: SearchQuery,
  limit: number,
  now: number,
): SearchPlan {
  const { cursor: cursorText, limit: _limit, count, fields, display, ...asked } = query;
  const units = query.units ?? 'imperial';
  const order = readOrder(query.sort);
  // The same query with its parameters in another order, or with a default spelt out, is the same query.
  const whole = { ...asked, units, sort: query.sort ?? DEFAULT_SORT, status: query.status ?? DEFAULT_STATUS };
  const digest = queryDigest([listingType, Object.entries(whole).sort(([a], [b]) => (a < b ? -1 : 1))]);
  const cursor = cursorText === undefined ? null : readCursor(cursorText, digest, order.map(kindOf));
  const startedAt = cursor?.startedAt ?? now;
  checkRanges(query);
  return {
    listingType,
    conditions: [
      { kind: 'statuses', statuses: readStatuses(query.status) },
      ...places(query),
      ...readShapes(query, units),
      ...numbers(query, units),
      ...moments(query, startedAt),
    ],
    order,
    limit,
    cursor,
    digest,
    startedAt,
    count: count ?? 'estimate',
    fields: parseFields(fields, ListingSchema),
    units,
    ignoreDisplayRules: display === 'ignore',
  };
}

function places(query: SearchQuery): Condition[] {
  const conditions: Condition[] = [];
  if (query.areaId) conditions.push({ kind: 'areas', ids: query.areaId });
  for (const column of ['city', 'neighborhood', 'county', 'state', 'postalCode', 'country'] as const) {
    const values = query[column]?.map((value) => value.trim().toLowerCase());
    if (values) conditions.push({ kind: 'words', column, values });
  }
  if (query.propertyType)
    conditions.push({ kind: 'words', column: 'propertyType', values: query.propertyType });
  if (query.ids) conditions.push({ kind: 'words', column: 'id', values: query.ids });
  return conditions;
}

/** Ranges of numbers: parameter suffix, column, and how the number is shown. */
const RANGES = [
  ['Price', 'price', 'plain'],
  ['ClosePrice', 'closePrice', 'plain'],
  ['PricePerArea', 'pricePerArea', 'perArea'],
  ['Bedrooms', 'bedrooms', 'plain'],
  ['Bathrooms', 'bathrooms', 'plain'],
  ['LivingArea', 'livingArea', 'area'],
  ['LotSize', 'lotSize', 'area'],
  ['YearBuilt', 'yearBuilt', 'plain'],
] as const satisfies readonly (readonly [string, RangeColumn, Measure])[];

function numbers(query: SearchQuery, units: UnitSystem): Condition[] {
  const conditions: Condition[] = [];
  for (const [suffix, column, measure] of RANGES) {
    const [least, most] = [query[`min${suffix}`], query[`max${suffix}`]];
    if (least === undefined && most === undefined) continue;
    conditions.push({ kind: 'range', column, ...keptBounds(least, most, measure, units) });
  }
  if (query.bedrooms) conditions.push({ kind: 'numbers', column: 'bedrooms', values: query.bedrooms });
  if (query.hasPhotos !== undefined) conditions.push({ kind: 'photos', some: query.hasPhotos });
  return conditions;
}

function moments(query: SearchQuery, now: number): Condition[] {
  const conditions: Condition[] = [];
  for (const name of ['listed', 'updated', 'closed'] as const) {
    const least = time(`${name}Since`, query[`${name}Since`], now);
    const below = time(`${name}Before`, query[`${name}Before`], now);
    if (least !== undefined && below !== undefined && least > below) {
      throw invalidParameter(`${name}Since`, `is later than ${name}Before`);
    }
    if (least ?? below) conditions.push({ kind: 'range', column: `${name}At`, least, below });
  }
  return conditions;
}

function time(parameter: string, text: string | undefined, now: number): string | undefined {
  return text === undefined ? undefined : new Date(readMoment(parameter, text, now)).toISOString();
}

function checkRanges(query: SearchQuery): void {
  const errors: FieldError[] = [];
  for (const [suffix] of RANGES) {
    const [least, most] = [query[`min${suffix}`], query[`max${suffix}`]];
    if (least !== undefined && most !== undefined && least > most) {
      errors.push({ parameter: `min${suffix}`, detail: `is ${least}, above max${suffix}, which is ${most}` });
    }
  }
  if (errors.length > 0) throw refuse(errors);
}

const ANY: readonly Status[] = STATUSES.filter((status) => !HIDDEN_STATUSES.includes(status));
const foldStatus = (text: string): string => text.replace(/[\s_-]/g, '').toUpperCase();
const BY_SPELLING = new Map(ANY.map((status) => [foldStatus(status), status]));

const DEFAULT_STATUS: readonly string[] = ['ACTIVE'];

/** Statuses in our spelling or RESO's two; `any` for all that a search may show. */
function readStatuses(texts: readonly string[] = DEFAULT_STATUS): readonly Status[] {
  const statuses = new Set<Status>();
  for (const text of texts) {
    if (text.toLowerCase() === 'any') for (const status of ANY) statuses.add(status);
    else {
      const status = BY_SPELLING.get(foldStatus(text));
      if (!status) {
        throw invalidParameter(
          'status',
          `must be one of ${ANY.join(', ')} or any`,
          nearest(text, [...ANY, 'any']),
        );
      }
      statuses.add(status);
    }
  }
  return [...statuses];
}

const DEFAULT_SORT = ['-listedAt'];

function readOrder(texts: readonly string[] = DEFAULT_SORT): Order[] {
  const order: Order[] = [];
  for (const text of texts) {
    const falling = text.startsWith('-');
    const key = SORT_KEYS.find((known) => known === text.slice(falling ? 1 : 0));
    if (!key) {
      throw invalidParameter(
        'sort',
        `must be of ${SORT_KEYS.join(', ')}, each with - for falling`,
        nearest(text, SORT_KEYS),
      );
    }
    if (order.some((before) => before.key === key)) throw invalidParameter('sort', `names ${key} twice`);
    order.push({ key, falling });
  }
  return order;
}

/** What a cursor carries for a sort key. */
export function kindOf({ key }: Order): ValueKind {
  return key.endsWith('At') ? 'time' : 'number';
}

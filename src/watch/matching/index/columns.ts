// Columns of a watcher: 32 bytes that decide for most watchers whether a row matches. Pure.

import type { SearchRow } from '../../../listings/search-row.ts';
import { HIDDEN_STATUSES, PROPERTY_TYPES, STATUSES } from '../../../listings/vocabulary.ts';
import type { Condition, WordColumn } from '../../../search/query/condition.ts';
import { kindOf } from '../../../search/query/condition-kinds.ts';
import type { SavedSearch } from '../../../search/query/saved-search.ts';

/**
 * Eight numbers of 32 bits: flags; statuses, property types and currency; bounds of price and bedrooms; the lower bound
 * of bathrooms; and the conditions that no column holds.
 */
export const COLUMNS = 8;
export const FLAGS = 0;
export const SETS = 1;
export const MIN_PRICE = 2;
export const MAX_PRICE = 3;
export const MIN_BEDROOMS = 4;
export const MAX_BEDROOMS = 5;
export const MIN_BATHROOMS = 6;
export const REST = 7;

/** Groups of columns of a row: a change of none that a watcher reads cannot change whether it matches. */
export const READS = {
  always: 1 << 0,
  price: 1 << 1,
  bedrooms: 1 << 2,
  bathrooms: 1 << 3,
  propertyType: 1 << 4,
  place: 1 << 5,
  words: 1 << 6,
  updatedAt: 1 << 7,
  other: 1 << 8,
} as const;
export const ALL_READS = (1 << 9) - 1;
/** Told of every change of a listing that it matches, whether or not the match changes. */
export const FLAG_WANTS_CHANGES = 1 << 9;
export const FLAG_RENTALS = 1 << 10;
export const FLAG_SALES = 1 << 11;
/** What it needs of a row. */
export const FLAG_NEEDS_DISPLAY = 1 << 12;
export const FLAG_NEEDS_PRICE = 1 << 13;
export const FLAG_NEEDS_BEDROOMS = 1 << 14;
export const FLAG_NEEDS_BATHROOMS = 1 << 15;
/** Its only key is as good as the condition that it comes from. */
export const FLAG_KEY_IS_CONDITION = 1 << 16;
/** Has several keys. */
export const FLAG_HAS_KEYS = 1 << 17;
export const FLAG_READS_WORDS = 1 << 18;
/** Groups of columns that the conditions read which no column holds: READS shifted by this. */
export const REST_READS_SHIFT = 19;

const ALL_STATUSES = (1 << STATUSES.length) - 1;
/** A bit of SETS that no watcher has. */
const NO_STATUS = 1 << 23;
const STATUS_BITS = new Map<string, number>(STATUSES.map((status, at) => [status, 1 << at]));
const TYPE_BITS = new Map<string, number>(
  PROPERTY_TYPES.map((type, at) => [type, 1 << (STATUSES.length + at)]),
);
const OTHER_TYPE = 1 << (STATUSES.length + PROPERTY_TYPES.length);
const ALL_TYPES = 2 * OTHER_TYPE - 1 - ALL_STATUSES;
const SHOWN_STATUSES = STATUSES.filter((status) => !HIDDEN_STATUSES.includes(status));
/** Statuses and types leave eight bits for the number of the currency; 0 is any. */
export const CURRENCY_SHIFT = 24;
const MAX_CURRENCIES = 255;
const currencies = new Map<string, number>();

function currencyNo(code: string): number {
  const known = currencies.get(code);
  if (known !== undefined || currencies.size >= MAX_CURRENCIES) return known ?? 0;
  currencies.set(code, currencies.size + 1);
  return currencies.size;
}

/** What a watcher requires of a row: its columns by their places, and the conditions that they do not decide. */
export interface Requirements {
  readonly columns: Int32Array;
  rest: readonly Condition[];
}

/** Any listing that may be shown, for watchers of a listing or a property. */
export function shownListings(ignoresDisplay: boolean): Requirements {
  const found = unbounded();
  found.columns[FLAGS] =
    ALL_READS |
    FLAG_WANTS_CHANGES |
    FLAG_RENTALS |
    FLAG_SALES |
    FLAG_KEY_IS_CONDITION |
    (ignoresDisplay ? 0 : FLAG_NEEDS_DISPLAY);
  found.columns[SETS] = statusBits(SHOWN_STATUSES) | ALL_TYPES;
  return found;
}

function unbounded(): Requirements {
  const columns = new Int32Array(COLUMNS);
  columns[FLAGS] = READS.always;
  columns[SETS] = ALL_STATUSES | ALL_TYPES;
  for (const column of [MIN_PRICE, MIN_BEDROOMS, MIN_BATHROOMS]) columns[column] = -LIMIT;
  for (const column of [MAX_PRICE, MAX_BEDROOMS]) columns[column] = LIMIT;
  return { columns, rest: [] };
}

/** The requirements of a search, but for a condition that its key replaces. */
export function requirementsOf(search: SavedSearch, replaced: Condition | null): Requirements {
  const found = unbounded();
  let flags = READS.always | (search.listingType === 'rental' ? FLAG_RENTALS : FLAG_SALES);
  if (!search.ignoreDisplayRules) flags |= FLAG_NEEDS_DISPLAY;
  const rest: Condition[] = [];
  for (const condition of search.conditions) {
    const reads = readsOf(condition);
    flags |= reads;
    if (condition === replaced || require(found.columns, condition)) continue;
    rest.push(condition);
    flags |= reads << REST_READS_SHIFT;
  }
  if (rest.some(({ kind }) => kind === 'text')) flags |= FLAG_READS_WORDS;
  found.columns[FLAGS] = (found.columns[FLAGS] ?? 0) | flags;
  return { ...found, rest };
}

/** Narrows the columns by a condition; false: they do not say all of it. */
function require(columns: Int32Array, condition: Condition): boolean {
  switch (condition.kind) {
    case 'statuses':
      columns[SETS] = (columns[SETS] ?? 0) & (~ALL_STATUSES | statusBits(condition.statuses));
      return true;
    case 'words':
      return requireWord(columns, condition.column, condition.values);
    case 'range':
      return requireRange(columns, condition);
    default:
      return false;
  }
}

const statusBits = (statuses: readonly string[]): number =>
  statuses.reduce((bits, status) => bits | (STATUS_BITS.get(status) ?? 0), 0);

function requireWord(columns: Int32Array, column: WordColumn, values: readonly string[]): boolean {
  const sets = columns[SETS] ?? 0;
  if (column === 'propertyType') {
    columns[SETS] =
      sets & (~ALL_TYPES | values.reduce((bits, value) => bits | (TYPE_BITS.get(value) ?? 0), 0));
    return values.every((value) => TYPE_BITS.has(value));
  }
  if (column !== 'currency' || values.length !== 1 || sets >>> CURRENCY_SHIFT !== 0) return false;
  const no = currencyNo(values[0] ?? '');
  columns[SETS] = sets | (no << CURRENCY_SHIFT);
  return no !== 0;
}

/** How a number is compared: its columns (-1: none), its flag, and what makes whole numbers of its usual values. */
const NUMBERS = {
  price: { min: MIN_PRICE, max: MAX_PRICE, needs: FLAG_NEEDS_PRICE, scale: 1 },
  bedrooms: { min: MIN_BEDROOMS, max: MAX_BEDROOMS, needs: FLAG_NEEDS_BEDROOMS, scale: 64 },
  bathrooms: { min: MIN_BATHROOMS, max: -1, needs: FLAG_NEEDS_BATHROOMS, scale: 64 },
} as const;

const isNumberColumn = (column: string): column is keyof typeof NUMBERS => Object.hasOwn(NUMBERS, column);

function requireRange(columns: Int32Array, condition: Extract<Condition, { kind: 'range' }>): boolean {
  const { column, below } = condition;
  if (!isNumberColumn(column)) return false;
  const { min: minColumn, max: maxColumn, needs, scale } = NUMBERS[column];
  const [min, max] = [wholeBound(condition.min, scale, -LIMIT), wholeBound(condition.max, scale, LIMIT)];
  if (min === null || max === null || below !== undefined || (maxColumn === -1 && max !== LIMIT))
    return false;
  columns[FLAGS] = (columns[FLAGS] ?? 0) | needs;
  columns[minColumn] = Math.max(columns[minColumn] ?? 0, min);
  if (maxColumn !== -1) columns[maxColumn] = Math.min(columns[maxColumn] ?? 0, max);
  return true;
}

/** The difference of two numbers within the limit is one of 32 bits. */
const LIMIT = 2 ** 30 - 1;

/** A bound as a whole number; null where none compares as it does. */
function wholeBound(bound: number | string | undefined, scale: number, absent: number): number | null {
  if (bound === undefined) return absent;
  const whole = typeof bound === 'number' ? bound * scale : Number.NaN;
  return Number.isInteger(whole) && Math.abs(whole) < LIMIT ? whole : null;
}

const readsOf = (condition: Condition): number =>
  readsOfColumns(kindOf(condition).columns(condition)) | (condition.kind === 'text' ? READS.words : 0);

const COLUMN_READS: Readonly<Record<string, number>> = {
  id: READS.always,
  listing_type: READS.always,
  status: READS.always,
  displayed: READS.always,
  currency: READS.always,
  price: READS.price,
  bedrooms: READS.bedrooms,
  bathrooms: READS.bathrooms,
  property_type: READS.propertyType,
  location: READS.place,
  area_nos: READS.place,
  city: READS.place,
  neighborhood: READS.place,
  county: READS.place,
  state: READS.place,
  postal_code: READS.place,
  country: READS.place,
  address_key: READS.place,
  updated_at: READS.updatedAt,
};

const readsOfColumn = (column: string): number => COLUMN_READS[column] ?? READS.other;

/** The groups of columns that a change of these columns touches. */
export const readsOfColumns = (columns: readonly string[]): number =>
  columns.reduce((reads, column) => reads | readsOfColumn(column), 0);

/** The values of a row as columns are compared with them: numbers rounded down for lower bounds, and up for upper ones. */
export interface RowValues {
  /** Places of bits in FLAGS and SETS. */
  readonly type: number;
  readonly status: number;
  readonly propertyType: number;
  /** FLAG_NEEDS_* that the row does not meet. */
  readonly lacks: number;
  readonly currency: number;
  readonly priceFloor: number;
  readonly priceCeiling: number;
  readonly bedroomsFloor: number;
  readonly bedroomsCeiling: number;
  readonly bathroomsFloor: number;
}

export function rowValues(row: SearchRow): RowValues {
  const { price, bedrooms, bathrooms, displayed } = row;
  const scaledPrice = scaled(price, NUMBERS.price.scale);
  const scaledBedrooms = scaled(bedrooms, NUMBERS.bedrooms.scale);
  const scaledBathrooms = scaled(bathrooms, NUMBERS.bathrooms.scale);
  return {
    type: bitPlace(row.listing_type === 'rental' ? FLAG_RENTALS : FLAG_SALES),
    status: bitPlace(STATUS_BITS.get(row.status) ?? NO_STATUS),
    propertyType: bitPlace(TYPE_BITS.get(row.property_type) ?? OTHER_TYPE),
    lacks:
      (displayed ? 0 : FLAG_NEEDS_DISPLAY) |
      (price === null ? FLAG_NEEDS_PRICE : 0) |
      (bedrooms === null ? FLAG_NEEDS_BEDROOMS : 0) |
      (bathrooms === null ? FLAG_NEEDS_BATHROOMS : 0),
    currency: currencyNo(row.currency),
    priceFloor: Math.floor(scaledPrice) | 0,
    priceCeiling: Math.ceil(scaledPrice) | 0,
    bedroomsFloor: Math.floor(scaledBedrooms) | 0,
    bedroomsCeiling: Math.ceil(scaledBedrooms) | 0,
    bathroomsFloor: Math.floor(scaledBathrooms) | 0,
  };
}

const bitPlace = (bit: number): number => 31 - Math.clz32(bit);

/** What is unknown is compared by no watcher that gets past `lacks`. */
const scaled = (value: number | null, scale: number): number =>
  Math.max(-LIMIT, Math.min(LIMIT, (value ?? 0) * scale));

/** A number that is negative unless a watcher's columns match the row: without a branch, since nobody can guess which do. */
export function compareColumns(columns: Int32Array, place: number, row: RowValues): number {
  const flags = columns[place + FLAGS] ?? 0;
  const sets = columns[place + SETS] ?? 0;
  const currency = sets >>> CURRENCY_SHIFT;
  return (
    (((flags >>> row.type) & 1) - 1) |
    (((sets >>> row.status) & 1) - 1) |
    (((sets >>> row.propertyType) & 1) - 1) |
    -(flags & row.lacks) |
    -(currency * (currency ^ row.currency)) |
    (row.priceFloor - (columns[place + MIN_PRICE] ?? 0)) |
    ((columns[place + MAX_PRICE] ?? 0) - row.priceCeiling) |
    (row.bedroomsFloor - (columns[place + MIN_BEDROOMS] ?? 0)) |
    ((columns[place + MAX_BEDROOMS] ?? 0) - row.bedroomsCeiling) |
    (row.bathroomsFloor - (columns[place + MIN_BATHROOMS] ?? 0))
  );
}

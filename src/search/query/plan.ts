// Search plan: a parsed query as conditions, sort and page, with its names resolved. Pure.

import type { NamedArea } from '../../areas/name-store.ts';
import type { Point } from '../../geometry/geometry.ts';
import { type Cursor, queryDigest, readCursor } from '../../http/input/cursor.ts';
import { ListingSchema } from '../../listings/record.ts';
import { type Fields, parseFields } from '../../listings/sparse-fields.ts';
import type { ListingType, UnitSystem } from '../../listings/vocabulary.ts';
import type { Condition, TextCondition } from './condition.ts';
import { conditionsOf } from './filters.ts';
import { type NormalizedQuery, normalizeQuery } from './normalize-query.ts';
import { answerParameters, type SearchQuery } from './parameters.ts';
import { parseSort, type SortTerm, valueKindOf } from './sort.ts';
import { DEFAULT_STATUS } from './statuses.ts';

/** The way in which listings with equal keys stand: cursors of another way end. */
const ORDER_VERSION = 2;

export interface SearchPlan {
  readonly listingType: ListingType;
  readonly conditions: readonly Condition[];
  readonly order: readonly SortTerm[];
  /** What `distance` is measured from. */
  readonly centre: Point | null;
  /** What `relevance` is relevant to. */
  readonly text: TextCondition | null;
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
  /** What money is in, ISO 4217: as it was asked for, or as the cursor says; null: not told. */
  readonly currency: string | null;
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
  const plain = normalizeQuery(query);
  const { cursor: cursorText, count, fields, include, display } = plain;
  const units = plain.units ?? 'imperial';
  const order = parseSort(plain);
  // The same query with its parameters in another order, or with a default spelt out, is the same query.
  const whole = { ...filterParameters(plain), units, sort: order, status: plain.status ?? DEFAULT_STATUS };
  const digest = queryDigest([
    ORDER_VERSION,
    listingType,
    Object.entries(whole).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
  const cursor = cursorText === undefined ? null : readCursor(cursorText, digest, order.map(valueKindOf));
  const startedAt = cursor?.startedAt ?? now;
  const conditions = conditionsOf(plain, units, startedAt);
  return {
    listingType,
    conditions,
    order,
    centre: plain.lat === undefined || plain.lng === undefined ? null : { lat: plain.lat, lng: plain.lng },
    text: conditions.find((condition) => condition.kind === 'text') ?? null,
    limit,
    cursor,
    digest,
    startedAt,
    count: count ?? 'estimate',
    fields: parseFields(fields, ListingSchema, include),
    units,
    ignoreDisplayRules: display === 'ignore',
    currency: plain.currency?.toUpperCase() ?? cursor?.currency ?? null,
  };
}

/** What is no filter: it says what of the results is shown, and how. */
const SHAPING: ReadonlySet<string> = new Set([
  ...Object.keys(answerParameters).filter((name) => name !== 'sort' && name !== 'units'),
]);

/** The parameters of a query that decide which listings there are and in which order. */
function filterParameters(query: NormalizedQuery): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !SHAPING.has(name)));
}

/** What is known of how many active listings lie in shapes. */
export interface ShapeEstimate {
  /** About how many. */
  readonly listings: number;
  /** Which share that is of all active listings of their type, from 0 to 1. */
  readonly share: number;
}

/** What the words of a query stand for: themselves or the names they misspell, and the areas called so. */
export interface WordMeaning {
  readonly spellings: readonly string[];
  readonly areaNos: readonly number[];
}

export type WordMeanings = ReadonlyMap<string, WordMeaning>;

/** What a plan's names stand for: its areas and its words, looked up before the plan becomes SQL. */
export interface ResolvedQuery {
  readonly areas: readonly NamedArea[];
  readonly areaNos: readonly number[];
  /** Active listings in them, as the areas are counted: about so many rows are walked through at most. */
  readonly areaListings: number;
  /** About how many active listings lie in the shapes that are asked for; null: none is, or it is unknown. */
  readonly inShape: ShapeEstimate | null;
  readonly words: WordMeanings;
  /** About how many active listings meet queries of the text index, where it matters. */
  readonly sizes: ReadonlyMap<string, number>;
}

// Search plan: a parsed query as conditions, sort and page, with its names resolved. Pure.

import type { Reach } from '../../access/tiers/reach.ts';
import type { NamedArea } from '../../areas/name-store.ts';
import type { Point } from '../../geometry/geometry.ts';
import { type Cursor, queryDigest, readCursor, type ValueKind } from '../../http/input/cursor.ts';
import { Faults, readAll } from '../../http/input/faults.ts';
import { nearest } from '../../lib/nearest.ts';
import { invalidParameter } from '../../lib/problem.ts';
import { SORT_KEYS, type SortKey } from '../../listings/common-parameters.ts';
import { ListingSchema } from '../../listings/record.ts';
import { type Fields, parseFields } from '../../listings/sparse-fields.ts';
import type { ListingType, UnitSystem } from '../../listings/vocabulary.ts';
import type { Condition, TextCondition } from './condition.ts';
import { conditionsOf } from './filters.ts';
import { type NormalizedQuery, normalizeQuery } from './normalize-query.ts';
import { openConditions } from './open-conditions.ts';
import { answerParameters, type SearchQuery } from './parameters.ts';
import { DEFAULT_STATUS } from './statuses.ts';

/** Version of the order among listings with equal keys: cursors of another version are refused. */
const ORDER_VERSION = 2;

export interface SearchPlan {
  readonly listingType: ListingType;
  readonly conditions: readonly Condition[];
  readonly order: readonly SortTerm[];
  /** The point that `distance` is measured from. */
  readonly centre: Point | null;
  /** The words that `relevance` scores. */
  readonly text: TextCondition | null;
  readonly limit: number;
  readonly cursor: Cursor | null;
  /** Ties cursors to this query. */
  readonly digest: string;
  /** When the first page was read, in milliseconds: durations and days on market count to it. */
  readonly startedAt: number;
  readonly count: 'exact' | 'none';
  readonly fields: Fields;
  readonly units: UnitSystem;
  readonly ignoreDisplayRules: boolean;
  /** What is open to the reader; `conditions` require it. */
  readonly reach: Reach;
  /** ISO 4217, from the query or its cursor; null: not given. */
  readonly currency: string | null;
}

/**
 * The plan of a parsed query, which finds only what is open. `now` in milliseconds; `limit` already fits the caller's tier. Throws INVALID_PARAMETER,
 * INVALID_GEOMETRY or INVALID_CURSOR.
 */
export function planSearch(
  listingType: ListingType,
  query: SearchQuery,
  limit: number,
  now: number,
  reach: Reach,
): SearchPlan {
  const plain = normalizeQuery(query);
  const { cursor: cursorText, count, fields, include, display } = plain;
  const units = plain.units ?? 'imperial';
  const faults = new Faults();
  const order = faults.attempt(() => parseSort(plain)) ?? [];
  const shownFields = faults.attempt(() => parseFields(fields, ListingSchema, include)) ?? null;
  // Without an order no cursor can be read, and what follows finds further faults alone.
  const isOrdered = order.length > 0;
  // The same query with its parameters in another order, or with a default spelt out, is the same query.
  const whole = { ...filterParameters(plain), units, sort: order, status: plain.status ?? DEFAULT_STATUS };
  const digest = queryDigest([
    ORDER_VERSION,
    listingType,
    Object.entries(whole).sort(([a], [b]) => (a < b ? -1 : 1)),
  ]);
  const cursor =
    cursorText === undefined || !isOrdered ? null : readCursor(cursorText, digest, order.map(valueKindOf));
  const startedAt = cursor?.startedAt ?? now;
  const requested = faults.attempt(() => conditionsOf(plain, units, startedAt)) ?? [];
  const conditions = [...requested, ...openConditions(reach)];
  faults.report();
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
    count: count === 'none' ? 'none' : 'exact',
    fields: shownFields,
    units,
    ignoreDisplayRules: display === 'ignore',
    reach,
    currency: plain.currency?.toUpperCase() ?? cursor?.currency ?? null,
  };
}

/** The parameters of a query that decide which listings it finds. */
function filterParameters(query: NormalizedQuery): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !Object.hasOwn(answerParameters, name)));
}

/** What a word of a query can mean: itself or the names it misspells, and the areas of that name. */
export interface WordMeaning {
  readonly spellings: readonly string[];
  readonly areaNos: readonly number[];
}

export type WordMeanings = ReadonlyMap<string, WordMeaning>;

/** A plan's areas and words, looked up in the database before the plan is run. */
export interface ResolvedQuery {
  readonly areas: readonly NamedArea[];
  readonly areaNos: readonly number[];
  readonly words: WordMeanings;
}

/** What all queries of one answer share. */
export interface AnswerContext {
  /** The account that waits where a query is expensive; absent: this service sends it by itself. */
  readonly caller?: string | undefined;
  /** Makes a signal that aborts when the client leaves, for expensive queries without one. */
  readonly left?: (() => AbortSignal) | undefined;
  /** True: everything that was committed before is in the answer. */
  readonly fresh?: boolean | undefined;
  /** True: it goes on with an export, and neither waits for a slot nor is refused. */
  readonly isContinued?: boolean | undefined;
  /** Monotonic milliseconds of its first expensive query: all of them share one timeout. */
  startedAt?: number;
}

/** A search that is ready to run. */
export interface ResolvedSearch {
  readonly plan: SearchPlan;
  readonly resolved: ResolvedQuery;
  /** Stops its reads; absent: nothing does. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that its queries wait for a slot; absent: until the timeout of the answer. */
  readonly maxWait?: number | undefined;
  /** True: its page is the first part of all results, and so as expensive as queries about them. */
  readonly isWhole?: boolean | undefined;
  /** Of the answer that it is a part of; a session sets it. */
  readonly context?: AnswerContext | undefined;
}

export interface SortTerm {
  readonly key: SortKey;
  readonly descending: boolean;
}

const DEFAULT_SORT = ['-listedAt'];

/** The sort order of a query. Throws INVALID_PARAMETER. */
export function parseSort({ sort = DEFAULT_SORT, q, lat }: NormalizedQuery): SortTerm[] {
  const order: SortTerm[] = [];
  for (const by of readAll(sort.map((text) => () => parseSortKey(text)))) {
    const { key } = by;
    if (order.some((before) => before.key === key)) throw invalidParameter('sort', `contains ${key} twice`);
    if (key === 'distance' && lat === undefined)
      throw invalidParameter('sort', 'distance needs lat, lng and radius');
    if (key === 'relevance' && q === undefined) throw invalidParameter('sort', 'relevance needs q');
    order.push(by);
  }
  // Many listings are equally relevant: the newest of them come first.
  const isTied = order.some(({ key }) => key === 'relevance') && !order.some(({ key }) => key === 'listedAt');
  return isTied ? [...order, { key: 'listedAt', descending: true }] : order;
}

/** `-price` or `price`, or as other APIs write them, `priceDesc` and `priceAsc`. */
function parseSortKey(text: string): SortTerm {
  const [, minus, name = '', direction] = /^(-?)(.*?)(Asc|Desc)?$/s.exec(text) ?? [];
  const key = SORT_KEYS.find((known) => known === name);
  if (key && !(minus && direction)) return { key, descending: minus === '-' || direction === 'Desc' };
  throw invalidParameter(
    'sort',
    `must be one of ${SORT_KEYS.join(', ')}; prefix with - for descending`,
    suggestedSort(text),
  );
}

/** The suggestion for a wrong sort: `price_desc`, `price:desc` and `+price` in our form, or the key with a similar name. */
function suggestedSort(text: string): string | undefined {
  const [, sign = '', name = '', direction = ''] =
    /^([+-]?)(.*?)(?:[\s_:.-]*(asc|desc)(?:ending)?)?$/is.exec(text) ?? [];
  const key = nearest(name, SORT_KEYS);
  const descending = sign === '-' || direction.toLowerCase() === 'desc';
  return key === undefined ? undefined : `${descending ? '-' : ''}${key}`;
}

/** Whether the index for a key is descending: most requests want the latest times, but the smallest of everything else. */
export const isStoredDescending = ({ key }: SortTerm): boolean => key.endsWith('At');

/** Whether ids, the last key, are descending: they have the direction of the key before them, as in the index. */
export const areIdsDescending = (order: readonly SortTerm[]): boolean => order.at(-1)?.descending ?? false;

/** The type of a key's cursor value. */
export function valueKindOf({ key }: SortTerm): ValueKind {
  return key.endsWith('At') ? 'time' : 'number';
}

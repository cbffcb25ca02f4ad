// Search backend: the questions that a search asks of whatever holds the listings.

import type { SortValue } from '../../http/input/cursor.ts';
import type { StoredListing } from '../../listings/store.ts';
import type { Status } from '../../listings/vocabulary.ts';
import type { Condition } from './condition.ts';
import type { Measure, Summaries } from './measures.ts';
import type { Facet } from './parameters.ts';
import type { AnswerContext, ResolvedSearch } from './plan.ts';

/** What a caller knows of a listing. */
export interface KnownListing {
  readonly id: string;
}

/** What is known of this version of a listing, so that its record need not be read. */
export type FindKnown<Known extends KnownListing> = (id: string, version: number) => Known | undefined;

export interface SearchHit<Known extends KnownListing = never> {
  readonly listing: StoredListing | Known;
  /** What it was sorted by. Cursors need it, and so only of the ends of a page. */
  values(): readonly SortValue[];
}

export interface HitPage<Known extends KnownListing = never> {
  /** In the order of the plan, also behind a cursor that leads backwards. */
  readonly hits: readonly SearchHit<Known>[];
  /** Whether more results follow in the direction of the page. */
  readonly more: boolean;
  /** All results of the search, counted along with the page; null: `count` tells. */
  readonly total: number | null;
}

export interface FacetCount {
  /** Of `priceBucket` the number of the bucket, from 1. */
  readonly value: string | number;
  readonly count: number;
}

export interface FacetLimits {
  /** The most values of each facet. */
  readonly max: number;
  /** The width of the buckets of prices, a whole number; null: by their usual edges. */
  readonly priceStep: number | null;
}

export interface FacetValues {
  /** All results, counted in the same pass, so that total and facets never contradict each other. */
  readonly total: number;
  /** Most frequent first; ties by value as text, ascending. Unknown values are not counted. */
  readonly values: ReadonlyMap<Facet, readonly FacetCount[]>;
}

export interface CellGrid {
  /** Letters of the geohash of a cell. */
  readonly letters: number;
  /** The most cells. */
  readonly limit: number;
  /** Count, column and row of the last cell that was read; undefined: from the start. */
  readonly after: readonly number[] | undefined;
}

/** A cell of a map with results. */
export interface Cell {
  readonly column: number;
  readonly row: number;
  /** The mean position of its listings. */
  readonly lat: number;
  readonly lng: number;
  readonly count: number;
  /** Over listings with a price; rents per month. Null if no price is known. */
  readonly medianPrice: number | null;
  /** The box around its listings. */
  readonly west: number;
  readonly south: number;
  readonly east: number;
  readonly north: number;
}

/** How many parts of a map there are: two to the power of these, around the earth and from pole to pole. */
export interface MapGrid {
  readonly bits: { readonly lng: number; readonly lat: number };
  /** From more results with a position on they are answered as cells. */
  readonly maxPoints: number;
  /** The most cells. */
  readonly maxCells: number;
}

/** One result on a map, at the position that its reader may see. */
export interface MapPoint {
  readonly id: string;
  readonly lng: number;
  readonly lat: number;
  readonly status: Status;
  /** Rents per month. */
  readonly price: number | null;
  readonly closePrice: number | null;
  readonly bedrooms: number | null;
  /** Whether the last change of its price was a reduction. */
  readonly isReduced: boolean;
  /** Whether its place is approximate. */
  readonly isApproximate: boolean;
  /** Milliseconds since the epoch. */
  readonly listedAt: number | null;
}

export interface MapPoints {
  /** All results, and those with a position. */
  readonly total: number;
  readonly located: number;
  /** Over results with a price, as in the cells: rents per month, of sold homes what they closed at where that is known. */
  readonly medianPrice: number | null;
  /** Ids of the data sources of all results, in alphabetical order. */
  readonly sources: readonly string[];
  /** By id; empty if there are more than may be shown by themselves. */
  readonly points: readonly MapPoint[];
  /** The largest first; empty if all results are points. */
  readonly cells: readonly Cell[];
}

/**
 * All answers are exact and of the moment. A question rejects with the reason of the signal of its search, or with
 * OVERLOADED or DATABASE_UNAVAILABLE where it takes too long.
 */
export interface SearchBackend {
  /** The results behind the cursor of the plan, at most `limit` of them; `known` may spare reading some. */
  page<Known extends KnownListing = never>(
    search: ResolvedSearch,
    known?: FindKnown<Known>,
  ): Promise<HitPage<Known>>;
  /** Whether pages of this search bring their total; absent: none does. Where they do not, it is counted beside them. */
  countsAlong?(search: ResolvedSearch): boolean;
  /** How many results there are, wherever the cursor stands. */
  count(search: ResolvedSearch): Promise<number>;
  facets(search: ResolvedSearch, facets: readonly Facet[], limits: FacetLimits): Promise<FacetValues>;
  /** Results by cells, the largest first; ties by column, then row, ascending. */
  cells(search: ResolvedSearch, grid: CellGrid): Promise<readonly Cell[]>;
  /** The results on a map, with what a view says of all of them, in one pass. */
  points(search: ResolvedSearch, grid: MapGrid): Promise<MapPoints>;
  /** The results as they stand, summed up in these measures: `price`, `perArea` (a square foot) and `age` (whole days). */
  summaries(search: ResolvedSearch, measures: readonly Measure[]): Promise<Summaries>;
  /**
   * How many listings meet each set of conditions, of all that a search of the plan's type may show in the plan's currency,
   * whatever its other conditions.
   */
  countEach(search: ResolvedSearch, sets: readonly (readonly Condition[])[]): Promise<readonly number[]>;
  /** Those of these currencies that results have, in alphabetical order; ISO 4217. */
  currencies(search: ResolvedSearch, among: readonly string[]): Promise<readonly string[]>;
  /** Ids of the data sources of all results, in alphabetical order. */
  sources(search: ResolvedSearch): Promise<readonly string[]>;
}

/** Queries of one answer: they read one state of the listings, and share one timeout where they are expensive. */
export interface SearchSession extends SearchBackend {
  /** Milliseconds: what was answered may lack changes that are no older; null: it lacks none. */
  lagMs(): number | null;
  /** Lets go of the state. */
  close(): void;
}

export interface SearchSessions {
  /** Starts an answer; whoever opens a session closes it. */
  open(context: AnswerContext): SearchSession;
}

/** Does work with a session, and closes it. */
export async function withSession<T>(
  sessions: SearchSessions,
  context: AnswerContext,
  work: (session: SearchSession) => Promise<T>,
): Promise<T> {
  const session = sessions.open(context);
  try {
    return await work(session);
  } finally {
    session.close();
  }
}

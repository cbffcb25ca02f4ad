// Owns how the listings and the history of a property are cut into pages that stay right while both grow. Pure.

import { readCursor, writeCursor } from '../http/input/cursor.ts';
import { instant } from '../listings/market-clock.ts';
import type { HistoryRow, StoredListing } from '../listings/stored-listing.ts';

export interface Page<T> {
  readonly rows: readonly T[];
  readonly page: {
    readonly limit: number;
    readonly hasMore: boolean;
    readonly nextCursor: string | null;
    readonly prevCursor: null;
  };
}

export interface PageAsked {
  readonly limit: number;
  readonly cursor: string | undefined;
  /** What the cursor belongs to. */
  readonly digest: string;
}

/** When a listing began, as its property orders them; milliseconds since the epoch. */
function begunAt({ record, clockStart, createdAt }: StoredListing): number {
  const times = [record.listedAt, clockStart, record.closedAt, createdAt];
  return times.map(instant).find((at) => at !== null) ?? 0;
}

/** A page of listings, which come newest first and, of one moment, in the order of their ids. */
export function pageOfListings(listings: readonly StoredListing[], asked: PageAsked): Page<StoredListing> {
  const after = asked.cursor === undefined ? null : readCursor(asked.cursor, asked.digest, ['number']);
  const isBeyond = (listing: StoredListing): boolean => {
    if (after === null) return true;
    const [at, mark] = [begunAt(listing), Number(after.values[0])];
    return at < mark || (at === mark && listing.id > after.id);
  };
  return cut(listings.filter(isBeyond), asked, (last) => ({ value: begunAt(last), id: last.id }));
}

/**
 * A page of history, newest first. Lines of one moment have no names: the cursor counts how many of them are still to
 * come, which holds while new ones, which come before the older, are added.
 */
export function pageOfHistory(lines: readonly HistoryRow[], asked: PageAsked): Page<HistoryRow> {
  const after = asked.cursor === undefined ? null : readCursor(asked.cursor, asked.digest, ['number']);
  const mark = after === null ? Number.POSITIVE_INFINITY : Number(after.values[0]);
  const same = lines.filter(({ at }) => instant(at) === mark);
  const older = lines.filter(({ at }) => (instant(at) ?? 0) < mark);
  const left = after === null ? 0 : Math.min(same.length, Number(after.id) || 0);
  const rest = [...same.slice(same.length - left), ...older];
  return cut(rest, asked, (last, following) => ({
    value: instant(last.at) ?? 0,
    id: String(following.filter(({ at }) => at === last.at).length),
  }));
}

function cut<T>(
  rest: readonly T[],
  { limit, digest }: PageAsked,
  markOf: (last: T, following: readonly T[]) => { readonly value: number; readonly id: string },
): Page<T> {
  const rows = rest.slice(0, limit);
  const last = rows.at(-1);
  const following = rest.slice(limit);
  const hasMore = following.length > 0;
  if (!hasMore || last === undefined)
    return { rows, page: { limit, hasMore: false, nextCursor: null, prevCursor: null } };
  const { value, id } = markOf(last, following);
  const nextCursor = writeCursor({ query: digest, direction: 'next', startedAt: 0, values: [value], id });
  return { rows, page: { limit, hasMore, nextCursor, prevCursor: null } };
}

// Pages of a property's listings and history, newest first. They neither skip nor repeat entries while both grow.

import { queryDigest, readCursor, writeCursor } from '../http/input/cursor.ts';
import { parseTime } from '../lib/clock.ts';
import { startedAt } from '../listings/listed-at.ts';
import type { HistoryRow, StoredListing } from '../listings/store.ts';

interface PageRequest {
  readonly limit: number;
  readonly cursor: string | undefined;
  /** The property whose entries are listed. */
  readonly propertyId: string;
}

/** The last entry before a page: its time in milliseconds, and its rank among entries of that time. */
interface Position {
  readonly at: number;
  readonly id: string;
}

/** A page of listings, ordered by start and then by id. */
export function pageOfListings(listings: readonly StoredListing[], request: PageRequest) {
  const digest = queryDigest([request.propertyId, 'listings']);
  const last = readPosition(request.cursor, digest);
  const rest = listings.filter((listing) => {
    const at = startedAt(listing);
    return last === null || at < last.at || (at === last.at && listing.id > last.id);
  });
  return firstPage(rest, request.limit, digest, (row) => ({ at: startedAt(row), id: row.id }));
}

/**
 * A page of history. Events of one moment have no ids: the cursor counts those that are left, which stays right while new
 * events are added before them.
 */
export function pageOfHistory(entries: readonly HistoryRow[], request: PageRequest) {
  const digest = queryDigest([request.propertyId, 'history']);
  const last = readPosition(request.cursor, digest);
  const same = last === null ? [] : entries.filter(({ at }) => parseTime(at) === last.at);
  const left = Math.min(same.length, Number(last?.id) || 0);
  const older = entries.filter(({ at }) => last === null || (parseTime(at) ?? 0) < last.at);
  return firstPage(
    [...same.slice(same.length - left), ...older],
    request.limit,
    digest,
    (row, following) => ({
      at: parseTime(row.at) ?? 0,
      id: String(following.filter(({ at }) => at === row.at).length),
    }),
  );
}

function readPosition(cursor: string | undefined, digest: string): Position | null {
  if (cursor === undefined) return null;
  const { values, id } = readCursor(cursor, digest, ['number']);
  return { at: Number(values[0]), id };
}

function firstPage<T>(
  rest: readonly T[],
  limit: number,
  digest: string,
  positionOf: (row: T, following: readonly T[]) => Position,
) {
  const [rows, following] = [rest.slice(0, limit), rest.slice(limit)];
  const last = rows.at(-1);
  if (last === undefined || following.length === 0)
    return { rows, page: { limit, hasMore: false, nextCursor: null, prevCursor: null } };
  const { at, id } = positionOf(last, following);
  const nextCursor = writeCursor({ query: digest, direction: 'next', startedAt: 0, values: [at], id });
  return { rows, page: { limit, hasMore: true, nextCursor, prevCursor: null } };
}

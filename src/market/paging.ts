// Paging of market statistics by offset.

import { queryDigest, readCursor, writeCursor } from '../http/input/cursor.ts';

/** Where in the whole a request goes on, and the moment to which all pages of it count. */
export interface Place {
  readonly digest: string;
  readonly first: number;
  readonly now: number;
  /** What money is in on all pages; null: not told yet. */
  readonly currency: string | null;
}

/** Reads where to go on. Throws INVALID_CURSOR for a cursor of another request. */
export function parseOffset(
  operation: string,
  asked: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
  now: number,
): Place {
  const { cursor, limit: _limit, ...rest } = asked;
  const digest = queryDigest([operation, Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))]);
  if (cursor === undefined) return { digest, first: 0, now, currency: null };
  const { values, startedAt, currency = null } = readCursor(cursor, digest, ['number']);
  return { digest, first: Math.max(0, Math.trunc(Number(values[0] ?? 0))), now: startedAt, currency };
}

/** The part of the whole that fits the page, and the page itself. */
export function cut<T>(whole: readonly T[], { digest, first, now, currency }: Place, limit: number) {
  const hasMore = first + limit < whole.length;
  const nextCursor = hasMore
    ? writeCursor({
        ...{ query: digest, direction: 'next', startedAt: now, id: '', currency },
        values: [first + limit],
      })
    : null;
  return { part: whole.slice(first, first + limit), page: { limit, hasMore, nextCursor, prevCursor: null } };
}

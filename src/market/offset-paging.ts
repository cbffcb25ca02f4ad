// Paging of market statistics by offset.

import { queryDigest, readCursor, writeCursor } from '../http/input/cursor.ts';

/** The first item of a page, with the time and currency that all pages share. */
export interface Offset {
  readonly digest: string;
  readonly first: number;
  readonly now: number;
  /** Null until the first page has determined it. */
  readonly currency: string | null;
}

/** The offset in the cursor, 0 without one. Throws INVALID_CURSOR for a cursor of another request. */
export function parseOffset(
  operation: string,
  query: { readonly cursor?: string | undefined; readonly limit?: number | undefined },
  now: number,
): Offset {
  const { cursor, limit: _limit, ...rest } = query;
  const digest = queryDigest([operation, Object.entries(rest).sort(([a], [b]) => (a < b ? -1 : 1))]);
  if (cursor === undefined) return { digest, first: 0, now, currency: null };
  const { values, startedAt, currency = null } = readCursor(cursor, digest, ['number']);
  return { digest, first: Math.max(0, Math.trunc(Number(values[0] ?? 0))), now: startedAt, currency };
}

/** The items of one page, and its `page` object. */
export function paginate<T>(all: readonly T[], { digest, first, now, currency }: Offset, limit: number) {
  const hasMore = first + limit < all.length;
  const nextCursor = hasMore
    ? writeCursor({
        query: digest,
        direction: 'next',
        startedAt: now,
        id: '',
        currency,
        values: [first + limit],
      })
    : null;
  return { items: all.slice(first, first + limit), page: { limit, hasMore, nextCursor, prevCursor: null } };
}

// Pages of an owner's watchers, the newest first.

import { queryDigest, readCursor, writeCursor } from '../http/input/cursor.ts';
import type { Database } from '../postgres/client/database.ts';
import type { WatcherStatus } from './matching/watcher-definition.ts';
import type { Watcher } from './watcher.ts';
import { listWatchers } from './watcher-store.ts';

export interface WatcherPageRequest {
  readonly owner: string;
  readonly status: WatcherStatus | undefined;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** A page; a watcher that is created while a client pages is on no later page. Throws INVALID_CURSOR. */
export async function findWatcherPage(database: Database, request: WatcherPageRequest) {
  const { owner, status, limit, cursor: text } = request;
  const query = queryDigest(['watchers', owner, status ?? null]);
  const cursor = text === undefined ? null : readCursor(text, query, ['number']);
  const direction = cursor?.direction ?? 'next';
  const from = cursor === null ? null : Number(cursor.values[0]);
  const wanted = { owner, status, from, direction, limit: limit + 1 };
  const found = await database.read((sql) => listWatchers(sql, wanted));
  const watchers = found.slice(0, limit);
  if (direction === 'previous') watchers.reverse();
  const hasBeyond = found.length > limit;
  const hasMore = direction === 'previous' || hasBeyond;
  const hasBefore = direction === 'previous' ? hasBeyond : cursor !== null;
  const cursorAt = (watcher: Watcher | undefined, towards: 'next' | 'previous') =>
    watcher && writeCursor({ query, direction: towards, startedAt: 0, values: [watcher.no], id: watcher.id });
  const nextCursor = hasMore ? (cursorAt(watchers.at(-1), 'next') ?? null) : null;
  const prevCursor = hasBefore ? (cursorAt(watchers[0], 'previous') ?? null) : null;
  return { watchers, page: { limit, hasMore: nextCursor !== null, nextCursor, prevCursor } };
}

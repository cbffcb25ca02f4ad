// Writer of pages: a page's listings and the position after it in one transaction.

import { isDeepStrictEqual } from 'node:util';
import type { Catalogue } from '../ingest/listing-writer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import type { SourceMetrics } from './metrics.ts';
import type { Source, SourcePage } from './source.ts';
import { type StoredPosition, writePosition } from './store.ts';

export interface PageWriterOptions {
  readonly source: Pick<Source, 'id'>;
  readonly catalogue: Pick<Catalogue, 'write'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly metrics: SourceMetrics;
}

/** Milliseconds; a page has up to a thousand listings with all their children. */
const TRANSACTION_DEADLINE = 60_000;

/** Writes a page and returns the position after it. A page without records that leaves the position as it is writes nothing. */
export async function writePage(
  { source, catalogue, database, clock, metrics }: PageWriterOptions,
  page: SourcePage,
  before: StoredPosition,
): Promise<StoredPosition> {
  const at = clock.now();
  const after = positionAfter(page, before, at);
  const moves = !isDeepStrictEqual({ ...after, total: before.total, updatedAt: before.updatedAt }, before);
  if (!moves && page.drafts.length === 0 && page.gone.length === 0) return before;
  const written = await database.transaction(
    async (tx) => {
      const isFirstLoad = before.loadedAt === null;
      const counts = await catalogue.write(tx, source.id, page.drafts, at, page.gone, isFirstLoad);
      if (moves && !(await writePosition(tx, source.id, after)))
        throw new Error('Another process has read this source meanwhile');
      return counts;
    },
    { timeout: TRANSACTION_DEADLINE, planned: 'once' },
  );
  for (const result of ['created', 'changed', 'unchanged', 'removed'] as const)
    metrics.records(result, written[result]);
  return moves ? { ...after, version: before.version + 1 } : before;
}

/** The first load is complete with the first page that is a last one. */
function positionAfter(page: SourcePage, before: StoredPosition, at: number): StoredPosition {
  const now = new Date(at).toISOString();
  const moved = { ...before, position: page.next, updatedAt: now };
  if (before.loadedAt !== null) return moved;
  const { loaded, total } = page.restarted ? { loaded: 0, total: null } : before;
  return {
    ...moved,
    loaded: loaded + page.drafts.length,
    total: page.total ?? total,
    loadedAt: page.last ? now : null,
  };
}

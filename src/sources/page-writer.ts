// Writer of pages: a page's listings and the position after it in one transaction.

import { isDeepStrictEqual } from 'node:util';
import type { Catalogue } from '../ingest/listing-writer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../postgres/client/database.ts';
import type { SourceMetrics } from './metrics.ts';
import type { Source, SourcePage } from './source.ts';
import { type KeptPosition, writePosition } from './store.ts';

export interface PageWriterOptions {
  readonly source: Pick<Source, 'id'>;
  readonly catalogue: Pick<Catalogue, 'write'>;
  readonly database: Database;
  readonly clock: Clock;
  readonly measured: SourceMetrics;
}

/** A page is two hundred listings with all that hangs on them. */
const TRANSACTION_DEADLINE = 60_000;

/** Another process has written since we read: what we know is old. */
class PositionMoved extends Error {
  override readonly name = 'PositionMoved';
}

/** Writes a page and gives the position that is now kept. Nothing is written where nothing was said. */
export async function writePage(
  options: PageWriterOptions,
  page: SourcePage,
  kept: KeptPosition,
): Promise<KeptPosition> {
  const { database, clock, source } = options;
  const at = clock.now();
  const after = positionAfter(page, kept, at);
  const moves = !isDeepStrictEqual(said(after), said(kept));
  if (!moves && page.drafts.length === 0 && page.gone.length === 0) return kept;
  const done = await database.transaction(
    async (tx) => {
      const applied = await options.catalogue.write(tx, source.id, page.drafts, at, page.gone);
      if (moves && !(await writePosition(tx, source.id, after))) {
        throw new PositionMoved('Another process has read this source meanwhile');
      }
      return applied;
    },
    { timeout: TRANSACTION_DEADLINE },
  );
  for (const result of ['created', 'changed', 'unchanged', 'removed'] as const) {
    options.measured.records(result, done[result]);
  }
  return moves ? { ...after, version: kept.version + 1 } : kept;
}

const said = ({ position, loaded, loadedAt }: KeptPosition) => [position, loaded, loadedAt];

/** The first load is complete with the first last page there is. */
function positionAfter(page: SourcePage, kept: KeptPosition, at: number): KeptPosition {
  const loading = kept.loadedAt === null;
  const before = page.restarted === true ? 0 : kept.loaded;
  return {
    position: page.next,
    version: kept.version,
    loaded: loading ? before + page.drafts.length : kept.loaded,
    total: loading ? (page.total ?? (page.restarted === true ? null : kept.total)) : kept.total,
    loadedAt: loading && page.last ? new Date(at).toISOString() : kept.loadedAt,
    updatedAt: new Date(at).toISOString(),
  };
}

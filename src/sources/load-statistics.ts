// Statistics of the database after a first load.

import { analyzeListings } from '../ingest/listing-store.ts';
import type { Log } from '../lib/log.ts';
import type { Database } from '../postgres/client/database.ts';

/** Milliseconds; ANALYZE reads a sample of each table, whatever its size. */
const DEADLINE = 300_000;

/** Renews the statistics, without which searches are planned worse until autovacuum runs. Never throws. */
export async function renewStatistics({
  database,
  log,
  source,
}: {
  readonly database: Database;
  readonly log: Pick<Log, 'warn'>;
  readonly source: { readonly id: string };
}): Promise<void> {
  await database.write(analyzeListings, { timeout: DEADLINE }).catch((error: unknown) => {
    log.warn({ source: source.id, err: error }, 'The statistics of the database could not be renewed');
  });
}

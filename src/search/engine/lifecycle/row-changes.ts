// Row changes: entries of the log as the engine applies them.

import type { ChangeEntry, ListingChange } from '../../../changes/change.ts';
import { pause } from '../../../lib/clock.ts';
import type { ChangeState } from '../../../listings/change-state.ts';
import type { Database } from '../../../postgres/client/database.ts';
import type { RowChange } from './generation-writer.ts';
import { findVersions } from './version-store.ts';

interface Retrying {
  readonly report: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Milliseconds. */
const RETRY_PAUSE = 250;

/**
 * The changes of listings among entries of the log. Processes of earlier releases do not write versions: those are read, and may be
 * newer than the row, of which a later entry tells then. Tried until the database answers or the signal aborts.
 */
export async function rowChanges(
  database: Database,
  entries: readonly ChangeEntry<ChangeState>[],
  { report, signal }: Retrying,
): Promise<readonly RowChange[]> {
  const changes = entries.filter((entry) => entry.kind !== 'watcher');
  const unversioned = changes.filter(({ after }) => after.version === undefined);
  if (unversioned.length === 0) return changes.map((change) => rowChange(change, new Map()));
  const ids = unversioned.map(({ listingId }) => listingId);
  while (!signal.aborted) {
    const versions = await database.read((sql) => findVersions(sql, ids)).catch(report);
    if (versions) return changes.map((change) => rowChange(change, versions));
    await pause(database.clock, RETRY_PAUSE, signal);
  }
  return [];
}

const rowChange = (
  { sequence, listingId, after: { row, version } }: ListingChange<ChangeState>,
  versions: ReadonlyMap<string, number>,
): RowChange => ({ sequence, row, version: version ?? versions.get(listingId) ?? 0 });

// Loading of all watchers, as they were at a position in the log of changes.

import { headSequence } from '../../changes/change-store.ts';
import type { Database } from '../../postgres/client/database.ts';
import { QUOTA_ACTION } from '../events/quota-entry.ts';
import type { BatchMatcher } from './batch-matcher.ts';
import { findEntryBefore, loadDefinitions, loadEntriesAfter, type WatcherEntry } from './definition-store.ts';
import type { WatcherDefinition } from './watcher-definition.ts';

/** Adds the watchers as they were at this position. Returns the position to read the log from. */
export async function loadWatchers(
  database: Database,
  position: number,
  matcher: BatchMatcher,
): Promise<number> {
  const head = await database.read(headSequence);
  for await (const definitions of loadDefinitions(database))
    for (const definition of definitions) matcher.add(definition);
  // The table is ahead of the position by the entries after it; all that the table showed are read here.
  const rewound = new Set<string>();
  let first: number | null = null;
  for await (const entries of loadEntriesAfter(database, position))
    for (const entry of entries) {
      first ??= entry.sequence;
      if (entry.action === QUOTA_ACTION || rewound.has(entry.watcherId)) continue;
      rewound.add(entry.watcherId);
      await rewind(database, entry, position, matcher);
    }
  // While nothing was ever matched, what was before the first watcher concerns nobody.
  return position > 0 ? position : (first ?? head + 1) - 1;
}

/** Brings a watcher back to what it was before its first entry past the position. */
async function rewind(
  database: Database,
  first: WatcherEntry,
  position: number,
  matcher: BatchMatcher,
): Promise<void> {
  const earlier =
    first.action === 'created'
      ? null
      : await database.read((sql) => findEntryBefore(sql, first.watcherId, position));
  const definition = earlier?.data ?? guessEarlier(first);
  if (definition?.status === 'active') matcher.add(definition);
  else matcher.remove(first.data.no);
}

/** Where the log no longer has an earlier entry: what must have been for this one to follow. */
function guessEarlier({ action, data }: WatcherEntry): WatcherDefinition | null {
  if (action === 'created' || action === 'resumed') return null;
  return action === 'updated' || action === 'digest' ? data : { ...data, status: 'active' };
}

// Loading of a shard: its watchers as they were where the shard stands in the log of changes.

import { headSequence } from '../../changes/change-store.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { BatchMatcher } from './batch-matcher.ts';
import { findEntriesAfter, findEntryBefore, loadDefinitions, type WatcherEntry } from './definition-store.ts';
import type { ShardLease } from './lease-store.ts';
import type { WatcherDefinition } from './watcher-definition.ts';

/** Adds the watchers of a leased shard. Returns the position to read the log from. */
export async function loadShard(
  database: Database,
  { shard, position }: ShardLease,
  matcher: BatchMatcher,
): Promise<number> {
  const head = await database.read(headSequence);
  for await (const definitions of loadDefinitions(database, shard))
    for (const definition of definitions) matcher.add(definition);
  // The table is ahead of the shard by the entries that the shard has not passed; all that the table showed are read here.
  const entries = await database.read((sql) => findEntriesAfter(sql, position, shard), { timeout: 60_000 });
  for (const [first] of Map.groupBy(entries, ({ watcherId }) => watcherId).values())
    if (first !== undefined) await rewind(database, first, position, matcher);
  // A shard that was never worked for has nothing to say of what was before its first watcher.
  return position > 0 ? position : (entries[0]?.sequence ?? head + 1) - 1;
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

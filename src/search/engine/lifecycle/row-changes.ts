// Row changes: entries of the log as the engine applies them.

import { type ChangeEntry, isListingChange, type ListingChange } from '../../../changes/change.ts';
import { pause } from '../../../lib/clock.ts';
import { eventLoop } from '../../../lib/scheduler.ts';
import type { ChangeState } from '../../../listings/change-state.ts';
import type { Database } from '../../../postgres/client/database.ts';
import { isIndexed, isIndexedWord } from '../columns/columns.ts';
import { hashWord } from '../columns/word-hash.ts';
import { findLoadedRows, findWordsAndVersions, type WordsAndVersion } from './current-store.ts';
import type { RowChange } from './generation-writer.ts';

interface Retrying {
  readonly report: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Milliseconds. */
const RETRY_PAUSE = 250;

/**
 * The changes of listings among entries of the log, in their order, with the hashed words of those that are indexed, which are not in
 * the log, as they are now: where they are newer than the row, a later entry has their listing again. So it is with what a first load
 * created, of which all is read from the tables. Tried until the database answers or the signal aborts.
 */
export async function rowChanges(
  database: Database,
  entries: readonly ChangeEntry<ChangeState>[],
  { report, signal }: Retrying,
): Promise<readonly RowChange[]> {
  const changes = entries.filter(isListingChange);
  const loads = entries.filter((entry) => entry.kind === 'load').map(({ batchId }) => batchId);
  const indexed = changes
    .filter(({ after }) => isIndexed(after.row.status))
    .map(({ listingId }) => listingId);
  if (indexed.length + loads.length === 0) return changes.map((change) => rowChange(change, undefined));
  while (!signal.aborted) {
    const found = await database
      .read(
        async (sql) => [await findWordsAndVersions(sql, indexed), await findLoadedRows(sql, loads)] as const,
      )
      .catch(report);
    if (found) {
      const [current, loaded] = found;
      const rows: RowChange[] = [];
      await eventLoop.forEach(loaded, ({ words, ...change }) =>
        rows.push({ ...change, words: hashesOf(words) }),
      );
      await eventLoop.forEach(changes, (change) =>
        rows.push(rowChange(change, current.get(change.listingId))),
      );
      return loaded.length === 0 ? rows : rows.sort((a, b) => a.sequence - b.sequence);
    }
    await pause(database.clock, RETRY_PAUSE, signal);
  }
  return [];
}

/** Processes of earlier releases do not write versions: there the current one stands in. */
const rowChange = (
  { sequence, after: { row, version } }: ListingChange<ChangeState>,
  current: WordsAndVersion | undefined,
): RowChange => ({
  sequence,
  row,
  version: version ?? current?.version ?? 0,
  words: hashesOf(current?.words ?? []),
});

const hashesOf = (words: readonly string[]): number[] =>
  words.filter((word) => isIndexedWord(word.charCodeAt(0))).map(hashWord);

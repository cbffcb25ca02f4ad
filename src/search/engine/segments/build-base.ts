// Building of bases: listings loaded from the database or merged in memory, and made segments.

import type { ListingType } from '../../../listings/vocabulary.ts';
import type { Database } from '../../../postgres/client/database.ts';
import type { Dictionaries } from '../columns/dictionary.ts';
import type { Generation, Segment, Table } from '../columns/segment.ts';
import { listWords, mergeWords, type RowWords } from '../columns/tail-words.ts';
import { mergeSegment } from './build-segment.ts';
import { type LoadProgress, loadListings } from './load-store.ts';

/** Segments as of a sequence of the log. */
export interface Base {
  readonly segments: Readonly<Record<ListingType, Segment>>;
  readonly dictionaries: Dictionaries;
  readonly sequence: number;
}

export interface BaseBuilder {
  /** All listings that the engine holds, in one snapshot of the database. Progress comes first before any row was read. */
  load(onProgress: (progress: LoadProgress) => void, signal: AbortSignal): Promise<Base>;
  /** The segments of a generation without its tails and without what is gone, with the same codes. */
  merge(generation: Generation, signal: AbortSignal): Promise<Base['segments']>;
  /** Ends what is under way, which rejects. */
  close(): Promise<void>;
}

/** A builder in this thread, which it holds up: where a thread of its own would not find the database. */
export function createLocalBuilder(database: Database): BaseBuilder {
  const closing = new AbortController();
  return {
    load: (onProgress, signal) => loadBase(database, onProgress, AbortSignal.any([signal, closing.signal])),
    async merge({ tables }) {
      closing.signal.throwIfAborted();
      return mergeTables(mergedTables(tables));
    },
    async close() {
      closing.abort(new Error('The builder of the search engine was closed'));
    },
  };
}

export const loadBase = async (
  database: Database,
  ...how: Parameters<BaseBuilder['load']>
): Promise<Base> => {
  const { columns, words, dictionaries, sequence } = await loadListings(database, ...how);
  const segmentOf = (type: ListingType) =>
    mergeSegment(null, NONE, columns[type], NONE, (source) => words[type].build(source));
  const segments = { rental: segmentOf('rental'), sale: segmentOf('sale') };
  return { segments, dictionaries, sequence };
};

const NONE = new Uint32Array();

/** What a merge reads of a table. */
export interface MergedTable extends Pick<Table, 'base' | 'baseRemoved' | 'tail' | 'tailRemoved'> {
  readonly words: RowWords;
}

export type MergedTables = Readonly<Record<ListingType, MergedTable>>;

/** What a merge reads of tables: memory that threads share, so that a message carries it at once. */
export const mergedTables = ({ rental, sale }: Generation['tables']): MergedTables => ({
  rental: mergedTable(rental),
  sale: mergedTable(sale),
});

const mergedTable = ({ base, baseRemoved, tail, tailRemoved, tailWords }: Table): MergedTable => ({
  base,
  baseRemoved,
  tail,
  tailRemoved,
  words: tailWords.byRow(),
});

export function mergeTables(tables: MergedTables): Base['segments'] {
  return { rental: mergeTable(tables.rental), sale: mergeTable(tables.sale) };
}

const mergeTable = ({ base, baseRemoved, tail, tailRemoved, words }: MergedTable) =>
  mergeSegment(base, baseRemoved, tail, tailRemoved, (source) =>
    mergeWords(base.words, listWords(words, tail.rows), source, base.rows),
  );

// Building of bases: listings loaded from the database or merged in memory, and made segments.

import type { ListingType } from '../../../listings/vocabulary.ts';
import type { Database } from '../../../postgres/client/database.ts';
import type { Generation, Table } from '../columns/segment.ts';
import { listWords, mergeWords, type RowWords } from '../columns/tail-words.ts';
import type { Base, BaseBuilder } from './base-builder.ts';
import { mergeSegment } from './build-segment.ts';
import { loadListings } from './load-store.ts';

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
  ...{ base, baseRemoved, tail, tailRemoved },
  words: tailWords.byRow(),
});

export function mergeTables(tables: MergedTables): Base['segments'] {
  return { rental: mergeTable(tables.rental), sale: mergeTable(tables.sale) };
}

const mergeTable = ({ base, baseRemoved, tail, tailRemoved, words }: MergedTable) =>
  mergeSegment(base, baseRemoved, tail, tailRemoved, (source) =>
    mergeWords(base.words, listWords(words, tail.rows), source, base.rows),
  );

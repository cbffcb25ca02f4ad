// SQL of what the log does not tell of listings: their words, their versions where earlier releases wrote it, and all of those that a
// first load created.

import type { SearchRow } from '../../../listings/search-row.ts';
import type { Sql } from '../../../postgres/client/database.ts';
import { INDEXED_STATUSES } from '../columns/columns.ts';

export interface WordsAndVersion {
  /** Lexemes of listing_text.words. */
  readonly words: readonly string[];
  /** listing.version */
  readonly version: number;
}

/** Of these listings, by id, as they are now. */
export async function findWordsAndVersions(
  sql: Sql,
  ids: readonly string[],
): Promise<ReadonlyMap<string, WordsAndVersion>> {
  const rows = await sql<(WordsAndVersion & { readonly id: string })[]>`
    select id, version, tsvector_to_array(words) as words
    from listing join listing_text on listing_id = id where id = any(${[...ids]}::text[])`;
  return new Map(rows.map(({ id, ...current }) => [id, current]));
}

/** A listing that a first load created. */
export interface LoadedRow extends WordsAndVersion {
  readonly sequence: number;
  readonly row: SearchRow;
}

/** Listings that first loads created in these batches, and that have not changed since; only those that the engine holds. */
export async function findLoadedRows(sql: Sql, batchIds: readonly number[]): Promise<LoadedRow[]> {
  if (batchIds.length === 0) return [];
  return sql<LoadedRow[]>`
    select first_sequence + change_ordinal as sequence, row_to_json(search) as row, search.version, tsvector_to_array(words) as words
    from change_batch as batch
      join listing on change_batch_id = batch.id and change_ordinal >= load_ordinal and change_ordinal < load_ordinal + load_listings
      join listing_search as search on search.id = listing.id join listing_text on listing_id = listing.id
    where batch.id = any(${[...batchIds]}::bigint[]) and search.status = any(${[...INDEXED_STATUSES]}::text[])`;
}

// SQL of what the log does not tell of listings: their words, and their versions where earlier releases wrote it.

import type { Sql } from '../../../postgres/client/database.ts';

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

// SQL that resolves words: known names, similar names, and areas of that name.

import type { Database } from '../../postgres/client/database.ts';

/** The words that are known names. */
export async function findKnownNames(database: Database, words: readonly string[]): Promise<string[]> {
  const rows = await database.read(
    (sql) => sql<{ word: string }[]>`select word from search_word where word = any(${[...words]}::text[])`,
  );
  return rows.map(({ word }) => word);
}

/** Names of about the same length that share a trigram; the caller decides which ones are meant. */
export async function findSimilarNames(
  database: Database,
  trigrams: readonly string[],
  length: number,
): Promise<string[]> {
  const rows = await database.read(
    (sql) => sql<{ word: string }[]>`
      select word from search_word
      where trigrams && ${[...trigrams]}::text[] and length(word) between ${length - 2} and ${length + 2}`,
  );
  return rows.map(({ word }) => word);
}

/** An area with a word of its names. */
export interface AreaOfWord {
  readonly word: string;
  readonly areaNo: number;
}

/** The areas with any of these words in their names, by number. */
export async function findAreasByWord(database: Database, words: readonly string[]): Promise<AreaOfWord[]> {
  return database.read(
    (sql) => sql<AreaOfWord[]>`
      select word, area_no as "areaNo" from area_word where word = any(${[...words]}::text[]) order by area_no`,
  );
}

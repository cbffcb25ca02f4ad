// Owns the SQL that tells what a word can mean: known names, names like it, and the areas that are called so.

import type { Database } from '../postgres/database.ts';

/** Those of the words that are names as they stand. */
export async function findKnownNames(database: Database, words: readonly string[]): Promise<string[]> {
  const rows = await database.read(
    (sql) => sql<{ word: string }[]>`select word from search_word where word = any(${[...words]}::text[])`,
  );
  return rows.map(({ word }) => word);
}

/** Names that share a trigram and are about as long; which of them are meant, the caller tells. */
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

/** The areas with a word, among their names, that is any of these. */
export async function findAreasByWord(database: Database, words: readonly string[]): Promise<number[]> {
  const rows = await database.read(
    (sql) => sql<{ no: number }[]>`
      select distinct area_no as no from area_word where word = any(${[...words]}::text[]) order by no`,
  );
  return rows.map(({ no }) => no);
}

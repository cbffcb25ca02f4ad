// SQL that resolves words: known names, similar names, areas of that name, and estimated numbers of listings.

import type { Database } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';

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

/** The planner's estimates of the listings that match each query of the text index. */
export async function estimateSizes(database: Database, queries: readonly string[]): Promise<number[]> {
  const [row] = await database.read((sql) => {
    const selects = queries.map((query) => sql`(select from listing_text where words @@ ${query}::tsquery)`);
    // An empty last one, so that there is always a union.
    selects.push(sql`(select from listing_text where active is null)`);
    return sql<{ 'QUERY PLAN': [{ Plan: { Plans: { 'Plan Rows': number }[] } }] }[]>`
      explain (format json) ${joinSql(selects, ' union all ')}`;
  });
  const plans = row?.['QUERY PLAN'][0].Plan.Plans ?? [];
  return queries.map((_, at) => plans[at]?.['Plan Rows'] ?? 0);
}

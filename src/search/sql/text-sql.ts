// Full-text search as SQL: words as tsqueries, whether a listing has them, and its relevance. Pure.

import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import { areaWord } from '../../text/tokenize.ts';
import type { TextCondition } from '../query/condition.ts';
import type { TextField } from '../query/filter-parameters.ts';
import type { ResolvedQuery, WordMeaning, WordMeanings } from '../query/plan.ts';
import { type WordForm, wordForms } from '../query/text-forms.ts';

/** The score of a word by the field that it is in. */
export const WORTH: Readonly<Record<TextField, number>> = { id: 8, address: 4, area: 2, description: 1 };
/** The highest score first. */
export const BY_WORTH: readonly TextField[] = ['id', 'address', 'area', 'description'];

const meaningOf = (resolved: WordMeanings, word: string): WordMeaning =>
  resolved.get(word) ?? { spellings: [word], areaNos: [] };

const anyOf = (forms: readonly string[]): string => `(${forms.join('|')})`;
/** Words are letters, digits and marks, so nothing in them needs escaping. */
const quoted = (form: string): string => `'${form}'`;

/** The query of a word in any of the fields. */
export function wordQuery(word: string, fields: readonly TextField[], resolved: WordMeanings): string {
  const meaning = meaningOf(resolved, word);
  const areas = fields.includes('area') ? meaning.areaNos.map((no) => quoted(areaWord(no))) : [];
  return anyOf([...wordForms(meaning, fields).map(formQuery), ...areas]);
}

const formQuery = ({ lexeme, without }: WordForm): string =>
  without.length === 0 ? quoted(lexeme) : `(${quoted(lexeme)}&!${anyOf(without.map(quoted))})`;

/** A query for each word in any of the fields; all must match. */
export function textQueries({ words, fields }: TextCondition, resolved: WordMeanings): string[] {
  const searched = BY_WORTH.filter((field) => fields.includes(field));
  return words.map((word) => wordQuery(word, searched, resolved));
}

/** One query that matches if all of them do. */
export const togetherQuery = (queries: readonly string[]): string => queries.join('&');

/** One query for all words in any of the fields. */
export const textQuery = (text: TextCondition, resolved: WordMeanings): string =>
  togetherQuery(textQueries(text, resolved));

/** Listings of one relevance. */
export interface TextClass {
  readonly relevance: number;
  readonly query: string;
}

/** More words would make too many classes. */
const MAX_CLASSED_WORDS = 3;

/** The matches of a text in classes of equal relevance, the highest first; null for too many words. */
export function textClasses({ words, fields }: TextCondition, resolved: WordMeanings): TextClass[] | null {
  if (words.length > MAX_CLASSED_WORDS) return null;
  const searched = BY_WORTH.filter((field) => fields.includes(field));
  let ways: readonly (readonly TextField[])[] = [[]];
  for (const _ of words) ways = ways.flatMap((way) => searched.map((field) => [...way, field]));
  const classes = Map.groupBy(ways, (way) => way.reduce((sum, field) => sum + WORTH[field], 0));
  return [...classes]
    .sort(([a], [b]) => b - a)
    .map(([relevance, same]) => ({
      relevance,
      query: same.map((way) => `(${wayQuery(words, way, searched, resolved)})`).join('|'),
    }));
}

/** Each word in its field, and in none with a higher score. */
function wayQuery(
  words: readonly string[],
  way: readonly TextField[],
  searched: readonly TextField[],
  resolved: WordMeanings,
): string {
  return words
    .map((word, at) => {
      const field = way[at] ?? 'description';
      const better = searched.slice(0, searched.indexOf(field));
      // A word in no better field is in the last one if it is anywhere.
      const here = wordQuery(word, better.length === BY_WORTH.length - 1 ? BY_WORTH : [field], resolved);
      return better.length === 0 ? here : `${here}&!${wordQuery(word, better, resolved)}`;
    })
    .join('&');
}

/** Whether a row of listing_search has all words. */
export function textSql(sql: Sql, condition: TextCondition, { words }: ResolvedQuery): SqlFragment {
  return sql`exists (select from listing_text as text
    where text.listing_id = listing_search.id and text.words @@ ${textQuery(condition, words)}::tsquery)`;
}

/** Each word scores by its best field: 8 for an id, 4 address, 2 area, 1 description. */
export function relevanceSql(
  sql: Sql,
  { words, fields }: TextCondition,
  resolved: ResolvedQuery,
): SqlFragment {
  const searched = BY_WORTH.filter((field) => fields.includes(field));
  const worths = words.map((word) => {
    const cases = searched.map(
      (field) =>
        sql`when text.words @@ ${wordQuery(word, [field], resolved.words)}::tsquery then ${WORTH[field]}::double precision`,
    );
    return sql`+ case ${joinSql(cases)} else 0 end`;
  });
  return sql`0::double precision ${joinSql(worths)}`;
}

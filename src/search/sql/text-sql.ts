// Full-text search as SQL: words as tsqueries, whether a listing has them, and its relevance. Pure.

import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import { areaWord, FIELD_LETTERS } from '../../text/tokenize.ts';
import type { TextCondition } from '../query/condition.ts';
import type { TextField } from '../query/filter-parameters.ts';
import type { ResolvedQuery, WordMeaning, WordMeanings } from '../query/plan.ts';

/** What a word is worth by the field that it stands in. */
export const WORTH: Readonly<Record<TextField, number>> = { id: 8, address: 4, area: 2, description: 1 };
/** The most telling first. */
export const BY_WORTH: readonly TextField[] = ['id', 'address', 'area', 'description'];

const meaningOf = (resolved: WordMeanings, word: string): WordMeaning =>
  resolved.get(word) ?? { spellings: [word], areaNos: [] };

const anyOf = (forms: readonly string[]): string => `(${forms.join('|')})`;
/** Letters, digits and the marks before them only, so that nothing in it has to be quoted. */
const quoted = (form: string): string => `'${form}'`;

/** That a word stands in one of the fields. */
export function wordQuery(word: string, fields: readonly TextField[], resolved: WordMeanings): string {
  const { spellings, areaNos } = meaningOf(resolved, word);
  const areas = fields.includes('area') ? areaNos.map((no) => quoted(areaWord(no))) : [];
  const forms = BY_WORTH.every((field) => fields.includes(field))
    ? spellings.flatMap((form) => [quoted(form), formIn(form, 'id')])
    : fields.flatMap((field) => spellings.map((form) => formIn(form, field)));
  return anyOf([...forms, ...areas]);
}

/** A word that stands neither in the address nor in names of places stands in the description, if it is no number. */
function formIn(form: string, field: TextField): string {
  const lettered = (each: TextField): string => quoted(`${FIELD_LETTERS[each]}${form}`);
  if (field !== 'description') return lettered(field);
  return `(${lettered(field)}|(${quoted(form)}&!${anyOf([lettered('address'), lettered('area')])}))`;
}

/** That every word stands in one of the fields asked for: a query for each word, all of which must be met. */
export function textQueries({ words, fields }: TextCondition, resolved: WordMeanings): string[] {
  const searched = BY_WORTH.filter((field) => fields.includes(field));
  return words.map((word) => wordQuery(word, searched, resolved));
}

/** Queries that must all be met, as one. */
export const togetherQuery = (queries: readonly string[]): string => queries.join('&');

/** That every word stands in one of the fields asked for. */
export const textQuery = (text: TextCondition, resolved: WordMeanings): string =>
  togetherQuery(textQueries(text, resolved));

/** Listings of one relevance. */
export interface TextClass {
  readonly relevance: number;
  readonly query: string;
}

/** More words than these make too many classes. */
const MOST_CLASSED_WORDS = 3;

/** All that the text finds, parted by relevance, the highest first; null where words are too many for that. */
export function textClasses({ words, fields }: TextCondition, resolved: WordMeanings): TextClass[] | null {
  if (words.length > MOST_CLASSED_WORDS) return null;
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

/** That each word stands in its field, and in none that tells more. */
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
      // What is in none that tells more is in the last of all if it is anywhere.
      const here = wordQuery(word, better.length === BY_WORTH.length - 1 ? BY_WORTH : [field], resolved);
      return better.length === 0 ? here : `${here}&!${wordQuery(word, better, resolved)}`;
    })
    .join('&');
}

/** Whether the row of listing_search has all words. */
export function textSql(sql: Sql, condition: TextCondition, { words }: ResolvedQuery): SqlFragment {
  return sql`exists (select from listing_text as text
    where text.listing_id = listing_search.id and text.words @@ ${textQuery(condition, words)}::tsquery)`;
}

/** Each word counts by the most telling field that it stands in: 8 for an id, 4 address, 2 area, 1 description. */
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

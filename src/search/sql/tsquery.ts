// Words of a query as a tsquery of the text index. Pure.

import { areaWord, FIELD_LETTERS } from '../../text/index-terms.ts';
import type { TextCondition } from '../query/conditions.ts';
import type { TextField } from '../query/location-parameters.ts';
import type { WordMeaning, WordMeanings } from '../query/resolved-query.ts';

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

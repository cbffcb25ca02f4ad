// Owns the SQL of free text: whether a listing has the words, and how much they say of it. Pure.

import type { Sql, SqlFragment } from '../postgres/database.ts';
import { together } from '../postgres/fragments.ts';
import type { TextField } from './place-parameters.ts';
import type { TextCondition } from './search-conditions.ts';

/** What the words of a query stand for: themselves or the names they misspell, and the areas called so. */
export interface WordMeaning {
  readonly spellings: readonly string[];
  readonly areaNos: readonly number[];
}

/** What is looked up before a plan becomes SQL: the areas that it names, and its words. */
export interface Meanings {
  readonly areaNos: readonly number[];
  readonly words: ReadonlyMap<string, WordMeaning>;
}

/** The weight under which the words of a field are kept, and what a word that stands there is worth. */
const FIELDS: Readonly<Record<TextField, readonly [weight: string, worth: number]>> = {
  id: ['A', 8],
  address: ['B', 4],
  area: ['C', 2],
  description: ['D', 1],
};
const BY_WORTH: readonly TextField[] = ['id', 'address', 'area', 'description'];

/** Each word as a query of the text index; letters and digits only, so that nothing in it has to be quoted. */
const asQuery = (spellings: readonly string[], weights: string): string =>
  spellings.map((spelling) => `'${spelling}'${weights === ANYWHERE ? '' : `:${weights}`}`).join(' | ');

/** All weights: not to name them is the same, and spares a look at every listing, since the index knows no weights. */
const ANYWHERE = 'ABCD';

export function textSql(sql: Sql, { words, fields }: TextCondition, meanings: Meanings): SqlFragment {
  const weights = fields
    .map((field) => FIELDS[field][0])
    .sort()
    .join('');
  const inText: string[] = [];
  const parts: SqlFragment[] = [];
  const stands = (query: string) => sql`exists (select from listing_text as text
    where text.id = listing_search.id and text.words @@ ${query}::tsquery)`;
  for (const word of words) {
    const { spellings, areaNos } = meaningOf(meanings, word);
    const query = `(${asQuery(spellings, weights)})`;
    if (areaNos.length === 0 || !fields.includes('area')) inText.push(query);
    else parts.push(sql`(area_nos && ${[...areaNos]}::integer[] or ${stands(query)})`);
  }
  if (inText.length > 0) parts.push(stands(inText.join(' & ')));
  return together(
    sql,
    parts.map((part, place) => sql`${place === 0 ? sql`` : sql`and`} ${part}`),
  );
}

/** Each word counts by the most telling field that it stands in: 8 for an id, 4 address, 2 area, 1 description. */
export function relevanceSql(sql: Sql, { words, fields }: TextCondition, meanings: Meanings): SqlFragment {
  const worths = words.map((word) => {
    const { spellings, areaNos } = meaningOf(meanings, word);
    const cases = BY_WORTH.filter((field) => fields.includes(field)).map((field) => {
      const [weight, worth] = FIELDS[field];
      const named = field === 'area' && areaNos.length > 0;
      const inArea = named ? sql`or area_nos && ${[...areaNos]}::integer[]` : sql``;
      return sql`when text.words @@ ${asQuery(spellings, weight)}::tsquery ${inArea} then ${worth}::double precision`;
    });
    return sql`+ case ${together(sql, cases)} else 0 end`;
  });
  return sql`(select 0::double precision ${together(sql, worths)} from listing_text as text
    where text.id = listing_search.id)`;
}

const meaningOf = ({ words }: Meanings, word: string): WordMeaning =>
  words.get(word) ?? { spellings: [word], areaNos: [] };

// Full-text search as SQL: words as tsqueries, whether a listing has them, and its relevance. Pure.

import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import { areaWord } from '../../text/tokenize.ts';
import type { TextCondition } from '../query/condition.ts';
import type { TextField } from '../query/filter-parameters.ts';
import type { ResolvedQuery, WordMeaning, WordMeanings } from '../query/plan.ts';
import { type WordForm, wordForms } from '../query/text-forms.ts';

/** The score of a word by the field that it is in. */
const WORTH: Readonly<Record<TextField, number>> = { id: 8, address: 4, area: 2, description: 1 };
/** The highest score first. */
const BY_WORTH: readonly TextField[] = ['id', 'address', 'area', 'description'];

const meaningOf = (resolved: WordMeanings, word: string): WordMeaning =>
  resolved.get(word) ?? { spellings: [word], areaNos: [] };

const anyOf = (forms: readonly string[]): string => `(${forms.join('|')})`;
/** Words are letters, digits and marks, so nothing in them needs escaping. */
const quoted = (form: string): string => `'${form}'`;

/** The query of a word in any of the fields. */
function wordQuery(word: string, fields: readonly TextField[], resolved: WordMeanings): string {
  const meaning = meaningOf(resolved, word);
  const areas = fields.includes('area') ? meaning.areaNos.map((no) => quoted(areaWord(no))) : [];
  return anyOf([...wordForms(meaning, fields).map(formQuery), ...areas]);
}

const formQuery = ({ lexeme, without }: WordForm): string =>
  without.length === 0 ? quoted(lexeme) : `(${quoted(lexeme)}&!${anyOf(without.map(quoted))})`;

/** One query for all words in any of the fields. */
function textQuery({ words, fields }: TextCondition, resolved: WordMeanings): string {
  const searched = BY_WORTH.filter((field) => fields.includes(field));
  return words.map((word) => wordQuery(word, searched, resolved)).join('&');
}

/** Whether a row of listing_search has all words. */
export function textSql(sql: Sql, condition: TextCondition, { words }: ResolvedQuery): SqlFragment {
  return sql`exists (select from listing_text as text
    where text.listing_id = listing_search.id and text.words @@ ${textQuery(condition, words)}::tsquery)`;
}

/** The relevance of a row of listing_search: each word scores by its best field, 8 for an id, 4 address, 2 area, 1 description. */
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
  return sql`(select 0::double precision ${joinSql(worths)} from listing_text as text
    where text.listing_id = listing_search.id)`;
}

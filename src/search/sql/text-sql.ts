// SQL of full-text search: whether a listing has the words, and its relevance. Pure.

import type { Sql, SqlFragment } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import type { TextCondition } from '../query/conditions.ts';
import type { ResolvedQuery } from '../query/resolved-query.ts';
import { BY_WORTH, textQuery, WORTH, wordQuery } from './tsquery.ts';

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

// Owns the SQL that writes what searches read: narrow rows, words, and the names that misspelt words are held against.

import type { Sql, Transaction } from '../postgres/client/database.ts';
import { together } from '../postgres/client/fragments.ts';
import { json } from '../postgres/client/stored-json.ts';
import { addTypedCurrencies } from '../search/sql/currency-store.ts';
import { trigramsOf } from '../text/words.ts';
import { searchRow } from './search-row.ts';
import { textRow } from './text-row.ts';
import type { ListingWrite } from './write-plan.ts';

export async function writeSearchRows(
  tx: Transaction,
  writes: readonly ListingWrite[],
  observedAt: number,
): Promise<void> {
  const rows = writes.map((write) => searchRow(write, observedAt));
  const changed = Object.keys(rows[0] ?? {}).filter((column) => column !== 'id');
  await tx`
    insert into listing_search
    select * from json_populate_recordset(null::listing_search, ${json(rows)}::text::json)
    on conflict (id) do update set ${assignments(tx, changed)}`;
  await addTypedCurrencies(
    tx,
    writes.map(({ record: { listingType, currency } }) => ({ listingType, currency })),
  );
}

const assignments = (sql: Sql, columns: readonly string[]) =>
  together(
    sql,
    columns.map(
      (column, place) => sql`${place === 0 ? sql`` : sql`,`} ${sql(column)} = excluded.${sql(column)}`,
    ),
  );

export async function writeWords(
  tx: Transaction,
  writes: readonly ListingWrite[],
  observedAt: number,
): Promise<void> {
  const texts = writes.map((write) => textRow(write, observedAt));
  const rows = texts.map(({ row }) => row);
  const changed = Object.keys(rows[0] ?? {}).filter((column) => column !== 'listing_id');
  await tx`
    insert into listing_text
    select * from json_populate_recordset(null::listing_text, ${json(rows)}::text::json)
    on conflict (listing_id) do update set ${assignments(tx, changed)}
    where listing_text.* is distinct from excluded.*`;
  await writeNames(
    tx,
    texts.flatMap(({ names }) => names),
  );
}

/** Adds names, in their order so that two writers never wait for each other; a name that is known writes nothing. */
export async function writeNames(tx: Transaction, names: readonly string[]): Promise<void> {
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return;
  await tx`
    insert into search_word (word, trigrams)
    select word, string_to_array(trigrams, ${SEPARATOR}) from unnest(${distinct}::text[],
      ${distinct.map((name) => trigramsOf(name).join(SEPARATOR))}::text[]) as row (word, trigrams)
    where not exists (select from search_word as known where known.word = row.word)
    order by word on conflict do nothing`;
}

/** No word holds it. */
const SEPARATOR = '\u001e';

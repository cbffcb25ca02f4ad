// SQL that writes what searches read: narrow rows, words, names and currencies.

import type { SearchRow } from '../listings/search-row.ts';
import type { Sql, Transaction } from '../postgres/client/database.ts';
import { joinSql } from '../postgres/client/sql.ts';
import { toJson } from '../postgres/client/value-types.ts';
import type { TextRow } from './search-row.ts';

/** A search row with the version of its listing. */
export interface StoredSearchRow extends SearchRow {
  readonly version: number;
}

export async function writeSearchRows(tx: Transaction, rows: readonly StoredSearchRow[]): Promise<void> {
  const changed = Object.keys(rows[0] ?? {}).filter((column) => column !== 'id');
  await tx`
    insert into listing_search
    select * from json_populate_recordset(null::listing_search, ${toJson(rows)}::text::json)
    on conflict (id) do update set ${assignments(tx, changed)}`;
}

const assignments = (sql: Sql, columns: readonly string[]) =>
  joinSql(
    columns.map((column) => sql`${sql(column)} = excluded.${sql(column)}`),
    ', ',
  );

export async function writeTextRows(tx: Transaction, texts: readonly TextRow[]): Promise<void> {
  if (texts.length === 0) return;
  await tx`
    insert into listing_text
    select * from json_populate_recordset(null::listing_text, ${toJson(texts.map(({ row }) => row))}::text::json)
    on conflict (listing_id) do update set words = excluded.words
    where listing_text.words <> excluded.words`;
}

/** Adds currencies that are new, in one order so that two writers never deadlock. */
export async function addCurrencies(
  tx: Transaction,
  rows: readonly Pick<SearchRow, 'listing_type' | 'currency'>[],
): Promise<void> {
  await tx`
    insert into listing_currency
    select distinct listing_type, currency from unnest(${rows.map((row) => row.listing_type)}::text[],
      ${rows.map(({ currency }) => currency)}::text[]) as row (listing_type, currency)
    where not exists (select from listing_currency as known
      where known.listing_type = row.listing_type and known.currency = row.currency)
    order by 1, 2 on conflict do nothing`;
}

// SQL that writes what searches read: narrow rows, words, names and currencies.

import type { SearchRow } from '../../listings/search-row.ts';
import type { Sql, Transaction } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';
import { toJson } from '../../postgres/client/value-types.ts';
import type { SearchName } from './search-names.ts';
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
  rows: readonly Pick<SearchRow, 'listing_type' | 'currency' | 'licence'>[],
): Promise<void> {
  await tx`
    insert into listing_currency (listing_type, currency, licence_no)
    select distinct listing_type, currency, licence_no from unnest(${rows.map((row) => row.listing_type)}::text[],
      ${rows.map(({ currency }) => currency)}::text[], ${rows.map(({ licence }) => Number(licence))}::integer[])
      as row (listing_type, currency, licence_no)
    where not exists (select from listing_currency as known where known.listing_type = row.listing_type
      and known.currency = row.currency and known.licence_no = row.licence_no)
    order by 1, 2, 3 on conflict do nothing`;
}

/**
 * Adds names that are new, in one order so that two writers never deadlock. Under each licence the first that writes a name decides how it is shown, but
 * one with a comma takes the place of one without: it shows that the comma is a part of the name.
 */
export async function addSearchNames(tx: Transaction, names: readonly SearchName[]): Promise<void> {
  const distinct = new Map<string, SearchName>();
  for (const each of names) {
    const place = JSON.stringify([each.listingType, each.licenceNo, each.kind, each.key]);
    const known = distinct.get(place);
    if (known === undefined || (each.name.includes(',') && !known.name.includes(',')))
      distinct.set(place, each);
  }
  if (distinct.size === 0) return;
  const rows = [...distinct.values()];
  await tx`
    insert into search_name (listing_type, kind, key, licence_no, name)
    select listing_type, kind, key, licence_no, name from unnest(${rows.map(({ listingType }) => listingType)}::text[],
      ${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ key }) => key)}::text[],
      ${rows.map(({ licenceNo }) => licenceNo)}::integer[], ${rows.map(({ name }) => name)}::text[])
      as row (listing_type, kind, key, licence_no, name)
    where not exists (select from search_name as known
      where known.listing_type = row.listing_type and known.kind = row.kind and known.key = row.key
        and known.licence_no = row.licence_no and (known.name like '%,%' or row.name not like '%,%'))
    order by 1, 2, 3, 4
    on conflict (listing_type, kind, key, licence_no) do update set name = excluded.name
    where search_name.name not like '%,%' and excluded.name like '%,%'`;
}

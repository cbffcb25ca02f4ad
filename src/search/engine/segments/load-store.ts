// SQL of the engine's load: all listings that it holds, as one snapshot at a sequence of the log.

import { headSequence } from '../../../changes/change-store.ts';
import type { ListingType } from '../../../listings/vocabulary.ts';
import type { Database, Sql, SqlFragment } from '../../../postgres/client/database.ts';
import { joinSql } from '../../../postgres/client/sql.ts';
import { columnOf } from '../../query/condition.ts';
import { createDictionaries, type Dictionaries } from '../columns/dictionary.ts';
import type { Columns } from '../columns/segment.ts';
import type { WordCollector } from '../columns/word-index.ts';
import { COPIED_COLUMNS, CopiedRows } from './copied-rows.ts';

/** Listings in no order, as they were at a sequence of the log. */
export interface LoadedListings {
  readonly columns: Readonly<Record<ListingType, Columns>>;
  readonly words: Readonly<Record<ListingType, WordCollector>>;
  readonly dictionaries: Dictionaries;
  readonly sequence: number;
}

export interface LoadProgress {
  readonly rows: number;
  readonly total: number;
}

/** Rows between two reports of progress. */
const PROGRESS_ROWS = 10_000;

/**
 * Reads all listings that the engine holds. Progress is about as many rows as the planner believes there are. Rejects with
 * DATABASE_UNAVAILABLE, or with the signal's reason once it aborts; no transaction stays open.
 */
export function loadListings(
  database: Database,
  onProgress: (progress: LoadProgress) => void,
  signal: AbortSignal,
): Promise<LoadedListings> {
  const load = async (sql: Sql): Promise<LoadedListings> => {
    await sql`set transaction isolation level repeatable read, read only`;
    const sequence = await headSequence(sql);
    const expected = await expectedRows(sql);
    onProgress({ rows: 0, total: expected });
    const dictionaries = createDictionaries();
    const rows = new CopiedRows(dictionaries);
    let reported = 0;
    await sql.copy(sql`copy (${indexedRows(sql)}) to stdout (format binary)`, (bytes) => {
      rows.take(bytes);
      if (rows.rows < reported + PROGRESS_ROWS) return;
      reported = rows.rows;
      onProgress({ rows: reported, total: Math.max(reported, expected) });
    });
    const { rental, sale } = rows.tables;
    const columns = { rental: rental.columns.columns(), sale: sale.columns.columns() };
    return { columns, words: { rental: rental.words, sale: sale.words }, dictionaries, sequence };
  };
  // A timeout of its own makes it a transaction.
  return database.read(load, { timeout: 0, signal });
}

function indexedRows(sql: Sql): SqlFragment {
  const columns = COPIED_COLUMNS.map((column) => {
    if (column === 'lng') return sql`search.location[0]`;
    return column === 'lat' ? sql`search.location[1]` : sql`search.${sql(columnOf(column))}`;
  });
  return sql`select search.listing_type = 'sale', ${joinSql(columns, ', ')}, search.version, words
    from listing_search as search left join listing_text on listing_id = search.id
    where ${isIndexed(sql)}`;
}

/** The statuses are INDEXED_STATUSES: a COPY has no values to bind. */
const isIndexed = (sql: Sql): SqlFragment =>
  sql`search.status in ('ACTIVE', 'ACTIVE_UNDER_CONTRACT', 'COMING_SOON')`;

async function expectedRows(sql: Sql): Promise<number> {
  type Explained = { readonly 'QUERY PLAN': readonly { readonly Plan: { readonly 'Plan Rows': number } }[] };
  const [explained] = await sql<
    Explained[]
  >`explain (format json) select from listing_search as search where ${isIndexed(sql)}`;
  return explained?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
}

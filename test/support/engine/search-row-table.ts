// Search rows in the tables of a database, without the listings that they would come from.

import type { SearchRow } from '../../../src/listings/search-row.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { toJson } from '../../../src/postgres/client/value-types.ts';
import type { VersionedRow } from './check-segment.ts';

/** Writes rows with other ids than those that are there, as one transaction that has a sequence in the log. */
export async function insertSearchRows(database: Database, rows: readonly VersionedRow[]): Promise<void> {
  const listings = rows.map(({ row, version }) => ({ id: row.id, version }));
  await database.transaction(async (tx) => {
    await tx`insert into change_batch (day, changes) values ('2026-01-05', ${rows.length})`;
    await tx`insert into property (id, identity, created_at) values ('prp_1', 'one', now()) on conflict do nothing`;
    await tx`insert into listing (id, source, listing_key, property_id, listing_type, status, licence_no, displayed, address_displayed, version,
        digest, record, area_nos, created_at, updated_at, fetched_at)
      select id, 'test', id, 'prp_1', 'sale', 'ACTIVE', 1, true, true, version, '', '{}', '{}', now(), now(), now()
      from json_to_recordset(${toJson(listings)}::text::json) as listing (id text, version integer)`;
    await tx`insert into listing_search
      select * from json_populate_recordset(null::listing_search, ${toJson(rows.map(({ row, version }) => ({ ...row, version })))}::text::json)`;
    // Every fifth listing has its words with their places, and every seventh has none.
    await tx`insert into listing_text (listing_id, words)
      select id, case when number % 5 = 0 then to_tsvector('simple', 'oak élan oak ' || id)
        else array_to_tsvector(array['oak', 'Boak', 'A' || id, '\U00010428', '#7']) end
      from unnest(${rows.map(({ row }) => row.id)}::text[]) with ordinality as row (id, number) where number % 7 > 0`;
  });
}

/** The words of all listings, without those of areas, which the engine has as columns. */
export async function readWords(database: Database): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await database.read(
    (sql) => sql<{ id: string; words: string[] }[]>`
      select listing_id as id, tsvector_to_array(words) as words from listing_text`,
  );
  return new Map(rows.map(({ id, words }) => [id, words.filter((word) => !word.startsWith('#'))]));
}

/** All rows with the versions of their listings, as PostgreSQL tells them. */
export function readSearchRows(database: Database): Promise<VersionedRow[]> {
  return database.read(
    (sql) => sql<{ row: SearchRow; version: number }[]>`
      select row_to_json(search) as row, listing.version from listing_search as search join listing using (id)`,
  );
}

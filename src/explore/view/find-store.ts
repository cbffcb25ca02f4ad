// SQL that reads what somebody typed into the search box: a place by its name, or a listing by its number.

import type { Reach } from '../../access/tiers/reach.ts';
import { openNumberSql } from '../../licence/open-sql.ts';
import type { Database } from '../../postgres/client/database.ts';

/** The id of the area with this name, not case-sensitive: the coarsest where there are several. Null: there is none. */
export async function findPlace(database: Database, name: string): Promise<string | null> {
  const [row] = await database.read(
    (sql) => sql<{ id: string }[]>`
      select id from area where lower(name) = lower(${name}) order by area_km2 desc nulls last, id limit 1`,
  );
  return row?.id ?? null;
}

/** The id of the listing with this id, or with this number at its source. Null: none that is displayed, and open to the reader. */
export async function findListingByNumber(
  database: Database,
  number: string,
  reach: Reach,
): Promise<string | null> {
  const [row] = await database.read(
    (sql) => sql<{ id: string }[]>`
      select id from listing where displayed and status not in ('DELETED', 'INCOMPLETE') and (id = ${number}
        or id in (select id from listing_search where mls_number = lower(${number})))
        and ${openNumberSql(sql, reach)}
      order by updated_at desc limit 1`,
  );
  return row?.id ?? null;
}

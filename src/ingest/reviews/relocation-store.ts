// SQL of listings without coordinates of their own.

import type { DraftAddress, DraftLocation } from '../../listings/draft.ts';
import { wholeAddress } from '../../listings/lean-record.ts';
import type { Sql } from '../../postgres/client/database.ts';

/** A listing whose place may become known better. */
export interface UnlocatedListing {
  readonly id: string;
  readonly address: DraftAddress;
  readonly location: DraftLocation | null;
}

/** The next listings after an id that have no place, or one that follows from a name. */
export async function findUnlocated(sql: Sql, after: string, limit: number): Promise<UnlocatedListing[]> {
  const rows = await sql<UnlocatedListing[]>`
    select id, record -> 'address' as address, record -> 'location' as location
    from (select id from listing_search where (location is null or guessed) and id > ${after}
      order by id limit ${limit}) as unlocated
    join listing using (id) order by id`;
  return rows.map((row) => ({ ...row, address: wholeAddress(row.address) }));
}

// SQL of the changes endpoint: what a reader may see of listings now, and the last changes of listings before the retention.

import { type CreditParts, creditPartsSql } from '../../listings/provenance/credits-store.ts';
import type { Status } from '../../listings/vocabulary.ts';
import type { Sql } from '../../postgres/client/database.ts';

/** The display rules of a listing as they are now. */
export interface DisplayRules {
  /** The widest audience that it ever had. */
  readonly audience: number;
  readonly status: Status;
  readonly licenceNo: number;
  readonly displayed: boolean;
  readonly addressDisplayed: boolean;
  readonly credits: CreditParts;
}

/** The display rules of these listings, by id. */
export async function findDisplayRules(sql: Sql, ids: readonly string[]): Promise<Map<string, DisplayRules>> {
  const rows = await sql<(DisplayRules & { id: string })[]>`
    select id, audience, status, licence_no as "licenceNo", displayed, address_displayed as "addressDisplayed",
      ${creditPartsSql(sql, sql`shown.id`)} as credits
    from listing as shown where id = any(${[...ids]}::text[])`;
  return new Map(rows.map((row) => [row.id, row]));
}

export interface LastChange {
  readonly sequence: number;
  readonly listingId: string;
}

/** The listings whose last change came after this sequence and before the retention, in the order of those changes. */
export async function findLastChanges(
  sql: Sql,
  after: number,
  retained: number,
  limit: number,
): Promise<LastChange[]> {
  return sql<LastChange[]>`
    select first_sequence + change_ordinal as sequence, listing.id as "listingId"
    from change_batch as batch join listing on change_batch_id = batch.id
    where first_sequence >= coalesce((select max(first_sequence) from change_batch where first_sequence <= ${after}), 0)
      and first_sequence < ${retained} and first_sequence + change_ordinal > ${after}
    order by first_sequence, change_ordinal limit ${limit}`;
}

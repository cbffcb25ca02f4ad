// SQL of listings that are brought into line with the terms of their source, or forgotten.

import type { Sql, Transaction } from '../../postgres/client/database.ts';

/** The next listings of a source after a key, in the order of their keys. */
export function findNextOf(
  sql: Sql,
  source: string,
  after: string,
  limit: number,
): Promise<{ id: string; key: string }[]> {
  return sql<{ id: string; key: string }[]>`
    select id, listing_key as key from listing where source = ${source} and listing_key > ${after}
    order by listing_key limit ${limit}`;
}

/** Deletes what the source sent of these listings in fields of its own. */
export async function deleteResoOf(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx`delete from listing_reso where listing_id = any(${[...ids]}::text[])`;
}

/** Deletes the prices paid for these listings from their history, and from what figures are computed of. */
export async function deleteClosePrices(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx`
    update listing_event set price = null
    where listing_id = any(${[...ids]}::text[]) and event = 'CLOSED' and price is not null`;
  await tx`
    update market_listing set close_price = null
    where listing_id = any(${[...ids]}::text[]) and close_price is not null`;
}

/** Listings that left a source by then, the first first. */
export async function findGone(tx: Transaction, source: string, by: Date, limit: number): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select id from listing where source = ${source} and status = 'DELETED' and updated_at <= ${by}
    order by updated_at limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Deletes what programs pushed of these listings. */
export async function deletePushedOf(tx: Transaction, ids: readonly string[]): Promise<void> {
  await tx`
    delete from pushed_listing as pushed using listing
    where listing.id = any(${[...ids]}::text[]) and pushed.source = listing.source and pushed.listing_key = listing.listing_key`;
}

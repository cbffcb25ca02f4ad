// SQL of confirmations: when a source last said that a listing is as it was, and when it last said anything.

import type { Database, Sql, SqlFragment, Transaction } from '../../postgres/client/database.ts';

/** When a listing was last confirmed by its source, of a table or alias called listing: by a change, or since then. */
export const fetchedAtSql = (sql: Sql): SqlFragment => sql`greatest(listing.fetched_at,
  (select confirmed_at from listing_confirmation as confirmed where confirmed.listing_id = listing.id))`;

/** Notes that these listings, which the transaction has locked, are as they were. `at` in milliseconds. */
export async function writeConfirmations(
  tx: Transaction,
  listingIds: readonly string[],
  at: number,
): Promise<void> {
  if (listingIds.length === 0) return;
  await tx`
    insert into listing_confirmation as kept (listing_id, confirmed_at)
    select id, ${time(at)}::timestamptz from unnest(${[...listingIds]}::text[]) as told (id) order by id
    on conflict (listing_id) do update set confirmed_at = excluded.confirmed_at
    where kept.confirmed_at < excluded.confirmed_at`;
}

/**
 * Notes that the source has told something, or that there is nothing more to tell, at this time in milliseconds. Where
 * another writer notes the same just now, this one does not wait for it.
 */
export async function advanceSource(tx: Sql, source: string, at: number): Promise<void> {
  await tx`
    with advanced as (
      update source_freshness set as_of = ${time(at)} where source in (
        select source from source_freshness where source = ${source} and as_of < ${time(at)}::timestamptz
        for update skip locked))
    insert into source_freshness (source, as_of) select ${source}::text, ${time(at)}::timestamptz
    where not exists (select from source_freshness where source = ${source}) on conflict do nothing`;
}

/** Milliseconds that an answer is good for: every search carries it. */
const LIFETIME = 1_000;

/** Asks the database at most once a second; null while there are no listings. */
export function freshnessOf(database: Database): () => Promise<string | null> {
  let known: { readonly until: number; readonly value: Promise<string | null> } | null = null;
  return () => {
    const now = database.clock.monotonic();
    if (!known || now >= known.until) {
      const value = database.read((sql) => findNewestConfirmation(sql));
      // A failed question is not kept: the next search asks again.
      value.catch(() => {
        known = null;
      });
      known = { until: now + LIFETIME, value };
    }
    return known.value;
  };
}

/** When any source last told something, RFC 3339; null: none ever has. */
async function findNewestConfirmation(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ newest: string | null }[]>`select max(as_of) as newest from source_freshness`;
  return row?.newest ?? null;
}

const time = (at: number): string => new Date(at).toISOString();

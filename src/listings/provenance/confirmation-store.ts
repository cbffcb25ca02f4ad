// SQL of confirmations: when a source last confirmed a listing, and when it last sent anything.

import type { Database, Sql, SqlFragment, Transaction } from '../../postgres/client/database.ts';

/** When a source last confirmed a listing, by a change or since; of a table or alias called listing. */
export const fetchedAtSql = (sql: Sql): SqlFragment => sql`greatest(listing.fetched_at,
  (select confirmed_at from listing_confirmation as confirmed where confirmed.listing_id = listing.id))`;

/** When the sources of these listings last confirmed them, RFC 3339, in their order; undefined: there is no such listing. */
export async function findConfirmations(
  database: Database,
  listingIds: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const rows = await database.read(
    (sql) => sql<{ position: number; fetchedAt: string }[]>`
      select requested.position, ${fetchedAtSql(sql)} as "fetchedAt"
      from unnest(${[...listingIds]}::text[]) with ordinality as requested (id, position) join listing on listing.id = requested.id`,
    { planned: 'once' },
  );
  const found: string[] = [];
  for (const { position, fetchedAt } of rows) found[position - 1] = fetchedAt;
  return found;
}

/** Records that these listings, which the transaction has locked, are unchanged. `at` in milliseconds. */
export async function writeConfirmations(
  tx: Transaction,
  listingIds: readonly string[],
  at: number,
): Promise<void> {
  if (listingIds.length === 0) return;
  await tx`
    insert into listing_confirmation as kept (listing_id, confirmed_at)
    select id, ${time(at)}::timestamptz from unnest(${[...listingIds]}::text[]) as confirmed (id) order by id
    on conflict (listing_id) do update set confirmed_at = excluded.confirmed_at
    where kept.confirmed_at < excluded.confirmed_at`;
}

/**
 * Records that the source has sent data, or had nothing new to send, at this time in milliseconds. Does not wait for another
 * writer that records the same.
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

/** Milliseconds that the result is cached: every search includes it. */
const LIFETIME = 1_000;

/** When any source last sent data, read from the database at most once a second; null if none ever has. */
export function freshnessOf(database: Database): () => Promise<string | null> {
  let cached: { readonly until: number; readonly value: Promise<string | null> } | null = null;
  return () => {
    const now = database.clock.monotonic();
    if (!cached || now >= cached.until) {
      const value = database.read((sql) => findNewestConfirmation(sql));
      // A failed read is not cached.
      value.catch(() => {
        cached = null;
      });
      cached = { until: now + LIFETIME, value };
    }
    return cached.value;
  };
}

/** When any source last sent data, RFC 3339; null if none ever has. */
async function findNewestConfirmation(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ newest: string | null }[]>`select max(as_of) as newest from source_freshness`;
  return row?.newest ?? null;
}

/** When the stalest of these sources last sent data, RFC 3339; null where none of them ever has. */
export async function findStalest(database: Database, sources: readonly string[]): Promise<string | null> {
  const [row] = await database.read(
    (sql) => sql<{ stalest: string | null }[]>`
      select min(as_of) as stalest from source_freshness where source = any(${[...sources]}::text[])`,
  );
  return row?.stalest ?? null;
}

const time = (at: number): string => new Date(at).toISOString();

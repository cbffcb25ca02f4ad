// SQL of confirmations: when a source last confirmed a listing, and when it last sent anything.

import type { Reach } from '../../access/tiers/reach.ts';
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

/** When any of the sources that are open last sent data, RFC 3339; null if none ever has. */
export type FindNewest = (open: Pick<Reach, 'sources'>) => Promise<string | null>;

/** What the sources sent last is read from the database at most once a second. */
export function freshnessOf(database: Database): FindNewest {
  let cached: { readonly until: number; readonly value: Promise<ReadonlyMap<string, string>> } | null = null;
  return async ({ sources }) => {
    const now = database.clock.monotonic();
    if (!cached || now >= cached.until) {
      const value = database.read((sql) => findConfirmedSources(sql));
      // A failed read is not cached.
      value.catch(() => {
        cached = null;
      });
      cached = { until: now + LIFETIME, value };
    }
    const confirmed = await cached.value;
    return (
      sources
        .flatMap((source) => confirmed.get(source) ?? [])
        .sort()
        .at(-1) ?? null
    );
  };
}

/** When each source last sent data, RFC 3339. */
async function findConfirmedSources(sql: Sql): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<{ source: string; at: string }[]>`select source, as_of as at from source_freshness`;
  return new Map(rows.map(({ source, at }) => [source, at]));
}

const time = (at: number): string => new Date(at).toISOString();

// SQL of addresses that were asked about.

import type { GeocodedPlace } from '../ingest/geocoded-address-store.ts';
import type { Sql } from '../postgres/client/database.ts';

/** Of these keys those that need not be asked about now, and whether a place is known of each. */
export async function findAnswered(
  sql: Sql,
  keys: readonly string[],
  now: Date,
): Promise<ReadonlyMap<string, boolean>> {
  const rows = await sql<{ key: string; isPlaced: boolean }[]>`
    select encode(key, 'hex') as key, precision is not null as "isPlaced" from geocoded_address
    where key = any(array(select decode(unnest(${[...keys]}::text[]), 'hex')))
      and (retry_at is null or retry_at > ${now})`;
  return new Map(rows.map(({ key, isPlaced }) => [key, isPlaced]));
}

/** `place` null: the geocoder knows no such address. A later miss leaves the place of an earlier answer. */
export async function saveAnswer(
  sql: Sql,
  key: string,
  place: GeocodedPlace | null,
  { askedAt, retryAt }: { readonly askedAt: Date; readonly retryAt: Date | null },
): Promise<void> {
  const { lat = null, lng = null, precision = null } = place ?? {};
  await sql`
    insert into geocoded_address as known (key, lat, lng, precision, asked_at, retry_at)
    values (decode(${key}, 'hex'), ${lat}, ${lng}, ${precision}, ${askedAt}, ${retryAt})
    on conflict (key) do update set asked_at = excluded.asked_at, retry_at = excluded.retry_at,
      lat = coalesce(excluded.lat, known.lat), lng = coalesce(excluded.lng, known.lng),
      precision = coalesce(excluded.precision, known.precision)`;
}

// SQL of what geocoders answered for addresses.

import type { Sql } from '../postgres/client/database.ts';

/** A place that a geocoder gave. */
export interface GeocodedPlace {
  readonly lat: number;
  readonly lng: number;
  readonly precision: 'exact' | 'approximate';
}

/** The places of these keys, of those that have one. */
export async function findGeocoded(
  sql: Sql,
  keys: readonly string[],
): Promise<ReadonlyMap<string, GeocodedPlace>> {
  const rows = await sql<(GeocodedPlace & { readonly key: string })[]>`
    select encode(key, 'hex') as key, lat, lng, precision from geocoded_address
    where key = any(array(select decode(unnest(${[...keys]}::text[]), 'hex'))) and precision is not null`;
  return new Map(rows.map(({ key, ...place }) => [key, place]));
}

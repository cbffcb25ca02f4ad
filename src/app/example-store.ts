// SQL that finds records for pages: examples of the API reference, and homes on the front page.

import type { Reach } from '../access/tiers/reach.ts';
import { openSql } from '../licence/open-sql.ts';
import { withWholeRecord } from '../listings/lean-record.ts';
import { type StoredListing, storedColumns } from '../listings/store.ts';
import type { Database } from '../postgres/client/database.ts';

/** A listing on the market, its property, and an area that contains it. */
export interface ExampleIds {
  readonly listing: string;
  readonly property: string;
  /** Null if the listing is in no area. */
  readonly area: string | null;
}

/** The newest listings, among which one is looked for that the example search finds. */
const NEWEST = 200;

/**
 * For the newest sale on the market that the example search finds, else the newest sale, else the newest rental; null if there is
 * none.
 */
export async function findExampleIds(
  database: Database,
  reach: Reach,
  { maxPrice, minBedrooms }: { readonly maxPrice: number; readonly minBedrooms: number },
): Promise<ExampleIds | null> {
  const [row] = await database.read(
    (sql) => sql<ExampleIds[]>`
      select listing.id as listing, listing.property_id as property, area.id as area
      from unnest(array['sale', 'rental']) with ordinality as kind (name, place)
      cross join lateral (
        select id from (
          select id, price, bedrooms, listed_at from listing_search
          where listing_type = kind.name and status = 'ACTIVE' and displayed and ${openSql(sql, reach)}
          order by listed_at desc nulls last, id desc limit ${NEWEST}) as newest
        order by coalesce(price <= ${maxPrice} and bedrooms >= ${minBedrooms}, false) desc, listed_at desc nulls last, id desc
        limit 1
      ) as newest
      join listing on listing.id = newest.id
      left join lateral (
        select id from area where no = any(listing.area_nos) order by type = 'city' desc, no limit 1
      ) as area on true
      order by kind.place limit 1`,
  );
  return row ?? null;
}

/** Homes of each type that are read: more than are shown, as some have no photo. */
const READ = 24;

/** The newest sales and rentals on the market that this reader may see. */
export async function findFrontHomes(database: Database, reach: Reach): Promise<StoredListing[]> {
  const homes = await database.read(
    (sql) => sql<StoredListing[]>`
      select ${storedColumns(sql)}
      from unnest(array['sale', 'rental']) as kind (name)
      cross join lateral (
        select id from listing_search
        where listing_type = kind.name and status = 'ACTIVE' and displayed and ${openSql(sql, reach)}
        order by listed_at desc nulls last, id desc limit ${READ}) as found
      join listing on listing.id = found.id`,
  );
  return homes.map(withWholeRecord);
}

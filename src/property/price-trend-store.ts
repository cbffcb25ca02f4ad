// SQL that fits how prices moved around a place to what closed there lately.

import type { Point } from '../geometry/geometry.ts';
import type { ListingType, PropertyType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import { boxesSql } from './neighbour-store.ts';
import { comparableTypes } from './similarity.ts';

/** Which closings tell of a trend. */
export interface TrendQuery {
  readonly listingType: ListingType;
  readonly propertyType: PropertyType;
  readonly currency: string;
  readonly centre: Point;
  readonly radiusKm: number;
  /** Days before `now` within which it closed. */
  readonly days: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly ignoreDisplayRules: boolean;
  /** What prices are divided by: the living area to this power. */
  readonly areaPower: number;
  /** Square days of spread that the belief in standing prices is worth. */
  readonly strength: number;
}

/** Degrees of a cell: prices are compared within one, so that where homes were sold does not look like a trend. */
const CELL = 0.05;

/** The change of the logarithm of prices for each day that passes. 0 where nothing closed. */
export async function findPriceSlope(database: Database, query: TrendQuery): Promise<number> {
  const { listingType, propertyType, currency, centre, radiusKm, days, areaPower, strength } = query;
  const now = new Date(query.now).toISOString();
  const [row] = await database.read(
    (sql) => sql<{ slope: number }[]>`
      with closing as (
        select ln(case listing_type when 'sale' then close_price else price end)
            - ${areaPower}::double precision * ln(living_area) as worth,
          extract(epoch from ${now}::timestamptz - closed_at)::double precision / 86400 as age,
          floor(location[0] / ${CELL}::double precision) as x, floor(location[1] / ${CELL}::double precision) as y
        from listing_search
        where listing_type = ${listingType} and status = 'CLOSED' and currency = ${currency}
          and property_type = any(${[...comparableTypes(propertyType)]}::text[])
          and ${query.ignoreDisplayRules ? sql`true` : sql`displayed`}
          and closed_at <= ${now}::timestamptz and closed_at > ${now}::timestamptz - make_interval(days => ${days}::int)
          and (${boxesSql(sql, centre, radiusKm)}) and living_area > 0
          and case listing_type when 'sale' then close_price else price end > 0),
      cell as (select regr_sxy(worth, age) as sxy, regr_sxx(worth, age) as sxx from closing group by x, y)
      select coalesce(-sum(sxy) / (sum(sxx) + ${strength}::double precision), 0) as slope from cell`,
  );
  return row?.slope ?? 0;
}

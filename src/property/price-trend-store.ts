// Price trends: how prices of a kind of home move around a place, by what closed there in the last months. Cached by the hour.

import { LRUCache } from 'lru-cache';
import type { Reach } from '../access/tiers/reach.ts';
import type { Point } from '../geometry/geometry.ts';
import { HOUR } from '../lib/clock.ts';
import { openSql } from '../licence/open-sql.ts';
import type { ListingType, PropertyType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import { boxesSql } from './neighbour-store.ts';
import { MIN_PRICE_PER_AREA, MIN_SHARE_OF_ASKING } from './nominal-price.ts';
import { comparableTypes } from './similarity.ts';

/** The homes whose trend is wanted. */
export interface TrendScope {
  readonly listingType: ListingType;
  readonly propertyType: PropertyType;
  readonly currency: string;
  readonly location: Point;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly ignoreDisplayRules: boolean;
  /** What is open to the reader. */
  readonly reach: Reach;
}

/** Days of closings that a trend is fitted to. */
const TREND_DAYS = 120;
const TREND_RADIUS_KM = 25;
/** Prices of homes of different size are made comparable by dividing them by the living area to this power. */
const TREND_AREA_POWER = 0.45;
/** Square days of spread at which the closings count as much as the prior of no trend: about 400 closings. */
const STRENGTH = 500_000;
/** Degrees of the squares whose homes share a trend. */
const SQUARE = 0.25;
const MAX_SQUARES = 2_000;
/** Degrees of a cell: prices are compared within one, so that a shift of sales between places is no trend. */
const CELL = 0.05;

/** Trends by square and hour, each read from the database once. */
export class PriceTrends {
  readonly #slopes: LRUCache<string, number, TrendScope>;

  constructor(database: Database) {
    this.#slopes = new LRUCache({
      max: MAX_SQUARES,
      fetchMethod: (_key, _stale, { context }) => findSlope(database, context),
    });
  }

  /** The change of the logarithm of prices for each day that passes, as of the last full hour. 0 where nothing closed. */
  slope(scope: TrendScope): Promise<number> {
    const { listingType, propertyType, currency, location, now, ignoreDisplayRules, reach } = scope;
    const square = [squareOf(location.lng), squareOf(location.lat), Math.floor(now / HOUR)];
    const key = [listingType, propertyType, currency, ignoreDisplayRules, reach.key, ...square].join();
    return this.#slopes.forceFetch(key, { context: scope });
  }
}

const squareOf = (degrees: number): number => Math.floor(degrees / SQUARE);

async function findSlope(database: Database, scope: TrendScope): Promise<number> {
  const { listingType, propertyType, currency, location } = scope;
  const centre = {
    lng: (squareOf(location.lng) + 0.5) * SQUARE,
    lat: (squareOf(location.lat) + 0.5) * SQUARE,
  };
  const now = new Date(Math.floor(scope.now / HOUR) * HOUR).toISOString();
  const [row] = await database.read(
    (sql) => sql<{ slope: number }[]>`
      with closing as (
        select ln(case listing_type when 'sale' then close_price else price end)
            - ${TREND_AREA_POWER}::double precision * ln(living_area) as worth,
          extract(epoch from ${now}::timestamptz - closed_at)::double precision / 86400 as age,
          floor(location[0] / ${CELL}::double precision) as x, floor(location[1] / ${CELL}::double precision) as y
        from listing_search
        where listing_type = ${listingType} and status = 'CLOSED' and currency = ${currency}
          and property_type = any(${[...comparableTypes(propertyType)]}::text[])
          and ${scope.ignoreDisplayRules ? sql`true` : sql`displayed`} and ${openSql(sql, scope.reach)}
          and closed_at <= ${now}::timestamptz and closed_at > ${now}::timestamptz - make_interval(days => ${TREND_DAYS}::int)
          and (${boxesSql(sql, centre, TREND_RADIUS_KM)}) and living_area > 0 and not guessed
          and case listing_type
            when 'sale' then close_price >= living_area * ${MIN_PRICE_PER_AREA}::double precision
              and close_price >= coalesce(price * ${MIN_SHARE_OF_ASKING}::double precision, 0)
            else price > 0 end),
      cell as (select regr_sxy(worth, age) as sxy, regr_sxx(worth, age) as sxx from closing group by x, y)
      select coalesce(-sum(sxy) / (sum(sxx) + ${STRENGTH}::double precision), 0) as slope from cell`,
  );
  return row?.slope ?? 0;
}

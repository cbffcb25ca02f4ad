// How prices of a kind of home move around a place, by what closed there in the last months. Computed once an hour.

import { LRUCache } from 'lru-cache';
import type { Point } from '../geometry/geometry.ts';
import { HOUR } from '../lib/time.ts';
import type { ListingType, PropertyType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import { findPriceSlope } from './price-trend-store.ts';

/** Whose trend is asked for. */
export interface TrendScope {
  readonly listingType: ListingType;
  readonly propertyType: PropertyType;
  readonly currency: string;
  readonly location: Point;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly ignoreDisplayRules: boolean;
}

/** Days of closings that a trend is fitted to. */
export const TREND_DAYS = 120;
export const TREND_RADIUS_KM = 25;
/** What prices of homes of different size are made comparable by: the living area to this power. */
export const TREND_AREA_POWER = 0.45;
/** A trend is believed half where its closings spread this many square days around their middles: some 400 of them. */
const STRENGTH = 500_000;
/** Degrees of the squares whose homes share a trend. */
const SQUARE = 0.25;
const MAX_SQUARES = 2_000;

/** Trends by square and hour, each read from the database once. */
export class PriceTrends {
  readonly #slopes: LRUCache<string, number, TrendScope>;

  constructor(database: Database) {
    this.#slopes = new LRUCache({
      max: MAX_SQUARES,
      fetchMethod: (_key, _stale, { context }) => findSlope(database, context),
    });
  }

  /** The change of the logarithm of prices for each day that passes, as of the last full hour. */
  slope(scope: TrendScope): Promise<number> {
    const { listingType, propertyType, currency, location, now, ignoreDisplayRules } = scope;
    const square = [squareOf(location.lng), squareOf(location.lat), Math.floor(now / HOUR)];
    const key = [listingType, propertyType, currency, ignoreDisplayRules, ...square].join();
    return this.#slopes.forceFetch(key, { context: scope });
  }
}

function findSlope(database: Database, { location, now, ...scope }: TrendScope): Promise<number> {
  return findPriceSlope(database, {
    ...scope,
    centre: { lng: (squareOf(location.lng) + 0.5) * SQUARE, lat: (squareOf(location.lat) + 0.5) * SQUARE },
    ...{ radiusKm: TREND_RADIUS_KM, days: TREND_DAYS, now: Math.floor(now / HOUR) * HOUR },
    ...{ areaPower: TREND_AREA_POWER, strength: STRENGTH },
  });
}

const squareOf = (degrees: number): number => Math.floor(degrees / SQUARE);

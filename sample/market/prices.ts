// Prices: values of homes, rents, the market's trend and season, and how sellers round.

import type { Neighborhood } from '../land/land.ts';
import { DAY } from './calendar.ts';
import type { HomeKind } from './home.ts';

const YEAR = 365.25 * DAY;
/** The instant at which the price index is 1. */
const BASE = Date.UTC(2025, 0, 1);

/** Price level of sales at an instant: a slow rise with a summer peak. */
export function saleIndex(at: number): number {
  const years = (at - BASE) / YEAR;
  return 1.034 ** years * (1 + 0.022 * season(at));
}

/** Price level of rents at an instant. */
export function rentIndex(at: number): number {
  const years = (at - BASE) / YEAR;
  return 1.028 ** years * (1 + 0.03 * season(at));
}

/** -1 in mid-December to 1 in mid-June. */
export function season(at: number): number {
  return -Math.cos((2 * Math.PI * (at - BASE + 15 * DAY)) / YEAR);
}

const KIND_FACTOR: Readonly<Record<HomeKind, number>> = {
  house: 1.04,
  townhouse: 0.97,
  condo: 1,
  coop: 0.84,
  apartment: 0.96,
  cabin: 0.78,
  manufactured: 0.44,
  duplex: 0.88,
  triplex: 0.84,
  quadruplex: 0.8,
  multi: 0.76,
  land: 1,
  office: 0.78,
  retail: 0.84,
  mixed: 0.82,
};

export interface Valuation {
  readonly kind: HomeKind;
  readonly area: number | null;
  readonly lot: number | null;
  readonly yearBuilt: number | null;
  readonly floor: number | null;
  readonly garage: number;
  readonly pool: boolean;
  readonly waterfront: boolean;
}

/** Dollars at index 1. `luck` is what no attribute explains (1 = nothing). */
export function homeValue(place: Neighborhood, home: Valuation, luck: number): number {
  const location = Math.exp(0.27 * place.desirability + 0.55 * place.urban);
  const shore = home.waterfront ? 1.38 : 1;
  if (home.kind === 'land')
    return 150_000 * ((home.lot ?? 43_560) / 43_560) ** 0.5 * location ** 1.3 * shore * luck;
  const area = home.area ?? 1000;
  const built = 272 * location * area * (1500 / area) ** 0.2;
  const ground = home.lot === null ? 0 : 60 * location ** 1.4 * home.lot ** 0.74;
  const extras = home.garage * 14_000 + (home.pool ? 26_000 : 0);
  const height = 1 + Math.min(0.24, (home.floor ?? 0) * 0.008);
  const ownGround = home.kind === 'manufactured' ? 0 : ground;
  return (
    (built * KIND_FACTOR[home.kind] * ageFactor(home.yearBuilt) * height + ownGround + extras) * shore * luck
  );
}

/** New is dear, the middle of the last century cheap, and very old is dear again. */
function ageFactor(yearBuilt: number | null): number {
  if (yearBuilt === null) return 1;
  if (yearBuilt < 1930) return 1.02;
  return 0.88 + 0.2 * Math.max(0, Math.min(1, (yearBuilt - 1950) / 75));
}

/** Monthly rent at index 1 for a home of the given value, dollars. */
export function rentOf(value: number, kind: HomeKind): number {
  const rent = 0.69 * value ** 0.62;
  return kind === 'office' || kind === 'retail' || kind === 'mixed' ? rent * 1.25 : rent;
}

/** As sellers write prices: round, often just under a round figure. `taste` in [0, 1) chooses the habit. */
export function askingPrice(price: number, taste: number): number {
  const step = price < 200_000 ? 1000 : price < 1_000_000 ? 5000 : price < 3_000_000 ? 25_000 : 50_000;
  const round = Math.max(step, Math.round(price / step) * step);
  if (taste < 0.4) return round - (price < 1_000_000 ? 100 : 1000);
  if (taste < 0.55) return round - 1000;
  return round;
}

/** As landlords write rents: to the five or just under fifty. */
export function askingRent(rent: number, taste: number): number {
  if (taste < 0.35) return Math.max(50, Math.round(rent / 50) * 50) - 5;
  if (taste < 0.85) return Math.round(rent / 25) * 25;
  return Math.round(rent / 5) * 5;
}

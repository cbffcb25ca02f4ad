// Facts that follow from those of a listing, computed apart from the service: its prices, and the areas that hold it.

import {
  closedAt,
  DAY,
  dayOf,
  type Facts,
  keepsAskingPrice,
  type Row,
  timeOf,
} from '../catalogue/random-market.ts';
import { rounded } from './filters.ts';

/** The day on which it came on the market, or else when it was listed. */
export const listedFrom = ({ onMarket, listed }: Facts): number | null => dayOf(onMarket) ?? timeOf(listed);

/** The asking price: of a closing without another one than what was paid, the one before. */
export function priceOf(facts: Facts): number | null {
  const { listPrice, closePrice, status, earlierPrice } = facts;
  if (keepsAskingPrice(facts)) return earlierPrice;
  return listPrice ?? (status === 'CLOSED' ? closePrice : null);
}
const monthly: Readonly<Record<string, number>> = {
  DAILY: 365 / 12,
  WEEKLY: 52 / 12,
  MONTHLY: 1,
  QUARTERLY: 1 / 3,
  ANNUALLY: 1 / 12,
};
export function comparedPrice(facts: Facts): number | null {
  const price = priceOf(facts);
  if (facts.listingType === 'sale' || price === null) return price;
  const months = monthly[facts.priceFrequency];
  return months === undefined ? null : rounded(price * months);
}

export const perArea = (facts: Facts): number | null => {
  const price = priceOf(facts);
  return price === null || facts.livingArea === null ? null : price / facts.livingArea;
};

const held = (value: number, from: number, to: number) => value >= from && value <= to;
const open = (value: number, from: number, to: number) => value > from && value < to;
/** Whether an area holds a listing, by its boundary or else by address or its children. */
export const AREAS: Readonly<Record<string, (facts: Facts) => boolean>> = {
  'county-ring': ({ located, lat, lng, county, state }) =>
    located
      ? held(lng, 20, 21) && held(lat, 10, 11) && !(open(lng, 20.25, 20.75) && open(lat, 10.25, 10.75))
      : county === 'Ring' && state !== 'Verge',
  'metro-dateline': ({ located, lat, lng }) => located && Math.abs(lng) >= 179 && held(lat, 10, 11),
  'city-aldern': ({ city }) => city?.trim().toLowerCase() === 'aldern',
  'city-crane': ({ city, state }) => city === 'Crane' && state !== 'Verge',
  'state-umbra': (facts) =>
    ['Umbra', 'UM'].includes(facts.state ?? '') ||
    inArea('county-ring', facts) ||
    inArea('city-crane', facts),
  'school-district-empty': () => false,
};
export const inArea = (id: string, facts: Facts): boolean => AREAS[id]?.(facts) ?? false;

/** How the price last changed, in percent to two decimals; null where it did not, or was not known before or after. */
export function priceMove(facts: Facts): { readonly amount: number; readonly percent: number } | null {
  const [price, earlier] = [priceOf(facts), facts.earlierPrice];
  if (price === null || earlier === null || price === earlier) return null;
  return { amount: price - earlier, percent: rounded(((price - earlier) / earlier) * 100) };
}

export function priceChangedAt({ facts, updatedAt }: Row): number | null {
  if (keepsAskingPrice(facts)) return null;
  return timeOf(facts.priceChanged) ?? (priceMove(facts) ? updatedAt : null);
}

const ON_MARKET: readonly Facts['status'][] = ['ACTIVE', 'ACTIVE_UNDER_CONTRACT'];

/** Whether it is dated after it left: how long it was there is unknown. A day lasts until the next one. */
function isListedAfterLeaving(facts: Facts, seen: number): boolean {
  const day = dayOf(facts.onMarket);
  const listed = day ?? timeOf(facts.listed);
  const left = [
    { at: closedAt(facts), isDay: true },
    { at: timeOf(facts.statusChanged), isDay: false },
  ].find(({ at }) => at !== null && at <= seen);
  if (listed === null || left === undefined || left.at === null) return false;
  return !left.isDay || day !== null ? listed > left.at : listed >= left.at + DAY;
}

/** Whole days from coming on the market to leaving it, or to now. */
export function daysOnMarket({ facts, firstSeen, updatedAt }: Row, now: number): number | null {
  const { status } = facts;
  const begun =
    dayOf(facts.onMarket) ?? timeOf(facts.listed) ?? (ON_MARKET.includes(status) ? firstSeen : null);
  if (begun === null || status === 'COMING_SOON') return null;
  const open = ON_MARKET.includes(status) || status === 'UNKNOWN';
  if (!open && isListedAfterLeaving(facts, updatedAt)) return null;
  // A time from after it was seen gone does not tell when it went.
  const reported = [closedAt(facts), timeOf(facts.statusChanged)].find(
    (at) => at !== null && at <= firstSeen,
  );
  const end = open ? now : (reported ?? firstSeen);
  return Math.max(0, Math.floor((end - begun) / DAY));
}

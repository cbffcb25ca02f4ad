// Owns the order that searches are held against: each sort key's value, unknown values last, the id breaking ties.

import fc from 'fast-check';
import { closedAt, DAY, dayOf, type Facts, type Row, timeOf } from './market.ts';
import { comparedPrice, perArea, priceOf } from './oracle.ts';

type SortValue = (row: Row, now: number) => number | null;

const ON_MARKET: readonly Facts['status'][] = ['ACTIVE', 'ACTIVE_UNDER_CONTRACT'];

/** Whole days from coming on the market to leaving it, or to now. */
function daysOnMarket({ facts, firstSeen }: Row, now: number): number | null {
  const { status } = facts;
  const begun =
    dayOf(facts.onMarket) ?? timeOf(facts.listed) ?? (ON_MARKET.includes(status) ? firstSeen : null);
  if (begun === null || status === 'COMING_SOON') return null;
  const open = ON_MARKET.includes(status) || status === 'UNKNOWN';
  // A time from after it was seen gone does not tell when it went.
  const told = [closedAt(facts), timeOf(facts.statusChanged)].find((at) => at !== null && at <= firstSeen);
  const end = open ? now : (told ?? firstSeen);
  return Math.max(0, Math.floor((end - begun) / DAY));
}

function priceChangedAt({ facts, updatedAt }: Row): number | null {
  const price = priceOf(facts);
  const moved = facts.earlierPrice !== null && price !== null && price !== facts.earlierPrice;
  return timeOf(facts.priceChanged) ?? (moved ? updatedAt : null);
}

export const SORTS: Readonly<Record<string, SortValue>> = {
  price: ({ facts }) => comparedPrice(facts),
  pricePerArea: ({ facts }) => perArea(facts),
  listedAt: ({ facts }) => timeOf(facts.listed),
  updatedAt: (row) => row.updatedAt,
  closedAt: ({ facts }) => closedAt(facts),
  bedrooms: ({ facts }) => facts.bedrooms,
  bathrooms: ({ facts }) => facts.bathrooms,
  livingArea: ({ facts }) => facts.livingArea,
  yearBuilt: ({ facts }) => facts.yearBuilt,
  daysOnMarket,
  priceChangedAt,
};

/** One to four keys, each rising or falling. */
export const sortArbitrary: fc.Arbitrary<string> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...Object.keys(SORTS)), fc.constantFrom('', '-')), {
    ...{ minLength: 1, maxLength: 4 },
    selector: ([key]) => key,
  })
  .map((keys) => keys.map(([key, sign]) => sign + key).join());

/** The values that a listing is sorted by, under a `sort` as written. */
export function sortValues(sort: string, row: Row, now: number): (number | null)[] {
  return sort.split(',').map((key) => SORTS[key.replace('-', '')]?.(row, now) ?? null);
}

/** Less than 0 where the first comes first. */
export function compareBy(sort: string, a: Row, b: Row, now: number): number {
  const [left, right] = [sortValues(sort, a, now), sortValues(sort, b, now)];
  for (const [place, key] of sort.split(',').entries()) {
    const [x = null, y = null] = [left[place], right[place]];
    if (x === y) continue;
    if (x === null) return 1;
    if (y === null) return -1;
    return key.startsWith('-') ? y - x : x - y;
  }
  return a.id < b.id ? -1 : 1;
}

// Order that searches are held against: each sort key's value, unknown values last, the id breaking ties the way of the last key.

import fc from 'fast-check';
import { closedAt, type Row } from '../catalogue/random-market.ts';
import { along } from '../catalogue/sphere.ts';
import { comparedPrice, daysOnMarket, listedFrom, perArea, priceChangedAt } from './facts.ts';
import type { Query } from './filters.ts';
import { seenAt } from './search-oracle.ts';
import { relevance } from './text.ts';

type SortValue = (row: Row, now: number, query: Query) => number | null;

export const SORTS: Readonly<Record<string, SortValue>> = {
  price: ({ facts }) => comparedPrice(facts),
  pricePerArea: ({ facts }) => perArea(facts),
  listedAt: ({ facts }) => listedFrom(facts),
  updatedAt: (row) => row.updatedAt,
  closedAt: ({ facts }) => closedAt(facts),
  bedrooms: ({ facts }) => facts.bedrooms,
  bathrooms: ({ facts }) => facts.bathrooms,
  livingArea: ({ facts }) => facts.livingArea,
  yearBuilt: ({ facts }) => facts.yearBuilt,
  daysOnMarket,
  priceChangedAt,
};

/** Keys that need other parameters: a centre, or words. */
const DEPENDENT: Readonly<Record<string, SortValue>> = {
  distance({ facts }, _now, { lat, lng }) {
    const at = seenAt(facts);
    // Places that lie alike on both sides of the centre differ in the last digits of one sum or the other.
    return at && Number(along(at, { lat: Number(lat), lng: Number(lng) }).toFixed(7));
  },
  relevance: (row, _now, query) => relevance(row, query),
};
export const ALL_SORTS = { ...SORTS, ...DEPENDENT };

/** One to four keys, each rising or falling. */
export const sortArbitrary: fc.Arbitrary<string> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...Object.keys(SORTS)), fc.constantFrom('', '-')), {
    minLength: 1,
    maxLength: 4,
    selector: ([key]) => key,
  })
  .map((keys) => keys.map(([key, sign]) => sign + key).join());

/** The keys of a `sort`; listings of one relevance are sorted by the time when they were listed, the newest first. */
function keysOf(sort: string): string[] {
  const keys = sort.split(',');
  const isTied = sort.includes('relevance') && !sort.includes('listedAt');
  return isTied ? [...keys, '-listedAt'] : keys;
}

/** The values that a listing is sorted by, under a `sort` as written. */
function sortValues(sort: string, row: Row, now: number, query: Query): (number | null)[] {
  return keysOf(sort).map((key) => ALL_SORTS[key.replace('-', '')]?.(row, now, query) ?? null);
}

/** Less than 0 where the first comes first. */
export function compareBy(sort: string, a: Row, b: Row, now: number, query: Query = {}): number {
  const [left, right] = [sortValues(sort, a, now, query), sortValues(sort, b, now, query)];
  for (const [place, key] of keysOf(sort).entries()) {
    const [x = null, y = null] = [left[place], right[place]];
    if (x === y) continue;
    if (x === null) return 1;
    if (y === null) return -1;
    return key.startsWith('-') ? y - x : x - y;
  }
  const isBefore = a.id < b.id;
  return isBefore !== keysOf(sort).at(-1)?.startsWith('-') ? -1 : 1;
}

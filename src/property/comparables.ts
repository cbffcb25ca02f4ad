// Owns which homes a property is valued by: closed or offered near it, at what price, and how that is known.

import { DAY } from '../lib/time.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import { type Ranked, rankedByLikeness } from './compared.ts';
import { findNeighbours, type Neighbour } from './neighbour-store.ts';
import type { HomeFacts } from './similarity.ts';

/** closed: what was paid; asking: what is or was asked, as with all rents and where prices paid are not disclosed. */
export const BASES = ['closed', 'asking'] as const;
export type Basis = (typeof BASES)[number];

export interface Comparable extends Neighbour {
  /** The price it is compared by; of rentals, per month. */
  readonly worth: number;
  readonly basis: Basis;
}

/** Where and among what comparables are looked for. */
export interface ComparableQuery {
  readonly subject: HomeFacts;
  readonly listingType: ListingType;
  readonly currency: string;
  readonly radiusKm: number;
  /** How many days ago a comparable may have closed. */
  readonly daysOld: number;
  /** The subject's own listings. */
  readonly except: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly ignoreDisplayRules: boolean;
}

/** The comparables of a home among its nearest neighbours, the most alike first. */
export async function findComparables(
  database: Database,
  query: ComparableQuery,
): Promise<Ranked<Comparable>[]> {
  const { daysOld, ...near } = query;
  const closedSince = new Date(query.now - daysOld * DAY).toISOString().slice(0, 10);
  const homes = await findNeighbours(database, { ...near, closedSince });
  return rankedByLikeness(
    query.subject,
    homes.flatMap((home) => asComparable(home, query.listingType) ?? []),
  );
}

/** The home with the price it is compared by; null where it has none. */
export function asComparable(home: Neighbour, listingType: ListingType): Comparable | null {
  if (listingType === 'sale' && home.status === 'CLOSED' && home.closePrice !== null && home.closePrice > 0)
    return { ...home, worth: home.closePrice, basis: 'closed' };
  return home.price !== null && home.price > 0 ? { ...home, worth: home.price, basis: 'asking' } : null;
}

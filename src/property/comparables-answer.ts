// Owns the comparables of a property as they are told: each with its price, its distance, its likeness, and why.

import { type Static, Type } from 'typebox';
import type { View } from '../listings/present.ts';
import { ListingSchema, nullable } from '../listings/record.ts';
import type { StoredListing } from '../listings/stored-listing.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import { BASES, type Basis, findComparables } from './comparables.ts';
import { comparedMembers, presentRanked } from './compared.ts';
import { findListings } from './neighbour-store.ts';
import type { SeenProperty } from './property-answer.ts';
import { factsOf } from './subject.ts';

export const ComparableSchema = Type.Object(
  {
    price: Type.Number({ description: 'The price used for the comparison; rents are per month.' }),
    basis: Type.Unsafe<Basis>({
      type: 'string',
      enum: [...BASES],
      description: 'closed: price paid; asking: asking price.',
    }),
    closedAt: nullable(Type.String({ format: 'date' })),
    ...comparedMembers,
    listing: ListingSchema,
  },
  { $id: 'Comparable', description: 'A comparable home that was sold, let, or is on the market.' },
);
export type ToldComparable = Static<typeof ComparableSchema>;

export interface ComparablesAsked {
  readonly listingType: ListingType;
  readonly radiusKm: number;
  readonly daysOld: number;
  readonly count: number;
}

export const DEFAULT_COUNT = 10;
export const DEFAULT_DAYS_OLD = 365;

/** The most alike comparables, and the listings they were told from. Empty where the subject's place is not known. */
export async function tellComparables(
  database: Database,
  seen: SeenProperty,
  asked: ComparablesAsked,
  view: View,
): Promise<{ data: ToldComparable[]; told: StoredListing[] }> {
  const subject = factsOf(seen.subject);
  if (subject === null) return { data: [], told: [] };
  const { count, ...where } = asked;
  const ranked = await findComparables(database, {
    ...where,
    ...{ subject, currency: seen.subject.record.currency, now: view.now },
    except: seen.property.listings.map(({ id }) => id),
    ignoreDisplayRules: view.ignoreDisplayRules,
  });
  const best = ranked.slice(0, count);
  const ids = best.map(({ home }) => home.id);
  const found = presentRanked(best, await findListings(database, ids), subject, view);
  return {
    data: found.map(({ home, stored: _, ...told }) => ({
      price: home.worth,
      basis: home.basis,
      closedAt: home.status === 'CLOSED' ? (home.closedAt?.slice(0, 10) ?? null) : null,
      ...told,
    })),
    told: found.map(({ stored }) => stored),
  };
}

// Owns how homes that were found near another one are ranked by likeness and told to a reader.

import { type Static, Type } from 'typebox';
import { areaIn, presentListing, type View } from '../listings/present.ts';
import { ListingSchema, nullable, unitSchema } from '../listings/record.ts';
import type { StoredListing } from '../listings/stored-listing.ts';
import type { Neighbour } from './neighbour-store.ts';
import { COMPARED_FACTS, type ComparedFact, type HomeFacts, type Likeness, likeness } from './similarity.ts';

/** A home with how alike it is to the subject. */
export interface Ranked<N extends Neighbour> {
  readonly home: N;
  readonly likeness: Likeness;
}

/** The most alike first, one listing of each property: of its closed ones the latest, before those that are offered. */
export function rankedByLikeness<N extends Neighbour>(subject: HomeFacts, homes: readonly N[]): Ranked<N>[] {
  const ranked = homes
    .map((home) => ({ home, likeness: likeness(subject, home) }))
    .sort(
      (a, b) =>
        b.likeness.similarity - a.likeness.similarity ||
        a.likeness.distanceKm - b.likeness.distanceKm ||
        (b.home.closedAt ?? '').localeCompare(a.home.closedAt ?? '') ||
        (a.home.id < b.home.id ? -1 : 1),
    );
  const properties = new Set<string>();
  return ranked.filter(({ home }) => {
    if (properties.has(home.propertyId)) return false;
    properties.add(home.propertyId);
    return true;
  });
}

const FactSchema = Type.Unsafe<ComparedFact>({ type: 'string', enum: [...COMPARED_FACTS] });

/** The members that say how a home compares with the subject. */
export const comparedMembers = {
  distance: Type.Number({ description: 'In `distanceUnit`, rounded to three decimals.' }),
  distanceUnit: unitSchema(['mi', 'km'], 'Miles, or kilometres with `units=metric`.'),
  similarity: Type.Number({ minimum: 0, maximum: 1, description: 'Rounded to three decimals.' }),
  why: Type.Object({
    agrees: Type.Array(FactSchema),
    differs: Type.Array(
      Type.Object({
        fact: FactSchema,
        subject: Type.Union([Type.Number(), Type.Boolean()]),
        other: Type.Union([Type.Number(), Type.Boolean()]),
      }),
    ),
    unknown: Type.Array(FactSchema, { description: 'Facts unknown for one of the two.' }),
  }),
} as const;

export const ComparedSchema = Type.Object(
  { ...comparedMembers, listing: ListingSchema },
  { $id: 'ComparedListing', description: 'A listing, and how its home compares with the subject property.' },
);
export type Compared = Static<typeof ComparedSchema>;

export const SubjectSchema = nullable(
  Type.Object(
    { listingId: Type.String(), propertyType: Type.String(), lat: Type.Number(), lng: Type.Number() },
    {
      description:
        'The listing of the subject property that was compared. Null if its place is unknown; then there are no ' +
        'comparables.',
    },
  ),
);

const KM_PER_MILE = 1.609344;

/** A distance in the reader's unit, to three decimals. */
export const distanceIn = (km: number, { units }: Pick<View, 'units'>): number =>
  thousandths(units === 'metric' ? km : km / KM_PER_MILE);

/** Kilometres of a distance in the reader's unit. */
export const kilometresOf = (distance: number, units: View['units']): number =>
  units === 'metric' ? distance : distance * KM_PER_MILE;

const thousandths = (value: number): number => Math.round(value * 1000) / 1000;

/** How a home compares, as it is told. */
export function toldLikeness(
  subject: HomeFacts,
  home: HomeFacts,
  { distanceKm, similarity, agrees, differs, unknown }: Likeness,
  view: View,
): Omit<Compared, 'listing'> {
  const told = (facts: HomeFacts, fact: ComparedFact): number | boolean => {
    const value = facts[fact] ?? 0;
    const isArea = fact === 'livingArea' || fact === 'lotSize';
    return isArea && typeof value === 'number' ? (areaIn(value, view.units) ?? 0) : value;
  };
  return {
    distance: distanceIn(distanceKm, view),
    distanceUnit: view.units === 'metric' ? 'km' : 'mi',
    similarity: thousandths(similarity),
    why: {
      agrees: [...agrees],
      differs: differs.map((fact) => ({ fact, subject: told(subject, fact), other: told(home, fact) })),
      unknown: [...unknown],
    },
  };
}

/** Each ranked home with its listing as this reader sees it; one that was hidden or is gone meanwhile is left out. */
export function presentRanked<N extends Neighbour>(
  ranked: readonly Ranked<N>[],
  listings: ReadonlyMap<string, StoredListing>,
  subject: HomeFacts,
  view: View,
): (Compared & { readonly home: N; readonly stored: StoredListing })[] {
  return ranked.flatMap(({ home, likeness: how }) => {
    const stored = listings.get(home.id);
    const listing = stored && presentListing(stored, view);
    return stored && listing ? [{ ...toldLikeness(subject, home, how, view), listing, home, stored }] : [];
  });
}

/** The subject as it is told. */
export function toldSubject(listing: StoredListing, facts: HomeFacts | null): Static<typeof SubjectSchema> {
  return facts && { listingId: listing.id, propertyType: facts.propertyType, ...facts.location };
}

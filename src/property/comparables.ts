// Comparables: homes near another one, ranked by similarity, with the price that each compares by.

import { type Static, Type } from 'typebox';
import { DAY } from '../lib/clock.ts';
import { areaIn, presentListing, type ReaderView } from '../listings/presenter.ts';
import { ListingSchema, nullable, unitSchema } from '../listings/record.ts';
import { findListings, type StoredListing } from '../listings/store.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import { findNeighbours, type Neighbour } from './neighbour-store.ts';
import { computeSimilarity, FACTS, type HomeFact, type HomeFacts, type Similarity } from './similarity.ts';
import { homeFacts, type VisibleProperty } from './subject-property.ts';

/** A home with its similarity to the subject. */
export interface Ranked<N extends Neighbour> {
  readonly home: N;
  readonly similarity: Similarity;
}

/** The most similar first, one listing of each property: of its closed ones the latest, before those that are offered. */
export function rankBySimilarity<N extends Neighbour>(subject: HomeFacts, homes: readonly N[]): Ranked<N>[] {
  const ranked = homes
    .map((home) => ({ home, similarity: computeSimilarity(subject, home) }))
    .sort(
      (a, b) =>
        b.similarity.score - a.similarity.score ||
        a.similarity.distanceKm - b.similarity.distanceKm ||
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

const FactSchema = Type.Unsafe<HomeFact>({ type: 'string', enum: [...FACTS] });

/** The members that say how a home compares with the subject. */
export const similarityMembers = {
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

export const SimilarListingSchema = Type.Object(
  { ...similarityMembers, listing: ListingSchema },
  { $id: 'ComparedListing', description: 'A listing, and how its home compares with the subject property.' },
);
type SimilarListing = Static<typeof SimilarListingSchema>;

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
const distanceIn = (km: number, { units }: Pick<ReaderView, 'units'>): number =>
  thousandths(units === 'metric' ? km : km / KM_PER_MILE);

/** Kilometres of a distance in the reader's unit. */
export const kilometresOf = (distance: number, units: ReaderView['units']): number =>
  units === 'metric' ? distance : distance * KM_PER_MILE;

const thousandths = (value: number): number => Math.round(value * 1000) / 1000;

/** How a home compares, in the reader's units. */
function presentSimilarity(
  subject: HomeFacts,
  home: HomeFacts,
  { distanceKm, score, agrees, differs, unknown }: Similarity,
  view: ReaderView,
): Omit<SimilarListing, 'listing'> {
  const factIn = (facts: HomeFacts, fact: HomeFact): number | boolean => {
    const value = facts[fact] ?? 0;
    const isArea = fact === 'livingArea' || fact === 'lotSize';
    return isArea && typeof value === 'number' ? (areaIn(value, view.units) ?? 0) : value;
  };
  return {
    distance: distanceIn(distanceKm, view),
    distanceUnit: view.units === 'metric' ? 'km' : 'mi',
    similarity: thousandths(score),
    why: {
      agrees: [...agrees],
      differs: differs.map((fact) => ({ fact, subject: factIn(subject, fact), other: factIn(home, fact) })),
      unknown: [...unknown],
    },
  };
}

/** Each ranked home with its listing as this reader sees it; one that was hidden or is gone meanwhile is left out. */
async function presentRanked<N extends Neighbour>(
  database: Database,
  ranked: readonly Ranked<N>[],
  subject: HomeFacts,
  view: ReaderView,
): Promise<(SimilarListing & { readonly home: N; readonly stored: StoredListing })[]> {
  const ids = ranked.map(({ home }) => home.id);
  const listings = await database.read((sql) => findListings(sql, ids));
  return ranked.flatMap(({ home, similarity }) => {
    const stored = listings.get(home.id);
    const listing = stored && presentListing(stored, view);
    return stored && listing
      ? [{ ...presentSimilarity(subject, home, similarity, view), listing, home, stored }]
      : [];
  });
}

/** What the others were compared with. */
export function presentSubject(
  listing: StoredListing,
  facts: HomeFacts | null,
): Static<typeof SubjectSchema> {
  return facts && { listingId: listing.id, propertyType: facts.propertyType, ...facts.location };
}

/** closed: what was paid; asking: what is or was asked, as with all rents and where prices paid are not disclosed. */
export const BASES = ['closed', 'asking'] as const;
export type Basis = (typeof BASES)[number];

export interface Comparable extends Neighbour {
  /** The price it is compared by; of rentals, per month. */
  readonly comparablePrice: number;
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

/** The comparables of a home among its nearest neighbours, the most similar first. */
export async function findComparables(
  database: Database,
  query: ComparableQuery,
): Promise<Ranked<Comparable>[]> {
  const { daysOld, ...near } = query;
  const closedSince = new Date(query.now - daysOld * DAY).toISOString().slice(0, 10);
  const homes = await findNeighbours(database, { ...near, closedSince });
  return rankBySimilarity(
    query.subject,
    homes.flatMap((home) => asComparable(home, query.listingType) ?? []),
  );
}

/** The home with the price it is compared by; null where it has none. */
export function asComparable(home: Neighbour, listingType: ListingType): Comparable | null {
  if (listingType === 'sale' && home.status === 'CLOSED' && home.closePrice !== null && home.closePrice > 0)
    return { ...home, comparablePrice: home.closePrice, basis: 'closed' };
  return home.price !== null && home.price > 0
    ? { ...home, comparablePrice: home.price, basis: 'asking' }
    : null;
}

export const ComparableSchema = Type.Object(
  {
    price: Type.Number({ description: 'The price used for the comparison; rents are per month.' }),
    basis: Type.Unsafe<Basis>({
      type: 'string',
      enum: [...BASES],
      description: 'closed: price paid; asking: asking price.',
    }),
    closedAt: nullable(Type.String({ format: 'date' })),
    ...similarityMembers,
    listing: ListingSchema,
  },
  { $id: 'Comparable', description: 'A comparable home that was sold, let, or is on the market.' },
);
type PresentedComparable = Static<typeof ComparableSchema>;

interface ComparablesRequest {
  readonly listingType: ListingType;
  readonly radiusKm: number;
  readonly daysOld: number;
  readonly count: number;
}

/** The most similar listings on the market, one for each property. Empty where the subject's place is not known. */
export async function listSimilar(
  database: Database,
  { property, subject }: VisibleProperty,
  view: ReaderView,
  request: Omit<ComparablesRequest, 'daysOld'>,
) {
  const facts = homeFacts(subject);
  if (facts === null) return [];
  const { count, ...where } = request;
  const homes = await findNeighbours(database, {
    ...where,
    ...{ subject: facts, currency: null, closedSince: null, now: view.now },
    except: property.listings.map(({ id }) => id),
    ignoreDisplayRules: view.ignoreDisplayRules,
  });
  return presentRanked(database, rankBySimilarity(facts, homes).slice(0, count), facts, view);
}

export const DEFAULT_COUNT = 10;
export const DEFAULT_DAYS_OLD = 365;

/** The most similar comparables, and the listings they are taken from. Empty where the subject's place is not known. */
export async function listComparables(
  database: Database,
  visible: VisibleProperty,
  request: ComparablesRequest,
  view: ReaderView,
): Promise<{ data: PresentedComparable[]; listings: StoredListing[] }> {
  const subject = homeFacts(visible.subject);
  if (subject === null) return { data: [], listings: [] };
  const { count, ...where } = request;
  const ranked = await findComparables(database, {
    ...where,
    ...{ subject, currency: visible.subject.record.currency, now: view.now },
    except: visible.property.listings.map(({ id }) => id),
    ignoreDisplayRules: view.ignoreDisplayRules,
  });
  const found = await presentRanked(database, ranked.slice(0, count), subject, view);
  return {
    data: found.map(({ home, stored: _, ...comparable }) => ({
      price: home.comparablePrice,
      basis: home.basis,
      closedAt: home.status === 'CLOSED' ? (home.closedAt?.slice(0, 10) ?? null) : null,
      ...comparable,
    })),
    listings: found.map(({ stored }) => stored),
  };
}

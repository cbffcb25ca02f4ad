// Comparables: homes near another one, ranked by similarity, with the price that each compares by.

import { type Static, Type } from 'typebox';
import { DAY } from '../lib/clock.ts';
import { roundTo } from '../lib/round.ts';
import { areaIn, presentListing, type ReaderView } from '../listings/presenter.ts';
import { ListingSchema, nullable, oneOf } from '../listings/record.ts';
import { findListings, type StoredListing } from '../listings/store.ts';
import { type ListingType, PROPERTY_TYPES } from '../listings/vocabulary.ts';
import type { Database } from '../postgres/client/database.ts';
import { type ComparedReads, DEFAULT_RADIUS } from './compared-reads.ts';
import { findNeighbours, type Neighbour, type NeighbourQuery } from './neighbour-store.ts';
import { isNominal, withoutNominal } from './nominal-price.ts';
import { computeSimilarity, FACTS, type HomeFact, type HomeFacts, type Similarity } from './similarity.ts';
import { homeFacts, type VisibleProperty } from './subject-property.ts';

/** A home with its similarity to the subject. */
interface Ranked<N extends Neighbour> {
  readonly home: N;
  readonly similarity: Similarity;
}

/** The most similar first, one listing per property: the latest closed one, else one on the market. */
function rankBySimilarity<N extends Neighbour>(subject: HomeFacts, homes: readonly N[]): Ranked<N>[] {
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

const FactSchema = oneOf(FACTS);

/** The members that say how a home compares with the subject. */
const similarityMembers = {
  distance: Type.Number({ description: 'In `distanceUnit`, rounded to three decimals.' }),
  distanceUnit: oneOf(['mi', 'km'], 'Miles, or kilometres with `units=metric`.'),
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
    { listingId: Type.String(), propertyType: oneOf(PROPERTY_TYPES), lat: Type.Number(), lng: Type.Number() },
    {
      description:
        'The listing of the subject property that was compared. Null if its place is unknown; then there are no ' +
        'comparables.',
    },
  ),
);

const KM_PER_MILE = 1.609344;

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
    distance: roundTo(view.units === 'metric' ? distanceKm : distanceKm / KM_PER_MILE, 3),
    distanceUnit: view.units === 'metric' ? 'km' : 'mi',
    similarity: roundTo(score, 3),
    why: {
      agrees: [...agrees],
      differs: differs.map((fact) => ({ fact, subject: factIn(subject, fact), other: factIn(home, fact) })),
      unknown: [...unknown],
    },
  };
}

/** Each ranked home with its listing as this reader sees it; those hidden or removed in the meantime are left out. */
async function presentRanked<N extends Neighbour>(
  database: Database,
  ranked: readonly Ranked<N>[],
  subject: HomeFacts,
  view: ReaderView,
): Promise<{ readonly home: N; readonly stored: StoredListing; readonly presented: SimilarListing }[]> {
  const ids = ranked.map(({ home }) => home.id);
  const listings = await database.read((sql) => findListings(sql, ids));
  return ranked.flatMap(({ home, similarity }, place) => {
    const stored = listings[place];
    const listing = stored && presentListing(stored, view);
    if (!stored || !listing) return [];
    return [{ home, stored, presented: { ...presentSimilarity(subject, home, similarity, view), listing } }];
  });
}

/** The facts of the subject that other homes were compared with. */
export function presentSubject(listing: StoredListing): Static<typeof SubjectSchema> {
  const facts = homeFacts(listing);
  return facts && { listingId: listing.id, propertyType: facts.propertyType, ...facts.location };
}

/** closed: the price paid; asking: the asking price, as for all rents and where prices paid are not disclosed. */
export const BASES = ['closed', 'asking'] as const;
export type Basis = (typeof BASES)[number];

export interface Comparable extends Neighbour {
  /** The price it is compared by; of rentals, per month. */
  readonly comparablePrice: number;
  readonly basis: Basis;
}

/** The comparables of a home among its nearest neighbours, the most similar first. `daysOld`: maximum age of a closing. */
export async function findComparables(
  database: Database,
  { daysOld, ...query }: Omit<NeighbourQuery, 'closedSince'> & { readonly daysOld: number },
): Promise<Ranked<Comparable>[]> {
  const closedSince = new Date(query.now - daysOld * DAY).toISOString().slice(0, 10);
  const homes = await findNeighbours(database, { ...query, closedSince });
  const comparables = homes.flatMap((home) => asComparable(home, query.listingType) ?? []);
  return rankBySimilarity(query.subject, withoutNominal(comparables));
}

/** The home with the price it is compared by; null where it has none that says anything of its value. */
function asComparable(home: Neighbour, listingType: ListingType): Comparable | null {
  const { closePrice } = home;
  if (listingType === 'sale' && home.status === 'CLOSED' && closePrice !== null && closePrice > 0) {
    if (isNominal({ ...home, closePrice })) return null;
    return { ...home, comparablePrice: closePrice, basis: 'closed' };
  }
  return home.price !== null && home.price > 0
    ? { ...home, comparablePrice: home.price, basis: 'asking' }
    : null;
}

export const ComparableSchema = Type.Object(
  {
    price: Type.Number({ description: 'The price used for the comparison; rents are per month.' }),
    basis: oneOf(BASES, 'closed: price paid; asking: asking price.'),
    closedAt: nullable(Type.String({ format: 'date' })),
    ...similarityMembers,
    listing: ListingSchema,
  },
  { $id: 'Comparable', description: 'A comparable home that was sold, let, or is on the market.' },
);
export type PresentedComparable = Static<typeof ComparableSchema>;

export const DEFAULT_COUNT = 10;
export const DEFAULT_DAYS_OLD = 365;

interface ComparisonRequest {
  /** Default: the type of the subject. */
  readonly listingType?: ListingType | undefined;
  /** In the reader's unit. */
  readonly maxRadius?: number | undefined;
  readonly count: number;
}

/** Which homes a request compares with the subject: never its own listings. */
function neighbourScope(
  { property, subject, view }: VisibleProperty,
  { listingType = subject.listingType, maxRadius = DEFAULT_RADIUS }: ComparisonRequest,
) {
  return {
    listingType,
    radiusKm: view.units === 'metric' ? maxRadius : maxRadius * KM_PER_MILE,
    except: property.listings.map(({ id }) => id),
    now: view.now,
    ignoreDisplayRules: view.ignoreDisplayRules,
    reach: view.reach,
  };
}

/** The most similar listings on the market, one per property, presented and as stored. Empty if the subject's place is unknown. */
export async function listSimilar(
  { database, nearby }: ComparedReads,
  visible: VisibleProperty,
  request: ComparisonRequest,
): Promise<{ data: SimilarListing[]; listings: StoredListing[] }> {
  const subject = homeFacts(visible.subject);
  if (subject === null) return { data: [], listings: [] };
  const homes = await findNeighbours(nearby, {
    ...neighbourScope(visible, request),
    subject,
    currency: null,
    closedSince: null,
  });
  const ranked = rankBySimilarity(subject, homes).slice(0, request.count);
  const similar = await presentRanked(database, ranked, subject, visible.view);
  return {
    data: similar.map(({ presented }) => presented),
    listings: similar.map(({ stored }) => stored),
  };
}

/** The most similar comparables, presented and as stored. Empty if the subject's place is unknown. */
export async function listComparables(
  { database, nearby }: ComparedReads,
  visible: VisibleProperty,
  request: ComparisonRequest & { readonly daysOld?: number | undefined },
): Promise<{ data: PresentedComparable[]; listings: StoredListing[] }> {
  const subject = homeFacts(visible.subject);
  if (subject === null) return { data: [], listings: [] };
  const { daysOld = DEFAULT_DAYS_OLD, count } = request;
  const { currency } = visible.subject.record;
  const ranked = await findComparables(nearby, {
    ...neighbourScope(visible, request),
    subject,
    currency,
    daysOld,
  });
  const comparables = await presentRanked(database, ranked.slice(0, count), subject, visible.view);
  return {
    data: comparables.map(({ home, presented }) => ({
      price: home.comparablePrice,
      basis: home.basis,
      closedAt: home.status === 'CLOSED' ? (home.closedAt?.slice(0, 10) ?? null) : null,
      ...presented,
    })),
    listings: comparables.map(({ stored }) => stored),
  };
}

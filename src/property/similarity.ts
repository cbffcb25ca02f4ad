// Similarity of two homes: a figure from 0 to 1, and the facts in which they agree or differ. Pure.

import { distanceKm, type Point } from '../geometry/geometry.ts';
import type { PropertyType } from '../listings/vocabulary.ts';

/** The facts by which two homes are compared. Areas in square feet; unknown is null. */
export interface HomeFacts {
  readonly propertyType: PropertyType;
  /** Rounded where the address is withheld. */
  readonly location: Point;
  readonly livingArea: number | null;
  readonly bedrooms: number | null;
  readonly bathrooms: number | null;
  readonly lotSize: number | null;
  readonly yearBuilt: number | null;
  readonly waterfront: boolean | null;
}

/** The facts that are compared, besides the place. */
export const FACTS = ['livingArea', 'bedrooms', 'bathrooms', 'lotSize', 'yearBuilt', 'waterfront'] as const;
export type HomeFact = (typeof FACTS)[number];

export interface Similarity {
  readonly distanceKm: number;
  /** From 0 to 1, not rounded. */
  readonly score: number;
  readonly agrees: readonly HomeFact[];
  readonly differs: readonly HomeFact[];
  /** Unknown for one of the two. */
  readonly unknown: readonly HomeFact[];
}

interface Rule {
  readonly weight: number;
  /** 1 for the same, down to 0. */
  readonly score: (a: number, b: number) => number;
}

/** 1 at no difference, 0 from `range` on. */
const closeness = (difference: number, range: number): number =>
  Math.max(0, 1 - Math.abs(difference) / range);

const RULES: Readonly<Record<HomeFact, Rule>> = {
  livingArea: { weight: 3, score: (a, b) => closeness(Math.log(a / b), Math.log(2)) },
  bedrooms: { weight: 1, score: (a, b) => closeness(a - b, 3) },
  bathrooms: { weight: 1, score: (a, b) => closeness(a - b, 3) },
  lotSize: { weight: 1, score: (a, b) => closeness(Math.log(a / b), Math.log(4)) },
  yearBuilt: { weight: 1, score: (a, b) => closeness(a - b, 50) },
  waterfront: { weight: 1, score: (a, b) => closeness(a - b, 1) },
};

const PLACE_WEIGHT = 4;
/** Kilometres at which a place counts half. */
const HALF_SCORE_KM = 1;
/** The score of a fact that is unknown for one of the two. */
const UNKNOWN_SCORE = 0.5;
/** The score from which on facts agree. */
const AGREES_FROM = 0.8;

/** The definition of similarity, for documentation. */
export const SIMILARITY_IN_WORDS =
  'The weighted mean of how well each fact agrees, from 0 to 1. Place (weight 4) counts 1 / (1 + ' +
  'kilometres). On a logarithmic scale, living area (3) falls to 0 at half or double, lot size (1) at a ' +
  'quarter or four times. Bedrooms and bathrooms (1 each) fall to 0 at a difference of 3, year built (1) at ' +
  '50 years; waterfront (1) is equal or not. A fact unknown for one of the two counts one half. Facts agree ' +
  'from 0.8 on.';

/** The similarity of two homes; it is symmetric. */
export function computeSimilarity(a: HomeFacts, b: HomeFacts): Similarity {
  const km = distanceKm(a.location, b.location);
  let sum = PLACE_WEIGHT / (1 + km / HALF_SCORE_KM);
  let weights = PLACE_WEIGHT;
  const groups: Record<'agrees' | 'differs' | 'unknown', HomeFact[]> = {
    agrees: [],
    differs: [],
    unknown: [],
  };
  for (const fact of FACTS) {
    const score = scoreOf(fact, a, b);
    sum += RULES[fact].weight * (score ?? UNKNOWN_SCORE);
    weights += RULES[fact].weight;
    groups[score === null ? 'unknown' : score >= AGREES_FROM ? 'agrees' : 'differs'].push(fact);
  }
  return { distanceKm: km, score: sum / weights, ...groups };
}

function scoreOf(fact: HomeFact, a: HomeFacts, b: HomeFacts): number | null {
  const [one, other] = [a[fact], b[fact]];
  if (one === null || other === null) return null;
  // An area of 0 means that it is unknown.
  if ((fact === 'livingArea' || fact === 'lotSize') && !(Number(one) > 0 && Number(other) > 0)) return null;
  return RULES[fact].score(Number(one), Number(other));
}

/** Types that are compared with each other: flats are let as apartments and sold as condominiums. */
const FLATS: readonly PropertyType[] = ['CONDO', 'COOP', 'APARTMENT'];

/** The property types that are compared with this one. */
export function comparableTypes(type: PropertyType): readonly PropertyType[] {
  return FLATS.includes(type) ? FLATS : [type];
}

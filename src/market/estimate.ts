// Owns how the worth of a home is estimated from its comparables: adjusted, weighted, and with a range. Pure.

import type { HomeFacts } from '../catalogue/similarity.ts';
import type { Basis } from './comparables.ts';

/** What an estimate takes from a comparable. */
export interface Evidence {
  readonly home: HomeFacts & { readonly worth: number; readonly basis: Basis };
  readonly likeness: { readonly similarity: number };
}

export interface Estimated {
  /** Not rounded. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
  readonly basis: Basis | 'mixed';
}

/** Fewer comparables say too little. */
export const FEWEST = 5;
/** More would be less alike. */
export const MOST = 20;
/** Where comparables of an estimate are looked for. */
export const ESTIMATE_RADIUS_KM = 8;
export const ESTIMATE_DAYS_OLD = 365;

const SIMILARITY_POWER = 12;
/** A home of double the size costs 2^0.5 as much, and so on: powers of the ratio of areas. */
const LIVING_AREA_POWER = 0.5;
const LOT_SIZE_POWER = 0.05;
const WATERFRONT_FACTOR = 1.5;
/** Standard deviations of the adjusted prices, each way. */
const SPREADS = 1.5;
/** The range is never narrower than this share of the value, each way. */
const NARROWEST = 0.05;

/** For documentation: the method, in words. */
export const METHOD_IN_WORDS =
  `The ${MOST} most alike comparables within ${ESTIMATE_RADIUS_KM} km that closed in the last ${ESTIMATE_DAYS_OLD} ` +
  `days, or where those are fewer than ${FEWEST}, also what is asked for homes on the market. Each price is adjusted ` +
  `to the subject: by the ratio of living areas to the power ${LIVING_AREA_POWER}, of lot sizes to the power ` +
  `${LOT_SIZE_POWER}, and by ${WATERFRONT_FACTOR} where only one of the two lies at the water. The value is their ` +
  `geometric mean, weighted by similarity to the power ${SIMILARITY_POWER}; low and high lie ${SPREADS} weighted ` +
  `standard deviations of the logarithms away, at least ${NARROWEST * 100} %. Rents are asked rents per month.`;

/** The price of a comparable as if it were the subject. */
export function adjustedPrice(subject: HomeFacts, home: HomeFacts & { readonly worth: number }): number {
  return (
    home.worth *
    ratioPower(subject.livingArea, home.livingArea, LIVING_AREA_POWER) *
    ratioPower(subject.lotSize, home.lotSize, LOT_SIZE_POWER) *
    waterfrontFactor(subject.waterfront, home.waterfront)
  );
}

/** 1 where either is not known: what is not known is not adjusted for. */
function ratioPower(subject: number | null, other: number | null, power: number): number {
  return subject && other ? (subject / other) ** power : 1;
}

function waterfrontFactor(subject: boolean | null, other: boolean | null): number {
  if (subject === null || other === null || subject === other) return 1;
  return subject ? WATERFRONT_FACTOR : 1 / WATERFRONT_FACTOR;
}

/** The comparables that count: the most alike of those that closed, or of all where too few did. */
export function chosenEvidence<E extends Evidence>(ranked: readonly E[]): E[] {
  const closed = ranked.filter(({ home }) => home.basis === 'closed');
  return (closed.length >= FEWEST ? closed : ranked).slice(0, MOST);
}

/** The estimate from comparables, the most alike first; null where they are too few. */
export function estimateFrom(subject: HomeFacts, ranked: readonly Evidence[]): Estimated | null {
  const chosen = chosenEvidence(ranked);
  if (chosen.length < FEWEST) return null;
  const points = chosen.map(({ home, likeness }) => ({
    log: Math.log(adjustedPrice(subject, home)),
    weight: likeness.similarity ** SIMILARITY_POWER,
  }));
  const total = points.reduce((sum, { weight }) => sum + weight, 0);
  const mean = points.reduce((sum, { log, weight }) => sum + log * weight, 0) / total;
  const variance = points.reduce((sum, { log, weight }) => sum + weight * (log - mean) ** 2, 0) / total;
  const value = Math.exp(mean);
  const spread = Math.exp(SPREADS * Math.sqrt(variance));
  const bases = new Set(chosen.map(({ home }) => home.basis));
  const [basis = 'asking'] = bases;
  return {
    value,
    low: Math.min(value / spread, value * (1 - NARROWEST)),
    high: Math.max(value * spread, value * (1 + NARROWEST)),
    n: chosen.length,
    basis: bases.size > 1 ? 'mixed' : basis,
  };
}

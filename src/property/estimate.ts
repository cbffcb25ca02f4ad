// Estimate of a home's price from its comparables: adjusted, weighted, and with a range. Pure.

import { DAY } from '../lib/clock.ts';
import type { Basis } from './comparables.ts';
import { type CoefficientPrior, fitLocally } from './local-regression.ts';
import type { HomeFacts } from './similarity.ts';

/** A comparable as the estimate uses it. */
export interface Evidence {
  readonly home: HomeFacts & {
    readonly comparablePrice: number;
    readonly basis: Basis;
    /** Null while it is on the market. */
    readonly closedAt: string | null;
  };
  readonly similarity: { readonly score: number };
}

/** The time of an estimate, and the price trend there. */
export interface ValuationDate {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Change of the logarithm of prices per day. */
  readonly slope: number;
}

export interface EstimatedPrice {
  /** Not rounded. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly n: number;
  readonly basis: Basis | 'mixed';
}

export const MIN_COMPARABLES = 5;
export const MAX_COMPARABLES = 100;
export const ESTIMATE_RADIUS_KM = 8;
export const ESTIMATE_DAYS_OLD = 365;
/** Maximum days over which a price is adjusted by the trend. */
export const TREND_LIMIT_DAYS = 180;

const SIMILARITY_POWER = 12;
/** The total weight of all comparables, against the strengths of the priors below. */
const TOTAL_WEIGHT = 8;
/** The share of prices that ranges are designed to contain, and the deviations that do so on real sales (docs/estimate.md). */
export const LEVEL = 0.8;
const DEVIATIONS = 1.72;
/** Few comparables give an uncertain spread: it widens as if this many were missing. */
const MISSING_COMPARABLES = 4;
/** The minimum distance of low and high from the value, as a share of it. */
const MIN_RANGE = 0.05;
const KM_IN_A_DEGREE = 111.195;

/** A difference between comparable and subject, and its prior coefficient. */
interface Effect extends CoefficientPrior {
  readonly difference: (home: HomeFacts, subject: HomeFacts) => number;
}

const EFFECTS: readonly Effect[] = [
  { difference: (home, subject) => logRatio(home.livingArea, subject.livingArea), prior: 0.45, strength: 2 },
  { difference: (home, subject) => logRatio(home.lotSize, subject.lotSize), prior: 0.08, strength: 1 },
  { difference: (home, subject) => gap(home.bathrooms, subject.bathrooms), prior: 0.03, strength: 1.5 },
  { difference: (home, subject) => gap(home.yearBuilt, subject.yearBuilt) / 10, prior: 0, strength: 0.06 },
  {
    difference: (home, subject) => gap(asNumber(home.waterfront), asNumber(subject.waterfront)),
    prior: 0.7,
    strength: 0.25,
  },
  { difference: (home, subject) => kilometres(home, subject).east, prior: 0, strength: 2 },
  { difference: (home, subject) => kilometres(home, subject).north, prior: 0, strength: 2 },
];

/** The method, for documentation. */
export const METHOD_IN_WORDS =
  `Uses the ${MAX_COMPARABLES} most similar comparables within ${ESTIMATE_RADIUS_KM} km that closed in the last ` +
  `${ESTIMATE_DAYS_OLD} days; if those are fewer than ${MIN_COMPARABLES}, also asking prices of homes on the market. ` +
  `Each price is adjusted to today by the local price trend, over at most ${TREND_LIMIT_DAYS} days. The ` +
  'value comes from a regression of log prices on living area, lot size, bathrooms, year built, waterfront ' +
  `and place, weighted by similarity to the power ${SIMILARITY_POWER}, with little weight for outliers. low ` +
  `and high are designed to contain ${LEVEL * 100} % of the prices paid; they are at least ` +
  `${MIN_RANGE * 100} % away. Rents are asking rents per month.`;

/** The most similar closed comparables, or of all if too few have closed. */
export function selectEvidence<E extends Evidence>(ranked: readonly E[]): E[] {
  const closed = ranked.filter(({ home }) => home.basis === 'closed');
  return (closed.length >= MIN_COMPARABLES ? closed : ranked).slice(0, MAX_COMPARABLES);
}

/** The estimate from comparables, most similar first; null if they are too few. */
export function estimateFrom(
  subject: HomeFacts,
  ranked: readonly Evidence[],
  moment: ValuationDate,
): EstimatedPrice | null {
  const chosen = selectEvidence(ranked);
  if (chosen.length < MIN_COMPARABLES) return null;
  const weights = weightsOf(chosen);
  const observations = chosen.map(({ home }, at) => ({
    differences: EFFECTS.map(({ difference }) => difference(home, subject)),
    value: Math.log(home.comparablePrice) + trendSince(home.closedAt, moment),
    weight: weights[at] ?? 0,
  }));
  const fit = fitLocally(observations, EFFECTS);
  const value = Math.exp(fit.value);
  const effective = TOTAL_WEIGHT ** 2 / weights.reduce((sum, weight) => sum + weight ** 2, 0);
  const spread = Math.exp(DEVIATIONS * fit.residual * Math.sqrt(1 + MISSING_COMPARABLES / effective));
  const bases = new Set(chosen.map(({ home }) => home.basis));
  const [basis = 'asking'] = bases;
  return {
    value,
    low: Math.min(value / spread, value * (1 - MIN_RANGE)),
    high: Math.max(value * spread, value * (1 + MIN_RANGE)),
    n: chosen.length,
    basis: bases.size > 1 ? 'mixed' : basis,
  };
}

function weightsOf(chosen: readonly Evidence[]): number[] {
  const weights = chosen.map(({ similarity }) => similarity.score ** SIMILARITY_POWER);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (weight * TOTAL_WEIGHT) / total);
}

/** The trend of the logarithm of a price since its closing; 0 for an asking price. */
function trendSince(closedAt: string | null, { now, slope }: ValuationDate): number {
  if (closedAt === null) return 0;
  const days = (now - Date.parse(closedAt)) / DAY;
  return slope * Math.min(Math.max(days, 0), TREND_LIMIT_DAYS);
}

/** 0 if either is unknown, which is not adjusted for. Capped at a factor of e². */
function logRatio(home: number | null, subject: number | null): number {
  return home && subject ? Math.min(2, Math.max(-2, Math.log(home / subject))) : 0;
}

const gap = (home: number | null, subject: number | null): number =>
  home === null || subject === null ? 0 : home - subject;

const asNumber = (waterfront: boolean | null): number | null =>
  waterfront === null ? null : Number(waterfront);

function kilometres({ location: home }: HomeFacts, { location: subject }: HomeFacts) {
  const across = ((home.lng - subject.lng + 540) % 360) - 180;
  return {
    east: across * KM_IN_A_DEGREE * Math.cos((subject.lat * Math.PI) / 180),
    north: (home.lat - subject.lat) * KM_IN_A_DEGREE,
  };
}

// Estimate of a home's price from its comparables: adjusted, weighted, and with a range. Pure.

import { DAY } from '../lib/clock.ts';
import type { Basis } from './comparables.ts';
import { type CoefficientPrior, fitLocally } from './local-regression.ts';
import type { HomeFacts } from './similarity.ts';

/** What an estimate takes from a comparable. */
export interface Evidence {
  readonly home: HomeFacts & {
    readonly comparablePrice: number;
    readonly basis: Basis;
    /** Null while it is offered. */
    readonly closedAt: string | null;
  };
  readonly similarity: { readonly score: number };
}

/** When an estimate is made, and how prices move there. */
export interface Moment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The change of the logarithm of prices for each day that passes. */
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

/** Fewer comparables say too little. */
export const MIN_COMPARABLES = 5;
/** More would be less similar. */
export const MAX_COMPARABLES = 100;
/** Where comparables of an estimate are looked for. */
export const ESTIMATE_RADIUS_KM = 8;
export const ESTIMATE_DAYS_OLD = 365;
/** A trend is followed for so many days at the most. */
export const TREND_LIMIT_DAYS = 180;

const SIMILARITY_POWER = 12;
/** All comparables together weigh so much, against the strengths of the priors below. */
const TOTAL_WEIGHT = 8;
/** The share of prices that ranges are made to hold, and the deviations that hold it on real sales (docs/estimate.md). */
export const LEVEL = 0.8;
const DEVIATIONS = 1.72;
/** Few comparables know their own spread badly: the range is wider, as if this many were missing. */
const MISSING = 4;
/** The range is never narrower than this share of the value, each way. */
const MIN_RANGE = 0.05;
const KM_IN_A_DEGREE = 111.195;

/** How a comparable differs from the subject in one respect, and what that is worth before the neighbourhood is looked at. */
interface Effect extends CoefficientPrior {
  readonly difference: (home: HomeFacts, subject: HomeFacts) => number;
}

const EFFECTS: readonly Effect[] = [
  { difference: (home, subject) => logRatio(home.livingArea, subject.livingArea), prior: 0.45, strength: 2 },
  { difference: (home, subject) => logRatio(home.lotSize, subject.lotSize), prior: 0.08, strength: 1 },
  { difference: (home, subject) => gap(home.bathrooms, subject.bathrooms), prior: 0.03, strength: 1.5 },
  { difference: (home, subject) => gap(home.yearBuilt, subject.yearBuilt) / 10, prior: 0, strength: 0.06 },
  {
    difference: (home, subject) => gap(onShore(home.waterfront), onShore(subject.waterfront)),
    prior: 0.7,
    strength: 0.25,
  },
  { difference: (home, subject) => kilometres(home, subject).east, prior: 0, strength: 2 },
  { difference: (home, subject) => kilometres(home, subject).north, prior: 0, strength: 2 },
];

/** For documentation: the method, in words. */
export const METHOD_IN_WORDS =
  `Uses the ${MAX_COMPARABLES} most similar comparables within ${ESTIMATE_RADIUS_KM} km that closed in the last ` +
  `${ESTIMATE_DAYS_OLD} days; if those are fewer than ${MIN_COMPARABLES}, also asking prices of homes on the market. ` +
  `Each price is adjusted to today by the local price trend, over at most ${TREND_LIMIT_DAYS} days. The ` +
  'value comes from a regression of log prices on living area, lot size, bathrooms, year built, waterfront ' +
  `and place, weighted by similarity to the power ${SIMILARITY_POWER}, with little weight for outliers. low ` +
  `and high are designed to contain ${LEVEL * 100} % of the prices paid; they are at least ` +
  `${MIN_RANGE * 100} % away. Rents are asking rents per month.`;

/** The comparables that count: the most similar of those that closed, or of all where too few did. */
export function chosenEvidence<E extends Evidence>(ranked: readonly E[]): E[] {
  const closed = ranked.filter(({ home }) => home.basis === 'closed');
  return (closed.length >= MIN_COMPARABLES ? closed : ranked).slice(0, MAX_COMPARABLES);
}

/** The estimate from comparables, the most similar first; null where they are too few. */
export function estimateFrom(
  subject: HomeFacts,
  ranked: readonly Evidence[],
  moment: Moment,
): EstimatedPrice | null {
  const chosen = chosenEvidence(ranked);
  if (chosen.length < MIN_COMPARABLES) return null;
  const weights = weightsOf(chosen);
  const observations = chosen.map(({ home }, at) => ({
    differences: EFFECTS.map(({ difference }) => difference(home, subject)),
    value: Math.log(home.comparablePrice) + drift(home.closedAt, moment),
    weight: weights[at] ?? 0,
  }));
  const fit = fitLocally(observations, EFFECTS);
  const value = Math.exp(fit.value);
  const effective = TOTAL_WEIGHT ** 2 / weights.reduce((sum, weight) => sum + weight ** 2, 0);
  const spread = Math.exp(DEVIATIONS * fit.residual * Math.sqrt(1 + MISSING / effective));
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

/** What the trend added to the logarithm of a price since it was paid; nothing to one that is asked today. */
function drift(closedAt: string | null, { now, slope }: Moment): number {
  if (closedAt === null) return 0;
  const days = (now - Date.parse(closedAt)) / DAY;
  return slope * Math.min(Math.max(days, 0), TREND_LIMIT_DAYS);
}

/** 0 where either is not known: what is not known is not adjusted for. Beyond e² times the size nothing more is added. */
function logRatio(home: number | null, subject: number | null): number {
  return home && subject ? Math.min(2, Math.max(-2, Math.log(home / subject))) : 0;
}

const gap = (home: number | null, subject: number | null): number =>
  home === null || subject === null ? 0 : home - subject;

const onShore = (waterfront: boolean | null): number | null =>
  waterfront === null ? null : Number(waterfront);

function kilometres({ location: home }: HomeFacts, { location: subject }: HomeFacts) {
  const across = ((home.lng - subject.lng + 540) % 360) - 180;
  return {
    east: across * KM_IN_A_DEGREE * Math.cos((subject.lat * Math.PI) / 180),
    north: (home.lat - subject.lat) * KM_IN_A_DEGREE,
  };
}

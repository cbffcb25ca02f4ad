// Small market that comparables and estimates are tried on: homes written by hand, and their arithmetic anew.

import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../../src/listings/draft.ts';
import type { TestService } from '../service/service.ts';
import { draft } from './drafts.ts';
import { along, type Place } from './sphere.ts';

export interface Home {
  readonly key: string;
  readonly place: Place;
  readonly price: number;
  readonly livingArea: number;
  readonly bedrooms?: number;
  readonly bathrooms?: number;
  readonly lotSize?: number;
  readonly yearBuilt?: number;
  readonly waterfront?: boolean;
}

/** Writes drafts; gives the ids by their keys. */
export function writer({ database, clock }: TestService) {
  const catalogue = createCatalogue(database);
  return async (...drafts: readonly ListingDraft[]): Promise<ReadonlyMap<string, string>> =>
    (await database.transaction((tx) => catalogue.write(tx, 'test', drafts, clock.now()))).ids;
}

const facts = ({ key, place, price: _, ...rest }: Home, more: Partial<ListingDraft>): ListingDraft =>
  draft(key, { ...rest, location: { ...place, precision: 'exact' }, parcelNumber: key, ...more });

/** A home that was sold. */
export const sold = (home: Home, closedAt: string, more: Partial<ListingDraft> = {}): ListingDraft =>
  facts(home, { status: 'CLOSED', closePrice: home.price, closedAt, ...more });

/** A home that is for sale, or for rent. */
export const offered = (home: Home, more: Partial<ListingDraft> = {}): ListingDraft =>
  facts(home, { status: 'ACTIVE', listPrice: home.price, ...more });

export const KILOMETRES_IN_A_MILE = 1.609344;

const share = (difference: number, end: number): number => Math.max(0, 1 - Math.abs(difference) / end);

/** Similarity as the documentation defines it, worked out here by itself. */
export function similarityOf(a: Home, b: Home): number {
  const both = (
    one: number | undefined,
    other: number | undefined,
    score: (x: number, y: number) => number,
  ) => (one === undefined || other === undefined ? 0.5 : score(one, other));
  const ratio = (end: number) => (x: number, y: number) => share(Math.log2(x / y), Math.log2(end));
  const gap = (end: number) => (x: number, y: number) => share(x - y, end);
  const water = (home: Home) => (home.waterfront === undefined ? undefined : Number(home.waterfront));
  return (
    (4 / (1 + along(a.place, b.place)) +
      3 * both(a.livingArea, b.livingArea, ratio(2)) +
      both(a.lotSize, b.lotSize, ratio(4)) +
      both(a.bedrooms, b.bedrooms, gap(3)) +
      both(a.bathrooms, b.bathrooms, gap(3)) +
      both(a.yearBuilt, b.yearBuilt, gap(50)) +
      both(water(a), water(b), gap(1))) /
    12
  );
}

/**
 * The estimate as the documentation defines it, from these comparables that all count in full, where prices do not change.
 * Worked out here by itself: what is believed beforehand is written as further rows of one system of equations.
 */
export function estimateOf(subject: Home, homes: readonly Home[]): Record<'value' | 'low' | 'high', number> {
  const similar = homes.map((home) => similarityOf(subject, home) ** 12);
  const all = similar.reduce((sum, weight) => sum + weight, 0);
  const weights = similar.map((weight) => (8 * weight) / all);
  const rows = homes.map((home) => [1, ...differences(home, subject)]);
  const values = homes.map(({ price }) => Math.log(price));
  const missed = (solution: readonly number[]) =>
    rows.map((row, at) => (values[at] ?? 0) - row.reduce((sum, x, i) => sum + x * (solution[i] ?? 0), 0));
  const trusted = missed(leastSquares(rows, values, weights)).map(
    (error, at) => (weights[at] ?? 0) / (1 + (error / 0.2) ** 2),
  );
  const solution = leastSquares(rows, values, trusted);
  const squares = missed(solution).reduce((sum, error, at) => sum + (trusted[at] ?? 0) * error ** 2, 0);
  const residual = Math.sqrt(squares / trusted.reduce((sum, weight) => sum + weight, 0));
  const effective = 64 / weights.reduce((sum, weight) => sum + weight ** 2, 0);
  const value = Math.exp(solution[0] ?? 0);
  const spread = Math.exp(1.72 * residual * Math.sqrt(1 + 4 / effective));
  return {
    value,
    low: Math.min(value / spread, value * 0.95),
    high: Math.max(value * spread, value * 1.05),
  };
}

/** Belief beforehand: each coefficient's value, and its weight. */
const BELIEFS = [
  [0.45, 2],
  [0.08, 1],
  [0.03, 1.5],
  [0, 0.06],
  [0.7, 0.25],
  [0, 2],
  [0, 2],
] as const;

function differences(home: Home, subject: Home): number[] {
  const both = (a: number | undefined, b: number | undefined, compare: (a: number, b: number) => number) =>
    a === undefined || b === undefined ? 0 : compare(a, b);
  const minus = (a: number, b: number) => a - b;
  const ratio = (a: number, b: number) => Math.log(a / b);
  const water = ({ waterfront }: Home) => (waterfront === undefined ? undefined : Number(waterfront));
  return [
    ratio(home.livingArea, subject.livingArea),
    both(home.lotSize, subject.lotSize, ratio),
    both(home.bathrooms, subject.bathrooms, minus),
    both(home.yearBuilt, subject.yearBuilt, minus) / 10,
    both(water(home), water(subject), minus),
    (home.place.lng - subject.place.lng) * 111.195 * Math.cos((subject.place.lat * Math.PI) / 180),
    (home.place.lat - subject.place.lat) * 111.195,
  ];
}

/** Weighted least squares by Gauss and Jordan with a search for pivots, the beliefs as rows of their own. */
function leastSquares(
  rows: readonly number[][],
  values: readonly number[],
  weights: readonly number[],
): number[] {
  const beliefs = BELIEFS.map(([value, weight], at) => ({
    row: [0, ...BELIEFS.map((_, i) => Number(i === at))],
    value,
    weight,
  }));
  const weighted = rows.map((row, at) => ({ row, value: values[at] ?? 0, weight: weights[at] ?? 0 }));
  const size = BELIEFS.length + 1;
  const system = Array.from({ length: size }, (_, i) =>
    Array.from({ length: size + 1 }, (__, j) =>
      [...weighted, ...beliefs].reduce(
        (sum, { row, value, weight }) => sum + weight * (row[i] ?? 0) * (j < size ? (row[j] ?? 0) : value),
        0,
      ),
    ),
  );
  const solved: number[][] = [];
  for (let column = 0; column < size; column++) {
    system.sort((a, b) => Math.abs(b[column] ?? 0) - Math.abs(a[column] ?? 0));
    const best = system.shift() ?? [];
    const pivot = best.map((x) => x / (best[column] ?? 1));
    for (const row of [...system, ...solved]) {
      const factor = row[column] ?? 0;
      pivot.forEach((x, at) => {
        row[at] = (row[at] ?? 0) - factor * x;
      });
    }
    solved.push(pivot);
  }
  return solved.map((row) => row[size] ?? 0);
}

export const threeDigits = (value: number): number => Number(value.toPrecision(3));

// Owns the small market that comparables and estimates are tried on: homes written by hand, and their arithmetic anew.

import { createCatalogue } from '../../src/catalogue/catalogue.ts';
import type { ListingDraft } from '../../src/catalogue/draft.ts';
import { draft } from './drafts.ts';
import type { TestService } from './service.ts';
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
    (await database.transaction((tx) => catalogue.apply(tx, 'test', drafts, clock.now()))).ids;
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

/** The estimate as the documentation defines it, from all these comparables, worked out here by itself. */
export function estimateOf(subject: Home, homes: readonly Home[]): Record<'value' | 'low' | 'high', number> {
  const rows = homes.map((home) => {
    let price = home.price * Math.sqrt(subject.livingArea / home.livingArea);
    if (subject.lotSize && home.lotSize) price *= (subject.lotSize / home.lotSize) ** 0.05;
    if (subject.waterfront === true && home.waterfront === false) price *= 1.5;
    if (subject.waterfront === false && home.waterfront === true) price /= 1.5;
    return [price, similarityOf(subject, home) ** 12] as const;
  });
  const weights = rows.reduce((sum, [, weight]) => sum + weight, 0);
  const value = rows.reduce((product, [price, weight]) => product * price ** (weight / weights), 1);
  const squares = rows.reduce((sum, [price, weight]) => sum + weight * Math.log(price / value) ** 2, 0);
  const spread = Math.exp(1.5 * Math.sqrt(squares / weights));
  return {
    value,
    low: Math.min(value / spread, value * 0.95),
    high: Math.max(value * spread, value * 1.05),
  };
}

export const threeDigits = (value: number): number => Number(value.toPrecision(3));

// What searches tell of all their results, as plain loops over listings; shares no code with the service.

import type { Row } from '../catalogue/random-market.ts';
import { AREAS, comparedPrice, inArea } from './facts.ts';
import { rounded } from './filters.ts';
import { seenAt } from './search-oracle.ts';

export interface ValueCount {
  readonly value: string | number;
  readonly count: number;
}

/** Counts of values, the commonest first and then in the order of their text. */
export function counted(values: readonly (string | number | null)[]): ValueCount[] {
  const counts = Map.groupBy(
    values.filter((value) => value !== null),
    (value) => value,
  );
  return [...counts]
    .map(([value, all]) => ({ value, count: all.length }))
    .sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1));
}

/** The values that each facet counts of a listing. */
export const FACETS: Readonly<Record<string, (row: Row) => readonly (string | number | null)[]>> = {
  propertyType: ({ facts }) => [facts.propertyType],
  status: ({ facts }) => [facts.status],
  bedrooms: ({ facts }) => [facts.bedrooms],
  bathrooms: ({ facts }) => [facts.bathrooms],
  city: ({ facts }) => [facts.city?.trim().toLowerCase() ?? null],
  features: ({ facts }) => facts.features,
  yearBuiltDecade: ({ facts }) => [facts.yearBuilt && Math.floor(facts.yearBuilt / 10) * 10],
  areaId: ({ facts }) => Object.keys(AREAS).filter((id) => inArea(id, facts)),
};

/** A geohash by halving, as its inventor tells it. */
function geohash(lng: number, lat: number, letters: number): string {
  const sides = { lng: [-180, 180], lat: [-90, 90] } as { lng: [number, number]; lat: [number, number] };
  let [text, bits, count] = ['', 0, 0];
  for (let turn = 0; text.length < letters; turn += 1) {
    const [side, value] = turn % 2 === 0 ? (['lng', lng] as const) : (['lat', lat] as const);
    const [low, high] = sides[side];
    const middle = (low + high) / 2;
    sides[side] = value >= middle ? [middle, high] : [low, middle];
    bits = bits * 2 + (value >= middle ? 1 : 0);
    count += 1;
    if (count === 5) {
      text += '0123456789bcdefghjkmnpqrstuvwxyz'[bits];
      [bits, count] = [0, 0];
    }
  }
  return text;
}

export const pricesOf = (rows: readonly Row[]): number[] =>
  rows.flatMap(({ facts }) => comparedPrice(facts) ?? []).sort((a, b) => a - b);

/** Of sorted numbers, to two decimals; null without any. */
export function medianOf(sorted: readonly number[]): number | null {
  if (sorted.length === 0) return null;
  const middle = (sorted.length - 1) / 2;
  return rounded(((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2);
}

export interface CountedCell {
  readonly hash: string;
  readonly count: number;
  readonly median: number | null;
  /** The centre of its listings. */
  readonly lat: number;
  readonly lng: number;
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

/** Cells with results, in the order of their geohashes, which have so many letters. */
export function cellsOf(rows: readonly Row[], letters: number): CountedCell[] {
  const places = Map.groupBy(
    rows.flatMap((row) => {
      const at = seenAt(row.facts);
      return at === null ? [] : [{ row, at, hash: geohash(at.lng, at.lat, letters) }];
    }),
    ({ hash }) => hash,
  );
  return [...places]
    .map(([hash, own]) => ({
      hash,
      count: own.length,
      median: medianOf(pricesOf(own.map(({ row }) => row))),
      lat: mean(own.map(({ at }) => at.lat)),
      lng: mean(own.map(({ at }) => at.lng)),
    }))
    .sort((a, b) => (a.hash < b.hash ? -1 : 1));
}

// Peer of the engine: another program that answers the same questions about the same rows.

import type { Box } from '../../../src/geometry/geometry.ts';

/** A question, and the numbers in it in the order of its statements' parameters. Each asks for active sales that are displayed. */
export type PeerQuestion =
  | { readonly kind: 'box' | 'cells'; readonly parameters: Box }
  | {
      readonly kind: 'count';
      readonly parameters: readonly [maxPrice: number, minBedrooms: number, type: number];
    }
  | { readonly kind: 'facets'; readonly parameters: readonly [] }
  | { readonly kind: 'cheapest'; readonly parameters: readonly [minBedrooms: number] }
  | { readonly kind: 'rare'; readonly parameters: readonly [minPrice: number, maxPrice: number] };

/** Texts and numbers that are the same whoever answers: ids in order and the total, counts by value, cells. */
export type PeerAnswer = readonly (string | number)[];

export interface Peer {
  readonly name: string;
  /** Resolves once everything is found; what it gives tells it in the form that all share. */
  ask(question: PeerQuestion): Promise<() => PeerAnswer>;
  close(): Promise<void>;
}

/** A listing as peers keep it: words of small vocabularies as numbers, as the engine has them. */
export interface PeerRow {
  readonly id: string;
  /** 0: sale, 1: rental. */
  readonly kind: number;
  readonly status: number;
  readonly displayed: number;
  readonly lng: number;
  readonly lat: number;
  readonly price: number;
  readonly bedrooms: number;
  readonly type: number;
  readonly city: number;
  /** Milliseconds. */
  readonly listed: number;
  readonly bucket: number;
}

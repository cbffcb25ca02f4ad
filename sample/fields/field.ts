// Field of a served record: its name, its OData type and how it is read from a listing.
import type { Neighborhood } from '../land/land.ts';
import type { Listing } from '../market/listing.ts';
import { mix } from '../random.ts';

export type EdmType = 'Boolean' | 'Date' | 'DateTimeOffset' | 'Decimal' | 'Int64' | 'String';

export type FieldValue = string | number | boolean | null | readonly string[];

/** What getters need beside the listing. */
export interface FieldContext {
  readonly neighborhoods: readonly Neighborhood[];
  /** The market's present, ms. */
  readonly now: number;
  /** Where the sample is reached, without a slash at the end. */
  readonly baseUrl: string;
  /** Where its pictures are had, without a slash at the end. */
  readonly photosUrl: string;
}

export interface Field {
  readonly name: string;
  readonly type: EdmType;
  /** Name of the lookup whose values it takes; values are kept in display spelling. */
  readonly lookup: string | null;
  /** Whether it holds a list. */
  readonly many: boolean;
  readonly get: (listing: Listing, context: FieldContext) => FieldValue;
  /** For timestamps: the same in ms, so that comparing needs no text. */
  readonly instant?: (listing: Listing) => number | null;
}

type Getter = Field['get'];

export const field = (name: string, type: EdmType, get: Getter): Field => ({
  name,
  type,
  lookup: null,
  many: false,
  get,
});
export const choice = (name: string, lookup: string, get: Getter): Field => ({
  name,
  type: 'String',
  lookup,
  many: false,
  get,
});
export const choices = (name: string, lookup: string, get: Getter): Field => ({
  name,
  type: 'String',
  lookup,
  many: true,
  get,
});

export const text = (name: string, get: Getter): Field => field(name, 'String', get);
export const flag = (name: string, get: Getter): Field => field(name, 'Boolean', get);
export const whole = (name: string, get: Getter): Field => field(name, 'Int64', get);
export const decimal = (name: string, get: Getter): Field => field(name, 'Decimal', get);

/** A calendar date from an instant. */
export const date = (name: string, get: (listing: Listing) => number | null): Field =>
  field(name, 'Date', (listing) => {
    const at = get(listing);
    return at === null ? null : new Date(at).toISOString().slice(0, 10);
  });

export const timestamp = (name: string, instant: (listing: Listing) => number | null): Field => ({
  ...field(name, 'DateTimeOffset', (listing) => {
    const at = instant(listing);
    return at === null ? null : new Date(at).toISOString();
  }),
  instant,
});

/** A number in [0, 1) that belongs to one seed and one question, always the same. */
export function fate(seed: number, question: number): number {
  return mix(seed ^ Math.imul(question + 1, 0x9e3779b1)) / 4294967296;
}

/** Those of the options whose fate is under their share, for one question. */
export function fated(seed: number, question: number, shares: Readonly<Record<string, number>>): string[] {
  return Object.entries(shares)
    .filter(([, share], index) => fate(seed, question * 64 + index) < share)
    .map(([option]) => option);
}

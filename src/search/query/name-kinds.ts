// Filters that take names, and what each compares them by.

import { placeKey, postalKey } from '../../text/place-key.ts';

const inLowerCase = (name: string): string => name.trim().toLowerCase();

/** Filters whose names are kept as listings write them. */
const KEY_OF = {
  city: placeKey,
  neighborhood: placeKey,
  county: placeKey,
  state: placeKey,
  country: placeKey,
  postalCode: postalKey,
  propertySubType: inLowerCase,
  furnished: inLowerCase,
  features: inLowerCase,
  pets: inLowerCase,
  utilitiesIncluded: inLowerCase,
  saleCondition: inLowerCase,
} as const;

export type NameKind = keyof typeof KEY_OF;

export const NAME_KINDS = Object.keys(KEY_OF) as readonly NameKind[];

/** Places of which most names are those of towns and districts: too many to compare a misspelt one with all. */
export const PLACE_KINDS: readonly NameKind[] = NAME_KINDS.filter(
  (kind) => KEY_OF[kind] === placeKey || KEY_OF[kind] === postalKey,
);

export const nameKey = (kind: NameKind, name: string): string => KEY_OF[kind](name);

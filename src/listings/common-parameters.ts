// Parameters that several endpoints take, and the keys that results can be sorted by.

import { Type } from 'typebox';
import { list, optional } from '../http/input/parameter-kinds.ts';

/** The keys that results can be sorted by. */
export const SORT_KEYS = [
  'price',
  'pricePerArea',
  'listedAt',
  'updatedAt',
  'closedAt',
  'bedrooms',
  'bathrooms',
  'livingArea',
  'yearBuilt',
  'daysOnMarket',
  'priceChangedAt',
  'distance',
  'relevance',
] as const;
export type SortKey = (typeof SORT_KEYS)[number];

export const unitsParameter = optional(
  Type.Unsafe<'imperial' | 'metric'>({
    type: 'string',
    enum: ['imperial', 'metric'],
    default: 'imperial',
    description: 'Units of areas and distances, in filters and in the response.',
  }),
);

export const fieldsParameter = optional(
  list(Type.String({ maxLength: 120 }), {
    description:
      'Returns only these parts of each record: `id,price,address.city,photos[1]`. `summary` picks what one needs to ' +
      'choose among listings, with attribution and age.',
  }),
);

export const displayParameter = optional(
  Type.Unsafe<'ignore'>({
    type: 'string',
    enum: ['ignore'],
    internal: true,
    description: 'Internal only: show what the source asks to withhold.',
  }),
);

// Owns which parameters the two searches take altogether: filters, and what shapes the answer.

import { type Static, Type } from 'typebox';
import { listingParameters } from './listing-parameters.ts';
import { rentalParameters, saleParameters } from './offer-parameters.ts';
import { list, optional, text, yesNo } from './parameter-kinds.ts';
import { placeParameters } from './place-parameters.ts';

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
    description: 'Units of areas and distances, in filters and in the answer.',
  }),
);

export const fieldsParameter = optional(
  list(Type.String({ maxLength: 120 }), {
    description: 'Only these parts of each record: `id,price,address.city,photos[1]`.',
  }),
);

export const displayParameter = optional(
  Type.Unsafe<'ignore'>({
    type: 'string',
    enum: ['ignore'],
    description: 'Internal only: show what the source asks to withhold.',
  }),
);

const answerParameters = {
  sort: optional(
    list(Type.String({ maxLength: 40 }), {
      description:
        `Keys in order, \`-\` for falling: ${SORT_KEYS.join(', ')}. Default -listedAt; unknown values last, id breaks ` +
        'ties. `distance` needs lat, lng and radius, `relevance` needs q (-relevance: best first). Instead of a sign, ' +
        'Asc or Desc may stand behind a key.',
      aliases: ['sortBy'],
      maxItems: 5,
    }),
  ),
  limit: optional(
    Type.Integer({
      minimum: 1,
      description: 'Results on the page; above the tier’s maximum it is lowered to it.',
      aliases: ['pageSize', 'resultsPerPage'],
    }),
  ),
  cursor: text('A page’s nextCursor or prevCursor, with the same filters.', 2_000, 'lastId'),
  count: optional(
    Type.Unsafe<'exact' | 'estimate' | 'none'>({
      type: 'string',
      enum: ['exact', 'estimate', 'none'],
      description: 'How `total` is found; exact is slower. Default estimate.',
    }),
  ),
  includeTotalCount: yesNo('true is `count=exact`, false is `count=none`.'),
  fields: fieldsParameter,
  units: unitsParameter,
  display: displayParameter,
};

export const RentalSearchQuery = Type.Object({
  ...placeParameters,
  ...listingParameters,
  ...rentalParameters,
  ...answerParameters,
});
export const SaleSearchQuery = Type.Object({
  ...placeParameters,
  ...listingParameters,
  ...saleParameters,
  ...answerParameters,
});

const AnySearchQuery = Type.Object({
  ...placeParameters,
  ...listingParameters,
  ...rentalParameters,
  ...saleParameters,
  ...answerParameters,
});

/** A parsed query of either search. */
export type SearchQuery = Static<typeof AnySearchQuery>;

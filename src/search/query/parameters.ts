// Parameters of the two searches: filters, and those that shape the answer.

import { type Static, Type } from 'typebox';
import { answerParameters } from './answer-parameters.ts';
import { listingParameters } from './listing-parameters.ts';
import { placeParameters } from './location-parameters.ts';
import { rentalParameters, saleParameters } from './type-parameters.ts';

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

export {
  SORT_KEYS,
  type SortKey,
} from '../../listings/common-parameters.ts';

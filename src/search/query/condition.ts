// Condition: one test that a listing must pass. A search is a list of conditions, which filters.ts makes of the query's parameters
// (filter-parameters.ts). Its meaning is written three times: condition-kinds.ts (one row, which watchers match by),
// search/sql/condition-sql.ts, and search/engine/questions/prepared-search.ts (columns); tests compare them.

import type { SortKey } from '../../listings/common-parameters.ts';
import type { Status } from '../../listings/vocabulary.ts';
import type { TextField } from './filter-parameters.ts';
import type { Shape } from './shapes.ts';

/** A listing must meet every condition of a search. Bounds are inclusive except `below`; times are RFC 3339. */
export type Condition =
  | { readonly kind: 'statuses'; readonly statuses: readonly Status[] }
  | ({ readonly kind: 'range'; readonly column: RangeColumn } & Bounds)
  | {
      readonly kind: 'numbers';
      readonly column: 'bedrooms' | 'leaseTermMonths';
      readonly values: readonly number[];
    }
  | { readonly kind: 'words'; readonly column: WordColumn; readonly values: readonly string[] }
  | { readonly kind: 'flag'; readonly column: FlagColumn; readonly value: boolean }
  | {
      readonly kind: 'list';
      readonly column: ListColumn;
      readonly values: readonly string[];
      readonly all: boolean;
    }
  /** An open house from `from` on that starts before `before`. */
  | { readonly kind: 'open'; readonly from: string | undefined; readonly before: string | undefined }
  /** An address that starts with these words. */
  | { readonly kind: 'address'; readonly key: string }
  | TextCondition
  | { readonly kind: 'areas'; readonly ids: readonly string[] }
  | Shape;

export interface Bounds {
  readonly min?: number | string | undefined;
  readonly max?: number | string | undefined;
  readonly below?: number | string | undefined;
}

/** Every word must be in one of the fields, as written or as a name that it misspells. */
export interface TextCondition {
  readonly kind: 'text';
  readonly words: readonly string[];
  readonly fields: readonly TextField[];
}

/** Whether a condition is about where a listing lies. */
export const isShape = (condition: Condition): condition is Shape => 'boxes' in condition;

/** Whether a condition is about the currency of prices. */
export const isCurrency = (condition: Condition): boolean =>
  condition.kind === 'words' && condition.column === 'currency';

export type RangeColumn =
  | 'price'
  | 'closePrice'
  | 'pricePerArea'
  | 'bedrooms'
  | 'bathrooms'
  | 'livingArea'
  | 'lotSize'
  | 'yearBuilt'
  | 'parkingSpaces'
  | 'garageSpaces'
  | 'stories'
  | 'floor'
  | 'priceChangePercent'
  | 'leaseTermMonths'
  | 'moveInCost'
  | 'netEffectivePrice'
  | 'monthlyCost'
  | 'associationFee'
  | 'tax'
  | 'daysOnMarket'
  | 'listedAt'
  | 'updatedAt'
  | 'closedAt'
  | 'priceChangedAt'
  | 'availableFrom';

export type WordColumn =
  | 'city'
  | 'neighborhood'
  | 'county'
  | 'state'
  | 'postalCode'
  | 'country'
  | 'propertyType'
  | 'propertySubType'
  | 'furnished'
  | 'priceDirection'
  | 'precision'
  | 'agentId'
  | 'officeId'
  | 'providerId'
  | 'licence'
  | 'mlsNumber'
  | 'currency'
  | 'id';

export const FLAG_COLUMNS = [
  'newConstruction',
  'waterfront',
  'noFee',
  'rentControl',
  'hasPhotos',
  'hasVirtualTour',
  'hasPrice',
  'hasLivingArea',
  'hasConcession',
] as const;
export type FlagColumn = (typeof FLAG_COLUMNS)[number];

export type ListColumn = 'features' | 'pets' | 'utilities' | 'saleConditions';

/** A column of listing_search by its name in the API. */
export type Column = RangeColumn | WordColumn | FlagColumn | ListColumn | SortKey | 'areaNos' | 'status';

/** The column of a name in the API: `yearBuilt` is year_built. */
export const columnOf = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

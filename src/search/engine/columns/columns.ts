// Columns of the engine: which listings, facts and words are indexed, and in which kind of array.

import type { Status } from '../../../listings/vocabulary.ts';
import type { ListColumn } from '../../query/condition.ts';

/** Numbers and moments (milliseconds); unknown ones are NaN, which every comparison refuses. */
export const NUMBER_COLUMNS = [
  'lng',
  'lat',

  'price',
  'closePrice',
  'pricePerArea',
  'priceChangePercent',
  'monthlyCost',
  'associationFee',
  'tax',
  'bedrooms',
  'bathrooms',
  'livingArea',
  'lotSize',
  'yearBuilt',
  'stories',
  'floor',
  'parkingSpaces',
  'garageSpaces',
  'leaseTermMonths',
  'moveInCost',
  'monthsFree',
  'netEffectivePrice',
  'availableFrom',
  'listedAt',
  'updatedAt',
  'closedAt',
  'priceChangedAt',
  'daysOnMarketStart',
  'daysOnMarketEnd',
] as const;
export type NumberColumn = (typeof NUMBER_COLUMNS)[number];

/** Words of small vocabularies, as codes of a dictionary; code 0 is unknown. */
export const CODE_COLUMNS = [
  'status',
  'currency',
  'propertyType',
  'propertySubType',
  'furnished',
  'priceDirection',
  'precision',
  'city',
  'neighborhood',
  'county',
  'state',
  'postalCode',
  'country',
  'agentId',
  'officeId',
  'providerId',
  'licence',
] as const;
export type CodeColumn = (typeof CODE_COLUMNS)[number];

/** Several words of a listing, as codes. */
export const LIST_COLUMNS = [
  'features',
  'pets',
  'utilities',
  'saleConditions',
] as const satisfies ListColumn[];

/** Texts that hardly two listings share, as bytes of UTF-8. */
export const TEXT_COLUMNS = ['id', 'mlsNumber', 'addressKey'] as const;
export type TextColumn = (typeof TEXT_COLUMNS)[number];

/** Facts that are true, false or unknown: flag number n has bit 2n if it is known, and bit 2n + 1 if it is true. */
export const FLAGS = [
  'displayed',
  'hasPhotos',
  'hasVirtualTour',
  'hasPrice',
  'newConstruction',
  'waterfront',
  'noFee',
  'rentControl',
] as const;
export type Flag = (typeof FLAGS)[number];

/** The keys by which whole segments are kept in order. */
export const ORDER_COLUMNS = [
  'price',
  'pricePerArea',
  'bedrooms',
  'bathrooms',
  'livingArea',
  'yearBuilt',
  'listedAt',
  'updatedAt',
  'closedAt',
  'priceChangedAt',
] as const satisfies NumberColumn[];
export type OrderColumn = (typeof ORDER_COLUMNS)[number];

/** A value for each column. */
export const byColumn = <Name extends string, T>(
  names: readonly Name[],
  of: (name: Name) => T,
): Record<Name, T> => Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, T>;

/** Statuses of the listings that are indexed; all others are searched in PostgreSQL. */
export const INDEXED_STATUSES: readonly Status[] = ['ACTIVE', 'ACTIVE_UNDER_CONTRACT', 'COMING_SOON'];

const INDEXED: ReadonlySet<Status> = new Set(INDEXED_STATUSES);

export const isIndexed = (status: Status): boolean => INDEXED.has(status);

/** What columns say is not indexed as words: areas begin with `#`; words with `=` are left of releases that marked active listings. */
const NUMBER_SIGN = 0x23;
const EQUALS_SIGN = 0x3d;

/** Whether words of listing_text with this first character are indexed; of an empty word it is NaN. */
export const isIndexedWord = (first: number | undefined): boolean =>
  first !== NUMBER_SIGN && first !== EQUALS_SIGN;

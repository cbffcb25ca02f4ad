// Filters of the explorer: the parameters that each consists of, and what it says in a chip.

import { shortAmount } from '../../page/map/amounts.ts';
import { enumWords } from '../../page/words.ts';
import { listOf, type Parameters } from '../view/parameters.ts';
import type { HomeKind } from '../view/state.ts';
import { asIs, rangeWords, since, yesNo } from './filter-words.ts';
import { RARE_FILTERS } from './rare-filters.ts';
import { countWords } from './words.ts';

export interface FilterContext {
  readonly kind: HomeKind;
  readonly currency: string | null;
  /** Names of chosen areas by their ids. */
  readonly areas: ReadonlyMap<string, string>;
}

export interface Filter {
  readonly id: string;
  readonly name: string;
  /** All of them are removed with the chip. */
  readonly parameters: readonly string[];
  /** What is in force, such as `$400k – $900k`; null: nothing is. */
  readonly words: (parameters: Parameters, context: FilterContext) => string | null;
}

/** `House, townhouse`: the first word begins with a capital. */
function typeWords(parameters: Parameters): string | null {
  const names = [...listOf(parameters, 'propertyType'), ...listOf(parameters, 'propertySubType')].map(
    typeName,
  );
  if (names.length === 0) return null;
  return [names[0], ...names.slice(1).map((name) => name.toLowerCase())].join(', ');
}

/** Types as people call them. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  SINGLE_FAMILY: 'House',
  COOP: 'Co-op',
  CONDO: 'Condo',
};

export const typeName = (type: string): string => TYPE_NAMES[type.toUpperCase()] ?? enumWords(type);

export const FILTERS = [
  {
    id: 'price',
    name: 'Price',
    parameters: ['minPrice', 'maxPrice', 'price', 'currency'],
    words: (parameters, { currency }) =>
      rangeWords(parameters, 'Price', (value) =>
        shortAmount(value, parameters.get('currency') ?? currency),
      ) ??
      asIs(parameters, 'price') ??
      asIs(parameters, 'currency'),
  },
  {
    id: 'beds',
    name: 'Beds',
    parameters: ['minBedrooms', 'maxBedrooms', 'bedrooms'],
    words: (parameters) => {
      const words = rangeWords(parameters, 'Bedrooms', String) ?? asIs(parameters, 'bedrooms');
      return words === null ? null : `${words} ${words === '1' ? 'bed' : 'beds'}`;
    },
  },
  {
    id: 'baths',
    name: 'Baths',
    parameters: ['minBathrooms', 'maxBathrooms', 'bathrooms'],
    words: (parameters) => {
      const words = rangeWords(parameters, 'Bathrooms', String) ?? asIs(parameters, 'bathrooms');
      return words === null ? null : `${words} baths`;
    },
  },
  { id: 'type', name: 'Home type', parameters: ['propertyType', 'propertySubType'], words: typeWords },
  {
    id: 'size',
    name: 'Size',
    parameters: ['minLivingArea', 'maxLivingArea', 'squareFootage'],
    words: (parameters) => {
      const words = rangeWords(parameters, 'LivingArea', countWords) ?? asIs(parameters, 'squareFootage');
      return words === null ? null : `${words} sqft`;
    },
  },
  {
    id: 'year',
    name: 'Year built',
    parameters: ['minYearBuilt', 'maxYearBuilt', 'yearBuilt'],
    words: (parameters) => {
      const words =
        rangeWords(parameters, 'YearBuilt', String, (year) => `${year} or later`) ??
        asIs(parameters, 'yearBuilt');
      return words === null ? null : `Built ${words}`;
    },
  },
  {
    id: 'drop',
    name: 'Price drop',
    parameters: ['priceChanged', 'priceChangedSince', 'minPriceDropPercent'],
    words: (parameters) => {
      const direction = parameters.get('priceChanged');
      const time = parameters.get('priceChangedSince');
      const percent = parameters.get('minPriceDropPercent');
      if (direction === undefined && time === undefined && percent === undefined) return null;
      const what =
        direction === 'increase'
          ? 'Price rise'
          : direction === undefined && percent === undefined
            ? 'Price change'
            : 'Price drop';
      return [what, percent === undefined ? null : `of ${percent} %`, time === undefined ? null : since(time)]
        .filter((part) => part !== null)
        .join(' ');
    },
  },
  {
    id: 'new',
    name: 'New',
    parameters: ['listedSince', 'listedBefore'],
    words: (parameters) => {
      const [after, before] = [parameters.get('listedSince'), parameters.get('listedBefore')];
      if (after === undefined && before === undefined) return null;
      return [
        after === undefined ? 'Listed' : `New ${since(after)}`,
        before === undefined ? null : `before ${before.slice(0, 10)}`,
      ]
        .filter((part) => part !== null)
        .join(' ');
    },
  },
  {
    id: 'closed',
    name: 'Sold',
    parameters: ['closedSince', 'closedBefore'],
    words: (parameters) => {
      const [after, before] = [parameters.get('closedSince'), parameters.get('closedBefore')];
      if (after === undefined && before === undefined) return null;
      return [
        'Sold',
        after === undefined ? null : since(after),
        before === undefined ? null : `before ${before.slice(0, 10)}`,
      ]
        .filter((part) => part !== null)
        .join(' ');
    },
  },
  {
    id: 'water',
    name: 'On the water',
    parameters: ['waterfront'],
    words: (parameters) => yesNo(parameters, 'waterfront', 'On the water'),
  },
  {
    id: 'features',
    name: 'Features',
    parameters: ['features', 'featuresOperator'],
    words: (parameters) => {
      const features = listOf(parameters, 'features').map(enumWords);
      const or = parameters.get('featuresOperator')?.toUpperCase() === 'OR';
      return features.length === 0 ? null : features.join(or ? ' or ' : ', ');
    },
  },
  {
    id: 'polygon',
    name: 'Drawn area',
    parameters: ['polygon', 'map', 'points'],
    words: (parameters) =>
      ['polygon', 'map', 'points'].some((name) => parameters.has(name)) ? 'Drawn area' : null,
  },
  {
    id: 'ids',
    name: 'Single homes',
    parameters: ['ids'],
    words: (parameters) => {
      const count = listOf(parameters, 'ids').length;
      return count === 0 ? null : `${count} chosen ${count === 1 ? 'home' : 'homes'}`;
    },
  },
  {
    id: 'words',
    name: 'Words',
    parameters: ['q', 'qFields'],
    words: (parameters) => {
      const text = parameters.get('q');
      return text === undefined ? null : `“${text}”`;
    },
  },
] as const satisfies readonly Filter[];

const ALL: readonly Filter[] = [...FILTERS, ...RARE_FILTERS];

/** What is no filter: which homes, where on the map, in which order, and from where on. */
const VIEW_PARAMETERS = ['for', 'bbox', 'zoom', 'sort', 'cursor', 'areaId', 'status', 'units', 'limit'];

export interface ActiveFilter {
  readonly id: string;
  readonly words: string;
  readonly parameters: readonly string[];
}

/** The filters in force. Parameters of the API that have no filter here are shown by their names: none acts unseen. */
export function activeFilters(parameters: Parameters, context: FilterContext): readonly ActiveFilter[] {
  const known = ALL.flatMap(({ id, parameters: names, words }) => {
    const text = words(parameters, context);
    return text === null ? [] : [{ id, words: text, parameters: names }];
  });
  const named = new Set<string>([...VIEW_PARAMETERS, ...ALL.flatMap((filter) => filter.parameters)]);
  const others = [...parameters]
    .filter(([name]) => !named.has(name))
    .map(([name, value]) => ({ id: name, words: `${name}: ${value}`, parameters: [name] }));
  return [...known, ...others];
}

/** Stands for all filters in force, where the homes without them are counted. */
export const ALL_FILTERS = 'all';

/** Whether the view is of homes that were sold or let. */
export const isOfSold = (parameters: Parameters): boolean =>
  listOf(parameters, 'status').some((status) => status.toUpperCase() === 'CLOSED');

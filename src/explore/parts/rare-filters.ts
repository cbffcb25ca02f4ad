// Filters that no panel has a field for: links from elsewhere may name them, and their chips say them in words too.

import { shortAmount } from '../../page/map/amounts.ts';
import { enumWords } from '../../page/words.ts';
import { listOf, type Parameters } from '../view/parameters.ts';
import { asIs, rangeWords, since, yesNo } from './filter-words.ts';
import { countWords } from './words.ts';

interface RareFilter {
  readonly id: string;
  readonly name: string;
  readonly parameters: readonly string[];
  readonly words: (parameters: Parameters, context: { readonly currency: string | null }) => string | null;
}

/** A number with its unit, at least or at most. */
function sized(
  parameters: Parameters,
  name: string,
  exact: string | null,
  words: (range: string) => string,
): string | null {
  const range = rangeWords(parameters, name, countWords) ?? (exact === null ? null : asIs(parameters, exact));
  return range === null ? null : words(range);
}

/** Values of a list in words. */
const valued = (
  parameters: Parameters,
  name: string,
  words: (values: string) => string,
  write: (value: string) => string = (value) => value,
): string | null => {
  const values = listOf(parameters, name).map(write);
  return values.length === 0 ? null : words(values.join(' or '));
};

const lowered = (value: string): string => enumWords(value).toLowerCase();

/** An amount that is not passed. */
function upTo(
  parameters: Parameters,
  name: string,
  currency: string | null,
  words: (amount: string) => string,
): string | null {
  const value = parameters.get(name);
  return value === undefined
    ? null
    : words(shortAmount(Number(value), parameters.get('currency') ?? currency));
}

/** Ids say nothing to people: how many there are does. */
const counted = (parameters: Parameters, name: string, one: string, many: string): string | null => {
  const { length } = listOf(parameters, name);
  return length === 0 ? null : length === 1 ? `Of one ${one}` : `Of ${length} ${many}`;
};

function between(parameters: Parameters, what: string, after: string, before: string): string | null {
  const [from, to] = [parameters.get(after), parameters.get(before)];
  if (from === undefined && to === undefined) return null;
  return [
    what,
    from === undefined ? null : since(from),
    to === undefined ? null : `before ${to.slice(0, 10)}`,
  ]
    .filter((part) => part !== null)
    .join(' ');
}

/** `2km` as `2 km`; a plain number is in miles. */
function distance(radius: string): string {
  const [, number = radius, unit = 'mi'] = /^([\d.]+)\s*([a-z]+)?$/i.exec(radius) ?? [];
  return `${number} ${unit}`;
}

const PLACES = [
  ['city', 'City'],
  ['neighborhood', 'Neighbourhood'],
  ['county', 'County'],
  ['state', 'State'],
  ['postalCode', 'Postal code'],
  ['country', 'Country'],
] as const;

/** Name of the parameter, its words where it is true, and where it is false. */
const TRAITS = [
  ['newConstruction', 'Newly built', 'Not newly built'],
  ['hasPhotos', 'With photos', 'Without photos'],
  ['hasVirtualTour', 'With a virtual tour', 'Without a virtual tour'],
  ['hasPrice', 'With a price', 'Without a price'],
  ['hasLivingArea', 'Size known', 'Size unknown'],
  ['noFee', 'No broker’s fee', 'With a broker’s fee'],
  ['rentControl', 'Under rent control', 'Not under rent control'],
  ['hasConcession', 'With months free', 'Without months free'],
] as const;

const AT_LEAST = [
  ['parking', 'Parking', 'Parking', (range: string) => `${range} parking spaces`],
  ['garage', 'Garage', 'Garage', (range: string) => `Garage for ${range}`],
  ['stories', 'Stories', 'Stories', (range: string) => `${range} stories`],
  ['floor', 'Floor', 'Floor', (range: string) => `Floor ${range.replace('+', ' or above')}`],
] as const;

const COSTS = [
  ['maxMonthlyCost', 'Monthly cost', (amount: string) => `Fee and tax up to ${amount} a month`],
  ['maxAssociationFee', 'Association fee', (amount: string) => `Fee up to ${amount} a month`],
  ['maxTax', 'Tax', (amount: string) => `Tax up to ${amount} a month`],
  ['maxMoveInCost', 'Costs of moving in', (amount: string) => `Up to ${amount} to move in`],
  ['maxNetEffectivePrice', 'Net rent', (amount: string) => `Up to ${amount} a month, net`],
] as const;

export const RARE_FILTERS: readonly RareFilter[] = [
  ...PLACES.map(
    ([name, title]): RareFilter => ({
      id: name,
      name: title,
      parameters: [name],
      words: (parameters) => valued(parameters, name, (values) => `${title} ${values}`),
    }),
  ),
  {
    id: 'address',
    name: 'Address',
    parameters: ['address'],
    words: (parameters) => {
      const text = parameters.get('address');
      return text === undefined ? null : `Address “${text}”`;
    },
  },
  {
    id: 'radius',
    name: 'Around a point',
    parameters: ['lat', 'lng', 'radius'],
    words: (parameters) => {
      const radius = parameters.get('radius');
      if (radius !== undefined) return `Within ${distance(radius)} of a point`;
      return parameters.has('lat') || parameters.has('lng') ? 'Around a point' : null;
    },
  },
  {
    id: 'precision',
    name: 'Place',
    parameters: ['precision'],
    words: (parameters) => valued(parameters, 'precision', (values) => `Place: ${values}`, lowered),
  },
  ...TRAITS.map(
    ([name, yes, no]): RareFilter => ({
      id: name,
      name: yes,
      parameters: [name],
      words: (parameters) => yesNo(parameters, name, yes, no),
    }),
  ),
  ...AT_LEAST.map(
    ([id, title, name, words]): RareFilter => ({
      id,
      name: title,
      parameters: [`min${name}`],
      words: (parameters) => sized(parameters, name, null, words),
    }),
  ),
  ...COSTS.map(
    ([name, title, words]): RareFilter => ({
      id: name,
      name: title,
      parameters: [name],
      words: (parameters, { currency }) => upTo(parameters, name, currency, words),
    }),
  ),
  {
    id: 'pricePerArea',
    name: 'Price per square foot',
    parameters: ['minPricePerArea', 'maxPricePerArea'],
    words: (parameters, { currency }) => {
      const write = (value: number) => shortAmount(value, parameters.get('currency') ?? currency);
      const words = rangeWords(parameters, 'PricePerArea', write);
      return words === null ? null : `${words}/sqft`;
    },
  },
  {
    id: 'closePrice',
    name: 'Price paid',
    parameters: ['minClosePrice', 'maxClosePrice'],
    words: (parameters, { currency }) => {
      const write = (value: number) => shortAmount(value, parameters.get('currency') ?? currency);
      const words = rangeWords(parameters, 'ClosePrice', write);
      return words === null ? null : `Sold for ${words}`;
    },
  },
  {
    id: 'lot',
    name: 'Lot',
    parameters: ['minLotSize', 'maxLotSize', 'lotSize', 'minacres', 'maxacres'],
    words: (parameters) =>
      sized(parameters, 'acres', null, (range) => `Lot ${range} acres`) ??
      sized(parameters, 'LotSize', 'lotSize', (range) => `Lot ${range} sqft`),
  },
  {
    id: 'days',
    name: 'Days on the market',
    parameters: ['minDaysOnMarket', 'maxDaysOnMarket', 'daysOld'],
    words: (parameters) =>
      sized(parameters, 'DaysOnMarket', 'daysOld', (range) => `${range} days on the market`),
  },
  {
    id: 'updated',
    name: 'Changed',
    parameters: ['updatedSince', 'updatedBefore'],
    words: (parameters) => between(parameters, 'Changed', 'updatedSince', 'updatedBefore'),
  },
  {
    id: 'openHouse',
    name: 'Open house',
    parameters: ['openHouseFrom', 'openHouseTo'],
    words: (parameters) => between(parameters, 'Open house', 'openHouseFrom', 'openHouseTo'),
  },
  {
    id: 'agent',
    name: 'Agent',
    parameters: ['agentId'],
    words: (parameters) => counted(parameters, 'agentId', 'agent', 'agents'),
  },
  {
    id: 'office',
    name: 'Office',
    parameters: ['officeId'],
    words: (parameters) => counted(parameters, 'officeId', 'office', 'offices'),
  },
  {
    id: 'provider',
    name: 'Source',
    parameters: ['providerId'],
    words: (parameters) => valued(parameters, 'providerId', (values) => `Source ${values}`),
  },
  {
    id: 'number',
    name: 'Listing number',
    parameters: ['mlsNumber'],
    words: (parameters) => valued(parameters, 'mlsNumber', (values) => `Number ${values}`),
  },
  {
    id: 'condition',
    name: 'Condition of sale',
    parameters: ['saleCondition'],
    words: (parameters) => valued(parameters, 'saleCondition', (values) => values, enumWords),
  },
  {
    id: 'underContract',
    name: 'Under contract',
    parameters: ['underContract'],
    words: (parameters) => (parameters.has('underContract') ? 'Not under contract' : null),
  },
  {
    id: 'available',
    name: 'Available',
    parameters: ['availableFrom', 'availableBy'],
    words: (parameters) => {
      const [from, by] = [parameters.get('availableFrom'), parameters.get('availableBy')];
      if (from === undefined && by === undefined) return null;
      return ['Available', from === undefined ? null : `from ${from}`, by === undefined ? null : `by ${by}`]
        .filter((part) => part !== null)
        .join(' ');
    },
  },
  {
    id: 'lease',
    name: 'Lease',
    parameters: ['leaseTermMonths', 'minLeaseTermMonths'],
    words: (parameters) =>
      valued(parameters, 'leaseTermMonths', (values) => `Lease of ${values} months`) ??
      sized(parameters, 'LeaseTermMonths', null, (range) => `Lease of ${range} months`),
  },
  {
    id: 'furnished',
    name: 'Furnishing',
    parameters: ['furnished'],
    words: (parameters) => valued(parameters, 'furnished', (values) => values, enumWords),
  },
  {
    id: 'pets',
    name: 'Pets',
    parameters: ['pets'],
    words: (parameters) => valued(parameters, 'pets', (values) => `Allows ${values}`, lowered),
  },
  {
    id: 'utilities',
    name: 'Utilities',
    parameters: ['utilitiesIncluded'],
    words: (parameters) =>
      valued(parameters, 'utilitiesIncluded', (values) => `Rent includes ${values}`, lowered),
  },
];

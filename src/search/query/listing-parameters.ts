// Owns the parameters of both searches that say what a home is like and what has happened to its listing.

import { Type } from 'typebox';
import {
  amount,
  choice,
  ids,
  list,
  moment,
  names,
  optional,
  RANGE,
  range,
  whole,
  yesNo,
} from '../../http/input/parameter-kinds.ts';
import { PROPERTY_TYPES, type PropertyType } from '../../listings/vocabulary.ts';

/** What people call types of property. */
const PROPERTY_TYPE_SYNONYMS: Readonly<Record<string, PropertyType>> = {
  ...{
    house: 'SINGLE_FAMILY',
    home: 'SINGLE_FAMILY',
    detached: 'SINGLE_FAMILY',
    residential: 'SINGLE_FAMILY',
  },
  ...{ 'single family': 'SINGLE_FAMILY', 'single-family': 'SINGLE_FAMILY', villa: 'SINGLE_FAMILY' },
  ...{ condominium: 'CONDO', flat: 'APARTMENT', apt: 'APARTMENT', 'co-op': 'COOP', cooperative: 'COOP' },
  ...{ townhome: 'TOWNHOUSE', rowhouse: 'TOWNHOUSE', duplex: 'MULTI_FAMILY', 'multi family': 'MULTI_FAMILY' },
  ...{ 'multi-family': 'MULTI_FAMILY', mobile: 'MANUFACTURED', lot: 'LAND', office: 'COMMERCIAL' },
};

const kind = {
  status: optional(
    list(Type.String({ maxLength: 40 }), {
      description: 'Default ACTIVE. Ours or RESO’s spelling; `any` for all.',
      aliases: ['standardStatus'],
    }),
  ),
  propertyType: optional(
    list(
      Type.Unsafe<PropertyType>({
        type: 'string',
        enum: [...PROPERTY_TYPES],
        caseInsensitive: true,
        synonyms: PROPERTY_TYPE_SYNONYMS,
      }),
      { description: 'Any of these types.', aliases: ['type'] },
    ),
  ),
  propertySubType: names('Sub-type as RESO writes it', 'subtype'),
};

const money = {
  currency: optional(
    Type.String({
      pattern: '^[A-Za-z]{3}$',
      description:
        'Listings whose prices are in this currency (ISO 4217). Bounds, sorts and figures of money are of one currency: ' +
        'without this the only one among the listings asked for, whatever their prices; where there are several, a 400 names them.',
      aliases: ['currency_code'],
    }),
  ),
};

const numbers = {
  minPrice: amount('Price at least; rentals compare the rent per month.', 'minprice'),
  maxPrice: amount('Price at most.', 'maxprice'),
  price: range('Price'),
  minPricePerArea: amount('Price per square foot or metre at least.'),
  maxPricePerArea: amount('Price per square foot or metre at most.'),
  minBedrooms: whole('Bedrooms at least.', 1_000, 'minBeds', 'minbeds'),
  maxBedrooms: whole('Bedrooms at most.', 1_000, 'maxBeds', 'maxbeds'),
  bedrooms: optional(
    list(
      Type.Union([
        Type.Integer({ minimum: 0, maximum: 1_000 }),
        Type.String({ maxLength: 40, pattern: RANGE, description: 'a range such as 2:4, 2: or *:4' }),
      ]),
      {
        description: 'Exactly these numbers of bedrooms, or one range such as 2:4, 2: or *:4; 0 is a studio.',
        aliases: ['beds'],
      },
    ),
  ),
  minBathrooms: amount('Bathrooms at least; a half bath is 0.5.', 'minBaths', 'minbaths'),
  maxBathrooms: amount('Bathrooms at most.', 'maxBaths', 'maxbaths'),
  bathrooms: range('Bathrooms', ['baths', 'bath', 'bathroom']),
  minLivingArea: amount('Living area at least, in `units`.', 'minSqft', 'minarea'),
  maxLivingArea: amount('Living area at most, in `units`.', 'maxSqft', 'maxarea'),
  squareFootage: range('Living area, in `units`'),
  minLotSize: amount('Lot size at least, in square feet or metres.'),
  maxLotSize: amount('Lot size at most, in square feet or metres.'),
  lotSize: range('Lot size, in square feet or metres'),
  minacres: amount('Lot size in acres at least; in place of `minLotSize`.'),
  maxacres: amount('Lot size in acres at most; in place of `maxLotSize`.'),
  minYearBuilt: whole('Built in this year or later.', 9_999, 'minyear'),
  maxYearBuilt: whole('Built in this year or earlier.', 9_999, 'maxyear'),
  yearBuilt: range('Year of building'),
  minParking: whole('Parking spaces at least.', 10_000, 'minCarspaces'),
  minGarage: whole('Garage spaces at least.', 10_000),
  minStories: whole('Stories at least.', 1_000),
  minFloor: whole('On this floor or above.', 1_000),
};

const traits = {
  features: optional(
    list(Type.String({ maxLength: 60 }), {
      description:
        'Features by their slugs (`washer_dryer`, `pool`): all of them, or any with `featuresOperator=OR`.',
      aliases: ['amenities', 'propertyFeatures'],
    }),
  ),
  featuresOperator: choice(['AND', 'OR'], 'Whether all features (the default) or any of them are wanted.'),
  newConstruction: yesNo('Newly built, or known not to be.'),
  waterfront: yesNo('On the water, or known not to be.'),
  hasPhotos: yesNo('With, or without, any photo.'),
  hasVirtualTour: yesNo('With, or without, a virtual tour.'),
  hasPrice: yesNo('With, or without, a price.'),
  hasLivingArea: yesNo('With, or without, a living area.'),
};

const changes = {
  minDaysOnMarket: whole('Whole days on the market at least.', 1_000_000, 'mindom'),
  maxDaysOnMarket: whole('Whole days on the market at most.', 1_000_000, 'maxdom'),
  daysOld: range('Whole days on the market'),
  listedSince: moment(
    'On the market at or after. That is `onMarketDate`, from its first moment by the clocks of the place, or else `listedAt`',
  ),
  listedBefore: moment('On the market before, by the same'),
  updatedSince: moment('Changed in this service at or after'),
  updatedBefore: moment('Changed in this service before'),
  priceChanged: choice(['decrease', 'increase'], 'Which way the price last changed.', {
    aliases: ['lastPriceChangeType'],
  }),
  priceChangedSince: moment('Price last changed at or after'),
  minPriceDropPercent: optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'The last change of price lowered it by at least this share.',
    }),
  ),
  openHouseFrom: moment('Open at this time or later', 'inspectionFrom'),
  openHouseTo: moment('Opens before', 'inspectionTo'),
};

const origin = {
  agentId: ids('Listings of any of these agents'),
  officeId: ids('Listings of any of these offices'),
  providerId: ids('Listings from any of these sources'),
  mlsNumber: names('Number that the source shows to people (`provider.listingId`)'),
  ids: optional(
    list(Type.String({ maxLength: 64 }), { description: 'Listings with these ids.', maxItems: 100 }),
  ),
};

export const listingParameters = { ...kind, ...money, ...numbers, ...traits, ...changes, ...origin };

// Filters as query parameters: names, types, bounds and descriptions.

import { Type } from 'typebox';
import {
  amount,
  choice,
  choices,
  day,
  ids,
  list,
  moment,
  names,
  optional,
  range,
  text,
  whole,
  yesNo,
} from '../../http/input/parameter-kinds.ts';
import { PROPERTY_TYPES, type PropertyType } from '../../listings/vocabulary.ts';

export const TEXT_FIELDS = ['address', 'id', 'area', 'description'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];

export const placeParameters = {
  areaId: optional(
    list(Type.String({ maxLength: 200 }), {
      description:
        'In any of these areas: inside the boundary, or if it has none, by address or through its child areas.',
      aliases: ['locationId', 'areas'],
      maxItems: 50,
    }),
  ),
  city: names('City', 'cities'),
  neighborhood: names('Neighbourhood in the source’s spelling'),
  county: names('County'),
  state: names('State or province'),
  postalCode: names('Postal code', 'postalCodes', 'zip', 'zipCode'),
  country: names('Country'),
  address: text(
    'Address or the start of one. Ignores case, accents, punctuation and abbreviations such as St for Street.',
    200,
  ),
  bbox: optional(
    Type.String({
      maxLength: 120,
      written: 'numbers',
      description:
        'minLng,minLat,maxLng,maxLat. Includes its edges. minLng above maxLng crosses the antimeridian.',
    }),
  ),
  lat: optional(
    Type.Number({ minimum: -90, maximum: 90, description: 'Centre of `radius`.', aliases: ['latitude'] }),
  ),
  lng: optional(
    Type.Number({
      minimum: -180,
      maximum: 180,
      description: 'Centre of `radius`.',
      aliases: ['longitude', 'long'],
    }),
  ),
  radius: text(
    '`2km`, `1.5mi` or `800m`; a plain number is in miles or kilometres, depending on `units`. At most 100 km, along great ' +
      'circles, the edge included.',
    20,
  ),
  polygon: optional(
    Type.String({
      maxLength: 60_000,
      written: 'geometry',
      description:
        '`lng,lat;lng,lat;...` or a GeoJSON Polygon or MultiPolygon, with 3 to 500 corners in all. Edges are ' +
        'straight in degrees. Includes edges, excludes holes. Across the antimeridian, cut it in two there (RFC 7946, section 3.1.9), or use ' +
        'longitudes past 180 or -180. Ambiguous edges of more than 180 degrees, rings that cross themselves, ' +
        'holes outside their shell and overlapping parts are refused.',
    }),
  ),
  precision: choices(
    ['exact', 'approximate'],
    'Listings whose `location` is of this precision. Approximate places, such as the middle of a postal code, are found by areas, ' +
      'boxes, circles and polygons as they stand; `exact` leaves them out. A listing without a location matches neither.',
  ),
  map: text('Polygons as a JSON list of lists of [lng, lat]; replaces `polygon`.', 60_000),
  points: optional(
    list(Type.String({ maxLength: 60 }), {
      description: 'Corners as `lat,lng`, latitude first; replaces `polygon`.',
      separator: null,
      maxItems: 500,
    }),
  ),
  q: text(
    'Full-text search in address, ids, area names, features and description. All words must match; names of streets ' +
      'and areas tolerate typos.',
    200,
    'search',
    'keywords',
  ),
  qFields: choices(
    TEXT_FIELDS,
    'Fields that `q` searches; `description` includes the features. Default: all.',
  ),
};

/** Other names of property types. */
const PROPERTY_TYPE_SYNONYMS: Readonly<Record<string, PropertyType>> = {
  house: 'SINGLE_FAMILY',
  home: 'SINGLE_FAMILY',
  detached: 'SINGLE_FAMILY',
  residential: 'SINGLE_FAMILY',
  'single family': 'SINGLE_FAMILY',
  'single-family': 'SINGLE_FAMILY',
  villa: 'SINGLE_FAMILY',
  condominium: 'CONDO',
  flat: 'APARTMENT',
  apt: 'APARTMENT',
  'co-op': 'COOP',
  cooperative: 'COOP',
  townhome: 'TOWNHOUSE',
  rowhouse: 'TOWNHOUSE',
  duplex: 'MULTI_FAMILY',
  'multi family': 'MULTI_FAMILY',
  'multi-family': 'MULTI_FAMILY',
  mobile: 'MANUFACTURED',
  lot: 'LAND',
  office: 'COMMERCIAL',
};

/** One property type. */
export const propertyType = Type.Unsafe<PropertyType>({
  type: 'string',
  enum: [...PROPERTY_TYPES],
  caseInsensitive: true,
  synonyms: PROPERTY_TYPE_SYNONYMS,
});

const kind = {
  status: optional(
    list(Type.String({ maxLength: 40 }), {
      description:
        'Default: ACTIVE. Accepts this API’s or RESO’s spelling; `any` for all but DELETED and INCOMPLETE.',
      aliases: ['standardStatus'],
    }),
  ),
  propertyType: optional(list(propertyType, { description: 'Any of these types.', aliases: ['type'] })),
  propertySubType: names('Sub-type in RESO’s spelling', 'subtype'),
};

const money = {
  currency: optional(
    Type.String({
      pattern: '^[A-Za-z]{3}$',
      description:
        'Only listings priced in this currency (ISO 4217). Price filters, sorts and statistics use one currency. ' +
        'Default: the only currency among the matching listings, whatever their prices; if there are several, the default ' +
        'currency of this service, the only one that all requested areas have, or that of more than nine tenths of the listings, ' +
        'as `meta.currencyChoice` says; otherwise, and always in CSV and JSON lines, a 400 lists them.',
      aliases: ['currency_code'],
    }),
  ),
};

const numbers = {
  minPrice: amount('Minimum price; for rentals, the rent per month.', 'minprice'),
  maxPrice: amount('Maximum price.', 'maxprice'),
  price: range('Price'),
  minPricePerArea: amount('Minimum price per square foot or metre.'),
  maxPricePerArea: amount('Maximum price per square foot or metre.'),
  minBedrooms: whole('Minimum number of bedrooms.', 1_000, 'minBeds', 'minbeds'),
  maxBedrooms: whole('Maximum number of bedrooms.', 1_000, 'maxBeds', 'maxbeds'),
  bedrooms: optional(
    list(
      Type.Union([
        Type.Integer({ minimum: 0, maximum: 1_000 }),
        Type.String({ maxLength: 40, form: 'range', description: 'a range such as 2:4, 2: or *:4' }),
      ]),
      {
        description: 'Exact numbers of bedrooms, or one range such as 2:4, 2: or *:4. 0 is a studio.',
        aliases: ['beds'],
      },
    ),
  ),
  minBathrooms: amount('Minimum number of bathrooms; a half bath is 0.5.', 'minBaths', 'minbaths'),
  maxBathrooms: amount('Maximum number of bathrooms.', 'maxBaths', 'maxbaths'),
  bathrooms: range('Bathrooms', ['baths', 'bath', 'bathroom']),
  minLivingArea: amount('Minimum living area, in `units`.', 'minSqft', 'minarea'),
  maxLivingArea: amount('Maximum living area, in `units`.', 'maxSqft', 'maxarea'),
  squareFootage: range('Living area, in `units`'),
  minLotSize: amount('Minimum lot size, in square feet or metres.'),
  maxLotSize: amount('Maximum lot size, in square feet or metres.'),
  lotSize: range('Lot size, in square feet or metres'),
  minacres: amount('Minimum lot size in acres; replaces `minLotSize`.'),
  maxacres: amount('Maximum lot size in acres; replaces `maxLotSize`.'),
  minYearBuilt: whole('Built in this year or later.', 9_999, 'minyear'),
  maxYearBuilt: whole('Built in this year or earlier.', 9_999, 'maxyear'),
  yearBuilt: range('Year built'),
  minParking: whole('Minimum number of parking spaces.', 10_000, 'minCarspaces'),
  minGarage: whole('Minimum number of garage spaces.', 10_000),
  minStories: whole('Minimum number of stories.', 1_000),
  minFloor: whole('On this floor or above.', 1_000),
};

const traits = {
  features: optional(
    list(Type.String({ maxLength: 60 }), {
      description: 'Feature slugs (`washer_dryer`, `pool`): all of them, or any with `featuresOperator=OR`.',
      aliases: ['amenities', 'propertyFeatures'],
    }),
  ),
  featuresOperator: choice(['AND', 'OR'], '`AND` (default) requires all features, `OR` any of them.'),
  newConstruction: yesNo('Whether it is new construction. Unknown matches neither.'),
  waterfront: yesNo('Whether it is waterfront. Unknown matches neither.'),
  hasPhotos: yesNo('Whether it has photos.'),
  hasVirtualTour: yesNo('Whether it has a virtual tour.'),
  hasPrice: yesNo('Whether it has a price.'),
  hasLivingArea: yesNo('Whether its living area is known.'),
};

const changes = {
  minDaysOnMarket: whole('Minimum number of whole days on the market.', 1_000_000, 'mindom'),
  maxDaysOnMarket: whole('Maximum number of whole days on the market.', 1_000_000, 'maxdom'),
  daysOld: range('Whole days on the market'),
  listedSince: moment('Came on the market at or after this time, by `listedAt`'),
  listedBefore: moment('Came on the market before this time, by `listedAt`'),
  updatedSince: moment('Last changed in this service at or after this time'),
  updatedBefore: moment('Last changed in this service before this time'),
  priceChanged: choice(['decrease', 'increase'], 'Direction of the last price change.', {
    aliases: ['lastPriceChangeType'],
  }),
  priceChangedSince: moment('Price last changed at or after this time'),
  minPriceDropPercent: optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description: 'Minimum price reduction at the last price change, in percent.',
    }),
  ),
  openHouseFrom: moment('Has an open house at this time or later', 'inspectionFrom'),
  openHouseTo: moment('Has an open house that starts before this time', 'inspectionTo'),
};

const origin = {
  agentId: ids('Agent ids, any of these'),
  officeId: ids('Office ids, any of these'),
  providerId: ids('Source ids, any of these'),
  mlsNumber: names('Listing number that the source displays (`provider.listingId`)'),
  ids: optional(
    list(Type.String({ maxLength: 64 }), { description: 'Listing ids, any of these.', maxItems: 100 }),
  ),
};

export const listingParameters = { ...kind, ...money, ...numbers, ...traits, ...changes, ...origin };

export const rentalParameters = {
  availableFrom: day('Available on this day or later', 'dateAvailableFrom'),
  availableBy: day('Available by this day'),
  leaseTermMonths: optional(
    list(Type.Integer({ minimum: 0, maximum: 1_200 }), {
      description: 'Lease terms of exactly these numbers of months.',
    }),
  ),
  minLeaseTermMonths: whole('Minimum lease term in months.', 1_200),
  furnished: names('Furnishing: `Furnished`, `Partially`, `Unfurnished`, `Negotiable`'),
  pets: names('Allowed pets, any of these: `cats`, `dogs`'),
  noFee: yesNo('Whether there is no broker’s fee. Unknown matches neither.'),
  rentControl: yesNo('Whether it is under rent control. Unknown matches neither.'),
  utilitiesIncluded: names('Utilities included in the rent, any of these: `water`, `internet`'),
  maxMoveInCost: amount('Maximum total of move-in costs. A listing with an unknown cost does not match.'),
  hasConcession: yesNo('Whether it offers months free.'),
  maxNetEffectivePrice: amount('Maximum rent per month after months free.'),
};

export const saleParameters = {
  saleCondition: names('Special conditions in RESO’s spelling, any of these', 'specialListingConditions'),
  maxMonthlyCost: amount('Maximum of association fee and tax per month together.'),
  maxAssociationFee: amount('Maximum association fee per month.'),
  maxTax: amount('Maximum tax per month.'),
  minClosePrice: amount('Minimum closing price.', 'minSoldPrice'),
  maxClosePrice: amount('Maximum closing price.', 'maxSoldPrice'),
  closedSince: moment('Closed at or after this time'),
  closedBefore: moment('Closed before'),
  underContract: choice(['exclude'], 'Excludes listings that are under contract or pending.'),
};

// Owns which parameters the two searches take: their names, aliases, forms and bounds.

import { type Static, type TArrayOptions, type TSchema, Type } from 'typebox';
import { PROPERTY_TYPES } from './vocabulary.ts';

const optional = <S extends TSchema>(schema: S) => Type.Optional(schema);
const list = <S extends TSchema>(items: S, options: TArrayOptions = {}) => Type.Array(items, options);
const names = (what: string, aliases: readonly string[] = []) =>
  optional(list(Type.String({ maxLength: 120 }), { description: `${what}; case does not matter.`, aliases }));
const amount = (description: string, ...aliases: string[]) =>
  optional(Type.Number({ minimum: 0, maximum: 1e12, description, aliases }));
const whole = (description: string, maximum: number, ...aliases: string[]) =>
  optional(Type.Integer({ minimum: 0, maximum, description, aliases }));
const moment = (description: string, ...aliases: string[]) =>
  optional(
    Type.String({
      maxLength: 40,
      description: `${description}: a date, a time or a duration back from now (P7D).`,
      aliases,
    }),
  );

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

const place = {
  areaId: optional(
    list(Type.String({ maxLength: 200 }), {
      description:
        'In any of these areas: within its boundary, or, where it has none, by address or through its children.',
      aliases: ['locationId', 'areas'],
      maxItems: 50,
    }),
  ),
  city: names('City', ['cities']),
  neighborhood: names('Neighbourhood as the source writes it'),
  county: names('County'),
  state: names('State or province'),
  postalCode: names('Postal code', ['postalCodes', 'zip', 'zipCode']),
  country: names('Country'),
  bbox: optional(
    Type.String({
      maxLength: 120,
      description:
        'minLng,minLat,maxLng,maxLat; edges included; minLng above maxLng crosses the antimeridian.',
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
  radius: optional(
    Type.String({
      maxLength: 20,
      description:
        '`2km`, `1.5mi`, `800m`; a bare number is in miles or kilometres by `units`; at most 100 km.',
    }),
  ),
  polygon: optional(
    Type.String({
      maxLength: 20_000,
      description: '`lng,lat;lng,lat;...`, 3 to 500 corners; edges included.',
    }),
  ),
};

const listing = {
  status: optional(
    list(Type.String({ maxLength: 40 }), {
      description: 'Default ACTIVE. Ours or RESO’s spelling; `any` for all.',
      aliases: ['standardStatus'],
    }),
  ),
  propertyType: optional(
    list(
      Type.Unsafe<(typeof PROPERTY_TYPES)[number]>({
        type: 'string',
        enum: [...PROPERTY_TYPES],
        caseInsensitive: true,
      }),
      {
        description: 'Any of these types.',
        aliases: ['type'],
      },
    ),
  ),
  minPrice: amount('Price at least; rentals compare the rent per month.', 'minprice'),
  maxPrice: amount('Price at most.', 'maxprice'),
  minPricePerArea: amount('Price per square foot or metre at least.'),
  maxPricePerArea: amount('Price per square foot or metre at most.'),
  minBedrooms: whole('Bedrooms at least.', 1_000, 'minBeds', 'minbeds'),
  maxBedrooms: whole('Bedrooms at most.', 1_000, 'maxBeds', 'maxbeds'),
  bedrooms: optional(
    list(Type.Integer({ minimum: 0, maximum: 1_000 }), {
      description: 'Exactly these numbers of bedrooms; 0 is a studio.',
      aliases: ['beds'],
    }),
  ),
  minBathrooms: amount('Bathrooms at least; a half bath is 0.5.', 'minBaths', 'minbaths'),
  maxBathrooms: amount('Bathrooms at most.', 'maxBaths', 'maxbaths'),
  minLivingArea: amount('Living area at least, in `units`.', 'minSqft', 'minarea'),
  maxLivingArea: amount('Living area at most, in `units`.', 'maxSqft', 'maxarea'),
  minLotSize: amount('Lot size at least, in square feet or metres.'),
  maxLotSize: amount('Lot size at most, in square feet or metres.'),
  minYearBuilt: whole('Built in this year or later.', 9_999, 'minyear'),
  maxYearBuilt: whole('Built in this year or earlier.', 9_999, 'maxyear'),
  hasPhotos: optional(Type.Boolean({ description: 'With, or without, any photo.' })),
  listedSince: moment('Listed at or after'),
  listedBefore: moment('Listed before'),
  updatedSince: moment('Changed in this service at or after'),
  updatedBefore: moment('Changed in this service before'),
  ids: optional(
    list(Type.String({ maxLength: 64 }), { description: 'Listings with these ids.', maxItems: 100 }),
  ),
};

const sale = {
  minClosePrice: amount('Closed at this price or more.', 'minSoldPrice'),
  maxClosePrice: amount('Closed at this price or less.', 'maxSoldPrice'),
  closedSince: moment('Closed at or after'),
  closedBefore: moment('Closed before'),
};

const answer = {
  sort: optional(
    list(Type.String({ maxLength: 40 }), {
      description: `Keys in order, \`-\` for falling: ${SORT_KEYS.join(', ')}. Default -listedAt; unknown values last, id breaks ties.`,
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
  cursor: optional(
    Type.String({
      maxLength: 2_000,
      description: 'A page’s nextCursor or prevCursor, with the same filters.',
    }),
  ),
  count: optional(
    Type.Unsafe<'exact' | 'estimate' | 'none'>({
      type: 'string',
      enum: ['exact', 'estimate', 'none'],
      default: 'estimate',
      description: 'How `total` is found; exact is slower.',
    }),
  ),
  fields: fieldsParameter,
  units: unitsParameter,
  display: displayParameter,
};

export const RentalSearchQuery = Type.Object({ ...place, ...listing, ...answer });
export const SaleSearchQuery = Type.Object({ ...place, ...listing, ...sale, ...answer });

/** A parsed query of either search. */
export type SearchQuery = Static<typeof SaleSearchQuery>;

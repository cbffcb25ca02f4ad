// Public listing record: the schema that the documentation shows and the type follows.

import { type Static, type TSchema, Type } from 'typebox';
import { LISTING_TYPES, PRICE_FREQUENCIES, PROPERTY_TYPES, STATUSES } from './vocabulary.ts';

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()]);
export const text = nullable(Type.String());
export const number = nullable(Type.Number());
export const integer = nullable(Type.Integer());
const flag = nullable(Type.Boolean());
const time = nullable(Type.String({ format: 'date-time' }));
const date = nullable(Type.String({ format: 'date' }));
export const texts = Type.Unsafe<readonly string[]>(Type.Array(Type.String()));

/** One of these values. */
export const oneOf = <T extends string>(values: readonly T[], description?: string) =>
  Type.Unsafe<T>({
    type: 'string',
    enum: [...values],
    ...(description === undefined ? {} : { description }),
  });

export const AreaUnitSchema = oneOf(
  ['sqft', 'sqm'] as const,
  'Unit of all floor and lot areas in this record.',
);

export const AddressSchema = Type.Object(
  {
    full: text,
    line1: text,
    unit: text,
    streetNumber: text,
    streetName: text,
    city: text,
    neighborhood: text,
    county: text,
    state: text,
    postalCode: text,
    country: text,
    crossStreet: text,
  },
  { $id: 'Address', description: 'Street parts are null if the source withholds the address.' },
);

const LOCATION_SOURCES = ['provided', 'area', 'gazetteer', 'geocoder'] as const;
const LOCATION_TEXT =
  'WGS 84 degrees. `precision` is approximate if the address is withheld, if the source says so, or if only the town, the postal ' +
  'code or the street is known. `source` says where the place is from: `provided` by the source of the listing; the middle of an ' +
  '`area` that the address names; the `gazetteer` of towns and postal codes; a `geocoder` that was asked for the address.';

export const LocationSchema = nullable(
  Type.Object(
    {
      lat: Type.Number(),
      lng: Type.Number(),
      precision: oneOf(['exact', 'approximate'] as const),
      source: oneOf(LOCATION_SOURCES),
    },
    { description: LOCATION_TEXT },
  ),
);

/** The location in a summary. */
export const SummaryLocationSchema = nullable(
  Type.Object(
    { lat: Type.Number(), lng: Type.Number(), precision: oneOf(['exact', 'approximate'] as const) },
    { description: 'WGS 84 degrees; approximate if the address is withheld, or as a record says.' },
  ),
);

const PhotoSchema = Type.Object({
  id: Type.String(),
  url: Type.String({ format: 'uri' }),
  thumbnailUrl: Type.Union([Type.String(), Type.Null()], {
    description:
      'A smaller one. Where this service serves the photo it is 320 pixels wide, and its URL with `640.webp` or `1280.webp` in place of ' +
      '`320.webp` leads to larger ones.',
  }),
  width: integer,
  height: integer,
  caption: text,
  category: text,
  order: Type.Integer({ description: '0 is the primary photo.' }),
});

const OpenHouseSchema = Type.Object({
  id: Type.String(),
  startsAt: Type.String({ format: 'date-time' }),
  endsAt: time,
  type: text,
  status: text,
  remarks: text,
  livestreamUrl: text,
  appointmentRequired: flag,
});

const ContactSchema = nullable(Type.Object({ id: text, name: text, phone: text, email: text }));

export interface MoveInCost {
  readonly type: string;
  readonly amount: number | null;
}

const RentalSchema = nullable(
  Type.Object(
    {
      availableFrom: date,
      leaseTerm: texts,
      leaseTermMonths: integer,
      furnished: text,
      pets: texts,
      petsAllowed: flag,
      utilitiesIncluded: texts,
      moveInCosts: Type.Unsafe<readonly MoveInCost[]>(
        Type.Array(Type.Object({ type: Type.String(), amount: number })),
      ),
      noFee: flag,
      monthsFree: number,
      netEffectivePrice: number,
      rentControl: flag,
    },
    { description: 'Terms of a rental; null for sales.' },
  ),
);

const ProviderSchema = Type.Object({
  id: Type.String({ description: 'The source that delivered the listing.' }),
  name: text,
  listingKey: Type.String(),
  listingId: text,
  originatingSystem: text,
  attribution: text,
  copyright: text,
  permissions: texts,
});

export const AttributionSchema = Type.String({
  description:
    'The line to display with it: whose listing it is, and what its source asks for. It may be the text of others.',
});

/** Members that a listing has only with `include=daysOnMarket`. */
const daysOnMarketMembers = {
  cumulativeDaysOnMarket: Type.Optional(
    nullable(
      Type.Integer({
        description:
          'Includes the days of earlier listings of the property of the same type, if no more than 30 days lie ' +
          'between. Only with `include=daysOnMarket`.',
      }),
    ),
  ),
  daysOnMarketReported: Type.Optional(
    nullable(Type.Integer({ description: 'As the source counts them. Only with `include=daysOnMarket`.' })),
  ),
};

export const ListingSchema = Type.Object(
  {
    id: Type.String({ description: 'Stable across repeated imports.' }),
    object: Type.Literal('listing'),
    propertyId: Type.String(),
    listingType: oneOf(LISTING_TYPES),
    status: oneOf(STATUSES),
    statusRaw: text,
    price: nullable(Type.Number({ description: 'Asking price or rent, in major units of `currency`.' })),
    currency: Type.String({ description: 'ISO 4217' }),
    priceFrequency: oneOf(PRICE_FREQUENCIES),
    priceMonthly: nullable(Type.Number({ description: 'Rent normalised to a month; null for sales.' })),
    pricePerArea: nullable(Type.Number({ description: 'Price divided by livingArea, per `areaUnit`.' })),
    originalPrice: number,
    previousPrice: number,
    priceChange: nullable(
      Type.Object({
        amount: Type.Number(),
        percent: Type.Number(),
        direction: oneOf(['decrease', 'increase'] as const),
        at: Type.String({ format: 'date-time' }),
      }),
    ),
    closePrice: number,
    monthlyCosts: nullable(Type.Object({ associationFee: number, tax: number, total: number })),
    rental: RentalSchema,
    propertyType: oneOf(PROPERTY_TYPES),
    propertySubType: text,
    bedrooms: nullable(Type.Integer({ description: '0 is a studio.' })),
    bathrooms: nullable(
      Type.Number({ description: 'A full bath counts 1, three-quarter 0.75, half 0.5, quarter 0.25.' }),
    ),
    bathroomsFull: integer,
    bathroomsHalf: integer,
    rooms: integer,
    livingArea: number,
    areaUnit: AreaUnitSchema,
    lotSize: number,
    lotSizeUnit: AreaUnitSchema,
    yearBuilt: integer,
    stories: integer,
    floor: integer,
    parkingSpaces: integer,
    garageSpaces: integer,
    features: texts,
    newConstruction: flag,
    waterfront: flag,
    saleConditions: texts,
    address: AddressSchema,
    location: LocationSchema,
    areaIds: Type.Array(Type.String(), { description: 'Areas that contain the listing, smallest first.' }),
    description: text,
    photos: Type.Array(PhotoSchema),
    photoCount: integer,
    virtualTourUrl: text,
    floorPlans: Type.Array(PhotoSchema),
    openHouses: Type.Array(OpenHouseSchema),
    agent: ContactSchema,
    office: ContactSchema,
    listedAt: nullable(
      Type.String({
        format: 'date-time',
        description:
          'When it came on the market, as searches sort and filter it: the start of `onMarketDate` in the time zone of ' +
          'the listing, or else `enteredAt`.',
      }),
    ),
    enteredAt: nullable(
      Type.String({
        format: 'date-time',
        description: 'When the source first entered the listing, as it reports it.',
      }),
    ),
    onMarketDate: date,
    statusChangedAt: time,
    priceChangedAt: time,
    pendingAt: time,
    closedAt: date,
    offMarketAt: date,
    expiresOn: date,
    daysOnMarket: nullable(
      Type.Integer({ description: 'Days on the market in this listing, as this service counts them.' }),
    ),
    ...daysOnMarketMembers,
    createdAt: Type.String({ format: 'date-time' }),
    updatedAt: Type.String({ format: 'date-time' }),
    upstreamModifiedAt: time,
    source: oneOf(['live', 'cached'] as const, 'live: fetched from the source for this response.'),
    fetchedAt: Type.String({
      format: 'date-time',
      description: 'When the source last sent this listing, changed or not. May be five seconds old.',
    }),
    attribution: AttributionSchema,
    provider: ProviderSchema,
    url: Type.String({ format: 'uri' }),
    listingUrl: text,
    version: Type.Integer({ description: 'Increases by one with each change.' }),
  },
  {
    $id: 'Listing',
    description:
      'A listing: one period on the market. All keys are always present, except cumulativeDaysOnMarket and ' +
      'daysOnMarketReported; unknown values are null.',
  },
);

export type Listing = Static<typeof ListingSchema>;

/** Members of a listing that are present only if `include` names the key. */
export const MEMBERS_BY_INCLUDE: Readonly<Record<string, readonly string[]>> = {
  daysOnMarket: Object.keys(daysOnMarketMembers),
};

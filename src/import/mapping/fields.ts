// Table of the fields that a map file can fill, and the kind of value of each.

import {
  AREA_TYPES,
  LISTING_TYPES,
  PRICE_FREQUENCIES,
  PROPERTY_TYPES,
  STATUSES,
} from '../../listings/vocabulary.ts';

export type Kind =
  | 'text'
  | 'choice'
  | 'currency'
  | 'url'
  | 'number'
  | 'integer'
  | 'money'
  | 'monthlyMoney'
  | 'area'
  | 'boolean'
  | 'date'
  | 'time'
  | 'timeOrDate'
  | 'timeZone'
  | 'degrees'
  | 'list'
  | 'slugs'
  | 'urls'
  | 'amounts'
  | 'intervals';

export interface Field {
  readonly kind: Kind;
  /** Only these, for a choice. */
  readonly choices?: readonly string[];
  /** Bounds of a number. */
  readonly min?: number;
  readonly max?: number;
  /** Between which values homes usually are; others are possible, and reported. */
  readonly plausible?: readonly [number, number];
  /** Zero is how files write that there is none. */
  readonly zeroIsNone?: true;
  /** Characters of a text; default 500. */
  readonly maxLength?: number;
  /** A map without it is refused, and so is a row in which it is empty. */
  readonly required?: true;
}

/** Fields by their names in a map file. */
export type Fields = Readonly<Record<string, Field>>;

/** Kinds whose text is split into items. */
export const LIST_KINDS: readonly Kind[] = ['list', 'slugs', 'urls', 'amounts', 'intervals'];
/** Kinds that hold a number. */
export const NUMBER_KINDS: readonly Kind[] = [
  'number',
  'integer',
  'money',
  'monthlyMoney',
  'area',
  'degrees',
];

const MAX_AMOUNT = 1e12;

const each = (names: readonly string[], field: Field): Fields =>
  Object.fromEntries(names.map((name) => [name, field]));

const choice = (choices: readonly string[], required?: true): Field =>
  required ? { kind: 'choice', choices, required } : { kind: 'choice', choices };

/** Every member of a listing's draft. */
export const LISTING_FIELDS: Fields = {
  listingKey: { kind: 'text', required: true },
  listingType: choice(LISTING_TYPES, true),
  status: choice(STATUSES, true),
  propertyType: choice(PROPERTY_TYPES, true),
  currency: { kind: 'currency', required: true },
  priceFrequency: choice(PRICE_FREQUENCIES),
  ...each(['listingId', 'statusRaw', 'propertySubType', 'parcelNumber'], { kind: 'text' }),
  ...each(['universalPropertyId', 'buildingName'], { kind: 'text' }),
  ...each(['originatingSystem', 'attribution', 'copyright'], { kind: 'text' }),
  description: { kind: 'text', maxLength: 20_000 },
  ...each(['listPrice', 'originalPrice', 'previousPrice', 'closePrice'], {
    kind: 'money',
    max: MAX_AMOUNT,
    zeroIsNone: true,
  }),
  ...each(['associationFee', 'tax'], { kind: 'monthlyMoney', max: MAX_AMOUNT }),
  bathrooms: { kind: 'number', max: 10_000, plausible: [0, 30] },
  ...each(['bedrooms', 'bathroomsFull', 'bathroomsHalf'], {
    kind: 'integer',
    max: 10_000,
    plausible: [0, 30],
  }),
  ...each(['rooms', 'stories', 'garageSpaces'], { kind: 'integer', max: 10_000, plausible: [0, 100] }),
  ...each(['parkingSpaces', 'unitsTotal'], { kind: 'integer', max: 10_000, plausible: [0, 1_000] }),
  floor: { kind: 'integer', min: -100, max: 1_000, plausible: [-5, 120] },
  ...each(['yearBuilt', 'taxes.year'], {
    kind: 'integer',
    min: 1_000,
    max: 2_999,
    plausible: [1_700, 2_040],
  }),
  ...each(['taxes.amount', 'taxes.assessedValue'], { kind: 'money', max: MAX_AMOUNT }),
  livingArea: { kind: 'area', max: MAX_AMOUNT, zeroIsNone: true, plausible: [100, 50_000] },
  lotSize: { kind: 'area', max: MAX_AMOUNT, zeroIsNone: true, plausible: [100, 50_000_000] },
  ...each(['newConstruction', 'waterfront'], { kind: 'boolean' }),
  features: { kind: 'slugs' },
  ...each(['saleConditions', 'permissions'], { kind: 'list' }),
  ...each(
    ['full', 'unit', 'streetNumber', 'streetName', 'city', 'neighborhood', 'county', 'state'].map(part),
    {
      kind: 'text',
    },
  ),
  ...each(['postalCode', 'country', 'crossStreet'].map(part), { kind: 'text' }),
  'location.lat': { kind: 'degrees', max: 90 },
  'location.lng': { kind: 'degrees', max: 180 },
  'location.precision': choice(['exact', 'approximate']),
  ...each(['photos', 'floorPlans'], { kind: 'urls' }),
  photoCount: { kind: 'integer', max: 100_000, plausible: [0, 500] },
  ...each(['virtualTourUrl', 'listingUrl'], { kind: 'url' }),
  openHouses: { kind: 'intervals' },
  ...each(['agent.id', 'agent.name', 'agent.phone', 'agent.email'], { kind: 'text' }),
  ...each(['office.id', 'office.name', 'office.phone', 'office.email'], { kind: 'text' }),
  ...each(['listedAt', 'statusChangedAt', 'priceChangedAt', 'pendingAt'], { kind: 'timeOrDate' }),
  upstreamModifiedAt: { kind: 'time' },
  ...each(['onMarketDate', 'closedAt', 'offMarketAt', 'expiresOn'], { kind: 'date' }),
  daysOnMarketReported: { kind: 'integer', max: 100_000, plausible: [0, 3_000] },
  ...each(['display.listing', 'display.address', 'display.estimate'], { kind: 'boolean' }),
  'rental.availableFrom': { kind: 'date' },
  ...each(['rental.leaseTerm', 'rental.pets', 'rental.utilitiesIncluded'], { kind: 'list' }),
  'rental.leaseTermMonths': { kind: 'integer', max: 1_200, plausible: [0, 120] },
  'rental.furnished': { kind: 'text' },
  ...each(['rental.petsAllowed', 'rental.noFee', 'rental.rentControl'], { kind: 'boolean' }),
  'rental.moveInCosts': { kind: 'amounts' },
  'rental.monthsFree': { kind: 'number', max: 1_200, plausible: [0, 24] },
  'rental.netEffectivePrice': { kind: 'money', max: MAX_AMOUNT, zeroIsNone: true },
};

function part(name: string): string {
  return `address.${name}`;
}

/** Every member of an area's draft but its boundary, which is the record's geometry. */
export const AREA_FIELDS: Fields = {
  id: { kind: 'text', required: true },
  type: choice(AREA_TYPES, true),
  name: { kind: 'text', required: true },
  aliases: { kind: 'list' },
  otherParents: { kind: 'list' },
  ...each(['codes.fips', 'codes.postal', 'codes.iso', 'parent'], { kind: 'text' }),
  population: { kind: 'integer', max: 2_147_483_647 },
  timezone: { kind: 'timeZone' },
};

/** The message goes on after the value: 'is not a number …'. It names the remedy where there is one. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

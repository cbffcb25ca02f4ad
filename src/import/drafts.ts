// Drafts of listings and areas from the fields of a record.

import type { AreaDraft } from '../areas/area.ts';
import { cutAtAntimeridian } from '../geometry/antimeridian.ts';
import type { Boundary } from '../geometry/geometry.ts';
import { boundaryFault } from '../geometry/geometry-fault.ts';
import type { Contact, DraftAddress, ListingDraft, Photo, RentalTerms } from '../listings/draft.ts';
import type { AreaType, ListingType, PriceFrequency, PropertyType, Status } from '../listings/vocabulary.ts';
import type { SourceRecord } from './formats/record.ts';
import type { FieldValues } from './mapping/row.ts';
import type { Fault } from './mapping/rule.ts';

/** The draft of a row. The values are checked already: each is of its field's kind or null. */
export function listingOf(values: FieldValues, sourceName: string): ListingDraft {
  const listingType = values.choice<ListingType>('listingType', 'sale');
  return {
    ...identity(values),
    listingType,
    status: values.choice<Status>('status', 'UNKNOWN'),
    ...money(values, listingType),
    rental: listingType === 'rental' ? rentalOf(values) : null,
    ...building(values),
    address: addressOf(values),
    location: locationOf(values),
    ...media(values),
    agent: contactOf(values, 'agent'),
    office: contactOf(values, 'office'),
    ...dates(values),
    sourceName,
    taxes: taxesOf(values),
    display: {
      listing: values.flag('display.listing') ?? true,
      address: values.flag('display.address') ?? true,
      estimate: values.flag('display.estimate') ?? true,
    },
  };
}

const identity = (values: FieldValues) => ({
  listingKey: values.text('listingKey') ?? '',
  listingId: values.text('listingId'),
  statusRaw: values.text('statusRaw'),
  listingUrl: values.text('listingUrl'),
  originatingSystem: values.text('originatingSystem'),
  attribution: values.text('attribution'),
  copyright: values.text('copyright'),
  permissions: values.list<string>('permissions'),
  parcelNumber: values.text('parcelNumber'),
  universalPropertyId: values.text('universalPropertyId'),
});

const money = (values: FieldValues, listingType: ListingType) => ({
  listPrice: values.number('listPrice'),
  originalPrice: values.number('originalPrice'),
  previousPrice: values.number('previousPrice'),
  closePrice: values.number('closePrice'),
  currency: values.text('currency') ?? '',
  priceFrequency: values.choice<PriceFrequency>(
    'priceFrequency',
    listingType === 'rental' ? 'MONTHLY' : 'ONE_TIME',
  ),
  associationFee: values.number('associationFee'),
  tax: values.number('tax'),
});

function rentalOf(values: FieldValues): RentalTerms {
  const rentControl = values.flag('rental.rentControl');
  return {
    availableFrom: values.text('rental.availableFrom'),
    leaseTerm: values.list('rental.leaseTerm'),
    leaseTermMonths: values.number('rental.leaseTermMonths'),
    furnished: values.text('rental.furnished'),
    pets: values.list('rental.pets'),
    petsAllowed: values.flag('rental.petsAllowed'),
    utilitiesIncluded: values.list('rental.utilitiesIncluded'),
    moveInCosts: values.list('rental.moveInCosts'),
    noFee: values.flag('rental.noFee'),
    monthsFree: values.number('rental.monthsFree'),
    netEffectivePrice: values.number('rental.netEffectivePrice'),
    // Left out where nothing is said: the digest of a listing stays what it was.
    ...(rentControl !== null && { rentControl }),
  };
}

const building = (values: FieldValues) => ({
  propertyType: values.choice<PropertyType>('propertyType', 'OTHER'),
  propertySubType: values.text('propertySubType'),
  bedrooms: values.number('bedrooms'),
  bathrooms: values.number('bathrooms'),
  bathroomsFull: values.number('bathroomsFull'),
  bathroomsHalf: values.number('bathroomsHalf'),
  rooms: values.number('rooms'),
  livingArea: values.number('livingArea'),
  lotSize: values.number('lotSize'),
  yearBuilt: values.number('yearBuilt'),
  stories: values.number('stories'),
  floor: values.number('floor'),
  parkingSpaces: values.number('parkingSpaces'),
  garageSpaces: values.number('garageSpaces'),
  unitsTotal: values.number('unitsTotal'),
  features: values.list<string>('features'),
  newConstruction: values.flag('newConstruction'),
  waterfront: values.flag('waterfront'),
  saleConditions: values.list<string>('saleConditions'),
  buildingName: values.text('buildingName'),
});

function addressOf(values: FieldValues): DraftAddress {
  return {
    full: values.text('address.full'),
    unit: values.text('address.unit'),
    streetNumber: values.text('address.streetNumber'),
    streetName: values.text('address.streetName'),
    city: values.text('address.city'),
    neighborhood: values.text('address.neighborhood'),
    county: values.text('address.county'),
    state: values.text('address.state'),
    postalCode: values.text('address.postalCode'),
    country: values.text('address.country'),
    crossStreet: values.text('address.crossStreet'),
  };
}

function locationOf(values: FieldValues): ListingDraft['location'] {
  const [lat, lng] = [values.number('location.lat'), values.number('location.lng')];
  if (lat === null || lng === null) return null;
  return { lat, lng, precision: values.choice<'exact' | 'approximate'>('location.precision', 'exact') };
}

const media = (values: FieldValues) => ({
  description: values.text('description'),
  // A map that knows no photos says nothing of them: what another reading brought is kept.
  photos: values.has('photos') ? values.list<Photo>('photos') : null,
  photoCount: values.number('photoCount'),
  virtualTourUrl: values.text('virtualTourUrl'),
  floorPlans: values.list<Photo>('floorPlans'),
  openHouses: values.has('openHouses')
    ? values.list<NonNullable<ListingDraft['openHouses']>[number]>('openHouses')
    : null,
});

function contactOf(values: FieldValues, who: 'agent' | 'office'): Contact | null {
  const id = values.text(`${who}.id`);
  const name = values.text(`${who}.name`);
  const phone = values.text(`${who}.phone`);
  const email = values.text(`${who}.email`);
  return (id ?? name ?? phone ?? email) === null ? null : { id, name, phone, email };
}

const dates = (values: FieldValues) => ({
  listedAt: values.text('listedAt'),
  onMarketDate: values.text('onMarketDate'),
  statusChangedAt: values.text('statusChangedAt'),
  priceChangedAt: values.text('priceChangedAt'),
  pendingAt: values.text('pendingAt'),
  closedAt: values.text('closedAt'),
  offMarketAt: values.text('offMarketAt'),
  expiresOn: values.text('expiresOn'),
  daysOnMarketReported: values.number('daysOnMarketReported'),
  upstreamModifiedAt: values.text('upstreamModifiedAt'),
});

function taxesOf(values: FieldValues): ListingDraft['taxes'] {
  const year = values.number('taxes.year');
  if (year === null) return [];
  return [
    { year, amount: values.number('taxes.amount'), assessedValue: values.number('taxes.assessedValue') },
  ];
}

/** What is wrong with the record's geometry; null also when it has none, for an area may lack a boundary. */
export function geometryFault({ geometry }: SourceRecord): Fault | null {
  const reason = geometry === null || geometry === undefined ? null : boundaryFault(geometry);
  return reason === null ? null : { column: '', value: '', reason };
}

export function areaOf(values: FieldValues, { geometry }: SourceRecord): AreaDraft {
  const codes = ['fips', 'postal', 'iso'].flatMap((name) => {
    const code = values.text(`codes.${name}`);
    return code === null ? [] : [[name, code] as const];
  });
  const otherParents = values.list<string>('otherParents');
  const timeZone = values.text('timezone');
  return {
    type: values.choice<AreaType>('type', 'custom'),
    externalId: values.text('id') ?? '',
    name: values.text('name') ?? '',
    aliases: values.list('aliases'),
    codes: Object.fromEntries(codes),
    parentReference: values.text('parent'),
    // Left out where there are none: the digest of an area stays what it was.
    ...(otherParents.length > 0 && { otherParents }),
    population: values.number('population'),
    ...(timeZone !== null && { timeZone }),
    boundary: geometry ? cutAtAntimeridian(geometry as Boundary) : null,
  };
}

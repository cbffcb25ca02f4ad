// Drafts of listings and areas from the fields of a record.

import type { AreaDraft } from '../areas/area.ts';
import { cutAtAntimeridian } from '../geometry/antimeridian.ts';
import type { Boundary } from '../geometry/geometry.ts';
import { boundaryFault } from '../geometry/geometry-fault.ts';
import type { Contact, ListingDraft, OpenHouse, Photo, RentalTerms } from '../listings/draft.ts';
import type { AreaType, ListingType, PriceFrequency, PropertyType, Status } from '../listings/vocabulary.ts';
import type { SourceRecord } from './formats/record.ts';
import type { ImportMap } from './mapping/map.ts';
import type { FieldValues } from './mapping/row.ts';
import type { Fault } from './mapping/rule.ts';

/** The draft of a row of this map. The values are checked already: each is of its field's kind, or null. */
export function listingOf(
  values: FieldValues,
  { source, displayDefault }: Pick<ImportMap, 'source' | 'displayDefault'>,
): ListingDraft {
  const showsByDefault = displayDefault !== 'withhold';
  const listingType = values.choice<ListingType>('listingType', 'sale');
  const isRental = listingType === 'rental';
  return {
    listingKey: values.text('listingKey') ?? '',
    ...values.texts([
      'listingId',
      'statusRaw',
      'listingUrl',
      'originatingSystem',
      'attribution',
      'copyright',
    ]),
    permissions: values.list<string>('permissions'),
    ...values.texts(['parcelNumber', 'universalPropertyId']),
    listingType,
    status: values.choice<Status>('status', 'UNKNOWN'),
    ...values.numbers(['listPrice', 'originalPrice', 'previousPrice', 'closePrice']),
    currency: values.text('currency') ?? '',
    priceFrequency: values.choice<PriceFrequency>('priceFrequency', isRental ? 'MONTHLY' : 'ONE_TIME'),
    ...values.numbers(['associationFee', 'tax']),
    rental: isRental ? rentalOf(values) : null,
    propertyType: values.choice<PropertyType>('propertyType', 'OTHER'),
    propertySubType: values.text('propertySubType'),
    ...values.numbers(['bedrooms', 'bathrooms', 'bathroomsFull', 'bathroomsHalf', 'rooms', 'livingArea']),
    ...values.numbers(['lotSize', 'yearBuilt', 'stories', 'floor', 'parkingSpaces', 'garageSpaces']),
    unitsTotal: values.number('unitsTotal'),
    features: values.list<string>('features'),
    newConstruction: values.flag('newConstruction'),
    waterfront: values.flag('waterfront'),
    saleConditions: values.list<string>('saleConditions'),
    buildingName: values.text('buildingName'),
    address: {
      ...values.texts(['full', 'unit', 'streetNumber', 'streetName', 'city', 'neighborhood'], 'address.'),
      ...values.texts(['county', 'state', 'postalCode', 'country', 'crossStreet'], 'address.'),
    },
    location: locationOf(values),
    description: values.text('description'),
    // Null where the map has no photos or open houses: the stored ones stay.
    photos: values.has('photos') ? values.list<Photo>('photos') : null,
    photoCount: values.number('photoCount'),
    virtualTourUrl: values.text('virtualTourUrl'),
    floorPlans: values.list<Photo>('floorPlans'),
    openHouses: values.has('openHouses') ? values.list<OpenHouse>('openHouses') : null,
    agent: contactOf(values, 'agent.'),
    office: contactOf(values, 'office.'),
    ...values.texts(['listedAt', 'onMarketDate', 'statusChangedAt', 'priceChangedAt', 'pendingAt']),
    ...values.texts(['closedAt', 'offMarketAt', 'expiresOn']),
    daysOnMarketReported: values.number('daysOnMarketReported'),
    upstreamModifiedAt: values.text('upstreamModifiedAt'),
    sourceName: source.name,
    taxes: taxesOf(values),
    display: {
      listing: values.flag('display.listing') ?? showsByDefault,
      address: values.flag('display.address') ?? showsByDefault,
      estimate: values.flag('display.estimate') ?? showsByDefault,
    },
  };
}

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
    ...values.numbers(['monthsFree', 'netEffectivePrice'], 'rental.'),
    // Absent where unknown, so that digests of listings do not change.
    ...(rentControl !== null && { rentControl }),
  };
}

function locationOf(values: FieldValues): ListingDraft['location'] {
  const { lat, lng } = values.numbers(['lat', 'lng'], 'location.');
  if (lat === null || lng === null) return null;
  return { lat, lng, precision: values.choice<'exact' | 'approximate'>('location.precision', 'exact') };
}

function contactOf(values: FieldValues, prefix: 'agent.' | 'office.'): Contact | null {
  const contact = values.texts(['id', 'name', 'phone', 'email'], prefix);
  return Object.values(contact).every((value) => value === null) ? null : contact;
}

function taxesOf(values: FieldValues): ListingDraft['taxes'] {
  const year = values.number('taxes.year');
  return year === null ? [] : [{ year, ...values.numbers(['amount', 'assessedValue'], 'taxes.') }];
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
    // Absent where there are none, so that digests of areas do not change.
    ...(otherParents.length > 0 && { otherParents }),
    population: values.number('population'),
    ...(timeZone !== null && { timeZone }),
    boundary: geometry ? cutAtAntimeridian(geometry as Boundary) : null,
  };
}

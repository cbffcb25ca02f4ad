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
  { source, displayDefault, media }: Pick<ImportMap, 'source' | 'displayDefault' | 'media'>,
): ListingDraft {
  const showsByDefault = displayDefault !== 'withhold';
  const listingType = values.choice<ListingType>('listingType', 'sale');
  const isRental = listingType === 'rental';
  return {
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
    listingType,
    status: values.choice<Status>('status', 'UNKNOWN'),
    listPrice: values.number('listPrice'),
    originalPrice: values.number('originalPrice'),
    previousPrice: values.number('previousPrice'),
    closePrice: values.number('closePrice'),
    currency: values.text('currency') ?? '',
    priceFrequency: values.choice<PriceFrequency>('priceFrequency', isRental ? 'MONTHLY' : 'ONE_TIME'),
    associationFee: values.number('associationFee'),
    tax: values.number('tax'),
    rental: isRental ? rentalOf(values) : null,
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
    address: {
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
    },
    location: locationOf(values),
    description: values.text('description'),
    // Null where the map has no photos or open houses: the stored ones stay.
    photos: values.has('photos') ? values.list<Photo>('photos') : null,
    photoCount: values.number('photoCount'),
    virtualTourUrl: values.text('virtualTourUrl'),
    floorPlans: values.list<Photo>('floorPlans'),
    ...(media !== undefined && media !== 'link' && { media: { mode: media } }),
    openHouses: values.has('openHouses') ? values.list<OpenHouse>('openHouses') : null,
    agent: contactOf(values, 'agent.'),
    office: contactOf(values, 'office.'),
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
    monthsFree: values.number('rental.monthsFree'),
    netEffectivePrice: values.number('rental.netEffectivePrice'),
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

// Mapping of one RESO Property record to a draft.

import { marksOf } from '../../../licence/terms/terms.ts';
import type { Contact, ListingDraft, TaxYear } from '../../../listings/draft.ts';
import {
  earliestMoment,
  FieldReader,
  type NoteField,
  type NoteWithheld,
  type UpstreamRecord,
} from './decode.ts';
import { displayValue } from './enumerations.ts';
import { address, bathrooms, features, livingArea, location, lotSize } from './home.ts';
import { openHouses, pictures } from './media-and-open-houses.ts';
import { associationFee, monthlyTax, price, rate } from './money.ts';
import { requestedFields } from './property-fields.ts';
import { rentalTerms } from './rental.ts';
import { listingTypeOf, propertyTypeOf, statusOf } from './type-and-status.ts';

export interface MapOptions {
  /** ISO 4217: the dictionary has no field for it. */
  readonly currency: string;
  /** Called with the name of each unreadable field. */
  readonly note: NoteField;
  /** Called with each value that keeps the listing, or a part of it, from being shown. */
  readonly withheld?: NoteWithheld;
  /** Whether listings without a display rule are shown; default true. */
  readonly showsByDefault?: boolean;
  /** Field that is false where a record may no longer be shown; default null: there is none. */
  readonly viewFlag?: string | null;
  /** Which field lists what a record may be used for, and whether one without any of these marks is withheld; default FeedTypes, shown. */
  readonly marks?: { readonly field: string; readonly missing: 'withhold' | 'show' } | null;
  /** The field that moves with each change; default ModificationTimestamp. */
  readonly modifiedField?: string;
  /** Of clocks that are written without a zone; default null: not known, so that timestamps count as UTC. */
  readonly timeZone?: string | null;
  /** Milliseconds since the epoch beyond which no modification can lie; default: none. */
  readonly latest?: number;
}

function statusFields(record: FieldReader): Pick<ListingDraft, 'status' | 'statusRaw'> {
  const standard = record.text('StandardStatus');
  const status = statusOf(standard);
  if (status === 'UNKNOWN' && standard !== null) record.unreadable('StandardStatus');
  return { status, statusRaw: record.text('MlsStatus') ?? standard };
}

/** Rent is ListPrice; LeaseAmount is what a business on sale pays for its own premises. */
function moneyFields(record: FieldReader, rental: boolean) {
  const per = rate(record, rental);
  return {
    listPrice: price(record, 'ListPrice', per),
    originalPrice: price(record, 'OriginalListPrice', per),
    previousPrice: price(record, 'PreviousListPrice', per),
    closePrice: price(record, 'ClosePrice', per),
    priceFrequency: per.frequency,
    associationFee: associationFee(record),
    tax: monthlyTax(record),
  };
}

function typeFields(record: FieldReader) {
  const type = record.text('PropertyType');
  const subType = record.text('PropertySubType');
  return {
    listingType: listingTypeOf(type) ?? 'sale',
    propertyType: propertyTypeOf(type, subType),
    propertySubType: subType === null ? null : displayValue('PropertySubType', subType),
  };
}

function sizeFields(record: FieldReader) {
  return {
    bedrooms: record.count('BedroomsTotal'),
    bathrooms: bathrooms(record),
    bathroomsFull: record.count('BathroomsFull'),
    bathroomsHalf: record.count('BathroomsHalf'),
    rooms: record.count('RoomsTotal'),
    livingArea: livingArea(record),
    lotSize: lotSize(record),
    yearBuilt: record.year('YearBuilt'),
    stories: record.count('Stories'),
    floor: record.integer('EntryLevel'),
    parkingSpaces: record.count('ParkingTotal'),
    garageSpaces: record.count('GarageSpaces'),
    unitsTotal: record.count('NumberOfUnitsTotal'),
  };
}

/** Contract dates are dates; system timestamps are times, though some servers write the day alone. */
function timeFields(record: FieldReader) {
  return {
    listedAt: record.timeOrDate('OriginalEntryTimestamp'),
    onMarketDate: record.date('OnMarketDate'),
    statusChangedAt: record.timeOrDate('StatusChangeTimestamp'),
    priceChangedAt: record.timeOrDate('PriceChangeTimestamp'),
    pendingAt: record.timeOrDate('PendingTimestamp'),
    closedAt: record.date('CloseDate'),
    offMarketAt: record.date('OffMarketDate'),
    expiresOn: record.date('ExpirationDate'),
    daysOnMarketReported: record.count('DaysOnMarket'),
  };
}

/** A record from the future would count as newer than all that comes after it. */
function modifiedAt(record: FieldReader, latest: number, field = 'ModificationTimestamp'): string | null {
  const earliest = earliestMoment(record.record[field], record.timeZone);
  if (earliest !== null && earliest > latest) return record.unreadable(field);
  return record.time(field);
}

/** The key of a record, which some servers have as a number only; null without one. */
export function listingKeyOf(record: FieldReader): string | null {
  return record.text('ListingKey') ?? record.text('ListingKeyNumeric');
}

/** The display rules. Whether a listing of an unknown type costs a price or a rent is unknown too, so that it is withheld. */
function display(
  record: FieldReader,
  showsByDefault: boolean,
  viewFlag: string | null,
  hasMarks: boolean,
): ListingDraft['display'] {
  const type = record.text('PropertyType');
  const isKnown = listingTypeOf(type) !== null;
  if (!isKnown) record.withheld('PropertyType', type);
  const rules = [
    record.shows('InternetEntireListingDisplayYN', showsByDefault),
    viewFlag === null || record.shows(viewFlag),
    hasMarks,
    isKnown,
  ];
  return {
    listing: rules.every(Boolean),
    address: record.shows('InternetAddressDisplayYN', showsByDefault),
    estimate: record.shows('InternetAutomatedValuationDisplayYN', showsByDefault),
  };
}

function taxYears(record: FieldReader): TaxYear[] {
  const year = record.year('TaxYear');
  const amount = record.amount('TaxAnnualAmount');
  const assessedValue = record.amount('TaxAssessedValue');
  return year === null || (amount === null && assessedValue === null)
    ? []
    : [{ year, amount, assessedValue }];
}

/** What a record may be used for. */
const permissionsOf = (record: FieldReader, field = 'FeedTypes'): string[] =>
  record.list(field).map((value) => displayValue('FeedTypes', value));

function originFields(record: FieldReader, permissions: readonly string[]) {
  return {
    listingId: record.text('ListingId'),
    listingUrl: record.url('ListingURL'),
    sourceName: record.text('SourceSystemName'),
    originatingSystem: record.text('OriginatingSystemName'),
    attribution: record.text('AttributionContact'),
    copyright: record.text('CopyrightNotice'),
    permissions,
    parcelNumber: record.text('ParcelNumber'),
    universalPropertyId: record.text('UniversalPropertyId'),
    buildingName: record.text('BuildingName'),
  };
}

/** The draft of one record; null for a record without a key. Never throws. */
export function mapProperty(upstream: UpstreamRecord, options: MapOptions): ListingDraft | null {
  const {
    currency,
    note,
    showsByDefault = true,
    latest = Number.POSITIVE_INFINITY,
    viewFlag = null,
    marks = null,
  } = options;
  const record = new FieldReader(upstream, note, options);
  const listingKey = listingKeyOf(record);
  if (listingKey === null) return record.unreadable('ListingKey');
  const type = typeFields(record);
  const rental = type.listingType === 'rental';
  const permissions = permissionsOf(record, marks?.field);
  const isMarked = marks?.missing !== 'withhold' || marksOf(permissions).length > 0;
  if (!isMarked) record.withheld(marks?.field ?? '', null);
  return {
    listingKey,
    currency,
    ...type,
    ...statusFields(record),
    ...moneyFields(record, rental),
    rental: rental ? rentalTerms(record) : null,
    ...sizeFields(record),
    features: features(record),
    newConstruction: record.flag('NewConstructionYN'),
    waterfront: record.flag('WaterfrontYN'),
    saleConditions: record
      .list('SpecialListingConditions')
      .map((value) => displayValue('SpecialListingConditions', value)),
    address: address(record),
    location: location(record),
    description: record.text('PublicRemarks'),
    ...pictures(record),
    photoCount: record.count('PhotosCount'),
    openHouses: openHouses(record),
    agent: agent(record),
    office: office(record),
    ...timeFields(record),
    upstreamModifiedAt: modifiedAt(record, latest, options.modifiedField),
    ...originFields(record, permissions),
    taxes: taxYears(record),
    reso: requestedFields(upstream),
    display: display(record, showsByDefault, viewFlag, isMarked),
  };
}

function agent(record: FieldReader): Contact | null {
  const names = ['ListAgentFirstName', 'ListAgentLastName'].flatMap((field) => record.text(field) ?? []);
  return contactOf({
    id: record.text('ListAgentKey') ?? record.text('ListAgentMlsId'),
    name: record.text('ListAgentFullName') ?? (names.length === 0 ? null : names.join(' ')),
    phone:
      record.text('ListAgentPreferredPhone') ??
      record.text('ListAgentDirectPhone') ??
      record.text('ListAgentMobilePhone') ??
      record.text('ListAgentOfficePhone'),
    email: record.text('ListAgentEmail'),
  });
}

function office(record: FieldReader): Contact | null {
  return contactOf({
    id: record.text('ListOfficeKey') ?? record.text('ListOfficeMlsId'),
    name: record.text('ListOfficeName'),
    phone: record.text('ListOfficePhone'),
    email: record.text('ListOfficeEmail'),
  });
}

/** Null where nothing is known. */
function contactOf(contact: Contact): Contact | null {
  return Object.values(contact).every((value) => value === null) ? null : contact;
}

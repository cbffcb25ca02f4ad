// Stored record of a listing, built from a draft, with the rules for prices and addresses.

import { hash } from 'node:crypto';
import { roundTo } from '../lib/round.ts';
import type { DraftAddress, DraftLocation, ListingDraft } from './draft.ts';
import type { Listing } from './record.ts';
import { type DateTexts, isDay, type ReportedDate, type ReportedDates } from './reported-dates.ts';
import type { PriceFrequency } from './vocabulary.ts';

/** Facts in a listing that belong to its property; the property shows them. */
export interface PropertyFacts {
  readonly parcelNumber: string | null;
  readonly universalPropertyId: string | null;
  readonly unitsTotal: number | null;
  readonly buildingName: string | null;
  readonly taxes: ListingDraft['taxes'];
  readonly estimateDisplayed: boolean;
  /** As the source counts them; listings show them with `include=daysOnMarket`. */
  readonly daysOnMarketReported: number | null;
  /** The public times that the source reports as days only; absent if there are none. */
  readonly days?: Partial<Readonly<Record<ReportedDate, string>>>;
}

/**
 * The stored record: everything public that depends neither on the reader nor on the time of the request. Its `listedAt` is
 * the time of entry that the source reports.
 */
export type StoredRecord = Omit<
  Listing,
  | 'areaIds'
  | 'attribution'
  | 'enteredAt'
  | 'areaUnit'
  | 'lotSizeUnit'
  | 'daysOnMarket'
  | 'cumulativeDaysOnMarket'
  | 'daysOnMarketReported'
  | 'source'
  | 'fetchedAt'
  | 'url'
  | 'version'
  | 'createdAt'
  | 'updatedAt'
  | 'location'
> & { readonly property: PropertyFacts; readonly location: DraftLocation | null };

/** How many of each period make a month. */
export const PER_MONTH: Readonly<Record<PriceFrequency, number | null>> = {
  ONE_TIME: null,
  DAILY: 365 / 12,
  WEEKLY: 52 / 12,
  MONTHLY: 1,
  QUARTERLY: 1 / 3,
  ANNUALLY: 1 / 12,
};

/** The public price: the asking price, or the close price of a closed listing without one. */
export function priceOf(draft: ListingDraft): number | null {
  return draft.listPrice ?? (draft.status === 'CLOSED' ? draft.closePrice : null);
}

/** SHA-256 of a draft without what its source sent and without the time of its last modification. */
export function digestOf(draft: ListingDraft): Buffer {
  // JSON has no members that are undefined. Pictures that are requested later say nothing of what the source sent.
  const isBare = draft.media?.changedAt !== undefined;
  const pictures = isBare ? { photos: null, floorPlans: null } : {};
  const digested = { ...draft, upstreamModifiedAt: null, reso: undefined, raw: undefined, ...pictures };
  return hash('sha256', JSON.stringify(digested), 'buffer');
}

/** Fills in the media and open houses that the source did not send (null) from the previous record. */
export function completeDraft(draft: ListingDraft, before: StoredRecord | null): ListingDraft {
  if (draft.photos !== null && draft.openHouses !== null) return draft;
  return {
    ...draft,
    photos: draft.photos ?? before?.photos ?? [],
    floorPlans: draft.photos === null ? (before?.floorPlans ?? draft.floorPlans) : draft.floorPlans,
    openHouses: draft.openHouses ?? before?.openHouses ?? [],
  };
}

/** A draft to store. `before` is the previous record of the same listing, or null. */
export interface RecordInput {
  readonly draft: ListingDraft;
  readonly dates: ReportedDates;
  readonly before: StoredRecord | null;
  readonly observedAt: number;
}

export function buildStoredRecord(
  source: string,
  ids: { readonly listing: string; readonly property: string },
  reading: RecordInput,
): StoredRecord {
  const { draft } = reading;
  const price = priceOf(draft);
  const perMonth = PER_MONTH[draft.priceFrequency];
  const photos = draft.photos ?? [];
  return {
    id: ids.listing,
    object: 'listing',
    propertyId: ids.property,
    listingType: draft.listingType,
    status: draft.status,
    statusRaw: draft.statusRaw,
    price,
    currency: draft.currency,
    priceFrequency: draft.priceFrequency,
    priceMonthly:
      draft.listingType === 'rental' && price !== null && perMonth !== null
        ? roundTo(price * perMonth, 2)
        : null,
    pricePerArea: price !== null && draft.livingArea ? roundTo(price / draft.livingArea, 2) : null,
    originalPrice: draft.listPrice === null ? null : draft.originalPrice,
    ...priceHistory(reading, price),
    closePrice: draft.closePrice,
    monthlyCosts: monthlyCosts(draft),
    rental:
      draft.listingType === 'rental' && draft.rental
        ? { ...draft.rental, rentControl: draft.rental.rentControl ?? null }
        : null,
    propertyType: draft.propertyType,
    propertySubType: draft.propertySubType,
    bedrooms: draft.bedrooms,
    bathrooms: draft.bathrooms,
    bathroomsFull: draft.bathroomsFull,
    bathroomsHalf: draft.bathroomsHalf,
    rooms: draft.rooms,
    livingArea: draft.livingArea,
    lotSize: draft.lotSize,
    yearBuilt: draft.yearBuilt,
    stories: draft.stories,
    floor: draft.floor,
    parkingSpaces: draft.parkingSpaces,
    garageSpaces: draft.garageSpaces,
    features: draft.features,
    newConstruction: draft.newConstruction,
    waterfront: draft.waterfront,
    saleConditions: draft.saleConditions,
    address: composeAddress(draft.address),
    location: draft.location,
    description: draft.description,
    photos: [...photos],
    photoCount: draft.photoCount ?? photos.length,
    virtualTourUrl: draft.virtualTourUrl,
    floorPlans: [...draft.floorPlans],
    openHouses: [...(draft.openHouses ?? [])],
    agent: draft.agent,
    office: draft.office,
    ...publicTimes(draft, reading.dates),
    onMarketDate: draft.onMarketDate,
    closedAt: draft.closedAt,
    offMarketAt: draft.offMarketAt,
    expiresOn: draft.expiresOn,
    upstreamModifiedAt: draft.upstreamModifiedAt,
    provider: {
      id: source,
      name: draft.sourceName,
      listingKey: draft.listingKey,
      listingId: draft.listingId,
      originatingSystem: draft.originatingSystem,
      attribution: draft.attribution,
      copyright: draft.copyright,
      permissions: draft.permissions,
    },
    listingUrl: draft.listingUrl,
    property: {
      parcelNumber: draft.parcelNumber,
      universalPropertyId: draft.universalPropertyId,
      unitsTotal: draft.unitsTotal,
      buildingName: draft.buildingName,
      taxes: draft.taxes,
      estimateDisplayed: draft.display.estimate,
      daysOnMarketReported: draft.daysOnMarketReported,
      ...dateOnlyFields(draft),
    },
  };
}

/** Public fields that are times, though a source may report only a day. */
const TIMES = ['listedAt', 'statusChangedAt', 'priceChangedAt', 'pendingAt'] as const;
type PublicTimes = Pick<StoredRecord, (typeof TIMES)[number]>;

/** The public times of a record. A day becomes the time at which it begins. */
export function publicTimes(texts: DateTexts, dates: ReportedDates): PublicTimes {
  const times = TIMES.map((field) => {
    const moment = dates[field];
    return [field, moment?.day ? new Date(moment.at).toISOString() : texts[field]] as const;
  });
  return Object.fromEntries(times) as PublicTimes;
}

/** The times that are reported as days only. */
function dateOnlyFields(draft: ListingDraft): Pick<PropertyFacts, 'days'> {
  const days = TIMES.flatMap((field) => {
    const text = draft[field];
    return text !== null && isDay(text) ? [[field, text] as const] : [];
  });
  return days.length === 0 ? {} : { days: Object.fromEntries(days) };
}

/** The dates of a stored record as its source reported them. */
export function dateTexts(record: StoredRecord): DateTexts {
  return { ...record, ...record.property.days };
}

/** The previous price and the change since: as the source reports, else as this service observed. */
function priceHistory(
  { draft, dates, before, observedAt }: RecordInput,
  price: number | null,
): Pick<StoredRecord, 'previousPrice' | 'priceChange'> {
  const changed = before !== null && before.price !== price;
  if (before !== null && !changed && draft.previousPrice === null) {
    return { previousPrice: before.previousPrice, priceChange: before.priceChange };
  }
  const previousPrice = draft.previousPrice ?? (changed ? before.price : null);
  const at = dates.priceChangedAt?.at ?? (changed ? observedAt : null);
  if (price === null || !previousPrice || previousPrice === price || at === null) {
    return { previousPrice, priceChange: null };
  }
  return {
    previousPrice,
    priceChange: {
      amount: roundTo(price - previousPrice, 2),
      percent: roundTo(((price - previousPrice) / previousPrice) * 100, 2),
      direction: price < previousPrice ? 'decrease' : 'increase',
      at: new Date(at).toISOString(),
    },
  };
}

function monthlyCosts({ associationFee, tax }: ListingDraft): StoredRecord['monthlyCosts'] {
  if (associationFee === null && tax === null) return null;
  return { associationFee, tax, total: roundTo((associationFee ?? 0) + (tax ?? 0), 2) };
}

/** `line1` is house number and street; `full` is the source's text, else the parts in the usual order. */
function composeAddress(address: DraftAddress): StoredRecord['address'] {
  const street = [address.streetNumber, address.streetName].filter(Boolean).join(' ');
  const line1 = street || address.full?.split(',')[0]?.trim() || null;
  const unit = address.unit ? `Unit ${address.unit}` : null;
  const region = [address.state, address.postalCode].filter(Boolean).join(' ');
  const composed = [line1, unit, address.city, region].filter(Boolean).join(', ');
  return { ...address, full: address.full ?? (composed || null), line1 };
}

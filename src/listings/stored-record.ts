// Stored record of a listing, built from a draft, with the rules for prices and addresses.

import { createHash } from 'node:crypto';
import { roundTo } from '../lib/round.ts';
import type { DraftAddress, ListingDraft } from './draft.ts';
import type { Listing } from './record.ts';
import { type DateTexts, isDay, type ReportedDate, type ReportedDates } from './reported-dates.ts';
import type { PriceFrequency } from './vocabulary.ts';

/** What a listing says of its property; shown on the property, not on the listing. */
export interface PropertyFacts {
  readonly parcelNumber: string | null;
  readonly universalPropertyId: string | null;
  readonly unitsTotal: number | null;
  readonly buildingName: string | null;
  readonly taxes: ListingDraft['taxes'];
  readonly estimateDisplayed: boolean;
  /** As the source counts them; shown on the listing where that is asked for. */
  readonly daysOnMarketReported: number | null;
  /** Of the times that are shown, those that were told as mere days; absent: none. */
  readonly days?: Partial<Readonly<Record<ReportedDate, string>>>;
}

/** The kept record: everything public that depends neither on the reader nor on the moment. */
export type StoredRecord = Omit<
  Listing,
  | 'areaIds'
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
> & { readonly property: PropertyFacts };

/** How many of each period make a month. */
export const PER_MONTH: Readonly<Record<PriceFrequency, number | null>> = {
  ONE_TIME: null,
  DAILY: 365 / 12,
  WEEKLY: 52 / 12,
  MONTHLY: 1,
  QUARTERLY: 1 / 3,
  ANNUALLY: 1 / 12,
};

/** The price that is shown: asked, or, for a closed listing that never told what was asked, the price it closed at. */
export function priceOf(draft: ListingDraft): number | null {
  return draft.listPrice ?? (draft.status === 'CLOSED' ? draft.closePrice : null);
}

/**
 * SHA-256 of everything that a source says of a listing in our words, but for the time at which it last touched the
 * record.
 */
export function digestOf({ reso: _, ...draft }: ListingDraft): Buffer {
  return createHash('sha256')
    .update(JSON.stringify({ ...draft, upstreamModifiedAt: null }))
    .digest();
}

/** Fills in what this reading did not carry (null media) from the earlier record. */
export function completeDraft(draft: ListingDraft, before: StoredRecord | null): ListingDraft {
  if (draft.photos !== null && draft.openHouses !== null) return draft;
  return {
    ...draft,
    photos: draft.photos ?? before?.photos ?? [],
    floorPlans: draft.photos === null ? (before?.floorPlans ?? draft.floorPlans) : draft.floorPlans,
    openHouses: draft.openHouses ?? before?.openHouses ?? [],
  };
}

/** A reading of a listing that is to be kept; `before` is the earlier record of the same listing, or null. */
export interface ListingReading {
  readonly draft: ListingDraft;
  readonly dates: ReportedDates;
  readonly before: StoredRecord | null;
  readonly observedAt: number;
}

/** The record to keep. */
export function buildStoredRecord(
  source: string,
  ids: { readonly listing: string; readonly property: string },
  reading: ListingReading,
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
      ...toldDays(draft),
    },
  };
}

/** What is shown as a time, whether the source told a moment or a day. */
const TIMES = ['listedAt', 'statusChangedAt', 'priceChangedAt', 'pendingAt'] as const;

/** The times of a record: of those that were told as mere days, the moment at which the day begins. */
export function publicTimes(
  texts: DateTexts,
  dates: ReportedDates,
): Pick<StoredRecord, (typeof TIMES)[number]> {
  const time = (field: (typeof TIMES)[number]): string | null => {
    const moment = dates[field];
    return moment?.day ? new Date(moment.at).toISOString() : texts[field];
  };
  return {
    ...{ listedAt: time('listedAt'), statusChangedAt: time('statusChangedAt') },
    ...{ priceChangedAt: time('priceChangedAt'), pendingAt: time('pendingAt') },
  };
}

/** Which of those times are days: absent where none is. */
function toldDays(draft: ListingDraft): Pick<PropertyFacts, 'days'> {
  const days = TIMES.flatMap((field) => {
    const text = draft[field];
    return text !== null && isDay(text) ? [[field, text] as const] : [];
  });
  return days.length === 0 ? {} : { days: Object.fromEntries(days) };
}

/** The dates of a kept record as its source told them. */
export function dateTexts(record: StoredRecord): DateTexts {
  return { ...record, ...record.property.days };
}

/** The price before this one and the change between them: as the source says, else as we saw it. */
function priceHistory(
  { draft, dates, before, observedAt }: ListingReading,
  price: number | null,
): Pick<StoredRecord, 'previousPrice' | 'priceChange'> {
  const moved = before !== null && before.price !== price;
  if (before !== null && !moved && draft.previousPrice === null) {
    return { previousPrice: before.previousPrice, priceChange: before.priceChange };
  }
  const previousPrice = draft.previousPrice ?? (moved ? before.price : null);
  const at = dates.priceChangedAt?.at ?? (moved ? observedAt : null);
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

/** `line1` is house number and street; `full` is what the source wrote, else its parts in the usual order. */
function composeAddress(address: DraftAddress): StoredRecord['address'] {
  const street = [address.streetNumber, address.streetName].filter(Boolean).join(' ');
  const line1 = street || address.full?.split(',')[0]?.trim() || null;
  const unit = address.unit ? `Unit ${address.unit}` : null;
  const region = [address.state, address.postalCode].filter(Boolean).join(' ');
  const composed = [line1, unit, address.city, region].filter(Boolean).join(', ');
  return { ...address, full: address.full ?? (composed || null), line1 };
}

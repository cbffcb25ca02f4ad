// Plan of what one draft changes: the rows to write for it, or nothing. Pure.

import { isDeepStrictEqual } from 'node:util';
import type { Placement } from '../areas/placement.ts';
import { formatTime } from '../lib/clock.ts';
import type { LicenceNumbers } from '../licence/licence-store.ts';
import {
  type DaysOnMarketClock,
  initialClock,
  toStoredClock,
  updateClock,
} from '../listings/days-on-market.ts';
import { isLate, type ListingDraft } from '../listings/draft.ts';
import {
  eventsBetween,
  initialEvents,
  type ListingEvent,
  type Observation,
  type PreviousObservation,
} from '../listings/history.ts';
import { audienceOf } from '../listings/presenter.ts';
import { listedFrom, resolveDates } from '../listings/reported-dates.ts';
import {
  buildStoredRecord,
  completeDraft,
  dateTexts,
  digestOf,
  priceOf,
  type StoredRecord,
} from '../listings/stored-record.ts';
import type { ListingType, Status } from '../listings/vocabulary.ts';
import { type Corrections, findCorrections } from '../timeline/history-correction.ts';
import { isSamePlace, type PlaceFinder, STATED_PLACES } from './approximate-places.ts';
import { draftEvidence, listingId, recordEvidence } from './identity.ts';
import { type MediaWrite, planPictures } from './pictures/plan-pictures.ts';
import { withPlaceTimes } from './place-times.ts';
import { type AssignedProperty, PropertyAssignment } from './property-assignment.ts';
import { erasedDraft } from './removal/erased-draft.ts';
import type { ListingSnapshot } from './rows/search-row.ts';

/** A stored listing before the write. */
export interface PreviousListing extends Omit<ListingSnapshot, 'listedFrom'> {
  readonly version: number;
  readonly digest: Buffer;
  readonly propertyId: string;
  readonly listingType: ListingType;
  readonly status: Status;
  readonly timeZone: string;
  readonly clock: DaysOnMarketClock;
  readonly createdAt: string;
  /** The batch of the first load that created it, if it has not changed since; else null. */
  readonly loadedBy: number | null;
}

/** Everything that one changed listing writes. */
export interface ListingWrite {
  readonly id: string;
  readonly source: string;
  /** Number of the licence that it is under. */
  readonly licenceNo: number;
  readonly draft: ListingDraft;
  readonly before: PreviousListing | null;
  readonly identity: string;
  readonly propertyId: string;
  /** As in AssignedProperty. */
  readonly renamed: boolean;
  readonly version: number;
  readonly digest: Buffer;
  readonly record: StoredRecord;
  readonly areaNos: readonly number[];
  readonly timeZone: string;
  /** When the listing counts as listed for searches, in milliseconds. */
  readonly listedFrom: number | null;
  readonly clock: DaysOnMarketClock;
  readonly events: readonly ListingEvent[];
  /** Corrections of recorded history. */
  readonly corrections: Corrections | null;
  /** Pictures that are to be served from here; null: what is known of them stays. */
  readonly media: MediaWrite | null;
}

/**
 * The write for a draft; null when nothing changed, or when the draft is older than what is stored. `isAgain`: it was made once more of what
 * the source sent before, so that a difference is none of the market: no price has changed, and days are counted as of a new listing.
 */
export function planWrite(
  source: string,
  incoming: ListingDraft,
  before: PreviousListing | null,
  placement: Placement,
  observedAt: number,
  properties: PropertyAssignment = new PropertyAssignment(),
  places: PlaceFinder = STATED_PLACES,
  isAgain = false,
  licences: LicenceNumbers | null = null,
): ListingWrite | null {
  const shown = incoming.status === 'DELETED' ? erasedDraft(incoming) : incoming;
  const stored = before?.record ?? null;
  const complete = withAskingPrice(completeDraft(shown, stored), isAgain ? null : stored);
  const stated = withPlaceTimes(complete, placement);
  const located = places.locate(stated);
  // Of what the source states: places and pictures that are found otherwise may change without it.
  const digest = digestOf(stated);
  const isSame =
    before !== null && (isAgain ? before.digest.equals(digest) : isUnchanged(stated, digest, before));
  if (isSame && isSamePlace(located, stated, before.record)) return null;
  if (before && !isAgain && isLate(located, before.record)) return null;
  const id = before?.id ?? listingId(source, located.listingKey);
  const { draft, media } = planPictures(id, located, stored);
  const property = assignProperty(id, { source, draft, before }, properties);
  const ids = { listing: id, property: property.propertyId };
  const areaNos = placement.place(draft.location, draft.address);
  const timeZone = placement.timeZone(areaNos);
  const dates = resolveDates(draft, timeZone);
  const earlier = before && isAgain ? withPriceOf(before, draft) : before;
  const record = buildStoredRecord(source, ids, {
    draft,
    dates,
    before: earlier?.record ?? null,
    observedAt,
  });
  return {
    id,
    source,
    licenceNo: licenceOf(draft, before, licences),
    draft,
    before,
    identity: property.identity,
    propertyId: property.propertyId,
    renamed: property.renamed,
    version: (before?.version ?? 0) + 1,
    digest,
    record,
    areaNos,
    timeZone,
    listedFrom: listedFrom(dates),
    media,
    ...planTimeline(earlier, { draft, dates, price: record.price, observedAt }, isAgain),
  };
}

/** What a source removes stays under its licence: the same readers hear that it is gone. */
function licenceOf(
  draft: ListingDraft,
  before: PreviousListing | null,
  licences: LicenceNumbers | null,
): number {
  if (before !== null && (licences === null || draft.status === 'DELETED')) return before.licenceNo;
  if (licences === null) throw new Error('A new listing needs a licence');
  return licences(draft.permissions);
}

/**
 * Whether a draft says nothing new. Sources count the days on the market on while nothing happens, and spell statuses in another
 * way from one day to the next: neither is a change.
 */
function isUnchanged(
  stated: ListingDraft,
  digest: Buffer,
  { digest: known, record }: PreviousListing,
): boolean {
  if (known.equals(digest)) return true;
  const { statusRaw, property } = record;
  const { daysOnMarketReported: days } = stated;
  const counted = property.daysOnMarketReported;
  const isCountedOn = days !== null && counted !== null && days > counted;
  const isSpelled = lettersOf(stated.statusRaw) === lettersOf(statusRaw);
  if (!isCountedOn && !isSpelled) return false;
  return known.equals(
    digestOf({
      ...stated,
      daysOnMarketReported: isCountedOn ? counted : days,
      statusRaw: isSpelled ? statusRaw : stated.statusRaw,
    }),
  );
}

const lettersOf = (text: string | null): string | undefined =>
  text?.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/** A listing as if it always had the price of a draft. */
function withPriceOf(before: PreviousListing, draft: ListingDraft): PreviousListing {
  const price = priceOf(draft);
  return price === before.record.price ? before : { ...before, record: { ...before.record, price } };
}

function assignProperty(
  id: string,
  { source, draft, before }: Pick<ListingWrite, 'source' | 'draft' | 'before'>,
  properties: PropertyAssignment,
): AssignedProperty {
  // What a source removes says nothing of its home any more.
  if (before && draft.status === 'DELETED')
    return { propertyId: before.propertyId, identity: before.propertyId, renamed: false };
  return properties.assign(id, draftEvidence(source, draft), before && presentProperty(before));
}

/** The property of a stored listing, with the evidence in its record. */
export function presentProperty({ source, record, addressDisplayed, propertyId }: PreviousListing) {
  const { listingKey } = record.provider;
  return { propertyId, home: recordEvidence({ source, listingKey, addressDisplayed }, record) };
}

/** Days on market, new events and corrections of history that follow from a reading. */
function planTimeline(
  before: PreviousListing | null,
  reading: Observation,
  isAgain: boolean,
): Pick<ListingWrite, 'clock' | 'events' | 'corrections'> {
  const { draft, dates, observedAt } = reading;
  const facts = { status: draft.status, dates };
  if (!before)
    return { clock: initialClock(facts, observedAt), events: initialEvents(reading), corrections: null };
  const earlier: PreviousObservation = {
    ...before.record,
    dates: resolveDates(dateTexts(before.record), before.timeZone),
  };
  const isSame = before.status === facts.status && isDeepStrictEqual(earlier.dates, dates);
  return {
    clock:
      isAgain && !isSame
        ? initialClock(facts, observedAt)
        : updateClock(before.clock, earlier, facts, observedAt),
    events: eventsBetween(earlier, reading),
    corrections: findCorrections(earlier, reading),
  };
}

/** The row of listing for a write, without the record; keys are its columns. */
export function listingRow(write: ListingWrite, observedAt: number): Record<string, unknown> {
  const clock = toStoredClock(write.clock, write.timeZone);
  const now = formatTime(observedAt);
  return {
    id: write.id,
    source: write.source,
    listing_key: write.draft.listingKey,
    property_id: write.propertyId,
    listing_type: write.record.listingType,
    status: write.record.status,
    licence_no: write.licenceNo,
    displayed: write.draft.display.listing,
    address_displayed: write.draft.display.address,
    audience: audienceOf({ status: write.record.status, displayed: write.draft.display.listing }),
    version: write.version,
    digest: write.digest.toString('hex'),
    area_nos: write.areaNos,
    time_zone: write.timeZone,
    days_on_market_start: formatTime(clock.start),
    days_on_market_end: formatTime(clock.end),
    created_at: write.before?.createdAt ?? now,
    updated_at: now,
    fetched_at: now,
  };
}

/** The members of a draft about its asking price, and how that changed. */
type AskingPrice = Pick<ListingDraft, 'listPrice' | 'previousPrice' | 'priceChangedAt'>;

/**
 * The draft with the last known asking price, where the listing is closed and its list price is missing or the price paid:
 * sources drop or overwrite list prices at closings. `before`: the stored record of the listing, null for a new one.
 */
function withAskingPrice(draft: ListingDraft, before: StoredRecord | null): ListingDraft {
  const { status, listPrice, closePrice } = draft;
  if (status !== 'CLOSED' || closePrice === null) return draft;
  if (listPrice !== null && listPrice !== closePrice) return draft;
  const known = storedAskingPrice(before) ?? reportedAskingPrice(draft);
  return known === null ? draft : { ...draft, ...known };
}

/** As stored; null where that is unknown, or may itself be a price paid. */
function storedAskingPrice(before: StoredRecord | null): AskingPrice | null {
  if (before === null || before.price === null || before.price === before.closePrice) return null;
  const { price: listPrice, previousPrice } = before;
  return { listPrice, previousPrice, priceChangedAt: dateTexts(before).priceChangedAt };
}

/** The previous price, where the source dates the change to the closing or later: nobody asks a price of a home that is sold. */
function reportedAskingPrice({
  listPrice,
  previousPrice,
  priceChangedAt,
  closedAt,
}: ListingDraft): AskingPrice | null {
  if (listPrice === null || !previousPrice || previousPrice === listPrice) return null;
  if (priceChangedAt === null || closedAt === null) return null;
  // Either may be a day only.
  if (priceChangedAt.slice(0, 10) < closedAt.slice(0, 10)) return null;
  return { listPrice: previousPrice, previousPrice: null, priceChangedAt: null };
}

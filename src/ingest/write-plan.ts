// Owns what one draft changes: the rows to write for it, or nothing. Pure: the store does what this says.

import type { Placement } from '../areas/placement.ts';
import type { ListingDraft } from '../listings/draft.ts';
import {
  type Earlier,
  firstEvents,
  type ListingEvent,
  nextEvents,
  type Reading,
} from '../listings/history.ts';
import { clockRow, firstClock, instant, type MarketClock, nextClock } from '../listings/market-clock.ts';
import { listedFrom, resolveDates } from '../listings/reported-dates.ts';
import {
  buildStoredRecord,
  completeDraft,
  dateTexts,
  digestOf,
  type StoredRecord,
} from '../listings/stored-record.ts';
import type { ListingType, Status } from '../listings/vocabulary.ts';
import { type Corrections, correctionsOf } from '../timeline/history-correction.ts';
import { listingId, propertyId, propertyIdentity } from './identity.ts';

/** A listing as it stands in the store before the write. */
export interface BeforeWrite {
  readonly version: number;
  readonly digest: Buffer;
  readonly record: StoredRecord;
  readonly propertyId: string;
  readonly listingType: ListingType;
  readonly status: Status;
  readonly displayed: boolean;
  readonly areaNos: readonly number[];
  /** Of which its days are. */
  readonly timeZone: string;
  readonly clock: MarketClock;
  readonly createdAt: string;
}

/** Everything that one changed listing writes. */
export interface ListingWrite {
  readonly id: string;
  readonly source: string;
  readonly draft: ListingDraft;
  readonly before: BeforeWrite | null;
  readonly identity: string;
  readonly propertyId: string;
  readonly version: number;
  readonly digest: Buffer;
  readonly record: StoredRecord;
  readonly areaNos: readonly number[];
  readonly timeZone: string;
  /** Since when searches take it to be listed, in milliseconds. */
  readonly listedFrom: number | null;
  readonly clock: MarketClock;
  readonly events: readonly ListingEvent[];
  /** Of lines of history that are there already. */
  readonly corrections: Corrections | null;
}

/** The write for a draft; null when it says nothing new, or something older than what is known. */
export function planWrite(
  source: string,
  incoming: ListingDraft,
  before: BeforeWrite | null,
  placement: Placement,
  observedAt: number,
): ListingWrite | null {
  const draft = completeDraft(incoming, before?.record ?? null);
  const digest = digestOf(draft);
  if (before?.digest.equals(digest)) return null;
  if (before && isOlder(draft, before.record)) return null;
  const identity = propertyIdentity(source, draft);
  const ids = { listing: listingId(source, draft.listingKey), property: propertyId(identity) };
  const areaNos = placement.place(draft.location, draft.address);
  const timeZone = placement.timeZone(areaNos);
  const dates = resolveDates(draft, timeZone);
  const record = buildStoredRecord(source, ids, { draft, dates, before: before?.record ?? null, observedAt });
  return {
    id: ids.listing,
    source,
    draft,
    before,
    identity,
    propertyId: ids.property,
    version: (before?.version ?? 0) + 1,
    digest,
    record,
    areaNos,
    timeZone,
    listedFrom: listedFrom(dates),
    ...lifeOfWrite(before, { draft, dates, price: record.price, observedAt }),
  };
}

/** What the reading says of the listing's life. */
function lifeOfWrite(
  before: BeforeWrite | null,
  reading: Reading,
): Pick<ListingWrite, 'clock' | 'events' | 'corrections'> {
  const { draft, dates, observedAt } = reading;
  const facts = { status: draft.status, dates };
  if (!before)
    return { clock: firstClock(facts, observedAt), events: firstEvents(reading), corrections: null };
  const earlier: Earlier = {
    ...before.record,
    dates: resolveDates(dateTexts(before.record), before.timeZone),
  };
  return {
    clock: nextClock(before.clock, earlier, facts, observedAt),
    events: nextEvents(earlier, reading),
    corrections: correctionsOf(earlier, reading),
  };
}

/** A slow page may bring what a live fetch has overtaken meanwhile. */
export function isOlder(draft: ListingDraft, kept: StoredRecord): boolean {
  const [ours, theirs] = [instant(kept.upstreamModifiedAt), instant(draft.upstreamModifiedAt)];
  return ours !== null && theirs !== null && theirs < ours;
}

/** The row of listing for a write, without the record; keys are its columns. */
export function listingRow(write: ListingWrite, observedAt: number): Record<string, unknown> {
  const clock = clockRow(write.clock, write.timeZone);
  return {
    id: write.id,
    source: write.source,
    listing_key: write.draft.listingKey,
    property_id: write.propertyId,
    listing_type: write.record.listingType,
    status: write.record.status,
    displayed: write.draft.display.listing,
    address_displayed: write.draft.display.address,
    version: write.version,
    digest: write.digest.toString('hex'),
    area_nos: write.areaNos,
    time_zone: write.timeZone,
    days_on_market_start: time(clock.start),
    days_on_market_end: time(clock.end),
    created_at: write.before?.createdAt ?? time(observedAt),
    updated_at: time(observedAt),
    fetched_at: time(observedAt),
  };
}

function time(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** The draft of a listing that its source no longer has: as it was, but DELETED. */
export function goneDraft(
  record: StoredRecord,
  displayed: boolean,
  addressDisplayed: boolean,
  at: number,
): ListingDraft {
  const { property, provider, monthlyCosts } = record;
  return {
    ...record,
    ...dateTexts(record),
    ...property,
    status: 'DELETED',
    statusChangedAt: new Date(at).toISOString(),
    listPrice: record.price,
    associationFee: monthlyCosts?.associationFee ?? null,
    tax: monthlyCosts?.tax ?? null,
    previousPrice: null,
    listingKey: provider.listingKey,
    listingId: provider.listingId,
    sourceName: provider.name,
    originatingSystem: provider.originatingSystem,
    attribution: provider.attribution,
    copyright: provider.copyright,
    permissions: provider.permissions,
    display: { listing: displayed, address: addressDisplayed, estimate: property.estimateDisplayed },
  };
}

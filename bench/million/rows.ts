// Rows of the large benchmark: what the catalogue would write for seeded homes, computed by its own rules.

import type { Placement } from '../../src/areas/placement.ts';
import { changedEarlierDays } from '../../src/ingest/earlier-days.ts';
import { writtenSnapshot } from '../../src/ingest/listing-change.ts';
import { searchRow, textRow } from '../../src/ingest/rows/search-row.ts';
import { type ListingWrite, listingRow, planWrite } from '../../src/ingest/write-plan.ts';
import { toJson } from '../../src/postgres/client/value-types.ts';
import { buildTimeline } from '../../src/timeline/property-timeline.ts';
import { marketListing } from '../../src/timeline/update-timelines.ts';
import type { SeenDraft } from './drafts.ts';

export const SOURCE = 'bench';

export const TABLES = [
  'property',
  'listing',
  'listing_search',
  'listing_text',
  'listing_event',
  'market_listing',
  'market_period',
  'market_event',
] as const;
export type Table = (typeof TABLES)[number];

type Row = Readonly<Record<string, unknown>>;

/** The rows of one property with all its listings, by table, and what else follows from them. */
export interface PropertyRows {
  readonly rows: Readonly<Record<Table, readonly Row[]>>;
  readonly names: ReadonlySet<string>;
  readonly writes: readonly ListingWrite[];
}

/** The rows for the listings of a home, in the order in which they were seen. */
export function rowsOf(seen: readonly SeenDraft[], placement: Placement): PropertyRows {
  const rows = Object.fromEntries(TABLES.map((table) => [table, []])) as unknown as Record<Table, Row[]>;
  const names = new Set<string>();
  const writes = seen.flatMap(({ draft, observedAt }) => {
    const write = planWrite(SOURCE, draft, null, placement, observedAt);
    return write ? [{ write, observedAt }] : [];
  });
  // Where the address is withheld, each listing is a property of its own.
  for (const same of Map.groupBy(writes, ({ write }) => write.propertyId).values())
    addProperty(rows, names, same);
  return { rows, names, writes: writes.map(({ write }) => write) };
}

interface Seen {
  readonly write: ListingWrite;
  readonly observedAt: number;
}

function addProperty(rows: Record<Table, Row[]>, names: Set<string>, seen: readonly Seen[]): void {
  const [first] = seen;
  if (!first) return;
  rows.property.push({
    id: first.write.propertyId,
    identity: first.write.identity,
    created_at: time(first.observedAt),
  });
  const earlier = earlierDays(seen);
  for (const { write, observedAt } of seen) {
    const record = toJson(write.record);
    const days = earlier.get(write.id) ?? 0;
    const row = listingRow(write, observedAt);
    rows.listing.push({ ...row, digest: `\\x${row.digest}`, record, earlier_days_on_market: days });
    const listing = writtenSnapshot(write, observedAt);
    rows.listing_search.push({ ...searchRow(listing), version: write.version });
    const text = textRow(listing);
    rows.listing_text.push(text.row);
    for (const name of text.names) names.add(name);
    rows.listing_event.push(...eventRows(write));
  }
  addFacts(rows, seen);
}

function earlierDays(seen: readonly Seen[]): Map<string, number> {
  const clocks = seen.map(({ write: { id, propertyId, record, clock } }) => ({
    id,
    propertyId,
    licenceNo: 1,
    listingType: record.listingType,
    earlierDays: 0,
    start: time(clock.start),
    end: time(clock.end),
  }));
  return changedEarlierDays(
    clocks.sort((a, b) => (a.start ?? '').localeCompare(b.start ?? '') || (a.id < b.id ? -1 : 1)),
  );
}

const eventRows = ({ id, propertyId, record, events }: ListingWrite): Row[] =>
  events.map((event) => ({
    listing_id: id,
    property_id: propertyId,
    listing_type: record.listingType,

    event: event.event,
    at: time(event.at),
    day: event.day,
    price: event.price,
    previous_price: event.previousPrice,
    status: event.status,
    previous_status: event.previousStatus,
    origin: event.origin,
  }));

function addFacts(rows: Record<Table, Row[]>, seen: readonly Seen[]): void {
  const listings = seen.map(({ write, observedAt }) => marketListing(write, observedAt));
  for (const row of listings) {
    rows.market_listing.push({
      listing_id: row.id,
      property_id: row.propertyId,
      listing_type: row.listingType,
      status: row.status,

      created_at: time(row.createdAt),
      on_market_date: row.onMarketDate,
      days_on_market_end: time(row.daysOnMarketEnd),
      list_price: row.listPrice,
      original_price: row.originalPrice,
      close_price: row.closePrice,
      periods_per_month: row.periodsPerMonth,
      months_free: row.monthsFree,
      time_zone: row.timeZone,
    });
  }
  const past = seen.flatMap(({ write }) => write.events.map((event) => ({ ...event, listingId: write.id })));
  const property = { property_id: seen[0]?.write.propertyId };
  const timeline = buildTimeline(
    [...listings].sort((a, b) => (a.id < b.id ? -1 : 1)),
    Map.groupBy(past, ({ listingId }) => listingId),
  );
  for (const period of timeline.periods) {
    rows.market_period.push({
      ...property,
      listing_id: period.listingId,
      started_at: time(period.startedAt),
      ended_at: time(period.endedAt),
      superseded_at: time(period.supersededAt),
      days_on_market_start: time(period.daysOnMarketStart),
      price: period.price,
      months_free: period.monthsFree,
    });
  }
  for (const event of timeline.events) {
    rows.market_event.push({
      ...property,
      listing_id: event.listingId,
      listing_type: event.listingType,
      kind: event.kind,
      at: time(event.at),
      day: event.day,
      price: event.price,
      days: event.days,
      ratio: event.ratio,
      original_ratio: event.originalRatio,
    });
  }
}

function time(at: number | null): string | null {
  if (at === null) return null;
  return at === Number.POSITIVE_INFINITY ? 'infinity' : new Date(at).toISOString();
}

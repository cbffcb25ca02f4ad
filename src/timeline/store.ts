// SQL of the timelines of properties, and of what they are computed from.

import { parseTime } from '../lib/clock.ts';
import type { Transaction } from '../postgres/client/database.ts';
import type { MarketListing } from './listing-timeline.ts';
import type { MarketEvent, MarketPeriod, PropertyTimeline } from './property-timeline.ts';

/** Numbers as JSON writes them, moments as PostgreSQL reads them. */
const formatTimestamp = (at: number | null): string | null => {
  if (at === null) return null;
  return at === Number.POSITIVE_INFINITY ? 'infinity' : new Date(at).toISOString();
};

/** Inserts listings or updates the stored ones. */
export async function upsertMarketListings(tx: Transaction, rows: readonly MarketListing[]): Promise<void> {
  if (rows.length === 0) return;
  const text = JSON.stringify(
    rows.map((row) => ({
      ...row,
      createdAt: formatTimestamp(row.createdAt),
      daysOnMarketEnd: formatTimestamp(row.daysOnMarketEnd),
    })),
  );
  // What is gone upstream no longer says what was asked (its last price may be the one it closed at), and what has closed
  // and is then put aside no longer says what was paid.
  await tx`
    insert into market_listing (listing_id, property_id, listing_type, status, created_at, on_market_date, days_on_market_end,
      list_price, original_price, close_price, periods_per_month, months_free, time_zone)
    select id, "propertyId", "listingType", status, "createdAt", "onMarketDate", "daysOnMarketEnd", "listPrice",
      "originalPrice", "closePrice", "periodsPerMonth", "monthsFree", "timeZone"
    from json_to_recordset(${text}::text::json) as row (id text, "propertyId" text, "listingType" text, status text,
      "createdAt" timestamptz, "onMarketDate" date, "daysOnMarketEnd" timestamptz, "listPrice" double precision,
      "originalPrice" double precision, "closePrice" double precision, "periodsPerMonth" double precision,
      "monthsFree" double precision, "timeZone" text)
    on conflict (listing_id) do update set property_id = excluded.property_id, listing_type = excluded.listing_type,
      status = excluded.status, on_market_date = excluded.on_market_date,
      days_on_market_end = excluded.days_on_market_end,
      list_price = case when excluded.status = 'DELETED' then market_listing.list_price else excluded.list_price end,
      original_price = excluded.original_price,
      close_price = case when excluded.status = 'CLOSED' then excluded.close_price
        else coalesce(excluded.close_price, market_listing.close_price) end,
      periods_per_month = excluded.periods_per_month, months_free = excluded.months_free,
      time_zone = excluded.time_zone`;
}

type ListingRow = Omit<MarketListing, 'createdAt' | 'daysOnMarketEnd'> & {
  readonly createdAt: string;
  readonly daysOnMarketEnd: string | null;
};

/** Listings of these properties, whose rows are locked until the transaction ends: their timelines are about to be written. */
export async function findMarketListings(
  tx: Transaction,
  propertyIds: readonly string[],
): Promise<MarketListing[]> {
  await tx`select from property where id = any(${[...propertyIds]}::text[]) order by id for update`;
  const rows = await tx<ListingRow[]>`
    select listing_id as id, property_id as "propertyId", listing_type as "listingType", status,
      created_at as "createdAt", on_market_date as "onMarketDate", days_on_market_end as "daysOnMarketEnd", list_price as "listPrice",
      original_price as "originalPrice", close_price as "closePrice", periods_per_month as "periodsPerMonth",
      months_free as "monthsFree", time_zone as "timeZone"
    from market_listing where property_id = any(${[...propertyIds]}::text[]) order by listing_id`;
  return rows.map((row) => ({
    ...row,
    createdAt: parseTime(row.createdAt) ?? 0,
    daysOnMarketEnd: parseTime(row.daysOnMarketEnd),
  }));
}

/** Replaces the timelines of these properties, and returns the earlier ones. */
export async function replaceTimelines(
  tx: Transaction,
  propertyIds: readonly string[],
  timelines: readonly (PropertyTimeline & { readonly propertyId: string })[],
): Promise<PropertyTimeline> {
  const before = await deleteTimelines(tx, propertyIds);
  const periods = timelines.flatMap(({ propertyId, periods: some }) =>
    some.map((period) => ({ ...period, propertyId, ...mapTimes(period, formatTimestamp) })),
  );
  const events = timelines.flatMap(({ propertyId, events: some }) =>
    some.map((event) => ({ ...event, propertyId, at: formatTimestamp(event.at) })),
  );
  await tx`
    insert into market_period (property_id, listing_id, started_at, ended_at, superseded_at, days_on_market_start, price, months_free)
    select "propertyId", "listingId", "startedAt", "endedAt", "supersededAt", "daysOnMarketStart", price, "monthsFree"
    from json_to_recordset(${JSON.stringify(periods)}::text::json) as row ("propertyId" text, "listingId" text,
      "startedAt" timestamptz, "endedAt" timestamptz, "supersededAt" timestamptz, "daysOnMarketStart" timestamptz,
      price double precision, "monthsFree" double precision)`;
  await tx`
    insert into market_event (property_id, listing_id, listing_type, kind, at, day, price, days, ratio, original_ratio)
    select "propertyId", "listingId", "listingType", kind, at, day, price, days, ratio, "originalRatio"
    from json_to_recordset(${JSON.stringify(events)}::text::json) as row ("propertyId" text, "listingId" text,
      "listingType" text, kind text, at timestamptz, day date, price double precision, days double precision,
      ratio double precision, "originalRatio" double precision)`;
  return before;
}

type PeriodTime = 'startedAt' | 'endedAt' | 'supersededAt' | 'daysOnMarketStart';
type StoredPeriod = Omit<MarketPeriod, PeriodTime> & Readonly<Record<PeriodTime, string>>;

/** The times of a period, each converted. */
const mapTimes = <From, To>(
  { startedAt, endedAt, supersededAt, daysOnMarketStart }: Readonly<Record<PeriodTime, From>>,
  convert: (time: From) => To,
): Record<PeriodTime, To> => ({
  ...{ startedAt: convert(startedAt), endedAt: convert(endedAt) },
  ...{ supersededAt: convert(supersededAt), daysOnMarketStart: convert(daysOnMarketStart) },
});

async function deleteTimelines(tx: Transaction, propertyIds: readonly string[]): Promise<PropertyTimeline> {
  const periods = await tx<StoredPeriod[]>`
    delete from market_period where property_id = any(${[...propertyIds]}::text[])
    returning listing_id as "listingId", started_at as "startedAt", ended_at as "endedAt", superseded_at as "supersededAt",
      days_on_market_start as "daysOnMarketStart", price, months_free as "monthsFree"`;
  const events = await tx<(Omit<MarketEvent, 'at'> & { readonly at: string })[]>`
    delete from market_event where property_id = any(${[...propertyIds]}::text[])
    returning listing_id as "listingId", listing_type as "listingType", kind, at, day, price, days, ratio,
      original_ratio as "originalRatio"`;
  return {
    periods: periods.map((period) => ({ ...period, ...mapTimes(period, parseTimestamp) })),
    events: events.map((event) => ({ ...event, at: parseTimestamp(event.at) })),
  };
}

const parseTimestamp = (text: string): number =>
  text === 'infinity' ? Number.POSITIVE_INFINITY : (parseTime(text) ?? 0);

// Owns the SQL that writes the facts of the market and reads what they are worked out from.

import type { ListingEvent } from '../listings/history.ts';
import { instant } from '../listings/market-clock.ts';
import type { ListingType, Status } from '../listings/vocabulary.ts';
import type { Transaction } from '../postgres/client/database.ts';
import type { MarketEvent, MarketLife, Stay } from './market-life.ts';
import type { MarketListing, PastEvent } from './market-prices.ts';

export type MarketListingRow = MarketListing;

/** Numbers as JSON writes them, moments as PostgreSQL reads them. */
const time = (at: number | null): string | null => {
  if (at === null) return null;
  return at === Number.POSITIVE_INFINITY ? 'infinity' : new Date(at).toISOString();
};

/** Writes rows in the place of earlier ones. */
export async function writeMarketListings(tx: Transaction, rows: readonly MarketListingRow[]): Promise<void> {
  if (rows.length === 0) return;
  const text = JSON.stringify(
    rows.map((row) => ({
      ...row,
      createdAt: time(row.createdAt),
      clockEnd: time(row.clockEnd),
    })),
  );
  // What is gone upstream no longer says what was asked (its last price may be the one it closed at), and what has closed
  // and is then put aside no longer says what was paid.
  await tx`
    insert into market_listing (listing_id, property_id, listing_type, status, created_at, on_market_date, days_on_market_end,
      list_price, original_price, close_price, periods_per_month, months_free, time_zone)
    select id, "propertyId", "listingType", status, "createdAt", "onMarketOn", "clockEnd", "listPrice",
      "originalPrice", "closePrice", "perMonth", "monthsFree", "timeZone"
    from json_to_recordset(${text}::text::json) as row (id text, "propertyId" text, "listingType" text, status text,
      "createdAt" timestamptz, "onMarketOn" date, "clockEnd" timestamptz, "listPrice" double precision,
      "originalPrice" double precision, "closePrice" double precision, "perMonth" double precision,
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

interface ListingRow {
  id: string;
  propertyId: string;
  listingType: ListingType;
  status: Status;
  createdAt: string;
  onMarketOn: string | null;
  clockEnd: string | null;
  listPrice: number | null;
  originalPrice: number | null;
  closePrice: number | null;
  perMonth: number | null;
  monthsFree: number | null;
  timeZone: string;
}

/** The listings of these properties, which stay locked until the transaction ends: their facts are about to be written. */
export async function findMarketListings(
  tx: Transaction,
  propertyIds: readonly string[],
): Promise<MarketListing[]> {
  await tx`select from property where id = any(${[...propertyIds]}::text[]) order by id for update`;
  const rows = await tx<ListingRow[]>`
    select listing_id as id, property_id as "propertyId", listing_type as "listingType", status,
      created_at as "createdAt", on_market_date as "onMarketOn", days_on_market_end as "clockEnd", list_price as "listPrice",
      original_price as "originalPrice", close_price as "closePrice", periods_per_month as "perMonth",
      months_free as "monthsFree", time_zone as "timeZone"
    from market_listing where property_id = any(${[...propertyIds]}::text[]) order by listing_id`;
  return rows.map((row) => ({
    ...row,
    createdAt: instant(row.createdAt) ?? 0,
    clockEnd: instant(row.clockEnd),
  }));
}

type EventRow = Omit<ListingEvent, 'at' | 'origin'> & { readonly listingId: string; readonly at: string };

/** The history of these listings in the order in which it was recorded. */
export async function findMarketEvents(tx: Transaction, listingIds: readonly string[]): Promise<PastEvent[]> {
  const rows = await tx<EventRow[]>`
    select listing_id as "listingId", event, at, day, price, previous_price as "previousPrice", status,
      previous_status as "previousStatus"
    from listing_event where listing_id = any(${[...listingIds]}::text[]) order by sequence`;
  return rows.map((row) => ({ ...row, at: instant(row.at) ?? 0 }));
}

/** Puts these lives in the place of whatever was known of the properties, and gives that. */
export async function replaceLives(
  tx: Transaction,
  propertyIds: readonly string[],
  lives: readonly (MarketLife & { readonly propertyId: string })[],
): Promise<MarketLife> {
  const before = await removeLives(tx, propertyIds);
  const stays = lives.flatMap(({ propertyId, stays: some }) =>
    some.map((stay) => ({
      ...{ ...stay, propertyId, onAt: time(stay.onAt), offAt: time(stay.offAt) },
      ...{ supersededAt: time(stay.supersededAt), agedFrom: time(stay.agedFrom) },
    })),
  );
  const events = lives.flatMap(({ propertyId, events: some }) =>
    some.map((event) => ({ ...event, propertyId, at: time(event.at) })),
  );
  await tx`
    insert into market_period (property_id, listing_id, started_at, ended_at, superseded_at, days_on_market_start, price, months_free)
    select "propertyId", "listingId", "onAt", "offAt", "supersededAt", "agedFrom", price, "monthsFree"
    from json_to_recordset(${JSON.stringify(stays)}::text::json) as row ("propertyId" text, "listingId" text,
      "onAt" timestamptz, "offAt" timestamptz, "supersededAt" timestamptz, "agedFrom" timestamptz,
      price double precision, "monthsFree" double precision)`;
  await tx`
    insert into market_event (property_id, listing_id, listing_type, kind, at, day, price, days, ratio, original_ratio)
    select "propertyId", "listingId", "listingType", kind, at, day, price, days, ratio, "originalRatio"
    from json_to_recordset(${JSON.stringify(events)}::text::json) as row ("propertyId" text, "listingId" text,
      "listingType" text, kind text, at timestamptz, day date, price double precision, days double precision,
      ratio double precision, "originalRatio" double precision)`;
  return before;
}

type StoredStay = Omit<Stay, StayTime> & Readonly<Record<StayTime, string>>;
type StayTime = 'onAt' | 'offAt' | 'supersededAt' | 'agedFrom';

async function removeLives(tx: Transaction, propertyIds: readonly string[]): Promise<MarketLife> {
  const stays = await tx<StoredStay[]>`
    delete from market_period where property_id = any(${[...propertyIds]}::text[])
    returning listing_id as "listingId", started_at as "onAt", ended_at as "offAt", superseded_at as "supersededAt",
      days_on_market_start as "agedFrom", price, months_free as "monthsFree"`;
  const events = await tx<(Omit<MarketEvent, 'at'> & { readonly at: string })[]>`
    delete from market_event where property_id = any(${[...propertyIds]}::text[])
    returning listing_id as "listingId", listing_type as "listingType", kind, at, day, price, days, ratio,
      original_ratio as "originalRatio"`;
  return {
    stays: stays.map((stay) => ({
      ...{ ...stay, onAt: storedTime(stay.onAt), offAt: storedTime(stay.offAt) },
      ...{ supersededAt: storedTime(stay.supersededAt), agedFrom: storedTime(stay.agedFrom) },
    })),
    events: events.map((event) => ({ ...event, at: storedTime(event.at) })),
  };
}

const storedTime = (text: string): number =>
  text === 'infinity' ? Number.POSITIVE_INFINITY : (instant(text) ?? 0);

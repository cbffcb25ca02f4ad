// Owns the SQL that writes the facts of the market and reads what they are worked out from.

import type { ListingEvent } from '../listings/history.ts';
import type { KeptRecord } from '../listings/listing.ts';
import { PER_MONTH } from '../listings/listing.ts';
import { clockOfRow, instant, storedClock } from '../listings/market-clock.ts';
import type { ListingType, Status } from '../listings/vocabulary.ts';
import type { Sql, Transaction } from '../postgres/client/database.ts';
import type { MarketEvent, MarketLife, Stay } from './market-life.ts';
import type { MarketListing, PastEvent } from './market-prices.ts';

export type MarketListingRow = MarketListing;

/** Numbers as JSON writes them, moments as PostgreSQL reads them. */
const time = (at: number | null): string | null => {
  if (at === null) return null;
  return at === Number.POSITIVE_INFINITY ? 'infinity' : new Date(at).toISOString();
};

/** Writes rows; `keep` leaves those that are there already, which a later write has made. */
export async function writeMarketListings(
  tx: Transaction,
  rows: readonly MarketListingRow[],
  known: 'replace' | 'keep',
): Promise<void> {
  if (rows.length === 0) return;
  const text = JSON.stringify(
    rows.map((row) => ({
      ...row,
      createdAt: time(row.createdAt),
      clockEnd: time(row.clockEnd),
    })),
  );
  const conflict =
    known === 'keep'
      ? tx`nothing`
      : // What is gone upstream no longer says what was asked (its last price may be the one it closed at), and what has
        // closed and is then put aside no longer says what was paid.
        tx`update set property_id = excluded.property_id, listing_type = excluded.listing_type,
          status = excluded.status, on_market_on = excluded.on_market_on, clock_end = excluded.clock_end,
          list_price = case when excluded.status = 'DELETED' then market_listing.list_price else excluded.list_price end,
          original_price = excluded.original_price,
          close_price = case when excluded.status = 'CLOSED' then excluded.close_price
            else coalesce(excluded.close_price, market_listing.close_price) end,
          per_month = excluded.per_month, months_free = excluded.months_free, time_zone = excluded.time_zone`;
  await tx`
    insert into market_listing (listing_id, property_id, listing_type, status, created_at, on_market_on, clock_end,
      list_price, original_price, close_price, per_month, months_free, time_zone)
    select id, "propertyId", "listingType", status, "createdAt", "onMarketOn", "clockEnd", "listPrice",
      "originalPrice", "closePrice", "perMonth", "monthsFree", "timeZone"
    from json_to_recordset(${text}::text::json) as row (id text, "propertyId" text, "listingType" text, status text,
      "createdAt" timestamptz, "onMarketOn" date, "clockEnd" timestamptz, "listPrice" double precision,
      "originalPrice" double precision, "closePrice" double precision, "perMonth" double precision,
      "monthsFree" double precision, "timeZone" text)
    on conflict (listing_id) do ${conflict}`;
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
      created_at as "createdAt", on_market_on as "onMarketOn", clock_end as "clockEnd", list_price as "listPrice",
      original_price as "originalPrice", close_price as "closePrice", per_month as "perMonth",
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
    insert into market_stay (property_id, listing_id, on_at, off_at, superseded_at, aged_from, price, months_free)
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
    delete from market_stay where property_id = any(${[...propertyIds]}::text[])
    returning listing_id as "listingId", on_at as "onAt", off_at as "offAt", superseded_at as "supersededAt",
      aged_from as "agedFrom", price, months_free as "monthsFree"`;
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

export async function isMarketComplete(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ complete: boolean }[]>`select complete from market_state`;
  return row?.complete === true;
}

export async function markMarketComplete(tx: Transaction): Promise<void> {
  await tx`update market_state set complete = true`;
}

/** The next properties in the order of their ids. */
export async function nextProperties(tx: Transaction, after: string, limit: number): Promise<string[]> {
  const rows = await tx<
    { id: string }[]
  >`select id from property where id > ${after} order by id limit ${limit}`;
  return rows.map(({ id }) => id);
}

interface KeptRow {
  id: string;
  propertyId: string;
  createdAt: string;
  clockStart: string | null;
  clockEnd: string | null;
  timeZone: string;
  record: KeptRecord;
}

/** What the next listings, in the order of their ids, tell; `last` is null when there are no more. */
export async function missingMarketListings(
  tx: Transaction,
  after: string,
  limit: number,
): Promise<{ readonly last: string | null; readonly rows: MarketListingRow[] }> {
  const rows = await tx<KeptRow[]>`
    select id, property_id as "propertyId", created_at as "createdAt", clock_start as "clockStart",
      clock_end as "clockEnd", time_zone as "timeZone", record
    from listing where id > ${after} order by id limit ${limit}`;
  return { last: rows.at(-1)?.id ?? null, rows: rows.map(keptRow) };
}

function keptRow({
  id,
  propertyId,
  createdAt,
  clockStart,
  clockEnd,
  timeZone,
  record,
}: KeptRow): MarketListingRow {
  const { listingType, status, price, originalPrice, closePrice, priceFrequency } = record;
  // Earlier releases did not note whether a closed listing had told what was asked; equal prices mean it had not.
  const untold = status === 'CLOSED' && originalPrice === null && price === closePrice;
  return {
    ...{ id, propertyId, listingType, status, originalPrice, closePrice },
    createdAt: instant(createdAt) ?? 0,
    onMarketOn: record.onMarketDate,
    timeZone,
    clockEnd: clockOfRow(storedClock(clockStart, clockEnd), timeZone).end,
    listPrice: untold ? null : price,
    perMonth: listingType === 'rental' ? PER_MONTH[priceFrequency] : 1,
    monthsFree: record.rental?.monthsFree ?? null,
  };
}

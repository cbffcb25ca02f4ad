// SQL of the history of listings, and of the timelines of properties that are computed from it.

import { formatTime, parseTime } from '../lib/clock.ts';
import { eventLoop } from '../lib/scheduler.ts';
import type { ListingEvent } from '../listings/history.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import type { Transaction } from '../postgres/client/database.ts';
import type { MarketListing } from './listing-timeline.ts';
import type { MarketEvent, MarketPeriod, PropertyTimeline } from './property-timeline.ts';

/** A moment in milliseconds, or infinity, as PostgreSQL reads it. */
export const formatTimestamp = (at: number | null): string | null =>
  at === Number.POSITIVE_INFINITY ? 'infinity' : formatTime(at);

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
  // A deleted listing keeps its asking price (the last one sent may be its close price), and one that leaves CLOSED keeps
  // its close price.
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

/** Listings of these properties. Locks the properties, if the transaction has not yet, until it ends. */
export async function findMarketListings(
  tx: Transaction,
  propertyIds: readonly string[],
): Promise<MarketListing[]> {
  // Sent together, and run in this order.
  const [, rows] = await Promise.all([lockProperties(tx, propertyIds), findListingRows(tx, propertyIds)]);
  return rows.map((row) => ({
    ...row,
    createdAt: parseTime(row.createdAt) ?? 0,
    daysOnMarketEnd: parseTime(row.daysOnMarketEnd),
  }));
}

async function lockProperties(tx: Transaction, propertyIds: readonly string[]): Promise<void> {
  await tx`select from property where id = any(${[...propertyIds]}::text[]) order by id for no key update`;
}

async function findListingRows(tx: Transaction, propertyIds: readonly string[]): Promise<ListingRow[]> {
  return await tx<ListingRow[]>`
    select listing_id as id, property_id as "propertyId", listing_type as "listingType", status,
      created_at as "createdAt", on_market_date as "onMarketDate", days_on_market_end as "daysOnMarketEnd", list_price as "listPrice",
      original_price as "originalPrice", close_price as "closePrice", periods_per_month as "periodsPerMonth",
      months_free as "monthsFree", time_zone as "timeZone"
    from market_listing where property_id = any(${[...propertyIds]}::text[]) order by listing_id`;
}

/**
 * Replaces the timelines of properties, which are locked, and returns the earlier ones. Writes only what differs.
 * @param listingIds all listings of the properties, those that they no longer have included
 */
export async function replaceTimelines(
  tx: Transaction,
  listingIds: readonly string[],
  timelines: readonly (PropertyTimeline & { readonly propertyId: string })[],
): Promise<PropertyTimeline> {
  const [periods, events] = await Promise.all([findPeriods(tx, listingIds), findEvents(tx, listingIds)]);
  const newPeriods = factsOf(timelines, (own) => own.periods);
  const newEvents = factsOf(timelines, (own) => own.events);
  const changed = {
    periods: await differences(periods, newPeriods, periodRow),
    events: await differences(events, newEvents, eventRow),
  };
  await Promise.all([writePeriods(tx, changed.periods), writeEvents(tx, changed.events)]);
  return { periods: periods.map(({ fact }) => fact), events: events.map(({ fact }) => fact) };
}

interface Fact<T> {
  readonly propertyId: string;
  readonly fact: T;
}

/** A stored fact, and its place in the table, which stays the same while its property is locked. */
interface Stored<T> extends Fact<T> {
  readonly place: string;
}

function* factsOf<T>(
  timelines: readonly (PropertyTimeline & { readonly propertyId: string })[],
  factsIn: (timeline: PropertyTimeline) => readonly T[],
): Generator<Fact<T>, void, void> {
  for (const own of timelines) for (const fact of factsIn(own)) yield { propertyId: own.propertyId, fact };
}

interface Differences<Row> {
  /** Places of rows to delete. */
  readonly gone: readonly string[];
  readonly added: readonly Row[];
}

/** Of rows that are equal each counts. A large batch has tens of thousands: requests are answered in between. */
async function differences<T, Row>(
  stored: readonly Stored<T>[],
  facts: Iterable<Fact<T>>,
  rowOf: (propertyId: string, fact: T) => Row,
): Promise<Differences<Row>> {
  const left = new Map<string, string[]>();
  await eventLoop.forEach(stored, ({ place, propertyId, fact }) => {
    const text = JSON.stringify(rowOf(propertyId, fact));
    const places = left.get(text);
    if (places === undefined) left.set(text, [place]);
    else places.push(place);
  });
  const added: Row[] = [];
  await eventLoop.forEach(facts, ({ propertyId, fact }) => {
    const row = rowOf(propertyId, fact);
    if (left.get(JSON.stringify(row))?.pop() === undefined) added.push(row);
  });
  return { gone: [...left.values()].flat(), added };
}

type PeriodTime = 'startedAt' | 'endedAt' | 'supersededAt' | 'daysOnMarketStart';

/** The times of a period, each converted. */
const mapTimes = <From, To>(
  { startedAt, endedAt, supersededAt, daysOnMarketStart }: Readonly<Record<PeriodTime, From>>,
  convert: (time: From) => To,
): Record<PeriodTime, To> => ({
  startedAt: convert(startedAt),
  endedAt: convert(endedAt),
  supersededAt: convert(supersededAt),
  daysOnMarketStart: convert(daysOnMarketStart),
});

export const periodRow = (propertyId: string, { listingId, price, monthsFree, ...times }: MarketPeriod) => ({
  propertyId,
  listingId,
  price,
  monthsFree,
  ...mapTimes(times, formatTimestamp),
});

export const eventRow = (
  propertyId: string,
  { listingId, listingType, kind, at, day, ...facts }: MarketEvent,
) => ({
  propertyId,
  listingId,
  listingType,
  kind,
  day,
  at: formatTimestamp(at),
  price: facts.price,
  days: facts.days,
  ratio: facts.ratio,
  originalRatio: facts.originalRatio,
});

type Placed = Pick<Stored<unknown>, 'place' | 'propertyId'>;
type StoredPeriod = Placed & Omit<MarketPeriod, PeriodTime> & Readonly<Record<PeriodTime, string>>;

async function findPeriods(tx: Transaction, listingIds: readonly string[]): Promise<Stored<MarketPeriod>[]> {
  const rows = await tx<StoredPeriod[]>`
    select ctid::text as place, property_id as "propertyId", listing_id as "listingId", started_at as "startedAt",
      ended_at as "endedAt", superseded_at as "supersededAt", days_on_market_start as "daysOnMarketStart", price,
      months_free as "monthsFree"
    from market_period where listing_id = any(${[...listingIds]}::text[])`;
  return rows.map(({ place, propertyId, ...row }) => ({
    place,
    propertyId,
    fact: { ...row, ...mapTimes(row, parseTimestamp) },
  }));
}

async function findEvents(tx: Transaction, listingIds: readonly string[]): Promise<Stored<MarketEvent>[]> {
  const rows = await tx<(Placed & Omit<MarketEvent, 'at'> & { readonly at: string })[]>`
    select ctid::text as place, property_id as "propertyId", listing_id as "listingId", listing_type as "listingType", kind,
      at, day, price, days, ratio, original_ratio as "originalRatio"
    from market_event where listing_id = any(${[...listingIds]}::text[])`;
  return rows.map(({ place, propertyId, ...row }) => ({
    place,
    propertyId,
    fact: { ...row, at: parseTimestamp(row.at) },
  }));
}

export async function writePeriods(
  tx: Transaction,
  { gone, added }: Differences<ReturnType<typeof periodRow>>,
): Promise<void> {
  if (gone.length > 0) await tx`delete from market_period where ctid = any(${gone}::text[]::tid[])`;
  if (added.length === 0) return;
  await tx`
    insert into market_period (property_id, listing_id, started_at, ended_at, superseded_at, days_on_market_start, price, months_free)
    select "propertyId", "listingId", "startedAt", "endedAt", "supersededAt", "daysOnMarketStart", price, "monthsFree"
    from json_to_recordset(${JSON.stringify(added)}::text::json) as row ("propertyId" text, "listingId" text,
      "startedAt" timestamptz, "endedAt" timestamptz, "supersededAt" timestamptz, "daysOnMarketStart" timestamptz,
      price double precision, "monthsFree" double precision)`;
}

export async function writeEvents(
  tx: Transaction,
  { gone, added }: Differences<ReturnType<typeof eventRow>>,
): Promise<void> {
  if (gone.length > 0) await tx`delete from market_event where ctid = any(${gone}::text[]::tid[])`;
  if (added.length === 0) return;
  await tx`
    insert into market_event (property_id, listing_id, listing_type, kind, at, day, price, days, ratio, original_ratio)
    select "propertyId", "listingId", "listingType", kind, at, day, price, days, ratio, "originalRatio"
    from json_to_recordset(${JSON.stringify(added)}::text::json) as row ("propertyId" text, "listingId" text,
      "listingType" text, kind text, at timestamptz, day date, price double precision, days double precision,
      ratio double precision, "originalRatio" double precision)`;
}

const parseTimestamp = (text: string): number =>
  text === 'infinity' ? Number.POSITIVE_INFINITY : (parseTime(text) ?? 0);

/** History of one listing, in the order in which it was recorded. */
export interface RecordedHistory {
  readonly id: string;
  readonly propertyId: string;
  readonly listingType: ListingType;
  readonly events: readonly ListingEvent[];
}

export async function writeHistory(tx: Transaction, histories: readonly RecordedHistory[]): Promise<void> {
  const rows = histories.flatMap(({ id, propertyId, listingType, events }) =>
    events.map((event) => ({ id, propertyId, listingType, ...event, at: new Date(event.at).toISOString() })),
  );
  if (rows.length === 0) return;
  await tx`
    insert into listing_event (listing_id, property_id, listing_type, event, at, day, price, previous_price, status,
      previous_status, origin)
    select id, "propertyId", "listingType", event, at, day, price, "previousPrice", status, "previousStatus", origin
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as row (id text, "propertyId" text,
      "listingType" text, event text, at timestamptz, day date, price double precision,
      "previousPrice" double precision, status text, "previousStatus" text, origin text)`;
}

interface HistoryRow extends Omit<ListingEvent, 'at'> {
  readonly id: string;
  readonly at: string;
}

/** The history of each of these listings, in the order in which it was recorded. */
export async function findRecordedHistory(
  tx: Transaction,
  ids: readonly string[],
): Promise<Map<string, ListingEvent[]>> {
  const rows = await tx<HistoryRow[]>`
    select listing_id as id, event, at, day, price, previous_price as "previousPrice", status,
      previous_status as "previousStatus", origin
    from listing_event where listing_id = any(${[...ids]}::text[]) order by sequence`;
  const lines = Map.groupBy(rows, ({ id }) => id);
  return new Map(
    [...lines].map(([id, own]) => [
      id,
      own.map(({ id: _, ...line }) => ({ ...line, at: parseTime(line.at) ?? 0 })),
    ]),
  );
}

/** Replaces the whole history of these listings. */
export async function replaceHistory(tx: Transaction, histories: readonly RecordedHistory[]): Promise<void> {
  await tx`delete from listing_event where listing_id = any(${histories.map(({ id }) => id)}::text[])`;
  await writeHistory(tx, histories);
}

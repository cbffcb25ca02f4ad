// SQL that locks and writes listings, their properties and area counts, and announces changes.

import type { CountChange } from '../areas/counts.ts';
import { writeNames } from '../areas/name-store.ts';
import { appendChanges, type BatchPosition, changeDocuments } from '../changes/change-store.ts';
import { eventLoop } from '../lib/scheduler.ts';
import { fromStoredClock, parseStoredClock } from '../listings/days-on-market.ts';
import { recordText, wholeRecord } from '../listings/lean-record.ts';
import { ALL_PROPERTIES, LISTINGS_CHANNEL, LISTINGS_REMOVED } from '../listings/property-cache.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import type { Sql, Transaction } from '../postgres/client/database.ts';
import { notify } from '../postgres/client/listen.ts';
import { toJson } from '../postgres/client/value-types.ts';
import { type RecordedHistory, writeHistory } from '../timeline/store.ts';
import { listingChange, mayChangeText, writtenSnapshot } from './listing-change.ts';
import type { FirstListing } from './property-assignment.ts';
import { findFirstListings } from './property-store.ts';
import { mayBringNames, type SearchName, searchNames } from './rows/search-names.ts';
import { type ListingSnapshot, textRow } from './rows/search-row.ts';
import { addCurrencies, addSearchNames, writeSearchRows, writeTextRows } from './rows/search-row-store.ts';
import { type ListingWrite, listingRow, type PreviousListing } from './write-plan.ts';

/** New listings cannot be locked: another writer was faster. */
export class ListingsCreatedMeanwhile extends Error {
  override readonly name = 'ListingsCreatedMeanwhile';

  constructor() {
    super('Another process created some of these listings at the same moment: write them again');
  }
}

/** Listings that are locked, and the first listing of each property that they belong to or may come to. */
export interface LockedListings {
  readonly listings: Map<string, PreviousListing>;
  readonly first: Map<string, FirstListing>;
}

/**
 * Locks and returns the listings with these ids. Other listings of their properties, old and new, are locked too, since
 * their days on market may change: all in the order of ids, so that two writers never deadlock.
 */
export async function lockListings(
  tx: Transaction,
  ids: readonly string[],
  propertyIds: readonly string[],
): Promise<LockedListings> {
  // Sent together, and run in this order: the rows are read as they are once they are locked.
  const [, listings, first] = await Promise.all([
    lockRows(tx, ids, propertyIds),
    findLockedListings(tx, ids),
    findFirstListings(tx, ids, propertyIds),
  ]);
  return { listings, first };
}

async function lockRows(
  tx: Transaction,
  ids: readonly string[],
  propertyIds: readonly string[],
): Promise<void> {
  await tx`
    select from listing where id in (
      select unnest(${[...ids]}::text[])
      union select id from listing where property_id = any(${[...new Set(propertyIds)]}::text[])
      union select sibling.id from listing as own join listing as sibling using (property_id)
        where own.id = any(${[...ids]}::text[]))
    order by id for update`;
}

type ListingRow = Omit<PreviousListing, 'digest' | 'clock'> & { readonly digest: string };

/** The listings with these ids, which the transaction has locked. */
export async function findLockedListings(
  tx: Transaction,
  ids: readonly string[],
): Promise<Map<string, PreviousListing>> {
  const rows = await tx<ListingRow[]>`
    select id, source, property_id as "propertyId", listing_type as "listingType", status,
      licence_no as "licenceNo", displayed, address_displayed as "addressDisplayed", version, encode(digest, 'hex') as digest, record, area_nos as "areaNos",
      time_zone as "timeZone", days_on_market_start as "daysOnMarketStart", days_on_market_end as "daysOnMarketEnd",
      created_at as "createdAt", updated_at as "updatedAt",
      case when version = 1 then (
        select batch.id from change_batch as batch where batch.id = change_batch_id and load_ordinal is not null
      ) end as "loadedBy"
    from listing where id = any(${[...ids]}::text[])`;
  return new Map(
    rows.map((row) => {
      const stored = parseStoredClock(row.daysOnMarketStart, row.daysOnMarketEnd);
      const clock = fromStoredClock(stored, row.timeZone);
      const record = wholeRecord(row.record);
      return [row.id, { ...row, record, digest: Buffer.from(row.digest, 'hex'), clock }];
    }),
  );
}

/** Writes changes, listings, search rows and events of a batch, whose properties the transaction has locked or is about to. */
export async function writeListings(
  tx: Transaction,
  writes: readonly ListingWrite[],
  observedAt: number,
  quiet: boolean,
): Promise<void> {
  if (writes.length === 0) return;
  const listings: { snapshot: ListingSnapshot; change: ReturnType<typeof listingChange>; version: number }[] =
    [];
  const documents: ReturnType<typeof changeDocuments>[] = [];
  const stored: StoredListing[] = [];
  const texts: ReturnType<typeof textRow>[] = [];
  const names: SearchName[] = [];
  await eventLoop.forEach(writes, (write) => {
    const snapshot = writtenSnapshot(write, observedAt);
    const change = listingChange(write.before, snapshot);
    listings.push({ snapshot, change, version: write.version });
    documents.push(changeDocuments(change));
    stored.push({ id: write.id, row: listingRow(write, observedAt), record: recordText(write.record) });
    if (mayChangeText(change)) texts.push(textRow(snapshot));
    if (mayBringNames(change)) names.push(...searchNames(snapshot, change.after.row));
  });
  const changes = listings.map(({ change }) => change);
  const position = await appendChanges(tx, changes, observedAt, quiet, documents);
  const rows = listings.map(({ change, version }) => ({ ...change.after.row, version }));
  // None needs the result of another: a transaction of one listing would mostly wait for answers.
  await sendAll([
    () => upsertListings(tx, stored, position),
    () => writeSearchRows(tx, rows),
    () => writeTextRows(tx, texts),
    () => writeHistory(tx, writes.map(historyOf)),
    () => addCurrencies(tx, rows),
    () => addSearchNames(tx, names),
    () =>
      writeNames(
        tx,
        texts.flatMap((text) => text.names),
      ),
  ]);
}

/** Sends statements without waiting for their answers; those of a large batch give the event loop back in between. */
async function sendAll(statements: readonly (() => Promise<void>)[]): Promise<void> {
  const task = eventLoop.task();
  const sent: Promise<void>[] = [];
  for (const send of statements) {
    if (task.shouldYield()) await task.yield();
    const answer = send();
    // It may fail before all are sent, and is waited for below.
    answer.catch(() => {});
    sent.push(answer);
  }
  await Promise.all(sent);
}

/** A listing as it is written: its row, and its record as JSON. */
interface StoredListing {
  readonly id: string;
  readonly row: Record<string, unknown>;
  readonly record: string;
}

async function upsertListings(
  tx: Transaction,
  listings: readonly StoredListing[],
  { batchId, ordinal }: BatchPosition,
): Promise<void> {
  const rows = toJson(listings.map(({ row }, at) => ({ ...row, change_ordinal: ordinal + at })));
  // Records go beside the rows, separated by a character that JSON never holds: inside rows they would be parsed and
  // copied once more on both sides.
  const records = listings.map(({ record }) => record).join(SEPARATOR);
  const written = await tx`
    insert into listing (id, source, listing_key, property_id, listing_type, status, licence_no, displayed, address_displayed,
      audience, version, digest, record, area_nos, time_zone, days_on_market_start, days_on_market_end, created_at, updated_at,
      fetched_at, change_batch_id, change_ordinal)
    select id, source, listing_key, property_id, listing_type, status, licence_no, displayed, address_displayed,
      audience, version, decode(digest, 'hex'), document.record::json, area_nos, time_zone, days_on_market_start, days_on_market_end,
      created_at, updated_at, fetched_at, ${batchId}, change_ordinal
    from json_to_recordset(${rows}::text::json) as row (
      id text, source text, listing_key text, property_id text, listing_type text, status text, licence_no smallint, displayed boolean,
      address_displayed boolean, audience smallint, version integer, digest text, area_nos integer[],
      time_zone text, days_on_market_start timestamptz, days_on_market_end timestamptz, created_at timestamptz,
      updated_at timestamptz, fetched_at timestamptz, change_ordinal integer)
    join unnest(${listings.map(({ id }) => id)}::text[], string_to_array(${records}::text, ${SEPARATOR}))
      as document (id, record) using (id)
    on conflict (id) do update set property_id = excluded.property_id, listing_type = excluded.listing_type,
      status = excluded.status, licence_no = excluded.licence_no, displayed = excluded.displayed, address_displayed = excluded.address_displayed,
      audience = greatest(listing.audience, excluded.audience),
      version = listing.version + 1, digest = excluded.digest, record = excluded.record,
      area_nos = excluded.area_nos, time_zone = excluded.time_zone, days_on_market_start = excluded.days_on_market_start,
      days_on_market_end = excluded.days_on_market_end, updated_at = excluded.updated_at, fetched_at = excluded.fetched_at,
      change_batch_id = excluded.change_batch_id, change_ordinal = excluded.change_ordinal
    where listing.version = excluded.version - 1
    returning 1`;
  // New listings cannot be locked. The change says what was there before, so it must not be of another writer's making.
  if (written.length < listings.length) throw new ListingsCreatedMeanwhile();
}

/** The history that a write adds. */
export const historyOf = ({ id, propertyId, record, events }: ListingWrite): RecordedHistory => ({
  id,
  propertyId,
  listingType: record.listingType,
  events,
});

/** Days on market of one listing, for those that later listings of its property take over. */
export interface DaysOnMarketRow {
  readonly id: string;
  readonly propertyId: string;
  readonly licenceNo: number;
  readonly listingType: ListingType;
  readonly start: string | null;
  readonly end: string | null;
  readonly earlierDays: number;
}

export async function findDaysOnMarket(
  tx: Transaction,
  propertyIds: readonly string[],
): Promise<DaysOnMarketRow[]> {
  return tx<DaysOnMarketRow[]>`
    select id, property_id as "propertyId", licence_no as "licenceNo", listing_type as "listingType", days_on_market_start as start, days_on_market_end as end,
      earlier_days_on_market as "earlierDays"
    from listing where property_id = any(${[...propertyIds]}::text[]) order by days_on_market_start nulls first, id`;
}

export async function updateEarlierDays(tx: Transaction, days: ReadonlyMap<string, number>): Promise<void> {
  if (days.size === 0) return;
  await tx`
    update listing set earlier_days_on_market = row.days
    from unnest(${[...days.keys()]}::text[], ${[...days.values()]}::integer[]) as row (id, days)
    where listing.id = row.id`;
}

/** Adds to the counts of areas that are still there, in their order: the last locks that a writer takes. */
export async function addAreaCounts(tx: Transaction, changes: readonly CountChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx`
    insert into area_count (area_no, listing_type, licence_no, active)
    select row.* from unnest(${changes.map((change) => change.areaNo)}::integer[],
      ${changes.map((change) => change.listingType)}::text[], ${changes.map((change) => change.licenceNo)}::integer[],
      ${changes.map((change) => change.change)}::integer[])
      as row (area_no, listing_type, licence_no, change)
    where exists (select from area where no = row.area_no)
    order by 1, 2, 3
    on conflict (area_no, listing_type, licence_no) do update set active = area_count.active + excluded.active`;
}

/** ASCII's own record separator. */
const SEPARATOR = '\u001e';

/** For tables that have just grown, so that searches need not wait for autovacuum to be planned and estimated well. */
export async function analyzeListings(sql: Sql): Promise<void> {
  await sql`analyze listing, listing_search, listing_text, search_word, listing_event,
    market_listing, market_period, market_event, property, area, area_word`;
}

/** PostgreSQL takes payloads below 8,000 bytes; where the ids do not fit, all properties count as changed. */
const MAX_PAYLOAD = 7_900;

/** Notifies, once the transaction commits, that these properties changed; without ids: that any may have. */
export async function notifyChanged(tx: Sql, propertyIds?: readonly string[]): Promise<void> {
  const payload = propertyIds?.join() ?? ALL_PROPERTIES;
  await notify(tx, LISTINGS_CHANNEL, payload.length > MAX_PAYLOAD ? ALL_PROPERTIES : payload);
}

/** Notifies, once the transaction commits, that listings are no longer stored: others with their ids begin at version 1 again. */
export const notifyRemoved = (tx: Sql): Promise<void> => notify(tx, LISTINGS_CHANNEL, LISTINGS_REMOVED);

// SQL of the history of listings.

import { parseTime } from '../lib/clock.ts';
import type { ListingEvent } from '../listings/history.ts';
import type { ListingType } from '../listings/vocabulary.ts';
import type { Transaction } from '../postgres/client/database.ts';

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
    [...lines].map(([id, some]) => [
      id,
      some.map(({ id: _, ...line }) => ({ ...line, at: parseTime(line.at) ?? 0 })),
    ]),
  );
}

/** Replaces the whole history of these listings. */
export async function replaceHistory(tx: Transaction, histories: readonly RecordedHistory[]): Promise<void> {
  await tx`delete from listing_event where listing_id = any(${histories.map(({ id }) => id)}::text[])`;
  await writeHistory(tx, histories);
}

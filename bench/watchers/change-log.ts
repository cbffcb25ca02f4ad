// Changes of the mix in the log of changes, appended as the writer of listings appends them, and how far they are matched.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ListingChange } from '../../src/changes/change.ts';
import { appendChanges, headSequence, type NewChange } from '../../src/changes/change-store.ts';
import type { ChangeState, ListingSummary } from '../../src/listings/change-state.ts';
import type { SearchRow } from '../../src/listings/search-row.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { findPosition } from '../../src/watch/events/position-store.ts';
import { change, listingNo, listingWords } from './mix.ts';

/** Changes that the mix repeats: the words of their listings are stored. */
export const DISTINCT_CHANGES = 4_000;
/** Changes of one transaction, as of a page of a source. */
export const PAGE = 200;
const UPDATED = ['price', 'status'] as const;

type Change = NewChange<ChangeState>;

/** A change as it is appended: with what events show of the listing. */
export function loggedChange({ after, before, ...change }: ListingChange<ChangeState>): Change {
  const changed = UPDATED.filter((name) => before?.row?.[name] !== undefined);
  const summary = summaryOf(after.row);
  const previous = Object.fromEntries(changed.map((name) => [name, before?.row?.[name]]));
  return {
    kind: change.kind,
    listingId: change.listingId,
    propertyId: change.propertyId,
    changed,
    after: { ...after, listing: summary },
    before: before === null ? null : { ...before, listing: previous },
  };
}

/** The listing in short, as long as those of real listings. */
export function summaryOf(row: SearchRow): ListingSummary {
  const { bedrooms, bathrooms, price, status, location } = row;
  const [lng = 0, lat = 0] = (location ?? '(0,0)').slice(1, -1).split(',').map(Number);
  return {
    id: row.id,
    object: 'listing',
    propertyId: `prp_${row.id}`,
    listingType: row.listing_type,
    status,
    price,
    currency: row.currency,
    priceFrequency: 'ONE_TIME',
    priceMonthly: null,
    previousPrice: null,
    originalPrice: price,
    closePrice: null,
    propertyType: row.property_type,
    propertySubType: null,
    bedrooms,
    bathrooms,
    livingArea: row.living_area,
    lotSize: null,
    yearBuilt: 1984,
    photoCount: 24,

    listedAt: '2026-01-01T00:00:00Z',
    statusChangedAt: '2026-01-01T00:00:00Z',
    closedAt: null,
    areaUnit: 'sqft',
    address: {
      full: `12 Main Street, ${row.city}, NY ${row.postal_code}`,
      line1: '12 Main Street',
      unit: null,
      city: row.city,
      neighborhood: row.neighborhood,
      county: row.county,
      state: 'NY',
      postalCode: row.postal_code,
      country: 'US',
    },
    location: { lat, lng, precision: 'exact' },
    openHouses: [],
  };
}

/** Appends changes in one transaction; their commit is done when it resolves. */
export async function append(database: Database, changes: readonly Change[]): Promise<void> {
  await database.transaction((tx) => appendChanges(tx, changes, Date.now(), false));
}

/** A page of the mix, which repeats itself. */
export const pageOfMix = (first: number, count: number): Change[] =>
  Array.from({ length: count }, (_, at) => loggedChange(change((first + at) % DISTINCT_CHANGES)));

/** Stores the words of these listings. */
export async function insertWords(
  database: Database,
  listings: readonly { readonly id: string; readonly words: ReadonlySet<string> }[],
): Promise<void> {
  const rows = listings.map(({ id, words }) => ({ id, words: [...words] }));
  await database.write(
    (sql) => sql`
      insert into listing_text (listing_id, words)
      select id, array_to_tsvector(array(select json_array_elements_text(words)))
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as batch (id text, words json)
      on conflict do nothing`,
  );
}

/** The words of all listings that the mix changes. */
export function wordsOfMix() {
  const nos = new Set(Array.from({ length: DISTINCT_CHANGES }, (_, no) => listingNo(change(no))));
  return [...nos].map((no) => ({ id: `lst_${no}`, words: listingWords(no) }));
}

export const head = (database: Database): Promise<number> => database.read(headSequence);

/** The sequence up to which everything is matched. */
export const position = (database: Database): Promise<number> => database.read(findPosition);

/** Waits until everything up to a sequence is matched, or for so many milliseconds; returns what is matched then. */
export async function waitForPosition(database: Database, sequence: number, limit: number): Promise<number> {
  const end = performance.now() + limit;
  for (;;) {
    const reached = await position(database);
    if (reached >= sequence || performance.now() > end) return reached;
    await sleep(10);
  }
}

/** Events of the changes after a sequence up to another. */
export async function countEvents(database: Database, after: number, through: number): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`
      select count(*)::int from watch_event where sequence > ${after} and sequence <= ${through}`,
    { timeout: 0 },
  );
  return row?.count ?? 0;
}

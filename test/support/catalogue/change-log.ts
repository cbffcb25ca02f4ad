// Oracle of the log of changes: what is stored, read another way, and what the log must therefore say of it.

import assert from 'node:assert/strict';
import { EVERYTHING } from '../../../src/access/tiers/reach.ts';
import { isListingChange, type ListingChange, stateBefore } from '../../../src/changes/change.ts';
import { readChanges } from '../../../src/changes/change-store.ts';
import { findLoadedListings, type LoadedListing } from '../../../src/changes/load-store.ts';
import type { ChangeState } from '../../../src/listings/change-state.ts';
import { presentListing } from '../../../src/listings/presenter.ts';
import { findListings, type StoredListing } from '../../../src/listings/store.ts';
import type { Database } from '../../../src/postgres/client/database.ts';

export type Change = ListingChange<ChangeState>;

const entriesAfter = (database: Database, after: number) =>
  database.read((sql) => readChanges<ChangeState>(sql, after, 1_000_000), { timeout: 0 });

/** The changes of listings in the log after a sequence, without what first loads created. */
export async function changesAfter(database: Database, after: number): Promise<Change[]> {
  return (await entriesAfter(database, after)).filter(isListingChange);
}

/** What first loads created after a sequence, and has not changed since. */
export async function loadedAfter(database: Database, after: number): Promise<LoadedListing[]> {
  const loads = (await entriesAfter(database, after)).filter((entry) => entry.kind === 'load');
  const found = await Promise.all(
    loads.map((load) => database.read((sql) => findLoadedListings(sql, load, after))),
  );
  return found.flat();
}

/** A listing as the database holds it. */
export interface StoredState {
  readonly sequence: number;
  readonly row: Readonly<Record<string, unknown>>;
  readonly listing: StoredListing;
  /** Tokens, without those for areas and for being active. */
  readonly words: readonly string[];
}

interface StoredRow extends Pick<StoredState, 'sequence' | 'words'> {
  readonly id: string;
  readonly row: Record<string, unknown>;
}

/** Every listing that is stored, by id. */
export async function storedStates(database: Database): Promise<Map<string, StoredState>> {
  const rows = await database.read(
    (sql) => sql<StoredRow[]>`
      select listing.id, first_sequence + change_ordinal as sequence, row_to_json(listing_search) as row,
        array(select word from unnest(tsvector_to_array(words)) as word where word !~ '^[#=]') as words
      from listing join listing_search using (id) join listing_text on listing_id = listing.id
      left join change_batch on change_batch.id = change_batch_id`,
  );
  const listings = await database.read((sql) =>
    findListings(
      sql,
      rows.map(({ id }) => id),
    ),
  );
  return new Map(
    rows.flatMap(({ id, row: { version, ...row }, ...rest }, place) => {
      const listing = listings[place];
      if (listing === undefined) return [];
      assert.equal(version, listing.version, 'searches read the version of the listing');
      return [[id, { ...rest, row, listing }] as const];
    }),
  );
}

const TIMES = /^(?:listed_at|updated_at|closed_at|price_changed_at|days_on_market_start|days_on_market_end)$/;

/** A search row in one form, whether PostgreSQL wrote its values or the service: moments in milliseconds, numbers of places. */
export function plainRow(row: object): Record<string, unknown> {
  const moments = (text: string) =>
    text.replace(/"?(\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d(?::?\d\d)?))"?/g, (_, time: string) =>
      String(Date.parse(time.replace(/\+00$/, 'Z'))),
    );
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => {
      if (typeof value !== 'string') return [column, value];
      if (TIMES.test(column)) return [column, Date.parse(value)];
      if (column === 'open_houses') return [column, sortedRanges(moments(value))];
      if (column === 'location') return [column, value.slice(1, -1).split(',').map(Number)];
      return [column, value];
    }),
  );
}

/** PostgreSQL sorts ranges and joins those that overlap, so only the moments that are covered compare. */
function sortedRanges(text: string): (readonly [number, number])[] {
  const ranges = [...text.matchAll(/\[(\d+),(\d+)\]/g)].map(
    ([, from, to]) => [Number(from), Number(to)] as const,
  );
  const joined: [number, number][] = [];
  for (const [from, to] of ranges.sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

const VIEW = {
  units: 'imperial',
  source: 'cached',
  allDaysOnMarket: false,
  now: 0,
  publicUrl: '',
} as const;

/** The record as readers see it who may see everything. */
export const wholeRecord = ({ listing }: StoredState): Record<string, unknown> => ({
  ...presentListing(
    { ...listing, displayed: true, status: 'ACTIVE' },
    { ...VIEW, reach: EVERYTHING, ignoreDisplayRules: true },
  ),
  status: listing.status,
});

/** Asserts that an entry says of a listing what is stored. */
export function assertState(entry: Change, stored: StoredState): void {
  assert.equal(entry.sequence, stored.sequence);
  assert.equal(entry.after.version, stored.listing.version);
  assert.deepEqual(plainRow(entry.after.row), plainRow(stored.row));
  const { listing } = stored;
  const masked = presentListing(
    { ...listing, displayed: true, status: 'ACTIVE' },
    { ...VIEW, reach: EVERYTHING, ignoreDisplayRules: false },
  );
  assertWithin(entry.after.listing, { ...masked, status: listing.status });
  const { address, location } = wholeRecord(stored);
  if (listing.addressDisplayed) assert.equal(entry.after.withheld, undefined);
  else assertWithin(entry.after.withheld, { address, location });
}

/** Asserts that every member of `part` is the same in `whole`, at any depth. */
function assertWithin(part: unknown, whole: unknown): void {
  if (Array.isArray(part)) {
    assert.ok(Array.isArray(whole) && whole.length === part.length);
    for (const [at, each] of part.entries()) assertWithin(each, whole[at]);
  } else if (typeof part === 'object' && part !== null) {
    for (const [name, value] of Object.entries(part))
      assertWithin(value, (whole as Record<string, unknown>)[name]);
  } else assert.equal(part, whole);
}

/** Asserts that the changes of each listing follow from each other, and the last of them from what is stored. */
export async function assertLog(database: Database): Promise<void> {
  const entries = await changesAfter(database, 0);
  const stored = await storedStates(database);
  const loaded = await loadedAfter(database, 0);
  const byListing = Map.groupBy(entries, ({ listingId }) => listingId);
  assert.deepEqual(
    [...byListing.keys(), ...loaded.map(({ listingId }) => listingId)].sort(),
    [...stored.keys()].sort(),
    'each is in the log, or as a first load left it',
  );
  for (const { listingId, sequence, propertyId } of loaded) {
    const state = stored.get(listingId);
    assert.deepEqual([state?.sequence, state?.listing.propertyId], [sequence, propertyId]);
    assert.equal(state?.listing.version, 1);
  }
  for (const [id, changes] of byListing) {
    for (const [at, change] of changes.entries()) {
      const before = stateBefore(change);
      if (at === 0)
        assert.equal(
          before === null,
          change.loadedBy === undefined,
          `${id} begins with its creation, or a first load`,
        );
      else assertWithin(before, changes[at - 1]?.after);
    }
    const [last, state] = [changes.at(-1), stored.get(id)];
    assert.ok(last && state);
    assertState(last, state);
  }
}

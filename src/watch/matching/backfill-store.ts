// SQL of backfills: the listings that matched a search at a position in the log of changes.

import { isListingChange, type ListingChange } from '../../changes/change.ts';
import { readChanges } from '../../changes/change-store.ts';
import { findBatchesAfter } from '../../changes/load-store.ts';
import { type ChangeState, maskSummary, summarizeListing } from '../../listings/change-state.ts';
import { wholeRecord } from '../../listings/lean-record.ts';
import { listedAt } from '../../listings/listed-at.ts';
import type { StoredRecord } from '../../listings/stored-record.ts';
import type { Database, Sql, SqlFragment } from '../../postgres/client/database.ts';
import type { ResolvedQuery } from '../../search/query/plan.ts';
import { compilePredicate } from '../../search/query/predicate.ts';
import type { SavedSearch } from '../../search/query/saved-search.ts';
import { whereSql } from '../../search/sql/condition-sql.ts';
import { rowBefore } from './index/change-sides.ts';
import { findWords } from './words-store.ts';

/** A listing and what events show of it. */
export interface MatchedListing {
  readonly listingId: string;
  /** Null where the listing may not be shown. */
  readonly summary: object | null;
}

const PAGE = 1_000;
/** Milliseconds: a whole market is read. */
const TIMEOUT = 60_000;

/**
 * At most `limit` listings that matched the search when the log ended at this sequence: those that match now and have not
 * changed since, and those that matched before their first later change.
 */
export async function findMatchesAt(
  database: Database,
  search: SavedSearch,
  sequence: number,
  limit: number,
): Promise<MatchedListing[]> {
  // In this order: what changes between the two reads is found by the second.
  const unchanged = await findUnchanged(database, search, sequence, limit);
  const changed = await findChanged(database, search, sequence);
  const matches = new Map(unchanged.map((match) => [match.listingId, match]));
  for (const match of changed) matches.set(match.listingId, match);
  return [...matches.values()].slice(0, limit);
}

async function findUnchanged(
  database: Database,
  search: SavedSearch,
  sequence: number,
  limit: number,
): Promise<MatchedListing[]> {
  const found: MatchedListing[] = [];
  for (let last = ''; found.length < limit; ) {
    const size = Math.min(PAGE, limit - found.length);
    const rows = await database.read(
      (sql) => sql<SummaryRow[]>`
        select id, record, displayed, address_displayed as "addressDisplayed", time_zone as "timeZone" from listing_search
        cross join lateral (
          select record, address_displayed, time_zone, coalesce(first_sequence + change_ordinal, 0) as changed_at
          from listing left join change_batch as batch on batch.id = change_batch_id
          where listing.id = listing_search.id
        ) as stored
        where ${savedWhere(sql, search)} and id > ${last} and changed_at <= ${sequence}
        order by id limit ${size}`,
      { timeout: TIMEOUT },
    );
    found.push(...rows.map(({ id, ...row }) => ({ listingId: id, summary: summaryOf(row) })));
    if (rows.length < size) break;
    last = rows.at(-1)?.id ?? last;
  }
  return found;
}

function savedWhere(sql: Sql, search: SavedSearch): SqlFragment {
  const resolved: ResolvedQuery = {
    areas: [],
    areaNos: search.areaNos,
    words: new Map(Object.entries(search.words)),
  };
  // No condition of a saved search depends on the time.
  return whereSql(sql, { ...search, startedAt: 0 }, resolved);
}

interface SummaryRow {
  readonly id: string;
  readonly record: StoredRecord;
  readonly displayed: boolean;
  readonly addressDisplayed: boolean;
  readonly timeZone: string;
}

function summaryOf(row: Omit<SummaryRow, 'id'>): object | null {
  const { displayed, addressDisplayed, timeZone } = row;
  if (!displayed) return null;
  const record = wholeRecord(row.record);
  const summary = summarizeListing({ ...record, listedAt: listedAt(record, timeZone) });
  return addressDisplayed ? summary : maskSummary(summary);
}

/** Listings that changed later, and matched before the first of these changes. */
async function findChanged(
  database: Database,
  search: SavedSearch,
  sequence: number,
): Promise<MatchedListing[]> {
  const matches = compilePredicate(search);
  const seen = new Set<string>();
  const found: MatchedListing[] = [];
  for (let last = sequence; ; ) {
    const entries = await database.read((sql) => readChanges<ChangeState>(sql, last, PAGE), {
      planned: 'once',
    });
    const first = entries.filter((entry): entry is ListingChange<ChangeState> => {
      if (!isListingChange(entry) || seen.has(entry.listingId)) return false;
      seen.add(entry.listingId);
      return true;
    });
    const words = matches.needsWords ? await findWords(database, first) : null;
    const loads = first.flatMap(({ loadedBy }) => loadedBy ?? []);
    const later = await database.read((sql) => findBatchesAfter(sql, loads, sequence));
    for (const change of first) {
      // It was created by a first load since.
      if (later.has(change.loadedBy ?? 0)) continue;
      const row = rowBefore(change);
      const tokens = words?.get(change.sequence)?.before ?? undefined;
      if (row === null || !matches(row, tokens)) continue;
      const summary = row.displayed ? { ...change.after.listing, ...change.before?.listing } : null;
      found.push({ listingId: change.listingId, summary });
    }
    if (entries.length < PAGE) return found;
    last = entries.at(-1)?.sequence ?? last;
  }
}

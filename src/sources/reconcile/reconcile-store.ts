// SQL of reconciliation: keys of the listings that a source still has, and how comparisons with all keys ended.

import { fetchedAtSql } from '../../listings/provenance/confirmation-store.ts';
import type { Sql, Transaction } from '../../postgres/client/database.ts';
import type { ListedRecord } from '../source.ts';
import type { HouseListing } from './vanished.ts';

/** Keys after one, in their order, of listings that are not deleted; `isNewer`: read after `startedAt`, in milliseconds. */
export function findStoredKeys(
  sql: Sql,
  source: string,
  startedAt: number,
  after: string,
  limit: number,
): Promise<{ readonly key: string; readonly isNewer: boolean }[]> {
  return sql<{ key: string; isNewer: boolean }[]>`
    select listing_key as key, ${fetchedAtSql(sql)} > ${new Date(startedAt)}::timestamptz as "isNewer" from listing
    where source = ${source} and listing_key > ${after} and status <> 'DELETED'
    order by listing_key limit ${limit}`;
}

/**
 * The keys of listed records that are not stored, or were changed at the source since they were read, in their order. `late`:
 * milliseconds by which the source may publish a change late.
 */
export async function findOutdated(
  sql: Sql,
  source: string,
  records: readonly ListedRecord[],
  late: number,
): Promise<string[]> {
  const times = records.map(({ modifiedAt }) => (modifiedAt === null ? null : new Date(modifiedAt)));
  // The moment of the change stands in the record, which is opened only where the listing was read before it.
  const rows = await sql<{ key: string }[]>`
    select listed.key
    from unnest(${records.map(({ key }) => key)}::text[], ${times}::timestamptz[]) with ordinality as listed (key, modified_at, position)
    left join listing on listing.source = ${source} and listing_key = listed.key and status <> 'DELETED'
    where listing.id is null or case
      when ${fetchedAtSql(sql)} > listed.modified_at + ${late}::float8 * interval '1 millisecond' then false
      else (listing.record ->> 'upstreamModifiedAt')::timestamptz < listed.modified_at end
    order by position`;
  return rows.map(({ key }) => key);
}

/** The listings with open houses that are not over at this time. */
export async function findHouseListings(sql: Sql, source: string, now: Date): Promise<HouseListing[]> {
  return sql<HouseListing[]>`
    select listing_key as key, record -> 'openHouses' as "openHouses"
    from listing_search join listing using (id)
    where listing.source = ${source} and listing.status <> 'DELETED' and open_houses is not null
      and upper(open_houses) > ${now}::timestamptz
    order by listing_key`;
}

/** Those of these keys whose listings are deleted. */
export async function findDeletedKeys(sql: Sql, source: string, keys: readonly string[]): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select listing_key as key from listing
    where source = ${source} and listing_key = any(${[...keys]}::text[]) and status = 'DELETED'`;
  return rows.map(({ key }) => key);
}

/** How far a comparison came, or how it ended. */
export interface Comparison {
  readonly state: 'listing' | 'fetching' | 'ending' | 'done' | 'refused' | 'failed' | 'unsupported';
  /** RFC 3339. */
  readonly startedAt: string;
  /** RFC 3339; null: it is under way. */
  readonly endedAt: string | null;
  /** Keys of the list. */
  readonly listed: number;
  /** Records that the source counts; null where it does not say. */
  readonly counted: number | null;
  /** Stored listings, and those of them that the list does not name. */
  readonly stored: number;
  readonly missing: number;
  /** Listings that the list does not name, and that were read since it began. */
  readonly kept: number;
  readonly ended: number;
  /** Listings that were not stored, older than in the list, or have an open house that is gone: read again, and left to the next comparison. */
  readonly fetched: number;
  readonly left: number;
  /** Keys of the first that are missing. */
  readonly examples: readonly string[];
  /** Why nothing was ended, as a sentence; null: nothing spoke against it. */
  readonly refused: string | null;
  /** Name of a failure, and what it says of itself; null: it did not fail. */
  readonly failure: string | null;
  readonly detail: string | null;
}

export interface StoredComparison {
  /** The number of the last request that was answered. */
  readonly answered: number;
  /** When the next one is due by itself, RFC 3339. */
  readonly dueAt: string;
  /** The key after which it goes on to fetch listings; null: at the beginning. */
  readonly fetchAfter: string | null;
  readonly outcome: Comparison;
}

/** The last comparison of a source; null: there was none. */
export async function findComparison(sql: Sql, source: string): Promise<StoredComparison | null> {
  const [row] = await sql<StoredComparison[]>`
    select answered::float8 as answered, due_at as "dueAt", fetch_after as "fetchAfter", outcome
    from source_reconciliation where source = ${source}`;
  return row ?? null;
}

export async function writeComparison(
  tx: Transaction,
  source: string,
  { answered, dueAt, fetchAfter, outcome }: StoredComparison,
): Promise<void> {
  await tx`
    insert into source_reconciliation (source, answered, due_at, fetch_after, outcome)
    values (${source}, ${answered}, ${dueAt}, ${fetchAfter}, ${JSON.stringify(outcome)}::text::json)
    on conflict (source) do update set answered = excluded.answered, due_at = excluded.due_at,
      fetch_after = excluded.fetch_after, outcome = excluded.outcome`;
}

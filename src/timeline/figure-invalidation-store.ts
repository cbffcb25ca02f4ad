// SQL that invalidates cached market figures within the transaction that changes listings.

import type { Transaction } from '../postgres/client/database.ts';
import type { FigureChange } from './figure-changes.ts';

/**
 * Advisory lock: shared by transactions that have deleted cached figures and are not yet committed, exclusive for caching
 * figures. So no figures are cached that miss such a transaction's changes.
 */
export const FIGURE_CACHE_LOCK = 4_201_026;

/** More than the offset of any time zone, with a margin for events at the edge of a day. */
const MARGIN = '2 days';
/** Longer than any computation of figures. */
const CHANGE_RETENTION = '1 hour';

/**
 * Deletes the cached figures that change, once the transaction commits. Call it once per transaction, after all of its writes
 * to listings.
 */
export async function invalidateFigures(tx: Transaction, changes: readonly FigureChange[]): Promise<void> {
  if (changes.length === 0) return;
  const rows = JSON.stringify(
    changes.map(({ since, ...change }) => ({
      ...change,
      since: since === Number.NEGATIVE_INFINITY ? '-infinity' : new Date(since).toISOString(),
    })),
  );
  await tx`select pg_advisory_xact_lock_shared(${FIGURE_CACHE_LOCK})`;
  await tx`
    with change as (
      select * from json_to_recordset(${rows}::text::json) as row ("listingId" text, since timestamptz,
        "previousAreaNos" integer[], "previousType" text)),
    affected as (
      select listing_type as type, unnest(area_nos || 0) as no, since from change join listing on id = "listingId"
      union all select "previousType", unnest("previousAreaNos" || 0), since from change where "previousType" is not null),
    earliest as (
      select type, no, (min(since) - ${MARGIN}::interval)::date as since from affected group by type, no),
    stale as (
      -- In one order, so that two writers never wait for each other.
      select cached.ctid from market_figure_cache as cached
      join earliest on area_no = no and listing_type = type and end_date >= earliest.since
      order by area_no, listing_type, currency, time_zone, kind, end_date, start_date for update of cached),
    deleted as (delete from market_figure_cache where ctid in (select ctid from stale)),
    expired as (
      delete from market_figure_change where ctid in (
        select ctid from market_figure_change where changed_at < clock_timestamp() - ${CHANGE_RETENTION}::interval
        limit 100 for update skip locked))
    insert into market_figure_change (listing_type, area_nos, since)
    select type, array_agg(no), min(since) from earliest group by type`;
}

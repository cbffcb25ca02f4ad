// SQL of cached figures. Stores computed figures only if no write has changed their listings since.

import type { ListingType } from '../listings/vocabulary.ts';
import type { Database, Sql } from '../postgres/client/database.ts';
import type { Summary } from '../search/summaries/metric-sql.ts';
import type { MetricSet } from '../search/summaries/metrics.ts';
import { FIGURE_CACHE_LOCK } from '../timeline/figure-cache-store.ts';
import type { Day, Period } from './calendar.ts';

/** The key of cached figures. */
export interface CachedScope {
  /** 0: all areas. */
  readonly areaNo: number;
  readonly listingType: ListingType;
  /** Only listings in this currency; empty: all. */
  readonly currency: string;
  readonly timeZone: string;
  /** Periods that end after this day are not cached: they still change. */
  readonly until: Day;
}

/** The summaries of a set over a period; of the inventory, start and end are the day. */
export interface CachedSet extends Period {
  readonly kind: MetricSet;
  readonly total: number;
  readonly measures: Readonly<Record<string, Summary>>;
}

/** The cached sets of these kinds and periods. */
export async function findCachedSets(
  sql: Sql,
  scope: CachedScope,
  kinds: readonly MetricSet[],
  periods: readonly Period[],
): Promise<CachedSet[]> {
  return sql<CachedSet[]>`
    select kind, start_date as start, end_date as end, total, measures
    from market_figure_cache
    join unnest(${periods.map(({ start }) => start)}::text[]::date[], ${periods.map(({ end }) => end)}::text[]::date[])
      as period (first, past) on start_date = first and end_date = past
    where area_no = ${scope.areaNo} and listing_type = ${scope.listingType} and currency = ${scope.currency}
      and time_zone = ${scope.timeZone} and kind = any(${[...kinds]}::text[])`;
}

/**
 * Stores the sets that were computed in this snapshot, except those that a write has changed since. Stores nothing while a
 * write holds the lock.
 */
export async function cacheSets(
  database: Database,
  scope: CachedScope,
  snapshot: string,
  sets: readonly CachedSet[],
): Promise<void> {
  const { areaNo, listingType, currency, timeZone } = scope;
  await database.transaction(async (tx) => {
    const [lock] = await tx<
      { taken: boolean }[]
    >`select pg_try_advisory_xact_lock(${FIGURE_CACHE_LOCK}) as taken`;
    if (!lock?.taken) return;
    // A statement of its own: it sees what was committed before the lock was taken.
    await tx`
      with overtaken as (
        select min(since) as since from market_figure_change
        where listing_type = ${listingType} and area_nos @> array[${areaNo}::integer]
          and not pg_visible_in_snapshot(xid, ${snapshot}::pg_snapshot))
      insert into market_figure_cache (area_no, listing_type, currency, time_zone, kind, start_date, end_date, total, measures)
      select ${areaNo}, ${listingType}, ${currency}, ${timeZone}, kind, start, "end", total, measures
      from json_to_recordset(${JSON.stringify(sets)}::text::json) as row (kind text, start date, "end" date,
        total double precision, measures json), overtaken
      where overtaken.since is null or "end" < overtaken.since
      on conflict (area_no, listing_type, currency, time_zone, kind, end_date, start_date) do update
      set measures = (market_figure_cache.measures::jsonb || excluded.measures::jsonb)::json`;
  });
}

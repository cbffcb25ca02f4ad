// SQL of the distribution of one measure over the inventory.

import type { Sql, SqlFragment } from '../postgres/client/database.ts';
import type { Day } from './calendar.ts';
import type { MeasureName } from './parameters.ts';
import { type ListingScope, wallSql } from './store.ts';

/** A distribution, not rounded; areas in square feet. */
export interface DistributionRow {
  readonly n: number;
  readonly excluded: number;
  readonly min: number | null;
  readonly max: number | null;
  readonly percentiles: readonly number[] | null;
  /** Counts by bucket number from 1, without empty buckets. */
  readonly buckets: readonly { readonly bucket: number; readonly count: number }[];
}

/** The distribution over the inventory as a day begins. */
export async function selectDistribution(
  sql: Sql,
  listings: ListingScope,
  measure: MeasureName,
  day: Day,
  buckets: number,
): Promise<DistributionRow> {
  const [row] = await sql<DistributionRow[]>`
    with scope as (select id, living_area from listing_search where ${listings.where(sql)}),
    member as (
      select (${measureSql(sql, listings, measure, day)})::double precision as value
      from market_period join scope on id = listing_id
      where ended_at >= ${day}::timestamptz - interval '2 days' and ${wallSql(sql, listings, 'started_at')} < ${day}::timestamp
        and ${wallSql(sql, listings, 'ended_at')} >= ${day}::timestamp),
    edge as (select min(value) as min, max(value) as max from member),
    counted as (
      select case when min = max then 1
        else least(${buckets}, width_bucket(value, min, max, ${buckets})) end as bucket, count(*)::int as count
      from member, edge where value is not null group by 1)
    select count(value)::int as n, (count(*) - count(value))::int as excluded, min(value) as min, max(value) as max,
      percentile_cont(array[0.05, 0.25, 0.5, 0.75, 0.95]::double precision[]) within group (order by value)
        as percentiles,
      (select coalesce(json_agg(json_build_object('bucket', bucket, 'count', count) order by bucket), '[]')
        from counted) as buckets
    from member`;
  return row ?? { n: 0, excluded: 0, min: null, max: null, percentiles: null, buckets: [] };
}

function measureSql(sql: Sql, listings: ListingScope, measure: MeasureName, day: Day): SqlFragment {
  switch (measure) {
    case 'price':
      return sql`case when price > 0 then price end`;
    case 'pricePerArea':
      return sql`case when price > 0 and living_area > 0 then price / living_area end`;
    case 'livingArea':
      return sql`case when living_area > 0 then living_area end`;
    case 'daysOnMarket':
      return sql`greatest(0, floor(extract(epoch from ${day}::timestamp - ${wallSql(sql, listings, 'days_on_market_start')}) / 86400))`;
  }
}

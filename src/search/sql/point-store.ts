// SQL of homes on a map: each by itself where there are few, else in cells; with all that a view says of the results.

import type { Database } from '../../postgres/client/database.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import type { MapGrid, MapPoints } from '../query/search-backend.ts';
import { whereSql } from './condition-sql.ts';

export async function findPoints(
  database: Database,
  { plan, resolved }: ResolvedSearch,
  { bits, maxPoints, maxCells }: MapGrid,
): Promise<MapPoints> {
  const [columns, rows] = [2 ** bits.lng, 2 ** bits.lat];
  const [row] = await database.read(
    (sql) => sql<MapPoints[]>`
      with found as materialized (
        select id, location[0] as lng, location[1] as lat, status, price, close_price, bedrooms, price_direction, precision, listed_at,
          provider_id, ${plan.listingType === 'sale' ? sql`coalesce(case when status = 'CLOSED' then close_price end, price)` : sql`price`} as shown_price
        from listing_search where ${whereSql(sql, plan, resolved)}),
      counted as (select count(*)::double precision as total, count(lng)::double precision as located from found)
      select total, located,
        (select percentile_cont(0.5) within group (order by shown_price) from found where shown_price > 0) as "medianPrice",
        coalesce((select array_agg(distinct provider_id::text collate "C" order by provider_id::text collate "C") from found), '{}') as sources,
        coalesce(case when located <= ${maxPoints} then (
          select json_agg(json_build_object('id', id, 'lng', lng, 'lat', lat, 'status', status, 'price', price,
            'closePrice', close_price, 'bedrooms', bedrooms, 'isReduced', coalesce(price_direction = 'decrease', false),
            'isApproximate', coalesce(precision = 'approximate', false),
            'listedAt', (extract(epoch from listed_at) * 1000)::double precision) order by id)
          from found where lng is not null) end, '[]') as points,
        coalesce(case when located > ${maxPoints} then (
          select json_agg(cell) from (
            select least(floor((lng + 180) / 360 * ${columns}::double precision), ${columns - 1}::double precision) as "column",
              least(floor((lat + 90) / 180 * ${rows}::double precision), ${rows - 1}::double precision) as "row",
              avg(lat) as lat, avg(lng) as lng, count(*)::double precision as count,
              min(lng) as west, min(lat) as south, max(lng) as east, max(lat) as north,
              percentile_cont(0.5) within group (order by shown_price) as "medianPrice"
            from found where lng is not null group by 1, 2
            order by -count(*), 1, 2 limit ${maxCells}) as cell) end, '[]') as cells
      from counted`,
  );
  return row ?? { total: 0, located: 0, medianPrice: null, sources: [], points: [], cells: [] };
}

// SQL of map cells: results by geohash cell with their count and median price.

import { bitsOf } from '../../geometry/geohash.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import type { Cell, CellGrid } from '../query/search-backend.ts';
import { whereSql } from './condition-sql.ts';

/** Cells with results, the largest first; ties by column and row. */
export function findCells(
  database: Database,
  { plan, resolved }: ResolvedSearch,
  { letters, limit, after }: CellGrid,
): Promise<Cell[]> {
  const bits = bitsOf(letters);
  const [columns, rows] = [2 ** bits.lng, 2 ** bits.lat];
  const [count = 0, column = 0, row = 0] = after ?? [];
  return database.read(
    (sql) => sql<Cell[]>`
      select * from (
        select least(floor((location[0] + 180) / 360 * ${columns}::double precision), ${columns - 1}::double precision) as "column",
          least(floor((location[1] + 90) / 180 * ${rows}::double precision), ${rows - 1}::double precision) as "row",
          avg(location[1]) as lat, avg(location[0]) as lng, count(*)::double precision as count,
          min(location[0]) as west, min(location[1]) as south, max(location[0]) as east, max(location[1]) as north,
          percentile_cont(0.5) within group (order by price) as "medianPrice"
        from listing_search where ${whereSql(sql, plan, resolved)} and location is not null
        group by 1, 2) as cell
      ${
        after === undefined
          ? sql``
          : sql`where (-count, "column", "row") > (${-count}::double precision,
              ${column}::double precision, ${row}::double precision)`
      }
      order by -count, "column", "row" limit ${limit}`,
  );
}

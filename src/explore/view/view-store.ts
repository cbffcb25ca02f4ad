// SQL of the areas and sources that a view names.

import type { Reach } from '../../access/tiers/reach.ts';
import { openNumberSql } from '../../licence/open-sql.ts';
import type { MapBox } from '../../page/map/mercator.ts';
import type { Database } from '../../postgres/client/database.ts';

/** The box around areas; null: around all. Null where none of them has a boundary. */
export async function findAreaBox(database: Database, ids: readonly string[] | null): Promise<MapBox | null> {
  if (ids?.length === 0) return null;
  const [row] = await database.read(
    (sql) => sql<{ box: [number, number, number, number] | null }[]>`
      select case when count(*) > 0 then array[min(bbox[1]), min(bbox[2]), max(bbox[3]), max(bbox[4])] end as box from area
      where bbox is not null ${ids === null ? sql`` : sql`and id = any(${[...ids]}::text[])`}`,
  );
  return row?.box ?? null;
}

export interface AreaCounts {
  readonly sale: number;
  readonly rental: number;
}

/** Homes on the market in areas, by their ids. */
export async function findAreaCounts(
  database: Database,
  ids: readonly string[],
  reach: Reach,
): Promise<ReadonlyMap<string, AreaCounts>> {
  const rows = await database.read(
    (sql) => sql<(AreaCounts & { readonly id: string })[]>`
      select id, coalesce(sum(active) filter (where listing_type = 'sale'), 0)::integer as sale,
        coalesce(sum(active) filter (where listing_type = 'rental'), 0)::integer as rental
      from area join area_count on area_no = no
      where id = any(${[...ids]}::text[]) and ${openNumberSql(sql, reach)} group by id`,
  );
  return new Map(rows.map(({ id, sale, rental }) => [id, { sale, rental }]));
}

// SQL that finds the areas of a map: without their boundaries, which are read in batches.

import type { Box } from '../../geometry/geometry.ts';
import type { AreaType } from '../../listings/vocabulary.ts';
import type { Sql } from '../../postgres/client/database.ts';
import { joinSql } from '../../postgres/client/sql.ts';

export interface MappedArea {
  readonly no: number;
  readonly id: string;
  readonly name: string;
  readonly type: AreaType;
  readonly parentId: string | null;
}

export interface MapQuery {
  readonly boxes: readonly Box[];
  readonly types: readonly AreaType[];
  /** The type whose areas are found whatever their size, so that the land has no holes; null: none. */
  readonly coarsest: AreaType | null;
  /** Degrees that an area is wide or high, at least. */
  readonly minDegrees: number;
  /** Areas that are found whatever their type and size. */
  readonly ids: readonly string[];
  readonly limit: number;
}

/** The areas with a boundary in the boxes, the largest first. */
export async function findMappedAreas(sql: Sql, query: MapQuery): Promise<MappedArea[]> {
  const { boxes, types, coarsest, minDegrees, ids, limit } = query;
  // Areas across the antimeridian are stored with an eastern edge past 180.
  const turned = boxes.flatMap(([west, south, east, north]) => [
    [west, south, east, north] as const,
    [west + 360, south, east + 360, north] as const,
  ]);
  return sql<MappedArea[]>`
    select no, id, name, type, parent_id as "parentId" from area
    where boundary is not null and (false ${joinSql(
      turned.map(
        ([west, south, east, north]) => sql`or box(point(bbox[1], bbox[2]), point(bbox[3], bbox[4])) &&
          box(point(${west}::float8, ${south}::float8), point(${east}::float8, ${north}::float8))`,
      ),
    )})
      and (id = any(${[...ids]}::text[]) or type = any(${[...types]}::text[])
        and (type = ${coarsest}::text or greatest(bbox[3] - bbox[1], bbox[4] - bbox[2]) >= ${minDegrees}::float8))
    order by id = any(${[...ids]}::text[]) desc, greatest(bbox[3] - bbox[1], bbox[4] - bbox[2]) desc, no
    limit ${limit}`;
}

export interface MapExtent {
  /** Around all boundaries; null where there are none. */
  readonly box: Box | null;
  readonly isSample: boolean;
  /** Types of areas with a boundary. */
  readonly types: readonly AreaType[];
}

/** How far the areas reach, and whether all of them are the sample market's. */
export async function findMapExtent(sql: Sql): Promise<MapExtent> {
  const [row] = await sql<{ box: number[] | null; isSample: boolean | null; types: AreaType[] | null }[]>`
    select case when count(*) > 0 then array[min(bbox[1]), min(bbox[2]), max(bbox[3]), max(bbox[4])] end as box,
      bool_and(source = 'sample') as "isSample", array_agg(distinct type) as types
    from area where boundary is not null`;
  const [west, south, east, north] = row?.box ?? [];
  const box: Box | null =
    west === undefined || south === undefined || east === undefined || north === undefined
      ? null
      : [west, south, Math.min(east, west + 360), north];
  return { box, isSample: row?.isSample ?? false, types: row?.types ?? [] };
}

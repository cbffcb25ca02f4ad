// Clusters for maps: cells by zoom with their count and median price, page by page.

import { type Static, Type } from 'typebox';
import { bitsOf, geohashOf, lettersAt } from '../../geometry/geohash.ts';
import { queryDigest, readCursor, writeCursor } from '../../http/input/cursor.ts';
import { invalidParameter } from '../../lib/problem.ts';
import { roundTo } from '../../lib/round.ts';
import { nullable } from '../../listings/record.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { SearchQuery } from '../query/parameters.ts';
import type { ResolvedQuery, SearchPlan } from '../query/plan.ts';
import { whereSql } from '../sql/condition-sql.ts';

export const ClusterSchema = Type.Object({
  geohash: Type.String(),
  lat: Type.Number({ description: 'The centre of its listings.' }),
  lng: Type.Number(),
  count: Type.Integer(),
  medianPrice: nullable(
    Type.Number({ description: 'In `currency`, over listings with a price; rents per month.' }),
  ),
  currency: nullable(
    Type.String({ description: 'Currency of medianPrice (ISO 4217); null if no price is known.' }),
  ),
});
export type Cluster = Static<typeof ClusterSchema>;

export interface ClusterPage {
  readonly clusters: readonly Cluster[];
  readonly page: {
    readonly limit: number;
    readonly hasMore: boolean;
    readonly nextCursor: string | null;
    readonly prevCursor: null;
  };
}

/** The query without its cursor where it asks for clusters, whose cursors are of another kind than those of listings. */
export function withoutClusterCursor(query: SearchQuery): SearchQuery {
  if (query.cluster !== true) {
    if (query.zoom !== undefined) throw invalidParameter('zoom', 'needs cluster=true');
    return query;
  }
  if (query.zoom === undefined) throw invalidParameter('zoom', 'is missing: cluster needs zoom and bbox');
  if (query.bbox === undefined) throw invalidParameter('bbox', 'is missing: cluster needs zoom and bbox');
  for (const name of ['sort', 'fields', 'include'] as const)
    if (query[name] !== undefined) throw invalidParameter(name, 'cannot be combined with cluster=true');
  const { cursor: _, ...rest } = query;
  return rest;
}

/** The clusters of all results of the plan. Throws INVALID_CURSOR. */
export async function computeClusters(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  { zoom = 0, cursor: cursorText }: SearchQuery,
): Promise<ClusterPage> {
  const letters = lettersAt(zoom);
  const bits = bitsOf(letters);
  const query = queryDigest([plan.digest, 'cluster', zoom]);
  const cursor =
    cursorText === undefined ? null : readCursor(cursorText, query, ['number', 'number', 'number']);
  const [count = 0, column = 0, row = 0] = cursor?.values.map(Number) ?? [];
  const cells = await findClusters(
    ...([database, plan, resolved] as const),
    { columns: 2 ** bits.lng, rows: 2 ** bits.lat },
    plan.limit + 1,
    cursor && [count, column, row],
  );
  const pageCells = cells.slice(0, plan.limit);
  const last = pageCells.at(-1);
  const hasMore = cells.length > plan.limit;
  const startedAt = cursor?.startedAt ?? plan.startedAt;
  const nextCursor =
    hasMore && last
      ? writeCursor({
          ...{ query, direction: 'next', startedAt, id: '', currency: plan.currency },
          values: [last.count, last.column, last.row],
        })
      : null;
  return {
    clusters: pageCells.map((cell) => ({
      geohash: geohashOf(cell.column, cell.row, letters),
      lat: degrees(cell.lat),
      lng: degrees(cell.lng),
      count: cell.count,
      medianPrice: cell.medianPrice === null ? null : roundTo(cell.medianPrice, 2),
      currency: plan.currency,
    })),
    page: { limit: plan.limit, hasMore, nextCursor, prevCursor: null },
  };
}

/** To about a tenth of a metre. */
const degrees = (value: number): number => Math.round(value * 1e6) / 1e6;

export interface ClusterRow {
  readonly column: number;
  readonly row: number;
  readonly lat: number;
  readonly lng: number;
  readonly count: number;
  readonly medianPrice: number | null;
}

/** Cells of a grid: columns and rows in powers of two. */
export interface Grid {
  readonly columns: number;
  readonly rows: number;
}

/** The largest clusters first, cells of the same count by column and row; those after `after`, where it is given. */
export function findClusters(
  database: Database,
  plan: SearchPlan,
  resolved: ResolvedQuery,
  { columns, rows }: Grid,
  limit: number,
  after: readonly [count: number, column: number, row: number] | null,
): Promise<ClusterRow[]> {
  return database.read(
    (sql) => sql<ClusterRow[]>`
      select * from (
        select least(floor((location[0] + 180) / 360 * ${columns}::double precision), ${columns - 1}::double precision) as "column",
          least(floor((location[1] + 90) / 180 * ${rows}::double precision), ${rows - 1}::double precision) as "row",
          avg(location[1]) as lat, avg(location[0]) as lng, count(*)::double precision as count,
          percentile_cont(0.5) within group (order by price) as "medianPrice"
        from listing_search where ${whereSql(sql, plan, resolved)} and location is not null
        group by 1, 2) as cluster
      ${
        after === null
          ? sql``
          : sql`where (-count, "column", "row") > (${-after[0]}::double precision,
              ${after[1]}::double precision, ${after[2]}::double precision)`
      }
      order by -count, "column", "row" limit ${limit}`,
  );
}

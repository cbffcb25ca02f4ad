// Clusters for maps: cells by zoom with their count and median price, page by page.

import { type Static, Type } from 'typebox';
import { bitsOf, geohashOf, lettersAt } from '../../geometry/geohash.ts';
import { queryDigest, readCursor, writeCursor } from '../../http/input/cursor.ts';
import { invalidParameter } from '../../lib/problem.ts';
import { roundTo } from '../../lib/round.ts';
import { nullable } from '../../listings/record.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { SearchQuery } from '../query/parameters.ts';
import type { ResolvedSearch } from '../query/plan.ts';
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

/** The query without the cursor of clusters, which is of another kind than those of listings. Throws INVALID_PARAMETER. */
export function withoutClusterCursor(query: SearchQuery): SearchQuery {
  if (query.cluster !== true) {
    if (query.zoom !== undefined) throw invalidParameter('zoom', 'needs cluster=true');
    return query;
  }
  for (const name of ['zoom', 'bbox'] as const)
    if (query[name] === undefined) throw invalidParameter(name, 'is missing: cluster needs zoom and bbox');
  for (const name of ['sort', 'fields', 'include'] as const)
    if (query[name] !== undefined) throw invalidParameter(name, 'cannot be combined with cluster=true');
  const { cursor: _, ...rest } = query;
  return rest;
}

/** One page of clusters of all results. Throws INVALID_CURSOR. */
export async function computeClusters(
  database: Database,
  search: ResolvedSearch,
  { zoom = 0, cursor: cursorText }: SearchQuery,
): Promise<ClusterPage> {
  const { plan } = search;
  const letters = lettersAt(zoom);
  const query = queryDigest([plan.digest, 'cluster', zoom]);
  const cursor =
    cursorText === undefined ? null : readCursor(cursorText, query, ['number', 'number', 'number']);
  const cells = await findCells(database, search, letters, cursor?.values.map(Number));
  const clusters = cells.slice(0, plan.limit);
  const last = clusters.at(-1);
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
    clusters: clusters.map((cell) => ({
      geohash: geohashOf(cell.column, cell.row, letters),
      // To about a tenth of a metre.
      lat: roundTo(cell.lat, 6),
      lng: roundTo(cell.lng, 6),
      count: cell.count,
      medianPrice: cell.medianPrice === null ? null : roundTo(cell.medianPrice, 2),
      currency: plan.currency,
    })),
    page: { limit: plan.limit, hasMore, nextCursor, prevCursor: null },
  };
}

interface CellRow {
  readonly column: number;
  readonly row: number;
  readonly lat: number;
  readonly lng: number;
  readonly count: number;
  readonly medianPrice: number | null;
}

/** Geohash cells with results, the largest first; ties by column and row. `after`: count, column and row of the last one read. */
function findCells(
  database: Database,
  { plan, resolved }: ResolvedSearch,
  letters: number,
  after: readonly number[] | undefined,
): Promise<CellRow[]> {
  const bits = bitsOf(letters);
  const [columns, rows] = [2 ** bits.lng, 2 ** bits.lat];
  const [count = 0, column = 0, row = 0] = after ?? [];
  return database.read(
    (sql) => sql<CellRow[]>`
      select * from (
        select least(floor((location[0] + 180) / 360 * ${columns}::double precision), ${columns - 1}::double precision) as "column",
          least(floor((location[1] + 90) / 180 * ${rows}::double precision), ${rows - 1}::double precision) as "row",
          avg(location[1]) as lat, avg(location[0]) as lng, count(*)::double precision as count,
          percentile_cont(0.5) within group (order by price) as "medianPrice"
        from listing_search where ${whereSql(sql, plan, resolved)} and location is not null
        group by 1, 2) as cluster
      ${
        after === undefined
          ? sql``
          : sql`where (-count, "column", "row") > (${-count}::double precision,
              ${column}::double precision, ${row}::double precision)`
      }
      order by -count, "column", "row" limit ${plan.limit + 1}`,
  );
}

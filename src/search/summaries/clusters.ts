// Clusters for maps: cells by zoom with their count and median price, page by page.

import { type Static, Type } from 'typebox';
import { geohashOf, lettersAt } from '../../geometry/geohash.ts';
import { queryDigest, readCursor, writeCursor } from '../../http/input/cursor.ts';
import { invalidParameter } from '../../lib/problem.ts';
import { roundTo } from '../../lib/round.ts';
import { nullable } from '../../listings/record.ts';
import type { SearchQuery } from '../query/parameters.ts';
import type { ResolvedSearch } from '../query/plan.ts';
import type { SearchBackend } from '../query/search-backend.ts';

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
  backend: Pick<SearchBackend, 'cells'>,
  search: ResolvedSearch,
  { zoom = 0, cursor: cursorText }: SearchQuery,
): Promise<ClusterPage> {
  const { plan } = search;
  const letters = lettersAt(zoom);
  const query = queryDigest([plan.digest, 'cluster', zoom]);
  const cursor =
    cursorText === undefined ? null : readCursor(cursorText, query, ['number', 'number', 'number']);
  const after = cursor?.values.map(Number);
  const cells = await backend.cells(search, { letters, limit: plan.limit + 1, after });
  const clusters = cells.slice(0, plan.limit);
  const last = clusters.at(-1);
  const hasMore = cells.length > plan.limit;
  const startedAt = cursor?.startedAt ?? plan.startedAt;
  const nextCursor =
    hasMore && last
      ? writeCursor({
          query,
          direction: 'next',
          startedAt,
          id: '',
          currency: plan.currency,
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

// Rows of the benchmark's market as peers keep them.

import { lowerBound } from '../../../src/lib/lower-bound.ts';
import { idOf } from '../../../src/search/engine/columns/ids.ts';
import type { Columns, Segment } from '../../../src/search/engine/columns/segment.ts';
import { flagBits } from '../../../src/search/engine/questions/number-filters.ts';
import { PRICE_BUCKET_EDGES } from '../../../src/search/query/price-buckets.ts';
import type { Market } from '../rows.ts';
import type { PeerRow } from './peer.ts';

const DISPLAYED = flagBits('displayed', true);

/** The rows of the market, in the order in which the engine has them. */
export function* rowsOf({ generation: { tables } }: Market): Generator<PeerRow> {
  yield* rowsOfSegment(tables.sale.base, 0);
  yield* rowsOfSegment(tables.rental.base, 1);
}

function* rowsOfSegment(segment: Segment, kind: number): Generator<PeerRow> {
  const number = (column: keyof Columns['numbers'], row: number): number =>
    segment.numbers[column]?.[row] ?? 0;
  for (let row = 0; row < segment.rows; row++) {
    const cost = number('price', row);
    yield {
      id: idOf(segment, row),
      kind,
      status: segment.codes.status?.[row] ?? 0,
      displayed: Number(((segment.flags[row] ?? 0) & DISPLAYED.mask) === DISPLAYED.bits),
      lng: number('lng', row),
      lat: number('lat', row),
      price: cost,
      bedrooms: number('bedrooms', row),
      type: segment.codes.propertyType?.[row] ?? 0,
      city: segment.codes.city?.[row] ?? 0,
      listed: number('listedAt', row),
      bucket: lowerBound(PRICE_BUCKET_EDGES.length, (at) => (PRICE_BUCKET_EDGES[at] ?? 0) <= cost),
    };
  }
}

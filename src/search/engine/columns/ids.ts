// Ids of rows: read from the bytes of a column, compared by bytes as PostgreSQL's collation "C" does, and looked up.

import { lowerBound } from '../../../lib/lower-bound.ts';
import type { Columns, Segment, Texts } from './segment.ts';

/** The bytes of the id of a row, where they are. */
export const bytesOfId = ({ texts: { id } }: Columns, row: number): Uint8Array =>
  id.bytes.subarray(id.offsets[row], id.offsets[row + 1]);

/** The id of a row. */
export const idOf = ({ texts: { id } }: Columns, row: number): string => textAt(id, row);

/** The text of a row. */
export function textAt({ offsets, bytes }: Texts, row: number): string {
  const from = offsets[row] as number;
  // A view that decodes shared memory where it is, as TextDecoder does not.
  return Buffer.from(bytes.buffer, bytes.byteOffset + from, (offsets[row + 1] as number) - from).toString();
}

/** Below 0 if the id of the row comes before the other, above 0 if behind it. */
export function compareId({ texts: { id } }: Columns, row: number, other: Uint8Array): number {
  const { offsets, bytes } = id;
  const from = offsets[row] as number;
  const length = (offsets[row + 1] as number) - from;
  const common = Math.min(length, other.length);
  for (let at = 0; at < common; at++) {
    const difference = (bytes[from + at] as number) - (other[at] as number);
    if (difference !== 0) return difference;
  }
  return length - other.length;
}

/** From the pool of buffers: memory of its own for each id would be a collection of garbage for each few thousand changes. */
export const idBytes = (id: string): Uint8Array => Buffer.from(id);

/** How many rows of a segment have a smaller id, and whether the next one has this id. */
export function rankOfId(segment: Segment, id: string): { readonly rank: number; readonly isFound: boolean } {
  const bytes = idBytes(id);
  const compare = (rank: number): number => compareId(segment, segment.byId[rank] as number, bytes);
  const rank = lowerBound(segment.rows, (place) => compare(place) < 0);
  return { rank, isFound: rank < segment.rows && compare(rank) === 0 };
}

/** The row of a segment with this id; null: there is none. */
export function findRowById(segment: Segment, id: string): number | null {
  const { rank, isFound } = rankOfId(segment, id);
  return isFound ? (segment.byId[rank] as number) : null;
}

// Building of segments: from rows alone when they are loaded, and from a former segment and its tail later.

import { areaRowsOf } from '../columns/area-rows.ts';
import { NUMBER_COLUMNS, ORDER_COLUMNS } from '../columns/columns.ts';
import { GrowingColumns } from '../columns/growing-columns.ts';
import type { Columns, Order, Segment, Zones } from '../columns/segment.ts';
import { sharedArray } from '../columns/shared-arrays.ts';
import { NO_WORDS, type WordIndex } from '../columns/word-index.ts';
import { gatherColumns } from './gather-columns.ts';
import { MergedRows } from './merged-rows.ts';
import { zonesOf } from './zones.ts';

/** What rows are merged with that come alone. */
function noBase(): Segment {
  const none = sharedArray(Uint32Array, 0);
  return {
    ...new GrowingColumns().columns(),
    shown: 0,
    zones: {},
    orders: {},
    byId: none,
    idRanks: none,
    areas: { nos: none, offsets: none, rows: none },
    words: NO_WORDS,
  };
}

/** The word index of a new segment; `source`: by new row that of the base, or, from its number of rows on, that of the tail. */
export type IndexWords = (source: Uint32Array, base: Segment) => WordIndex;

/**
 * A segment of all rows that are not removed; `base` null: of those of the tail alone. No two of these rows may have one id. Takes
 * as much memory again as the segment that it returns.
 */
export function mergeSegment(
  base: Segment | null,
  baseRemoved: Uint32Array,
  tail: Columns,
  tailRemoved: Uint32Array,
  indexWords: IndexWords = () => NO_WORDS,
): Segment {
  const merged = new MergedRows(base ?? noBase(), baseRemoved, tail, tailRemoved);
  const columns = gatherColumns(merged);
  const zones: Partial<Record<string, Zones>> = {};
  for (const column of NUMBER_COLUMNS) {
    const values = columns.numbers[column];
    if (values !== undefined) zones[column] = zonesOf(values, columns.rows);
  }
  const orders: Partial<Record<string, Order>> = {};
  for (const column of ORDER_COLUMNS)
    if (columns.numbers[column] !== undefined) orders[column] = merged.order(column);
  const byId = merged.byId();
  const idRanks = sharedArray(Uint32Array, byId.length);
  for (let rank = 0; rank < byId.length; rank++) idRanks[byId[rank] ?? 0] = rank;
  const areas = areaRowsOf(columns.areaNos, columns.rows);
  const words = indexWords(merged.source, merged.base);
  return { ...columns, shown: merged.shown, zones, areas, orders, byId, idRanks, words };
}

// Filter over areas: listings in any of some areas, of which a segment has the rows as lists.

import type { Steps } from '../../../lib/scheduler.ts';
import { rowsOfArea } from '../columns/area-rows.ts';
import type { AreaRows, Columns } from '../columns/segment.ts';
import { type Filter, NOTHING } from './scan.ts';
import { membersFilter } from './word-filters.ts';

/** Rows of one step. */
const STEP = 65_536;

/** Listings in one of the areas. `rows`: those of a segment; null: each row is looked at. */
export function areasFilter(nos: readonly number[], columns: Columns, rows: Uint32Array | null): Filter {
  if (nos.length === 0) return NOTHING;
  const members = membersFilter(columns.areaNos, nos);
  return rows === null ? members : { ...members, candidates: rows };
}

/** The rows of any of the areas, ascending. In steps: each of fifty areas may hold all rows. */
export function* rowsOfAreas(areas: AreaRows, nos: readonly number[]): Steps<Uint32Array> {
  const lists = [...new Set(nos)].map((no) => rowsOfArea(areas, no)).filter(({ length }) => length > 0);
  const [only] = lists;
  if (only === undefined) return new Uint32Array(0);
  if (lists.length === 1) return only;
  const first = Math.min(...lists.map((list) => list[0] ?? 0));
  const last = Math.max(...lists.map((list) => list.at(-1) ?? 0));
  // By marks, which is faster than sorting by far where areas are large.
  const isFound = new Uint8Array(last - first + 1);
  let count = 0;
  for (const list of lists)
    for (let from = 0; from < list.length; from += STEP) {
      const end = Math.min(from + STEP, list.length);
      for (let at = from; at < end; at++) {
        const place = (list[at] as number) - first;
        count += 1 - (isFound[place] as number);
        isFound[place] = 1;
      }
      yield;
    }
  const rows = new Uint32Array(count);
  let kept = 0;
  for (let from = 0; from < isFound.length; from += STEP) {
    const end = Math.min(from + STEP, isFound.length);
    for (let place = from; place < end; place++) if (isFound[place] === 1) rows[kept++] = first + place;
    yield;
  }
  return rows;
}

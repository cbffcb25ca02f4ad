// Rows of each area, from the areas of each row.

import { lowerBound } from '../../../lib/lower-bound.ts';
import type { AreaRows, Lists } from './segment.ts';
import { sharedArray, sharedCopy } from './shared-arrays.ts';

export function areaRowsOf({ offsets, values }: Lists, rows: number): AreaRows {
  const end = offsets[rows] ?? 0;
  const counts = new AreaCounts();
  for (let at = 0; at < end; at++) counts.increment(values[at] ?? 0);
  const { nos, starts } = counts.toStarts();
  const areaRows = sharedArray(Uint32Array, end);
  for (let row = 0; row < rows; row++) {
    const next = offsets[row + 1] ?? 0;
    for (let at = offsets[row] ?? 0; at < next; at++) areaRows[counts.increment(values[at] ?? 0)] = row;
  }
  return { nos, offsets: starts, rows: areaRows };
}

const PAGE_BITS = 12;
const PAGE_SIZE = 2 ** PAGE_BITS;

/** A count for each area, in pages: most areas have numbers close to each other, and some may have high ones. */
class AreaCounts {
  readonly #pages: Uint32Array[] = [];

  /** Adds 1; returns what it was. */
  increment(no: number): number {
    this.#pages[no >>> PAGE_BITS] ??= new Uint32Array(PAGE_SIZE);
    const page = this.#pages[no >>> PAGE_BITS] ?? NO_PAGE;
    const count = page[no % PAGE_SIZE] ?? 0;
    page[no % PAGE_SIZE] = count + 1;
    return count;
  }

  /** Makes each count the sum of those before it. Returns the areas that were counted, and these sums with that of all. */
  toStarts(): { readonly nos: Uint32Array; readonly starts: Uint32Array } {
    const [nos, starts]: [number[], number[]] = [[], []];
    let start = 0;
    this.#pages.forEach((page, number) => {
      for (const [at, count] of page.entries()) {
        if (count === 0) continue;
        nos.push(number * PAGE_SIZE + at);
        starts.push(start);
        page[at] = start;
        start += count;
      }
    });
    return { nos: sharedCopy(Uint32Array, nos), starts: sharedCopy(Uint32Array, [...starts, start]) };
  }
}

const NO_PAGE = new Uint32Array(PAGE_SIZE);

/** The rows of an area, ascending. */
export function rowsOfArea({ nos, offsets, rows }: AreaRows, no: number): Uint32Array {
  const place = lowerBound(nos.length, (at) => (nos[at] as number) < no);
  return nos[place] === no ? rows.subarray(offsets[place], offsets[place + 1]) : new Uint32Array(0);
}

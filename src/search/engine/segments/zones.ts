// Zones of a column: the lowest and highest value of each block of rows.

import { BLOCK_ROWS, type NumberArray, type Zones } from '../columns/segment.ts';
import { sharedArray } from '../columns/shared-arrays.ts';

export function zonesOf(values: NumberArray, rows: number): Zones {
  const blocks = Math.ceil(rows / BLOCK_ROWS);
  const [min, max] = [sharedArray(Float64Array, blocks), sharedArray(Float64Array, blocks)];
  for (let block = 0; block < blocks; block++) {
    const end = Math.min(rows, (block + 1) * BLOCK_ROWS);
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let row = block * BLOCK_ROWS; row < end; row++) {
      const value = values[row] ?? 0;
      // Comparisons with NaN are false.
      if (value <= low) low = value;
      if (value >= high) high = value;
    }
    const isKnown = low <= high;
    min[block] = isKnown ? low : Number.NaN;
    max[block] = isKnown ? high : Number.NaN;
  }
  return { min, max };
}

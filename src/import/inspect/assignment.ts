// Assignment of rows to columns of a matrix of scores with the greatest sum, each used at most once (Kuhn and Munkres).

/** For each row the column that it gets, or null where every column left scores 0. */
export function assign(scores: readonly (readonly number[])[]): (number | null)[] {
  const width = Math.max(0, ...scores.map((row) => row.length));
  if (width === 0) return scores.map(() => null);
  // A column of its own for each row, which scores 0: a row may go without.
  const columns = width + scores.length;
  const cost = (row: number, column: number): number => -(scores[row]?.[column] ?? 0);
  const rowPotential = new Float64Array(scores.length + 1);
  const columnPotential = new Float64Array(columns + 1);
  /** The row of each column, counted from 1; 0 for none. */
  const rowOf = new Int32Array(columns + 1);
  const previous = new Int32Array(columns + 1);
  for (let row = 1; row <= scores.length; row++) {
    rowOf[0] = row;
    const slack = new Float64Array(columns + 1).fill(Number.POSITIVE_INFINITY);
    const isUsed = new Uint8Array(columns + 1);
    let at = 0;
    do {
      isUsed[at] = 1;
      const from = rowOf[at] ?? 0;
      let [delta, next] = [Number.POSITIVE_INFINITY, 0];
      for (let column = 1; column <= columns; column++) {
        if (isUsed[column]) continue;
        const reduced =
          cost(from - 1, column - 1) - (rowPotential[from] ?? 0) - (columnPotential[column] ?? 0);
        if (reduced < (slack[column] ?? 0)) {
          slack[column] = reduced;
          previous[column] = at;
        }
        if ((slack[column] ?? 0) < delta) [delta, next] = [slack[column] ?? 0, column];
      }
      for (let column = 0; column <= columns; column++) {
        if (isUsed[column]) {
          const own = rowOf[column] ?? 0;
          rowPotential[own] = (rowPotential[own] ?? 0) + delta;
          columnPotential[column] = (columnPotential[column] ?? 0) - delta;
        } else slack[column] = (slack[column] ?? 0) - delta;
      }
      at = next;
    } while (rowOf[at] !== 0);
    while (at !== 0) {
      const before = previous[at] ?? 0;
      rowOf[at] = rowOf[before] ?? 0;
      at = before;
    }
  }
  const result: (number | null)[] = scores.map(() => null);
  for (let column = 1; column <= width; column++) {
    const row = (rowOf[column] ?? 0) - 1;
    if (row >= 0 && (scores[row]?.[column - 1] ?? 0) > 0) result[row] = column - 1;
  }
  return result;
}

// Honeycomb under the map: every area is a union of its cells, so areas share their borders exactly.

/** Distance between the centres of two neighbouring cells, km. */
export const SPACING = 0.24;
/** Distance between two rows, km. */
const ROW = (SPACING * Math.sqrt(3)) / 2;
const WEST = -39;
const SOUTH = -34;
export const COLUMNS = Math.ceil(80 / SPACING);
export const ROWS = Math.ceil(68 / ROW);

/** All cells of the sheet, numbered row by row, and which of them are land. */
export interface Mesh {
  readonly size: number;
  /** 1 for land, 0 for water or outside the metro. */
  readonly land: Uint8Array;
  /** The numbers of the land cells. */
  readonly landCells: readonly number[];
}

/** A label per cell; -1 where the layer has nothing. */
export type Layer = Int16Array;

export function meshOf(land: Uint8Array): Mesh {
  const landCells: number[] = [];
  land.forEach((isLand, cell) => {
    if (isLand === 1) landCells.push(cell);
  });
  return { size: land.length, land, landCells };
}

/** East of the centre, km. */
export function cellX(cell: number): number {
  const row = (cell / COLUMNS) | 0;
  return WEST + (cell - row * COLUMNS + (row & 1) / 2) * SPACING;
}

/** North of the centre, km. */
export function cellY(cell: number): number {
  return SOUTH + ((cell / COLUMNS) | 0) * ROW;
}

/** The cell whose centre is nearest. */
export function cellAt(x: number, y: number): number {
  const row = Math.round((y - SOUTH) / ROW);
  let best = -1;
  let distance = Number.POSITIVE_INFINITY;
  for (let r = row - 1; r <= row + 1; r += 1) {
    const column = Math.round((x - WEST) / SPACING - (r % 2) / 2);
    const cell = r * COLUMNS + column;
    if (cell < 0) continue;
    const d = (cellX(cell) - x) ** 2 + (cellY(cell) - y) ** 2;
    if (d < distance) {
      distance = d;
      best = cell;
    }
  }
  return best;
}

/** Sides counter-clockwise: 0 east, 1 north-east, 2 north-west, 3 west, 4 south-west, 5 south-east. */
export function neighbour(cell: number, side: number): number {
  const odd = ((cell / COLUMNS) | 0) & 1;
  switch (side) {
    case 0:
      return cell + 1;
    case 1:
      return cell + COLUMNS + odd;
    case 2:
      return cell + COLUMNS - 1 + odd;
    case 3:
      return cell - 1;
    case 4:
      return cell - COLUMNS - 1 + odd;
    default:
      return cell - COLUMNS + odd;
  }
}

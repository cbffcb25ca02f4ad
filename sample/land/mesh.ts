// Honeycomb under the map: every area is a union of its cells, so areas share their borders exactly.
import { isLand } from './shore.ts';

/** Distance between the centres of two neighbouring cells, km. */
export const SPACING = 0.24;
const ROW = (SPACING * Math.sqrt(3)) / 2;
const CORNER = SPACING / Math.sqrt(3);
const WEST = -39;
const SOUTH = -34;
const COLUMNS = Math.ceil(80 / SPACING);
const ROWS = Math.ceil(68 / ROW);

/** All cells of the sheet, numbered row by row, and which of them are land. */
export interface Mesh {
  readonly size: number;
  /** 1 for land, 0 for water or outside the metro. */
  readonly land: Uint8Array;
  /** The numbers of the land cells. */
  readonly landCells: readonly number[];
}

export function buildMesh(): Mesh {
  const size = COLUMNS * ROWS;
  const land = new Uint8Array(size);
  for (let cell = 0; cell < size; cell += 1) {
    const column = cell % COLUMNS;
    const row = (cell - column) / COLUMNS;
    // The rim stays empty so that every land cell has six neighbours on the sheet.
    if (column < 2 || row < 2 || column >= COLUMNS - 2 || row >= ROWS - 2) continue;
    if (isLand(cellX(cell), cellY(cell))) land[cell] = 1;
  }
  const kept = withoutSpecks(land);
  const landCells: number[] = [];
  for (let cell = 0; cell < size; cell += 1) if (kept[cell] === 1) landCells.push(cell);
  return { size, land: kept, landCells };
}

/** Drops rocks and fills puddles too small for a map: connected patches under the limit change sides. */
function withoutSpecks(land: Uint8Array): Uint8Array {
  const result = land.slice();
  const seen = new Uint8Array(land.length);
  for (let start = 0; start < land.length; start += 1) {
    if (seen[start] === 1) continue;
    const patch = flood(land, start, seen);
    const limit = land[start] === 1 ? 22 : 14;
    if (patch.length < limit) for (const cell of patch) result[cell] = land[start] === 1 ? 0 : 1;
  }
  return result;
}

function flood(land: Uint8Array, start: number, seen: Uint8Array): number[] {
  const patch = [start];
  seen[start] = 1;
  for (const cell of patch) {
    for (let side = 0; side < 6; side += 1) {
      const next = neighbour(cell, side);
      if (next < 0 || next >= land.length || seen[next] === 1 || land[next] !== land[start]) continue;
      seen[next] = 1;
      patch.push(next);
    }
  }
  return patch;
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

/**
 * The two corners of a side, counter-clockwise. Each corner is the top (even) or the bottom (odd) of exactly
 * one cell: that is its number, and the same for every cell that touches it.
 */
export function sideCorners(cell: number, side: number): readonly [number, number] {
  const northEast = 2 * neighbour(cell, 1) + 1;
  const northWest = 2 * neighbour(cell, 2) + 1;
  const southWest = 2 * neighbour(cell, 4);
  const southEast = 2 * neighbour(cell, 5);
  switch (side) {
    case 0:
      return [southEast, northEast];
    case 1:
      return [northEast, 2 * cell];
    case 2:
      return [2 * cell, northWest];
    case 3:
      return [northWest, southWest];
    case 4:
      return [southWest, 2 * cell + 1];
    default:
      return [2 * cell + 1, southEast];
  }
}

/** The position of a corner before borders are smoothed, km. */
export function cornerPoint(corner: number): [number, number] {
  const cell = corner >> 1;
  return [cellX(cell), cellY(cell) + (corner % 2 === 0 ? CORNER : -CORNER)];
}

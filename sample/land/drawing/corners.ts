// Corners of the honeycomb, from which borders are drawn.
import { cellX, cellY, neighbour, SPACING } from '../mesh.ts';

const CORNER = SPACING / Math.sqrt(3);

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

// Ground of the map: which cells of the honeycomb are land, without rocks and puddles.
import { COLUMNS, cellX, cellY, type Mesh, meshOf, neighbour, ROWS } from '../mesh.ts';
import { isLand } from './shore.ts';

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
  return meshOf(withoutSpecks(land));
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

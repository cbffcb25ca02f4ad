// Outlines of areas: walks around the cells of every label and gives its rings.
import { type Layer, type Mesh, neighbour } from '../mesh.ts';
import type { Borders, Point } from './borders.ts';
import { sideCorners } from './corners.ts';

/** A closed line, first point repeated at the end. */
export type Ring = Point[];

/** The rings of every label in a layer: outer rings run counter-clockwise, holes clockwise. Index = label. */
export function traceLayer(mesh: Mesh, layer: Layer, count: number, borders: Borders): Ring[][] {
  const nextCorner: Map<number, number>[] = Array.from({ length: count }, () => new Map());
  for (const cell of mesh.landCells) {
    const label = layer[cell] ?? -1;
    for (let side = 0; side < 6; side += 1) {
      if (layer[neighbour(cell, side)] === label) continue;
      const [a, b] = sideCorners(cell, side);
      nextCorner[label]?.set(a, b);
    }
  }
  return nextCorner.map((next) => collectRings(next, borders));
}

function collectRings(next: Map<number, number>, borders: Borders): Ring[] {
  const rings: Ring[] = [];
  for (let start = next.keys().next().value; start !== undefined; start = next.keys().next().value) {
    const ring = walkRing(start, next, borders);
    const first = ring[0];
    if (!first || ring.length < 3) continue;
    if (ring.at(-1) !== first) ring.push(first);
    rings.push(ring);
  }
  return rings;
}

/** Follows the border until it comes round, taking up its path. */
function walkRing(start: number, next: Map<number, number>, borders: Borders): Ring {
  const ring: Ring = [];
  let corner: number | undefined = start;
  while (corner !== undefined) {
    const point = borders.point(corner);
    if (point) ring.push(point);
    const following: number | undefined = next.get(corner);
    next.delete(corner);
    corner = following;
  }
  return ring;
}

// Mesh of the rings of a geometry: corners by number, each with its neighbours, and an index of the edges.

import Flatbush from 'flatbush';
import type { Position } from 'geojson';
import { turnInto } from './antimeridian.ts';
import { orientation } from './orientation.ts';

/** One ring of the mesh; `polygon` and `ring` are its place in the coordinates of the geometry, from 0. */
export interface MeshRing {
  readonly polygon: number;
  readonly ring: number;
  /** Degrees that were added to its longitudes, so that a hole lies where its shell does. */
  readonly turn: number;
  /** Its corners: from `first` up to, not including, `end`. */
  readonly first: number;
  readonly end: number;
}

/**
 * Corners by number. Edge `i` goes from corner `i` to `after[i]`, with the polygon's inside on its left: shells run
 * counterclockwise and holes clockwise, however they were written.
 */
export interface RingMesh {
  readonly rings: readonly MeshRing[];
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly before: Int32Array;
  readonly after: Int32Array;
  readonly ringAt: Int32Array;
  /** Numbers above `min` of the edges whose boxes meet this one. */
  edgesWithin(minX: number, minY: number, maxX: number, maxY: number, min?: number): readonly number[];
}

/** The mesh of polygons whose rings have at least three different corners. */
export function createRingMesh(polygons: readonly (readonly (readonly Position[])[])[]): RingMesh {
  const rings: MeshRing[] = [];
  const corners: Position[] = [];
  for (const [polygon, [shell = [], ...holes]] of polygons.entries())
    for (const [ring, positions] of [shell, ...holes].entries()) {
      const turn = ring === 0 ? 0 : turnInto(shell, positions);
      const first = corners.length;
      for (const [lng = 0, lat = 0] of distinctCorners(positions)) corners.push([lng + turn, lat]);
      rings.push({ polygon, ring, turn, first, end: corners.length });
    }
  const [x, y] = [0, 1].map((axis) => Float64Array.from(corners, (corner) => corner[axis] ?? 0));
  return linkedMesh(rings, x ?? new Float64Array(), y ?? new Float64Array());
}

/** Without the repeated end, and without corners that the next one repeats. */
export function distinctCorners(positions: readonly Position[]): readonly Position[] {
  return positions.filter(([lng, lat], at) => {
    const next = positions[(at + 1) % positions.length];
    return lng !== next?.[0] || lat !== next?.[1];
  });
}

function linkedMesh(rings: readonly MeshRing[], x: Float64Array, y: Float64Array): RingMesh {
  const [before, after, ringAt] = [
    new Int32Array(x.length),
    new Int32Array(x.length),
    new Int32Array(x.length),
  ];
  for (const [number, { first, end, ring }] of rings.entries()) {
    const reversed = isCounterclockwise(x, y, first, end) !== (ring === 0);
    const [back, forth] = reversed ? [after, before] : [before, after];
    for (let corner = first; corner < end; corner++) {
      back[corner] = corner === first ? end - 1 : corner - 1;
      forth[corner] = corner === end - 1 ? first : corner + 1;
      ringAt[corner] = number;
    }
  }
  const index = new Flatbush(x.length);
  for (let edge = 0; edge < x.length; edge++) {
    const [ax = 0, ay = 0, bx = 0, by = 0] = [x[edge], y[edge], x[after[edge] ?? 0], y[after[edge] ?? 0]];
    index.add(Math.min(ax, bx), Math.min(ay, by), Math.max(ax, bx), Math.max(ay, by));
  }
  index.finish();
  return {
    rings,
    x,
    y,
    before,
    after,
    ringAt,
    edgesWithin: (minX, minY, maxX, maxY, min = -1) =>
      index.search(minX, minY, maxX, maxY, (edge) => edge > min),
  };
}

/** By the exact turn at the lowest of the westernmost corners, or by the area if the ring doubles back there. */
function isCounterclockwise(x: Float64Array, y: Float64Array, first: number, end: number): boolean {
  let corner = first;
  let twice = 0;
  const at = (place: number): [number, number] => [x[place] ?? 0, y[place] ?? 0];
  const [originX, originY] = at(first);
  for (let place = first; place < end; place++) {
    const [[px, py], [cx, cy], [lowX, lowY]] = [
      at(place === first ? end - 1 : place - 1),
      at(place),
      at(corner),
    ];
    if (cx < lowX || (cx === lowX && cy < lowY)) corner = place;
    twice += (px - originX) * (cy - originY) - (cx - originX) * (py - originY);
  }
  const [from, to] = [
    at(corner === first ? end - 1 : corner - 1),
    at(corner === end - 1 ? first : corner + 1),
  ];
  return (orientation(...from, ...at(corner), ...to) || twice) > 0;
}

// Faults of simplified rings: lines that cross, and rings that changed sides.

import Flatbush from 'flatbush';
import type { Position } from 'geojson';
import { boxOf, flattened, polygonContains } from './geometry.ts';

/** A ring by the corners of its original that are kept, in their order; neither repeats its first corner. */
export interface DrawnRing {
  readonly points: readonly Position[];
  readonly kept: readonly number[];
}

interface Line {
  readonly ring: number;
  readonly from: Position;
  readonly to: Position;
  /** An edge of the original: what two of them do to each other is no fault of the drawing. */
  readonly isOriginal: boolean;
}

/** Places of the rings that got in the way of another, or of themselves. */
export function entangled(rings: readonly DrawnRing[]): Set<number> {
  const wrong = new Set<number>();
  crossings(rings, wrong);
  if (wrong.size === 0) changedSides(rings, wrong);
  return wrong;
}

function crossings(rings: readonly DrawnRing[], wrong: Set<number>): void {
  const lines = rings.flatMap(linesOf);
  if (lines.length === 0) return;
  const index = new Flatbush(lines.length);
  for (const { from, to } of lines) index.add(...boxOf(Float64Array.of(x(from), y(from), x(to), y(to))));
  index.finish();
  for (const [at, line] of lines.entries()) {
    if (line.isOriginal) continue;
    const box = boxOf(Float64Array.of(x(line.from), y(line.from), x(line.to), y(line.to)));
    for (const other of index.search(...box)) {
      const met = lines[other];
      // Of two new lines, one asks.
      if (!met || other === at || (!met.isOriginal && other < at) || !meet(line, met)) continue;
      if (!line.isOriginal) wrong.add(line.ring);
      if (!met.isOriginal) wrong.add(met.ring);
    }
  }
}

function linesOf({ points, kept }: DrawnRing, ring: number): Line[] {
  return kept.map((at, place) => {
    const next = kept[(place + 1) % kept.length] ?? 0;
    const isOriginal = next === (at + 1) % points.length;
    return { ring, from: points[at] ?? [], to: points[next] ?? [], isOriginal };
  });
}

const x = (point: Position): number => point[0] ?? 0;
const y = (point: Position): number => point[1] ?? 0;
const same = (a: Position, b: Position): boolean => x(a) === x(b) && y(a) === y(b);

/** Twice the area of the triangle, by its sign the side of the line on which the point lies. */
const turn = (a: Position, b: Position, c: Position): number =>
  (x(b) - x(a)) * (y(c) - y(a)) - (y(b) - y(a)) * (x(c) - x(a));

function lies(point: Position, { from, to }: Line): boolean {
  return (
    turn(from, to, point) === 0 &&
    x(point) >= Math.min(x(from), x(to)) &&
    x(point) <= Math.max(x(from), x(to)) &&
    y(point) >= Math.min(y(from), y(to)) &&
    y(point) <= Math.max(y(from), y(to))
  );
}

/** Whether two lines have more in common than one end of both. */
function meet(a: Line, b: Line): boolean {
  const ends = [a.from, a.to].filter((end) => same(end, b.from) || same(end, b.to));
  if (ends.length === 2) return true;
  const [end] = ends;
  if (end) {
    const [farA, farB] = [same(a.from, end) ? a.to : a.from, same(b.from, end) ? b.to : b.from];
    return lies(farA, b) || lies(farB, a);
  }
  if (lies(a.from, b) || lies(a.to, b) || lies(b.from, a) || lies(b.to, a)) return true;
  return (
    turn(a.from, a.to, b.from) > 0 !== turn(a.from, a.to, b.to) > 0 &&
    turn(b.from, b.to, a.from) > 0 !== turn(b.from, b.to, a.to) > 0
  );
}

/** Rings that do not cross are within each other or not by any one corner: it must lie where it lay. */
function changedSides(rings: readonly DrawnRing[], wrong: Set<number>): void {
  if (rings.length < 2) return;
  const before = rings.map(({ points }) => flattened([points]));
  const after = rings.map(({ points, kept }) => flattened([kept.map((at) => points[at] ?? [])]));
  const index = new Flatbush(rings.length);
  for (const [shell = new Float64Array()] of before) index.add(...boxOf(shell));
  index.finish();
  for (const [at, { points, kept }] of rings.entries()) {
    const corner = points[kept[0] ?? 0] ?? [];
    const point = { lng: x(corner), lat: y(corner) };
    for (const other of index.search(point.lng, point.lat, point.lng, point.lat)) {
      const [old, drawn] = [before[other], after[other]];
      if (other === at || !old || !drawn || polygonContains(old, point) === polygonContains(drawn, point))
        continue;
      wrong.add(other);
    }
  }
}

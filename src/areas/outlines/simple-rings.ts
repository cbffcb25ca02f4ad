// Rings of neighbouring areas with fewer corners: a border that two of them share stays one line.

import type { Steps } from '../../lib/scheduler.ts';
import { clippedRing, type Rectangle } from '../../page/map/clip.ts';

/** A ring in whole units of a grid: x, y, x, y … without a repeated end. */
export type GridRing = readonly number[];

/** Grids are smaller than this each way, so that a corner is one exact number. */
export const GRID = 67_108_864;
const keyOf = (x: number, y: number): number => x * GRID + y;

/** Numbers of corners that one step looks at. */
export const CORNERS = 2_048;

/** Corners at which more than two ways meet, or a border begins: they stay. Built up ring by ring. */
export class Corners {
  /** Corner -> its two neighbours, in order. */
  readonly #neighbours = new Map<number, readonly [number, number]>();
  readonly #junctions = new Set<number>();

  *add(ring: GridRing): Steps<void> {
    const count = ring.length;
    for (let at = 0; at < count; at += 2) {
      if (at % CORNERS === CORNERS - 2) yield;
      const corner = keyAt(ring, at);
      const [one, other] = [keyAt(ring, (at + count - 2) % count), keyAt(ring, (at + 2) % count)];
      const pair = one < other ? ([one, other] as const) : ([other, one] as const);
      const known = this.#neighbours.get(corner);
      if (known === undefined) this.#neighbours.set(corner, pair);
      else if (known[0] !== pair[0] || known[1] !== pair[1]) this.#junctions.add(corner);
    }
  }

  has(ring: GridRing, at: number): boolean {
    return this.#junctions.has(keyAt(ring, at));
  }
}

const keyAt = (ring: GridRing, at: number): number => keyOf(ring[at] ?? 0, ring[at + 1] ?? 0);

/** Rounded to the grid and cut off at a rectangle, without corners that fall onto the one before; empty where nothing is left. */
export function gridRing(points: readonly number[], frame: Rectangle): GridRing {
  const clipped = clippedRing(points, frame);
  const ring: number[] = [];
  for (let at = 0; at < clipped.length; at += 2) {
    const [x, y] = [Math.round(clipped[at] ?? 0), Math.round(clipped[at + 1] ?? 0)];
    if (ring.at(-2) !== x || ring.at(-1) !== y) ring.push(x, y);
  }
  while (ring.length > 2 && ring[0] === ring.at(-2) && ring[1] === ring.at(-1)) ring.length -= 2;
  return ring.length < 6 ? [] : ring;
}

/**
 * The ring with the corners that Douglas and Peucker keep at a tolerance, between the corners that have to stay. Both areas at a
 * border keep the same ones: each stretch is judged in one direction, whichever way its ring runs.
 */
export function* simpleRing(ring: GridRing, corners: Corners, tolerance: number): Steps<GridRing> {
  const places: number[] = [];
  for (let at = 0; at < ring.length; at += 2) if (corners.has(ring, at)) places.push(at);
  const starts = places.length >= 2 ? places : twoPlaces(ring, places[0]);
  const kept: number[] = [];
  for (const [index, from] of starts.entries()) {
    const to = starts[(index + 1) % starts.length] ?? from;
    const stretch = stretchOf(ring, from, to);
    const isBackwards = keyAt(stretch, 0) > keyAt(stretch, stretch.length - 2);
    const simple = yield* simpleLine(isBackwards ? reversed(stretch) : stretch, tolerance);
    kept.push(...(isBackwards ? reversed(simple) : simple).slice(0, -2));
  }
  return kept.length < 6 ? [] : kept;
}

/** Where a ring without two fixed corners is parted: at its lowest corner, or the fixed one, and at the one farthest from it. */
function twoPlaces(ring: GridRing, fixed: number | undefined): number[] {
  let start = fixed ?? 0;
  if (fixed === undefined)
    for (let at = 0; at < ring.length; at += 2) if (keyAt(ring, at) < keyAt(ring, start)) start = at;
  let [far, most] = [start, -1];
  for (let at = 0; at < ring.length; at += 2) {
    const distance = Math.hypot(
      (ring[at] ?? 0) - (ring[start] ?? 0),
      (ring[at + 1] ?? 0) - (ring[start + 1] ?? 0),
    );
    if (distance > most || (distance === most && keyAt(ring, at) < keyAt(ring, far)))
      [far, most] = [at, distance];
  }
  return [start, far].sort((a, b) => a - b);
}

function stretchOf(ring: GridRing, from: number, to: number): number[] {
  return to > from ? ring.slice(from, to + 2) : [...ring.slice(from), ...ring.slice(0, to + 2)];
}

function reversed(line: readonly number[]): number[] {
  const turned: number[] = [];
  for (let at = line.length - 2; at >= 0; at -= 2) turned.push(line[at] ?? 0, line[at + 1] ?? 0);
  return turned;
}

/** Douglas and Peucker, without recursion. */
function* simpleLine(line: readonly number[], tolerance: number): Steps<number[]> {
  const last = line.length - 2;
  const keeps = new Set([0, last]);
  const open: [number, number][] = [[0, last]];
  for (let span = open.pop(); span !== undefined; span = open.pop()) {
    const [from, to] = span;
    let [farthest, most] = [-1, tolerance];
    for (let at = from + 2; at < to; at += 2) {
      if (at % CORNERS === 0) yield;
      const distance = distanceTo(line, at, from, to);
      if (distance > most) [farthest, most] = [at, distance];
    }
    if (farthest === -1) continue;
    keeps.add(farthest);
    open.push([from, farthest], [farthest, to]);
  }
  return [...keeps].sort((a, b) => a - b).flatMap((at) => [line[at] ?? 0, line[at + 1] ?? 0]);
}

/** From a corner to the line between two others. */
function distanceTo(line: readonly number[], at: number, from: number, to: number): number {
  const [x = 0, y = 0] = [line[at], line[at + 1]];
  const [ax = 0, ay = 0, bx = 0, by = 0] = [line[from], line[from + 1], line[to], line[to + 1]];
  const [dx, dy] = [bx - ax, by - ay];
  const length = dx * dx + dy * dy;
  const share = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / length));
  return Math.hypot(x - ax - share * dx, y - ay - share * dy);
}

// Owns border lines: traces areas around their cells and smooths every shared corner once, for all areas alike.
import type { Mesh } from './mesh.ts';
import { cornerPoint, neighbour, sideCorners } from './mesh.ts';

export type Point = [x: number, y: number];
/** A closed line, first point repeated at the end. */
export type Ring = Point[];

/** A label per cell; -1 where the layer has nothing. */
export type Layer = Int16Array;

/** The corners that lie on any border, where they stand after smoothing, and which are worth drawing. */
export interface Borders {
  readonly points: ReadonlyMap<number, Point>;
  readonly drawn: ReadonlySet<number>;
}

/** Borders farther than this from the straight line are drawn, km. */
const TOLERANCE = 0.016;
const ROUNDS = 5;

/** Smooths the union of all layers' borders. Because a corner moves once, areas of every layer still fit exactly. */
export function smoothBorders(mesh: Mesh, layers: readonly Layer[]): Borders {
  const links = linkCorners(mesh, layers);
  let points = new Map<number, Point>();
  for (const corner of links.keys()) points.set(corner, cornerPoint(corner));
  for (let round = 0; round < ROUNDS; round += 1) points = relax(links, points);
  return { points, drawn: simplify(links, points) };
}

/** Corner -> the corners it is joined to by a border of any layer. */
function linkCorners(mesh: Mesh, layers: readonly Layer[]): Map<number, number[]> {
  const links = new Map<number, number[]>();
  const join = (from: number, to: number): void => {
    const list = links.get(from);
    if (list) list.push(to);
    else links.set(from, [to]);
  };
  for (const cell of mesh.landCells) {
    for (let side = 0; side < 6; side += 1) {
      const other = neighbour(cell, side);
      // Each inner border is met from both cells: the lower number speaks for it.
      if (other < cell && mesh.land[other] === 1) continue;
      if (layers.every((layer) => layer[cell] === layer[other])) continue;
      const [a, b] = sideCorners(cell, side);
      join(a, b);
      join(b, a);
    }
  }
  return links;
}

function relax(links: ReadonlyMap<number, number[]>, points: ReadonlyMap<number, Point>): Map<number, Point> {
  const moved = new Map<number, Point>();
  for (const [corner, others] of links) {
    const [x, y] = pointOf(points, corner);
    let sumX = 0;
    let sumY = 0;
    for (const other of others) {
      const [ox, oy] = pointOf(points, other);
      sumX += ox;
      sumY += oy;
    }
    moved.set(corner, [(x + sumX / others.length) / 2, (y + sumY / others.length) / 2]);
  }
  return moved;
}

function pointOf(points: ReadonlyMap<number, Point>, corner: number): Point {
  const point = points.get(corner);
  if (!point) throw new Error(`Corner ${corner} is on no border`);
  return point;
}

/** Keeps all meeting points of three borders, and of the lines between them what is needed to follow their bends. */
function simplify(links: ReadonlyMap<number, number[]>, points: ReadonlyMap<number, Point>): Set<number> {
  const drawn = new Set<number>();
  const seen = new Set<number>();
  for (const [corner, others] of links) {
    if (others.length === 2) continue;
    drawn.add(corner);
    for (const other of others) thin(followChain(links, corner, other, seen), points, drawn);
  }
  for (const [corner, others] of links) {
    const next = others[0];
    if (seen.has(corner) || drawn.has(corner) || next === undefined) continue;
    const loop = followChain(links, corner, next, seen);
    const half = loop.length >> 1;
    // A loop has no meeting point: two fixed corners, opposite each other, stand in for them.
    thin(loop.slice(0, half + 1), points, drawn);
    thin(loop.slice(half), points, drawn);
  }
  return drawn;
}

function followChain(
  links: ReadonlyMap<number, number[]>,
  from: number,
  first: number,
  seen: Set<number>,
): number[] {
  const chain = [from];
  let previous = from;
  let corner = first;
  for (;;) {
    chain.push(corner);
    const others = links.get(corner) ?? [];
    if (corner === from || others.length !== 2) return chain;
    seen.add(corner);
    const next = others[0] === previous ? others[1] : others[0];
    if (next === undefined) return chain;
    previous = corner;
    corner = next;
  }
}

/** Douglas-Peucker over one chain: adds the corners that matter to `drawn`. */
function thin(chain: readonly number[], points: ReadonlyMap<number, Point>, drawn: Set<number>): void {
  const first = chain[0];
  const last = chain.at(-1);
  if (first === undefined || last === undefined) return;
  drawn.add(first);
  drawn.add(last);
  const [ax, ay] = pointOf(points, first);
  const [bx, by] = pointOf(points, last);
  const length = Math.hypot(bx - ax, by - ay);
  let farthest = -1;
  let distance = TOLERANCE;
  for (let i = 1; i < chain.length - 1; i += 1) {
    const [x, y] = pointOf(points, chain[i] ?? first);
    const d =
      length > 0
        ? Math.abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length
        : Math.hypot(x - ax, y - ay);
    if (d > distance) {
      distance = d;
      farthest = i;
    }
  }
  if (farthest < 0) return;
  thin(chain.slice(0, farthest + 1), points, drawn);
  thin(chain.slice(farthest), points, drawn);
}

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
    const ring: Ring = [];
    let corner: number | undefined = start;
    while (corner !== undefined) {
      if (borders.drawn.has(corner)) ring.push(pointOf(borders.points, corner));
      const following: number | undefined = next.get(corner);
      next.delete(corner);
      corner = following;
    }
    const first = ring[0];
    // The walk ends on its first corner, which was already deleted: close with an equal point.
    if (first && ring.length >= 3) {
      const last = ring.at(-1);
      if (last !== first) ring.push(first);
      rings.push(ring);
    }
  }
  return rings;
}

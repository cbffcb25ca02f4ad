// Border lines: joins the corners between unlike cells, smooths them once for all areas, and chooses which to draw.
import { type Layer, type Mesh, neighbour } from '../mesh.ts';
import { cornerPoint, sideCorners } from './corners.ts';

export type Point = [x: number, y: number];

/** The corners that lie on any border, and where they stand after smoothing. */
export interface Borders {
  /** The point of a corner that is worth drawing, or undefined. */
  point(corner: number): Point | undefined;
}

/** Borders farther than this from the straight line are drawn, km. */
const TOLERANCE = 0.016;
const ROUNDS = 5;

/** Border corners by running index, each with up to three neighbours (-1: none). */
interface Net {
  readonly corners: readonly number[];
  readonly indexOf: ReadonlyMap<number, number>;
  readonly links: Int32Array;
  readonly x: Float64Array;
  readonly y: Float64Array;
}

/** Smooths the union of all layers' borders. Because a corner moves once, areas of every layer still fit exactly. */
export function smoothBorders(mesh: Mesh, layers: readonly Layer[]): Borders {
  const net = buildNet(mesh, layers);
  for (let round = 0; round < ROUNDS; round += 1) relax(net);
  const points = new Map<number, Point>();
  for (const index of simplify(net)) {
    points.set(net.corners[index] ?? -1, [net.x[index] ?? 0, net.y[index] ?? 0]);
  }
  return { point: (corner) => points.get(corner) };
}

function buildNet(mesh: Mesh, layers: readonly Layer[]): Net {
  const indexOf = new Map<number, number>();
  const corners: number[] = [];
  const pairs: number[] = [];
  const enroll = (corner: number): number => {
    const known = indexOf.get(corner);
    if (known !== undefined) return known;
    indexOf.set(corner, corners.length);
    return corners.push(corner) - 1;
  };
  for (const cell of mesh.landCells) {
    for (let side = 0; side < 6; side += 1) {
      const other = neighbour(cell, side);
      // Each inner border is met from both cells: the lower number speaks for it.
      if (other < cell && mesh.land[other] === 1) continue;
      if (layers.every((layer) => layer[cell] === layer[other])) continue;
      const [a, b] = sideCorners(cell, side);
      pairs.push(enroll(a), enroll(b));
    }
  }
  return { corners, indexOf, links: linksOf(corners.length, pairs), ...positions(corners) };
}

function linksOf(count: number, pairs: readonly number[]): Int32Array {
  const links = new Int32Array(3 * count).fill(-1);
  const join = (from: number, to: number): void => {
    let slot = 3 * from;
    while (links[slot] !== -1) slot += 1;
    links[slot] = to;
  };
  for (let i = 0; i < pairs.length; i += 2) {
    const a = pairs[i] ?? 0;
    const b = pairs[i + 1] ?? 0;
    join(a, b);
    join(b, a);
  }
  return links;
}

function positions(corners: readonly number[]): Pick<Net, 'x' | 'y'> {
  const x = new Float64Array(corners.length);
  const y = new Float64Array(corners.length);
  corners.forEach((corner, index) => {
    [x[index], y[index]] = cornerPoint(corner);
  });
  return { x, y };
}

/** Moves every corner half way to the middle of its neighbours, all at once. */
function relax({ links, x, y }: Net): void {
  const oldX = x.slice();
  const oldY = y.slice();
  for (let index = 0; index < x.length; index += 1) {
    let sumX = 0;
    let sumY = 0;
    let count = 0;
    for (let slot = 3 * index; slot < 3 * index + 3; slot += 1) {
      const other = links[slot] ?? -1;
      if (other < 0) continue;
      sumX += oldX[other] ?? 0;
      sumY += oldY[other] ?? 0;
      count += 1;
    }
    x[index] = ((oldX[index] ?? 0) + sumX / count) / 2;
    y[index] = ((oldY[index] ?? 0) + sumY / count) / 2;
  }
}

/** Keeps all meeting points of three borders, and of the lines between them what is needed to follow their bends. */
function simplify(net: Net): Set<number> {
  const drawn = new Set<number>();
  const seen = new Uint8Array(net.x.length);
  for (let index = 0; index < seen.length; index += 1) {
    if (!isJunction(net, index)) continue;
    drawn.add(index);
    for (let slot = 3 * index; slot < 3 * index + 3; slot += 1) {
      thin(followChain(net, index, net.links[slot] ?? -1, seen), net, drawn);
    }
  }
  for (let index = 0; index < seen.length; index += 1) {
    if (seen[index] === 1 || drawn.has(index)) continue;
    const loop = followChain(net, index, net.links[3 * index] ?? -1, seen);
    const half = loop.length >> 1;
    // A loop has no meeting point: two fixed corners, opposite each other, stand in for them.
    thin(loop.slice(0, half + 1), net, drawn);
    thin(loop.slice(half), net, drawn);
  }
  return drawn;
}

const isJunction = (net: Net, index: number): boolean => (net.links[3 * index + 2] ?? -1) >= 0;

function followChain(net: Net, from: number, first: number, seen: Uint8Array): number[] {
  const chain = [from];
  let previous = from;
  let index = first;
  for (;;) {
    chain.push(index);
    if (index === from || isJunction(net, index)) return chain;
    seen[index] = 1;
    const [one = -1, two = -1] = [net.links[3 * index], net.links[3 * index + 1]];
    const next = one === previous ? two : one;
    previous = index;
    index = next;
  }
}

/** Douglas-Peucker over one chain: adds the corners that matter to `drawn`. */
function thin(chain: readonly number[], net: Net, drawn: Set<number>): void {
  const first = chain[0];
  const last = chain.at(-1);
  if (first === undefined || last === undefined) return;
  drawn.add(first);
  drawn.add(last);
  const farthest = farthestFromChord(chain, net);
  if (farthest < 0) return;
  thin(chain.slice(0, farthest + 1), net, drawn);
  thin(chain.slice(farthest), net, drawn);
}

/** Place in the chain of the corner farthest from the straight line, or -1 when all are near enough. */
function farthestFromChord(chain: readonly number[], { x, y }: Net): number {
  const first = chain[0] ?? 0;
  const last = chain.at(-1) ?? 0;
  const ax = x[first] ?? 0;
  const ay = y[first] ?? 0;
  const dx = (x[last] ?? 0) - ax;
  const dy = (y[last] ?? 0) - ay;
  const length = Math.sqrt(dx * dx + dy * dy);
  let farthest = -1;
  let distance = TOLERANCE;
  for (let i = 1; i < chain.length - 1; i += 1) {
    const px = (x[chain[i] ?? 0] ?? 0) - ax;
    const py = (y[chain[i] ?? 0] ?? 0) - ay;
    const d = length > 0 ? Math.abs(dx * py - dy * px) / length : Math.sqrt(px * px + py * py);
    if (d <= distance) continue;
    distance = d;
    farthest = i;
  }
  return farthest;
}

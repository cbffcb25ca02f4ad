// Shape of the coast: which points, in kilometres east and north of the centre, are dry and inside the metro.
import { fractalNoise } from './noise.ts';

const SEED = 20_260;

/** Distance from a point to a segment, less a radius that tapers along it: negative inside. */
function capsule(
  x: number,
  y: number,
  [ax, ay, ra]: readonly [number, number, number],
  [bx, by, rb]: readonly [number, number, number],
): number {
  const length = (bx - ax) ** 2 + (by - ay) ** 2;
  const t = Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
  const dx = x - ax - t * (bx - ax);
  const dy = y - ay - t * (by - ay);
  return Math.sqrt(dx * dx + dy * dy) - (ra + t * (rb - ra));
}

type Node = readonly [x: number, y: number, radius: number];

/** Water reaching inland: each path is a chain of [x, y, half width]. */
const INLETS: readonly (readonly Node[])[] = [
  [
    [-30, 4, 6.5],
    [-12, 2.5, 4.6],
    [0, 0.5, 2.6],
  ],
  [
    [0, 0.5, 2.4],
    [6, 7, 1.5],
    [9, 12, 0.85],
    [16, 16.5, 0.5],
    [24, 17, 0.36],
    [31, 22, 0.3],
  ],
  [
    [-7, 0, 2.6],
    [-5.5, -9, 1.5],
    [-8, -15, 0.8],
  ],
  [
    [-16, 8, 2.6],
    [-13, 15, 1.3],
  ],
];

/** Lakes inside the land. */
const LAKES: readonly (readonly Node[])[] = [
  [
    [14, -12, 1.9],
    [18, -16, 2.6],
    [19.5, -20, 1.2],
  ],
  [
    [3, 20, 0.9],
    [5, 22.5, 1.2],
  ],
  [
    [27, 3, 0.8],
    [29, 1.5, 1.1],
  ],
];

/** Land standing in the water. */
const ISLANDS: readonly (readonly Node[])[] = [
  [
    [-20.5, 6.2, 1.5],
    [-17.5, 4.2, 2.0],
  ],
  [
    [-9.5, 3.6, 0.8],
    [-8.4, 3.0, 0.7],
  ],
  [
    [-26, 16.5, 1.1],
    [-27.5, 13, 1.7],
  ],
  [
    [-26.5, -12, 1.3],
    [-25.5, -15, 0.9],
  ],
  [
    [-14, -6, 2.2],
    [-21, -2.6, 1.5],
    [-23, -1.8, 0.9],
  ],
];

interface Segment {
  readonly from: Node;
  readonly to: Node;
  /** Middle and half length plus radius: a quick bound on the distance. */
  readonly x: number;
  readonly y: number;
  readonly reach: number;
}

function segmentsOf(paths: readonly (readonly Node[])[]): Segment[] {
  return paths.flatMap((path) =>
    path.slice(1).map((to, index) => {
      const from = path[index] ?? to;
      const reach = Math.hypot(to[0] - from[0], to[1] - from[1]) / 2 + Math.max(from[2], to[2]);
      return { from, to, x: (from[0] + to[0]) / 2, y: (from[1] + to[1]) / 2, reach };
    }),
  );
}

const WATERS = segmentsOf([...INLETS, ...LAKES]);
const ROCKS = segmentsOf(ISLANDS);

/** Distance to the nearest of the segments: negative inside one. */
function nearest(x: number, y: number, segments: readonly Segment[]): number {
  let best = 99;
  for (const { from, to, x: middleX, y: middleY, reach } of segments) {
    const dx = x - middleX;
    const dy = y - middleY;
    const bound = best + reach;
    if (bound > 0 && dx * dx + dy * dy < bound * bound) best = Math.min(best, capsule(x, y, from, to));
  }
  return best;
}

/** The open sea: positive towards the land. The coast runs from north-west to south-east and bends back. */
function fromSea(x: number, y: number): number {
  return x + 20 - 3.2 * Math.sin(y / 9 + 0.6) - 0.007 * (y - 6) ** 2 + (y < -16 ? (y + 16) * 0.55 : 0);
}

/** Positive inside the line at which the metro ends inland. */
function fromLimits(x: number, y: number): number {
  return (1 - (Math.abs((x - 2) / 35) ** 2.4 + Math.abs(y / 31.5) ** 2.4)) * 16;
}

/** Distance inland before any irregularity, km: negative in water or outside. Islands are land in the sea. */
function inland(x: number, y: number): number {
  const mainland = Math.min(fromSea(x, y), nearest(x, y, WATERS));
  return Math.max(mainland, -nearest(x, y, ROCKS));
}

/** How far irregularity can move a shore, km. */
const REACH = 4.5;

/** True for dry ground of the metro. Coordinates in kilometres. */
export function isLand(x: number, y: number): boolean {
  const limits = fromLimits(x, y);
  if (limits < -REACH) return false;
  if (limits < REACH && limits + 5 * fractalNoise(x / 9, y / 9, SEED + 7, 4) < 0) return false;
  const plain = inland(x, y);
  // Far from every shore the answer is known without the noise, which is what costs time here.
  if (Math.abs(plain) > REACH) return plain > 0;
  const wx = x + 3 * fractalNoise(x / 6.5, y / 6.5, SEED, 6);
  const wy = y + 3 * fractalNoise(x / 6.5, y / 6.5, SEED + 3, 6);
  return inland(wx, wy) > 0;
}

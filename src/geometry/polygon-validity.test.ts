// Proof of the validity check against a slow way: every face that the edges cut the plane into, and how often each ring winds around it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Position } from 'geojson';
import { runs } from '../../test/support/check/runs.ts';
import { orientation } from './orientation.ts';
import { findValidityFault } from './polygon-validity.ts';

type Ring = readonly Position[];
type Polygons = readonly (readonly Ring[])[];
type Edge = readonly [Position, Position];

const edgesOf = (ring: Ring): Edge[] => ring.map((to, at) => [ring.at(at - 1) ?? to, to]);

/** A point in each face: between the edges that cross the middle of each strip in which no two edges meet. */
function facePoints(polygons: Polygons): Position[] {
  const edges = polygons.flat().flatMap(edgesOf);
  const xs = edges.flatMap(([[x = 0]]) => [x]);
  for (const [[ax = 0, ay = 0], [bx = 0, by = 0]] of edges)
    for (const [[cx = 0, cy = 0], [dx = 0, dy = 0]] of edges) {
      const cross = (bx - ax) * (dy - cy) - (by - ay) * (dx - cx);
      const share = ((cx - ax) * (dy - cy) - (cy - ay) * (dx - cx)) / cross;
      if (cross !== 0 && share >= 0 && share <= 1) xs.push(ax + share * (bx - ax));
    }
  const sorted = xs.toSorted((a, b) => a - b);
  return sorted.flatMap((east, at) => {
    const west = sorted[at - 1] ?? east;
    if (east - west < 1e-9) return [];
    const x = (west + east) / 2;
    const ys = edges
      .filter(([[ax = 0], [bx = 0]]) => ax > x !== bx > x)
      .map(([[ax = 0, ay = 0], [bx = 0, by = 0]]) => ay + ((x - ax) / (bx - ax)) * (by - ay))
      .sort((a, b) => a - b);
    return ys.flatMap((y, place) => {
      const below = ys[place - 1] ?? y;
      return y - below < 1e-9 ? [] : [[x, (below + y) / 2]];
    });
  });
}

function windings(ring: Ring, [x = 0, y = 0]: Position): number {
  let times = 0;
  for (const [[ax = 0, ay = 0], [bx = 0, by = 0]] of edgesOf(ring)) {
    const side = (bx - ax) * (y - ay) - (by - ay) * (x - ax);
    if (ay <= y && by > y && side > 0) times++;
    if (ay > y && by <= y && side < 0) times--;
  }
  return times;
}

/** Whether every place is within at most once, and every ring winds around something one way. */
function isCountedOnce(polygons: Polygons): boolean {
  const points = facePoints(polygons);
  const isRing = (ring: Ring): boolean => {
    const times = new Set(points.map((point) => windings(ring, point)).filter((time) => time !== 0));
    return times.size === 1 && Math.abs([...times][0] ?? 0) === 1;
  };
  const covers = ([shell = [], ...holes]: readonly Ring[], point: Position): boolean | null => {
    const [inside, within] = [
      windings(shell, point) !== 0,
      holes.filter((hole) => windings(hole, point) !== 0).length,
    ];
    return within > (inside ? 1 : 0) ? null : inside && within === 0;
  };
  return (
    polygons.flat().every(isRing) &&
    points.every((point) => {
      const covering = polygons.map((rings) => covers(rings, point));
      return !covering.includes(null) && covering.filter((each) => each).length <= 1;
    }) &&
    polygons.every((rings) => points.some((point) => covers(rings, point)))
  );
}

/** Whether a ring runs over a line of its own: it has a stretch without width, which no face tells of. */
function hasSpike(ring: Ring): boolean {
  const edges = edgesOf(ring);
  const on = ([[ax = 0, ay = 0], [bx = 0, by = 0]]: Edge, [x = 0, y = 0]: Position): boolean =>
    orientation(ax, ay, bx, by, x, y) === 0 && (x - ax) * (x - bx) + (y - ay) * (y - by) < 0;
  return edges.some((one, at) =>
    edges.some((other, place) => {
      const [[ax = 0, ay = 0], [bx = 0, by = 0]] = one;
      const [[cx = 0, cy = 0], [dx = 0, dy = 0]] = other;
      const isParallel = (bx - ax) * (dy - cy) === (by - ay) * (dx - cx);
      const isSame =
        (ax === cx && ay === cy && bx === dx && by === dy) ||
        (ax === dx && ay === dy && bx === cx && by === cy);
      return (
        at !== place &&
        isParallel &&
        (isSame || other.some((end) => on(one, end)) || one.some((end) => on(other, end)))
      );
    }),
  );
}

const corner = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 4 }));
const ring = fc
  .array(corner, { minLength: 3, maxLength: 6 })
  .filter((corners) =>
    corners.every(([x, y], at) => x !== corners.at(at - 1)?.[0] || y !== corners.at(at - 1)?.[1]),
  );
/** Squares keep holes and parts from being refused nearly always. */
const square = fc
  .tuple(corner, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), fc.boolean())
  .map(([[x, y], width, height, turned]): [number, number][] => {
    const corners: [number, number][] = [
      [x, y],
      [x + width, y],
      [x + width, y + height],
      [x, y + height],
    ];
    return turned ? corners.reverse() : corners;
  });
const any = fc.oneof(ring, square);
const polygon = fc.tuple(any, fc.array(any, { maxLength: 2 })).map(([shell, holes]) => [shell, ...holes]);
const polygons = fc.array(polygon, { minLength: 1, maxLength: 2 });

test('nothing passes that would be counted twice, or not at all', () => {
  let valid = 0;
  fc.assert(
    fc.property(polygons, (shape) => {
      const isValid = findValidityFault(shape) === null;
      if (isValid) valid++;
      assert.ok(!isValid || isCountedOnce(shape));
    }),
    runs(4_000, 7),
  );
  assert.ok(valid > 200, `only ${valid} were valid`);
});

test('nothing is refused that would be counted once, rings that touch included', () => {
  let valid = 0;
  fc.assert(
    fc.property(polygons, (shape) => {
      if (shape.flat().some(hasSpike) || !isCountedOnce(shape)) return;
      valid++;
      assert.equal(findValidityFault(shape), null);
    }),
    runs(4_000, 11),
  );
  assert.ok(valid > 200, `only ${valid} were valid`);
});

test('the ring and the point of a fault are named, whichever way rings wind', () => {
  const box = (west: number, south: number, east: number, north: number): Ring => [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  const cases = [
    [
      [
        [
          [
            [0, 0],
            [1, 1],
            [1, 0],
            [0, 1],
            [0, 0],
          ],
        ],
      ],
      0,
      0,
      [0.5, 0.5],
      /crosses itself/,
    ],
    [[[box(0, 0, 9, 9), box(20, 20, 21, 21)]], 0, 1, [20, 20], /outside its shell/],
    [[[box(0, 0, 9, 9), box(1, 1, 8, 8), box(2, 2, 3, 3)]], 0, 2, [2, 2], /within another hole/],
    [[[box(0, 0, 9, 9), box(1, 1, 5, 5), box(4, 4, 8, 8)]], 0, 2, [5, 4], /overlaps another hole/],
    [[[box(0, 0, 9, 9), box(5, 1, 12, 2)]], 0, 1, [9, 1], /crosses its shell/],
    [[[box(0, 0, 2, 2)], [box(1, 1, 3, 3)]], 1, 0, [2, 1], /overlaps polygon 1/],
    [[[box(0, 0, 9, 9)], [box(1, 1, 3, 3)]], 1, 0, [1, 1], /within polygon 1/],
    [
      [
        [box(0, 0, 1, 1)],
        [
          [
            [5, 5],
            [6, 6],
            [7, 7],
            [5, 5],
          ],
        ],
      ],
      1,
      0,
      [5, 5],
      /on one line/,
    ],
    [[[box(0, 0, 2, 2), box(0, 0, 2, 2)]], 0, 0, [0, 0], /cover all of it/],
  ] as const;
  for (const [shape, polygonAt, ringAt, point, reason] of cases) {
    const written = findValidityFault(shape as unknown as Polygons);
    assert.deepEqual(
      [written?.polygon, written?.ring, written?.point],
      [polygonAt, ringAt, point],
      `${reason}`,
    );
    assert.match(written?.reason ?? '', reason);
    const turned = (shape as unknown as Polygons).map((rings) => rings.map((each) => each.toReversed()));
    assert.match(findValidityFault(turned)?.reason ?? '', reason);
  }
});

test('a hole that is written a turn further on lies in its shell', () => {
  const shell: Ring = [
    [170, 0],
    [190, 0],
    [190, 10],
    [170, 10],
  ];
  const hole: Ring = [
    [-179, 1],
    [-171, 1],
    [-171, 9],
    [-179, 9],
  ];
  assert.equal(findValidityFault([[shell, hole]]), null);
  assert.match(
    findValidityFault([[shell, [...hole.slice(0, 3), [-160, 9]]]])?.reason ?? '',
    /outside|crosses/,
  );
});

test('the orientation of three points is exact where floating point is not', () => {
  // Points in steps of 2^-53 around (0.5, 0.5): the classroom example of a naive sign that is mostly wrong.
  const step = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(step, step, (right, up) => {
      const [x, y] = [0.5 + right * 2 ** -53, 0.5 + up * 2 ** -53];
      const whole = (value: number): bigint => BigInt(value * 2 ** 53);
      const [ax, ay, one, two] = [whole(x), whole(y), whole(12), whole(24)];
      const cross = (one - ax) * (two - ay) - (one - ay) * (two - ax);
      assert.equal(orientation(x, y, 12, 12, 24, 24), cross === 0n ? 0 : cross > 0n ? 1 : -1);
    }),
    runs(2_000, 13),
  );
  assert.equal(orientation(0, 0, 5e-324, 0, 0, 5e-324), 1);
});

test('lines drawn over each other again and again are refused before they are all compared', () => {
  const line = Array.from({ length: 499 }, (_, at): Position => {
    const end = (at % 2 === 0 ? -60.1 : 60.1) + at * 0.01;
    return [end, end];
  });
  const petals = Array.from({ length: 160 }, (_, at) =>
    [0, 0.5].map((half): Position => {
      const angle = ((at + half) / 80) * Math.PI;
      return [80 * Math.cos(angle), 80 * Math.sin(angle)];
    }),
  ).flatMap((tips): Position[] => [[0, 0], ...tips]);
  for (const ring of [[...line.slice(0, 498), [0, 89]], petals])
    assert.match(findValidityFault([[ring]])?.reason ?? '', /too many times/);
});

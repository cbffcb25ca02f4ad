// Tests of simplifying: corners left out lie near the line, rings stay rings, and nothing comes to cross.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Position } from 'geojson';
import { type Boundary, distanceKm, polygonsOf } from './geometry.ts';
import { simplified } from './simplify.ts';

type Ring = readonly Position[];

const place = ([lng = 0, lat = 0]: Position) => ({ lng, lat });
const linesOf = (ring: Ring): [Position, Position][] =>
  ring.slice(1).map((to, at) => [ring[at] ?? [], to] as [Position, Position]);

/** Metres from a point to the nearest of many points along the line: never too short by more than the grain. */
function metresFrom(point: Position, ring: Ring): number {
  const grain = 64;
  const along = linesOf(ring).flatMap(([[ax = 0, ay = 0], [bx = 0, by = 0]]) =>
    Array.from({ length: grain + 1 }, (_, at) => [
      ax + ((bx - ax) * at) / grain,
      ay + ((by - ay) * at) / grain,
    ]),
  );
  return Math.min(...along.map((each) => distanceKm(place(point), place(each)) * 1000));
}

function cross(
  [[ax = 0, ay = 0], [bx = 0, by = 0]]: [Position, Position],
  [[cx = 0, cy = 0], [dx = 0, dy = 0]]: [Position, Position],
): boolean {
  const side = (px: number, py: number, qx: number, qy: number, rx: number, ry: number) =>
    Math.sign((qx - px) * (ry - py) - (qy - py) * (rx - px));
  return (
    side(ax, ay, bx, by, cx, cy) * side(ax, ay, bx, by, dx, dy) < 0 &&
    side(cx, cy, dx, dy, ax, ay) * side(cx, cy, dx, dy, bx, by) < 0
  );
}

/** Whether the ring winds around the point. */
function windsAround(ring: Ring, [x = 0, y = 0]: Position): boolean {
  const turns = linesOf(ring).map(([[ax = 0, ay = 0], [bx = 0, by = 0]]) => {
    const [from, to] = [Math.atan2(ay - y, ax - x), Math.atan2(by - y, bx - x)];
    const turn = to - from;
    return turn > Math.PI ? turn - 2 * Math.PI : turn < -Math.PI ? turn + 2 * Math.PI : turn;
  });
  return Math.abs(turns.reduce((a, b) => a + b, 0)) > Math.PI;
}

/** A ring around a centre: a corner at each angle, nearer or farther, so that it never crosses itself. */
const star = (x: number, y: number, size: number, radii: readonly number[]): Position[] => {
  const corners = radii.map((radius, at) => {
    const angle = (2 * Math.PI * at) / radii.length;
    return [x + size * radius * Math.cos(angle), y + size * radius * Math.sin(angle)];
  });
  return [...corners, corners[0] ?? []];
};

const radii = fc.array(fc.double({ min: 0.6, max: 1, noNaN: true }), { minLength: 12, maxLength: 50 });
/** A shell with a hole near its middle, an island in the hole, and a small polygon close outside. */
const boundaries = fc.tuple(radii, radii, radii, radii).map(
  ([shell, hole, island, neighbour]): Boundary => ({
    type: 'MultiPolygon',
    coordinates: [
      [star(10, 50, 0.5, shell), star(10, 50, 0.18, hole).toReversed()],
      [star(10, 50, 0.06, island)],
      [star(10.56, 50, 0.05, neighbour)],
    ],
  }),
);

test('whatever the distance, corners left out lie within it, and rings neither cross, vanish nor change sides', () => {
  const metres = fc.constantFrom(1, 300, 2_000, 10_000, 100_000);
  fc.assert(
    fc.property(boundaries, metres, (boundary, limit) => {
      const [before, after] = [polygonsOf(boundary).flat(), polygonsOf(simplified(boundary, limit)).flat()];
      assert.equal(after.length, before.length);
      for (const [at, ring] of after.entries()) {
        assert.ok(ring.length >= 4, 'three corners and the first again');
        assert.deepEqual(ring[0], ring.at(-1));
        assert.ok(new Set(ring.map(String)).size === ring.length - 1, 'no corner twice');
        const old = before[at] ?? [];
        const reach =
          limit + Math.max(...linesOf(ring).map(([a, b]) => (distanceKm(place(a), place(b)) * 1000) / 64));
        for (const corner of old) assert.ok(metresFrom(corner, ring) <= reach, `${corner} is too far`);
      }
      const lines = after.flatMap(linesOf);
      for (const [at, line] of lines.entries())
        for (const other of lines.slice(at + 1)) assert.ok(!cross(line, other), `${line} crosses ${other}`);
      const within = (rings: readonly Ring[]) =>
        rings.map((outer) =>
          rings.map(([corner = []], at) => rings[at] !== outer && windsAround(outer, corner)),
        );
      assert.deepEqual(within(after), within(before));
    }),
    { numRuns: 40, seed: 43 },
  );
});

test('a hole in a small bay of the shell stays within it', () => {
  const shell = [
    [0, 0],
    [0.5, 0],
    [0.5, -0.01],
    [0.51, -0.01],
    [0.51, 0],
    [1, 0],
    [1, 1],
    [0, 1],
    [0, 0],
  ];
  const hole = [
    [0.504, -0.008],
    [0.506, -0.008],
    [0.506, -0.006],
    [0.504, -0.006],
    [0.504, -0.008],
  ];
  const [[drawn = [], inner = []] = []] = polygonsOf(
    simplified({ type: 'Polygon', coordinates: [shell, hole] }, 5_000),
  );
  assert.ok(windsAround(drawn, inner[0] ?? []));
});

test('a line with many corners loses most of them', () => {
  const many = star(0, 0, 1, Array(2_000).fill(1));
  const [[ring = []] = []] = polygonsOf(simplified({ type: 'Polygon', coordinates: [many] }, 500));
  assert.ok(ring.length < 150, `${ring.length} corners are left`);
});

test('a small ring is kept however coarse the drawing, and corners at the antimeridian stay', () => {
  const tiny = star(179.9, 0, 0.0001, [1, 1, 1, 1, 1, 1]);
  const [[ring = []] = []] = polygonsOf(simplified({ type: 'Polygon', coordinates: [tiny] }, 100_000));
  assert.equal(ring.length, 4);
  const land = [
    [179, -1],
    [180, -1],
    [180, 0],
    [180, 1],
    [179, 1],
    [178.99, 0],
    [179, -1],
  ];
  const [[drawn = []] = []] = polygonsOf(simplified({ type: 'Polygon', coordinates: [land] }, 50_000));
  for (const corner of ['180,-1', '180,1']) assert.ok(drawn.map(String).includes(corner), corner);
});

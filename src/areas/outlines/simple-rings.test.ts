// Rings simplified together.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { finish } from '../../page/map/borders.ts';
import { Corners, type GridRing, gridRing, simpleRing } from './simple-rings.ts';

const FRAME = [0, 0, 1_000, 1_000] as const;
const pointsOf = (ring: GridRing): string[] =>
  Array.from({ length: ring.length / 2 }, (_, at) => `${ring[2 * at]} ${ring[2 * at + 1]}`);

test('neighbours keep the same corners of their border, and lose only corners within the tolerance', () => {
  const border = fc.array(fc.integer({ min: 450, max: 550 }), { minLength: 3, maxLength: 60 });
  fc.assert(
    fc.property(border, fc.double({ min: 0, max: 40, noNaN: true }), (xs, tolerance) => {
      const line = xs.flatMap((x, at) => [x, Math.round((at * 1_000) / (xs.length - 1))]);
      const reversed = Array.from({ length: xs.length }, (_, at) => {
        const place = 2 * (xs.length - 1 - at);
        return [line[place] ?? 0, line[place + 1] ?? 0];
      }).flat();
      const west = gridRing([0, 0, ...line, 0, 1_000], FRAME);
      const east = gridRing([1_000, 1_000, ...reversed, 1_000, 0], FRAME);
      const corners = new Corners();
      finish(corners.add(west));
      finish(corners.add(east));
      const [one, other] = [west, east].map((ring) => pointsOf(finish(simpleRing(ring, corners, tolerance))));
      const kept = pointsOf(line);
      const ofBorder = (points: readonly string[] = []) =>
        points.filter((point) => kept.includes(point)).toSorted();
      assert.deepEqual(ofBorder(one), ofBorder(other));
      if (tolerance === 0) return;
      for (let at = 0; at < line.length; at += 2)
        assert.ok(nearest(line[at] ?? 0, line[at + 1] ?? 0, ofBorder(one)) <= tolerance + 1e-6);
    }),
  );
});

/** From a point to the line through the corners, from north to south. */
function nearest(x: number, y: number, corners: readonly string[]): number {
  const points = corners
    .map((corner) => corner.split(' ').map(Number))
    .toSorted((a, b) => (a[1] ?? 0) - (b[1] ?? 0));
  let best = Infinity;
  for (const [at, [bx = 0, by = 0]] of points.entries()) {
    const [ax = bx, ay = by] = points[at - 1] ?? [];
    const length = (bx - ax) ** 2 + (by - ay) ** 2;
    const share =
      length === 0 ? 0 : Math.max(0, Math.min(1, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length));
    best = Math.min(best, Math.hypot(x - ax - share * (bx - ax), y - ay - share * (by - ay)));
  }
  return best;
}

test('an island without neighbours keeps at least a triangle, a speck is left out', () => {
  const corners = new Corners();
  const island = [0, 0, 500, 20, 900, 900, 300, 500];
  finish(corners.add(island));
  assert.ok(finish(simpleRing(island, corners, 5)).length >= 6);
  assert.deepEqual(gridRing([1.1, 1.1, 1.2, 1.2, 1.3, 1.1], FRAME), []);
});

// Centroid of a boundary: where its label goes, also when the antimeridian cuts the boundary in two.

import type { Position } from 'geojson';
import { type Boundary, type Point, polygonsOf, ringArea } from './geometry.ts';

interface Weight {
  /** Twice the area in plane degrees. */
  readonly twice: number;
  readonly lng: number;
  readonly lat: number;
}

/**
 * The centre of gravity of the largest polygon's shell, in plane degrees: good enough to put a label on. Polygons that
 * touch along the antimeridian are one that was cut there.
 */
export function centroidOf(boundary: Boundary): Point {
  const shells = polygonsOf(boundary).map(([shell = []]) => shell);
  const groups = joinedAtAntimeridian(shells);
  const size = (group: readonly (readonly Position[])[]): number =>
    group.reduce((sum, shell) => sum + ringArea(shell), 0);
  const largest = groups.reduce((a, b) => (size(b) > size(a) ? b : a), groups[0] ?? []);
  const weights = largest.map(gravity);
  const total = weights.reduce((sum, { twice }) => sum + twice, 0);
  const mean = (value: (weight: Weight) => number): number =>
    total === 0
      ? value(weights[0] ?? { twice: 0, lng: 0, lat: 0 })
      : weights.reduce((sum, weight) => sum + value(weight) * (weight.twice / total), 0);
  const lng = mean((weight) => weight.lng);
  return { lng: lng > 180 ? lng - 360 : lng, lat: mean((weight) => weight.lat) };
}

function gravity(shell: readonly Position[]): Weight {
  let [twice, x, y] = [0, 0, 0];
  // Sums are taken around the first vertex: degrees are large numbers with small differences.
  const [originX = 0, originY = 0] = shell[0] ?? [];
  let [previousX = 0, previousY = 0] = shell[shell.length - 1] ?? [];
  for (const [currentX = 0, currentY = 0] of shell) {
    const [ax, ay, bx, by] = [
      previousX - originX,
      previousY - originY,
      currentX - originX,
      currentY - originY,
    ];
    const cross = ax * by - bx * ay;
    twice += cross;
    x += (ax + bx) * cross;
    y += (ay + by) * cross;
    previousX = currentX;
    previousY = currentY;
  }
  if (twice === 0) return { twice, lng: originX, lat: originY };
  return { twice: Math.abs(twice), lng: originX + x / (3 * twice), lat: originY + y / (3 * twice) };
}

/** Shells in groups of those that are one across the antimeridian; the eastern parts of a group a turn further on. */
function joinedAtAntimeridian(shells: readonly (readonly Position[])[]): (readonly Position[])[][] {
  let groups: (readonly Position[])[][] = shells.map((shell) => [shell]);
  const touching = (lng: number) =>
    shells.flatMap((shell) => {
      const stretches = alongMeridian(shell, lng);
      return stretches.length > 0 ? [{ shell, stretches }] : [];
    });
  const [western, eastern] = [touching(180), touching(-180)];
  for (const west of western)
    for (const east of eastern) {
      if (west.shell === east.shell || !overlap(west.stretches, east.stretches)) continue;
      const met = groups.filter((group) => group.includes(west.shell) || group.includes(east.shell));
      groups = [...groups.filter((group) => !met.includes(group)), met.flat()];
    }
  const far = new Set(eastern.map(({ shell }) => shell));
  return groups.map((group) =>
    group.length === 1
      ? group
      : group.map((shell) =>
          far.has(shell) ? shell.map(([lng = 0, lat = 0]): Position => [lng + 360, lat]) : shell,
        ),
  );
}

type Stretch = readonly [south: number, north: number];

function alongMeridian(shell: readonly Position[], lng: number): Stretch[] {
  return shell.flatMap(([toLng, to = 0], at) => {
    const [fromLng, from = 0] = shell.at(at - 1) ?? [];
    if (fromLng !== lng || toLng !== lng || from === to) return [];
    return [[Math.min(from, to), Math.max(from, to)] as const];
  });
}

const overlap = (left: readonly Stretch[], right: readonly Stretch[]): boolean =>
  left.some(([south, north]) => right.some(([from, to]) => Math.max(south, from) < Math.min(north, to)));

// Boundaries become outlines for a zoom: cut off outside the region, simplified together, with a point for the name.

import { TURNS } from '../../geometry/antimeridian.ts';
import { type Boundary, doubleArea, openRing, polygonsOf } from '../../geometry/geometry.ts';
import type { Steps } from '../../lib/scheduler.ts';
import type { AreaType } from '../../listings/vocabulary.ts';
import type { Rectangle } from '../../page/map/clip.ts';
import type { Outline } from '../../page/map/drawing.ts';
import { project, unproject, worldSize } from '../../page/map/mercator.ts';
import type { MappedArea } from './outline-store.ts';
import { CORNERS, Corners, GRID, type GridRing, gridRing, simpleRing } from './simple-rings.ts';

/** Pixels between a line and the corners that it leaves out. */
const TOLERANCE = 0.6;
/** Square pixels below which an island, or a hole, is left out beside larger ones. */
const SMALLEST = 3;

const LEVELS: Readonly<Partial<Record<AreaType, number>>> = {
  country: 0,
  state: 1,
  metro: 2,
  county: 2,
  city: 3,
  borough: 4,
  neighborhood: 5,
};

export const levelOf = (type: AreaType): number => LEVELS[type] ?? 6;

/** A part of the map at a zoom: the grid that its corners are rounded to. */
export interface Region {
  readonly zoom: number;
  /** Of its north-western corner, and its size, in pixels of the world at the zoom. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

interface GridArea {
  readonly area: MappedArea;
  readonly rings: readonly GridRing[];
}

/** Units of the grid a pixel: a quarter of one is not seen, and neighbours whose corners nearly meet meet. */
const UNITS = 4;

/** The boundary in the grid of a region; null where none of it lies there. One step a ring. */
export function* onGrid(area: MappedArea, boundary: Boundary, region: Region): Steps<GridArea | null> {
  const rings: GridRing[] = [];
  for (const polygon of polygonsOf(boundary)) {
    for (const [at, ring] of polygon.entries()) {
      yield;
      // Shells run counterclockwise, holes clockwise, whatever the file says.
      const isTurned = doubleArea(ring) > 0 !== (at === 0);
      const corners = isTurned ? openRing(ring).toReversed() : openRing(ring);
      for (const turn of TURNS) {
        const found = gridRing(yield* placed(corners, turn, region), frameOf(region));
        if (found.length > 0) rings.push(found);
      }
    }
  }
  return rings.length === 0 ? null : { area, rings };
}

function frameOf({ width, height }: Region): Rectangle {
  return [0, 0, Math.min(GRID - 1, width * UNITS), Math.min(GRID - 1, height * UNITS)];
}

function* placed(
  ring: readonly (readonly number[])[],
  turn: number,
  { zoom, left, top }: Region,
): Steps<number[]> {
  const points: number[] = [];
  for (const [lng = 0, lat = 0] of ring) {
    if (points.length % CORNERS === CORNERS - 2) yield;
    const [x, y] = project(lng + turn, lat, zoom);
    points.push((x - left) * UNITS, (y - top) * UNITS);
  }
  return points;
}

/** All areas of a region, simplified together. */
export function* outlinesOf(areas: readonly GridArea[], region: Region): Steps<Outline[]> {
  const corners = new Corners();
  for (const { rings } of areas)
    for (const ring of rings) {
      yield* corners.add(ring);
      yield;
    }
  const outlines: Outline[] = [];
  for (const { area, rings } of areas) {
    const simple: GridRing[] = [];
    for (const ring of rings) {
      simple.push(yield* simpleRing(ring, corners, TOLERANCE * UNITS));
      yield;
    }
    const outline = outlineOf(
      area,
      simple.filter((ring) => ring.length > 0),
      region,
    );
    if (outline !== null) outlines.push(outline);
  }
  return outlines;
}

function outlineOf(area: MappedArea, rings: readonly GridRing[], region: Region): Outline | null {
  const sized = rings.map((ring) => ({ ring, size: Math.abs(gridArea(ring)) / 2 / UNITS ** 2 }));
  const largest = sized.reduce<(typeof sized)[number] | null>(
    (a, b) => (a === null || b.size > a.size ? b : a),
    null,
  );
  if (largest === null) return null;
  const kept = sized.filter(({ size }) => size >= SMALLEST || size === largest.size);
  const [x, y] = middleOf(largest.ring);
  const { id, name, type, parentId } = area;
  return {
    id,
    name,
    type,
    level: levelOf(type),
    parentId,
    rings: kept.map(({ ring }) => degreesOf(ring, region)),
    labelAt: degreeOf(x, y, region),
  };
}

function degreesOf(ring: GridRing, region: Region): number[] {
  const degrees: number[] = [];
  for (let at = 0; at < ring.length; at += 2)
    degrees.push(...degreeOf(ring[at] ?? 0, ring[at + 1] ?? 0, region));
  return degrees;
}

function degreeOf(x: number, y: number, { zoom, left, top }: Region): [number, number] {
  const [lng, lat] = unproject(left + x / UNITS, top + y / UNITS, zoom);
  // Decimals of half a unit of the grid.
  const decimals = Math.ceil(Math.log10((worldSize(zoom) * UNITS) / 360));
  return [Number(lng.toFixed(decimals)), Number(lat.toFixed(decimals))];
}

/** Twice the area, in units of the grid; its sign is the direction. */
function gridArea(ring: GridRing): number {
  let sum = 0;
  for (let at = 0; at < ring.length; at += 2) {
    const [x = 0, y = 0] = [ring[at], ring[at + 1]];
    const [nextX = 0, nextY = 0] = [ring[(at + 2) % ring.length], ring[(at + 3) % ring.length]];
    sum += x * nextY - nextX * y;
  }
  return sum;
}

/** The middle of the widest of some stretches across the ring, those near its middle preferred. */
function middleOf(ring: GridRing): [number, number] {
  const ys = ring.filter((_, at) => at % 2 === 1);
  const [top, bottom] = [ys.reduce((a, b) => Math.min(a, b)), ys.reduce((a, b) => Math.max(a, b))];
  let [best, place] = [-1, [ring[0] ?? 0, ring[1] ?? 0] as [number, number]];
  for (const [share, weight] of [
    [0.5, 1],
    [0.42, 0.95],
    [0.58, 0.95],
    [0.33, 0.85],
    [0.67, 0.85],
    [0.25, 0.7],
    [0.75, 0.7],
  ] as const) {
    const y = top + (bottom - top) * share + 0.01;
    for (const [from, to] of stretchesAt(ring, y))
      if ((to - from) * weight > best) [best, place] = [(to - from) * weight, [(from + to) / 2, y]];
  }
  return place;
}

function stretchesAt(ring: GridRing, y: number): [number, number][] {
  const crossings: number[] = [];
  for (let at = 0; at < ring.length; at += 2) {
    const [x = 0, fromY = 0] = [ring[at], ring[at + 1]];
    const [toX = 0, toY = 0] = [ring[(at + 2) % ring.length], ring[(at + 3) % ring.length]];
    if (fromY > y !== toY > y) crossings.push(x + ((y - fromY) / (toY - fromY)) * (toX - x));
  }
  crossings.sort((a, b) => a - b);
  return crossings.flatMap(
    (from, at) =>
      (at % 2 === 0 && at + 1 < crossings.length ? [[from, crossings[at + 1] ?? from]] : []) as [
        number,
        number,
      ][],
  );
}

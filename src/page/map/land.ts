// Land of a map: outlines in whole pixels, cut off a little outside the drawing, with their borders and names.

import {
  type Borders,
  borderSteps,
  finish,
  type LandSteps,
  type PixelRings,
  pathAround,
  pathSteps,
} from './borders.ts';
import { clippedRing, type Rectangle } from './clip.ts';
import type { MapDrawing, Outline } from './drawing.ts';
import { type MapView, project, viewOf, worldSize } from './mercator.ts';
import type { NameCandidate } from './names.ts';

/** Pixels around the drawing in which lines go on, so that bands along the coast end outside. */
const MARGIN = 40;
/** Borders of areas up to this level, cities, are whole lines; deeper ones are dotted. */
const MAJOR_LEVEL = 3;

export interface DrawnArea {
  readonly outline: Outline;
  readonly rings: PixelRings;
}

export interface DrawnLand {
  readonly areas: readonly DrawnArea[];
  readonly borders: Borders;
  /** Around the chosen areas; empty without. */
  readonly chosen: string;
  readonly names: readonly NameCandidate[];
}

/** What decides the land of a map. */
export type LandDrawing = Pick<MapDrawing, 'outlines' | 'box' | 'width' | 'height' | 'padding' | 'chosen'>;

/** In steps: that of thousands of areas takes a tenth of a second. */
export function* landSteps(drawing: LandDrawing): LandSteps<DrawnLand> {
  const { outlines, box, width, height, padding, chosen = [] } = drawing;
  const view = viewOf(box, width, height, padding);
  const areas: DrawnArea[] = [];
  for (const outline of outlines) {
    areas.push(...areasIn([outline], view));
    yield;
  }
  const ids = new Set(areas.map(({ outline }) => outline.id));
  const leveled = areas.map(({ outline, rings }) => ({
    rings,
    isRoot: outline.parentId === null || !ids.has(outline.parentId),
    isMajor: outline.level <= MAJOR_LEVEL,
  }));
  const inside = areas.filter(({ outline }) => chosen.includes(outline.id));
  return {
    areas,
    borders: yield* borderSteps(leveled),
    chosen: inside.length === 0 ? '' : yield* pathSteps(inside.flatMap(({ rings }) => rings)),
    names: yield* nameSteps(areas, view),
  };
}

/** At once. */
export const drawnLand = (drawing: LandDrawing): DrawnLand => finish(landSteps(drawing));

/** Names of the areas in a view, for maps that draw their land otherwise. */
export function nameCandidates(outlines: readonly Outline[], view: MapView): readonly NameCandidate[] {
  return finish(nameSteps(areasIn(outlines, view), view));
}

function areasIn(outlines: readonly Outline[], view: MapView): readonly DrawnArea[] {
  const frame: Rectangle = [-MARGIN, -MARGIN, view.width + MARGIN, view.height + MARGIN];
  return outlines.flatMap((outline): DrawnArea[] => {
    const rings = outline.rings.flatMap((ring) => ringsIn(ring, view, frame));
    return rings.length === 0 ? [] : [{ outline, rings }];
  });
}

/** Where cities are drawn, what they lie in is not named. */
function* nameSteps(areas: readonly DrawnArea[], view: MapView): LandSteps<readonly NameCandidate[]> {
  const level = areas.reduce((deepest, { outline }) => Math.max(deepest, outline.level), 0);
  const named = Math.min(MAJOR_LEVEL, level);
  const names: NameCandidate[] = [];
  for (const area of areas) {
    if (area.outline.level < named) continue;
    names.push(...nameCandidate(area, view));
    yield;
  }
  return names;
}

export const pathOfArea = ({ rings }: DrawnArea): string => pathAround(rings);

/** The ring at each turn of the world that the drawing shows. */
function ringsIn(ring: readonly number[], view: MapView, frame: Rectangle): number[][] {
  const points: number[] = [];
  for (let at = 0; at < ring.length; at += 2) {
    const [x, y] = project(ring[at] ?? 0, ring[at + 1] ?? 0, view.zoom);
    points.push(x - view.left, y - view.top);
  }
  const size = worldSize(view.zoom);
  const [west, east] = rangeOf(points);
  const found: number[][] = [];
  for (let turn = Math.ceil((frame[0] - east) / size); west + turn * size <= frame[2]; turn += 1) {
    const turned = points.map((value, at) => (at % 2 === 0 ? value + turn * size : value));
    const rounded = inPixels(clippedRing(turned, frame));
    if (rounded.length >= 6) found.push(rounded);
  }
  return found;
}

function rangeOf(points: readonly number[]): [number, number] {
  let [west, east] = [Infinity, -Infinity];
  for (let at = 0; at < points.length; at += 2) {
    west = Math.min(west, points[at] ?? 0);
    east = Math.max(east, points[at] ?? 0);
  }
  return [west, east];
}

/** Rounded, without corners that fall onto the one before. */
function inPixels(points: readonly number[]): number[] {
  const kept: number[] = [];
  for (let at = 0; at < points.length; at += 2) {
    const [x, y] = [Math.round(points[at] ?? 0), Math.round(points[at + 1] ?? 0)];
    if (kept.at(-2) !== x || kept.at(-1) !== y) kept.push(x, y);
  }
  while (kept.length > 2 && kept[0] === kept.at(-2) && kept[1] === kept.at(-1)) kept.length -= 2;
  return kept;
}

/** A name stands at its area's label point, or in the middle of the part in sight where that is out of sight. */
function nameCandidate({ outline, rings }: DrawnArea, view: MapView): NameCandidate[] {
  const largest = rings.reduce((a, b) => (Math.abs(doubleArea(b)) > Math.abs(doubleArea(a)) ? b : a));
  const [west, east] = rangeOf(largest);
  const isMajor = outline.level <= MAJOR_LEVEL;
  const [x, y] = project(outline.labelAt[0], outline.labelAt[1], view.zoom);
  const size = worldSize(view.zoom);
  const turn = Math.round((view.left + view.width / 2 - x) / size) * size;
  const [left, top] = [x + turn - view.left, y - view.top];
  const isInSight = left > 0 && left < view.width && top > 0 && top < view.height;
  if (isInSight) return [{ outline, x: left, y: top, across: east - west, isMajor }];
  const [middleX, middleY] = middleOf(largest, view);
  return [
    { outline, x: middleX, y: middleY, across: Math.min(east, view.width) - Math.max(west, 0), isMajor },
  ];
}

function doubleArea(ring: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < ring.length; at += 2) {
    const [x = 0, y = 0] = [ring[at], ring[at + 1]];
    const [nextX = 0, nextY = 0] = [ring[(at + 2) % ring.length], ring[(at + 3) % ring.length]];
    sum += x * nextY - nextX * y;
  }
  return sum;
}

/** The middle of the widest stretch of the ring on a line through the middle of what is in sight. */
function middleOf(ring: readonly number[], { width, height }: MapView): [number, number] {
  const ys = ring.filter((_, at) => at % 2 === 1);
  const y = (Math.max(0, Math.min(...ys)) + Math.min(height, Math.max(...ys))) / 2;
  const crossings: number[] = [];
  for (let at = 0; at < ring.length; at += 2) {
    const [x = 0, fromY = 0] = [ring[at], ring[at + 1]];
    const [toX = 0, toY = 0] = [ring[(at + 2) % ring.length], ring[(at + 3) % ring.length]];
    if (fromY > y !== toY > y) crossings.push(x + ((y - fromY) / (toY - fromY)) * (toX - x));
  }
  const sorted = crossings.map((x) => Math.min(width, Math.max(0, x))).sort((a, b) => a - b);
  let [best, middle] = [-1, width / 2];
  for (let at = 0; at + 1 < sorted.length; at += 2) {
    const [from = 0, to = 0] = [sorted[at], sorted[at + 1]];
    if (to - from > best) [best, middle] = [to - from, (from + to) / 2];
  }
  return [middle, y];
}

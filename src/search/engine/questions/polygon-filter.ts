// Filter over polygons: whole blocks lie inside or outside of a polygon unless an edge passes through them, and only the rows of
// the others are tested, against the parts whose edges do.

import type { Box, Point } from '../../../geometry/geometry.ts';
import { boxOfPart, compilePart, isInBoxes, type PointTest } from '../../query/shape-predicate.ts';
import type { Part, Shape } from '../../query/shapes.ts';
import { BLOCK_BITS, type Columns, type NumberArray, type Zones } from '../columns/segment.ts';
import { zonesOf } from './number-filters.ts';
import { type Filter, type Judgement, rowsAtOnce } from './scan.ts';

type Polygon = Extract<Shape, { readonly kind: 'polygon' }>;

/** A part with its box, its test, and its edges: from and to, each as longitude and latitude. */
interface CompiledPart {
  readonly box: Box;
  readonly holds: PointTest;
  readonly edges: Float64Array;
}

/** What a corner costs. */
const CORNER = 3;
/** Degrees around a block within which an edge counts as passing through it: more than the tolerance of the test. */
const MARGIN = 1e-6;

export function polygonFilter(
  { parts, boxes }: Polygon,
  lngs: NumberArray,
  lats: NumberArray,
  columns: Columns,
): Filter {
  const compiled = parts.map(compile);
  const [lngZones, latZones] = [zonesOf('lng', columns), zonesOf('lat', columns)];
  const blocks = lngZones && latZones && new PolygonBlocks(compiled, boxes, lngZones, latZones);
  const corners = compiled.reduce((sum, { edges }) => sum + edges.length / 4, 0);
  return {
    cost: 10 + Math.min(compiled.length, 8) * 4 + CORNER * corners,
    rowsAtOnce: rowsAtOnce(corners),
    ...(blocks && {
      judge(block: number, first: number, end: number): Judgement {
        const state = blocks.stateOf(block);
        // Rows without a place, which lie nowhere, are the last of those that are shown and of the others.
        if (state === 'all') return isLocated(lngs, first, end) ? 'all' : 'some';
        return state === 'none' ? 'none' : 'some';
      },
    }),
    narrow(rows, count) {
      let kept = 0;
      for (let at = 0; at < count; at++) {
        const row = rows[at] as number;
        const lng = lngs[row] as number;
        const lat = lats[row] as number;
        rows[kept] = row;
        if (Number.isNaN(lng)) continue;
        const near = blocks ? blocks.stateOf(row >>> BLOCK_BITS) : compiled;
        if (near === 'none') continue;
        if (near === 'all' || (isInBoxes(boxes, lng, lat) && isInParts(near, lng, lat))) kept++;
      }
      return kept;
    },
  };
}

function isLocated(lngs: NumberArray, first: number, end: number): boolean {
  for (let row = first; row < end; row++) if (Number.isNaN(lngs[row] as number)) return false;
  return true;
}

/** All rows of a block are in the polygon, or none is, or these parts have to be asked. */
type BlockState = 'all' | 'none' | readonly CompiledPart[];

class PolygonBlocks {
  readonly #parts: readonly CompiledPart[];
  readonly #boxes: readonly Box[];
  readonly #lngs: Zones;
  readonly #lats: Zones;
  readonly #states: BlockState[] = [];

  constructor(parts: readonly CompiledPart[], boxes: readonly Box[], lngs: Zones, lats: Zones) {
    this.#parts = parts;
    this.#boxes = boxes;
    this.#lngs = lngs;
    this.#lats = lats;
  }

  stateOf(block: number): BlockState {
    this.#states[block] ??= this.#compute(block);
    return this.#states[block] as BlockState;
  }

  #compute(block: number): BlockState {
    const box: Box = [
      (this.#lngs.min[block] as number) - MARGIN,
      (this.#lats.min[block] as number) - MARGIN,
      (this.#lngs.max[block] as number) + MARGIN,
      (this.#lats.max[block] as number) + MARGIN,
    ];
    if (!this.#boxes.some((each) => meets(each, box))) return 'none';
    const near = this.#parts.filter((part) => meets(part.box, box));
    const crossed: CompiledPart[] = [];
    for (const part of near) {
      if (isCrossed(part, box)) crossed.push(part);
      else if (part.holds(box[0], box[1])) return 'all';
    }
    return crossed.length === 0 ? 'none' : crossed;
  }
}

const compile = (part: Part): CompiledPart => ({
  box: boxOfPart(part),
  holds: compilePart(part),
  edges: Float64Array.from([part.shell, ...part.holes].flatMap(edgesOf)),
});

const edgesOf = (ring: readonly Point[]): number[] =>
  ring.flatMap(({ lng, lat }, at) => {
    const before = ring.at(at - 1);
    return before === undefined ? [] : [before.lng, before.lat, lng, lat];
  });

const meets = (a: Box, b: Box): boolean => a[0] <= b[2] && a[2] >= b[0] && a[1] <= b[3] && a[3] >= b[1];

/** Whether an edge of the part passes through the box, or may do so. */
function isCrossed({ edges }: CompiledPart, [west, south, east, north]: Box): boolean {
  for (let at = 0; at < edges.length; at += 4) {
    const fromX = edges[at] as number;
    const fromY = edges[at + 1] as number;
    const toX = edges[at + 2] as number;
    const toY = edges[at + 3] as number;
    if (Math.max(fromX, toX) < west || Math.min(fromX, toX) > east) continue;
    if (Math.max(fromY, toY) < south || Math.min(fromY, toY) > north) continue;
    // All four corners on one side of its line: it passes by.
    const [dx, dy] = [toX - fromX, toY - fromY];
    const sides = [
      dx * (south - fromY) - dy * (west - fromX),
      dx * (south - fromY) - dy * (east - fromX),
      dx * (north - fromY) - dy * (west - fromX),
      dx * (north - fromY) - dy * (east - fromX),
    ];
    if (!(sides.every((side) => side > 0) || sides.every((side) => side < 0))) return true;
  }
  return false;
}

function isInParts(parts: readonly CompiledPart[], lng: number, lat: number): boolean {
  for (const { box, holds } of parts)
    if (
      lng >= box[0] - MARGIN &&
      lat >= box[1] - MARGIN &&
      lng <= box[2] + MARGIN &&
      lat <= box[3] + MARGIN &&
      holds(lng, lat)
    )
      return true;
  return false;
}

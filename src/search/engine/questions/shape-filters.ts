// Filters over places: boxes by the zones of blocks, circles and polygons by the same test that SQL makes.

import type { Box } from '../../../geometry/geometry.ts';
import { compilePointTest } from '../../query/shape-predicate.ts';
import type { Shape } from '../../query/shapes.ts';
import type { Columns, NumberArray, Zones } from '../columns/segment.ts';
import { zonesOf } from './number-filters.ts';
import { polygonFilter } from './polygon-filter.ts';
import { type Filter, groupsOf, type Judgement, NOTHING } from './scan.ts';

/** What the computation of a distance costs. */
const DISTANCE_COST = 80;

/** Listings in a shape. */
export function shapeFilter(shape: Shape, columns: Columns): Filter {
  const { lng: lngs, lat: lats } = columns.numbers;
  if (lngs === undefined || lats === undefined) return NOTHING;
  const { boxes } = shape;
  const zones = { lng: zonesOf('lng', columns), lat: zonesOf('lat', columns) };
  const judgeGroup = zones.lng && zones.lat && judgeBoxes(boxes, groupsOf(zones.lng), groupsOf(zones.lat));
  const groups = judgeGroup && { mayHold: (group: number) => judgeGroup(group) === 'some' };
  if (shape.kind === 'polygon') return { ...polygonFilter(shape, lngs, lats, columns), ...groups };
  const only = boxes.length === 1 ? boxes[0] : undefined;
  const holds = shape.kind === 'boxes' ? null : compilePointTest(shape);
  return {
    cost: holds === null ? 2 : DISTANCE_COST,
    ...groups,
    ...(zones.lng && zones.lat && { judge: judgeBoxes(boxes, zones.lng, zones.lat) }),
    narrow(rows, count) {
      const left = only
        ? narrowBox(only, lngs, lats, rows, count)
        : narrowBoxes(boxes, lngs, lats, rows, count);
      if (holds === null) return left;
      let kept = 0;
      for (let at = 0; at < left; at++) {
        const row = rows[at] as number;
        rows[kept] = row;
        if (holds(lngs[row] as number, lats[row] as number)) kept++;
      }
      return kept;
    },
  };
}

/** What nearly every search has. */
function narrowBox(
  [west, south, east, north]: Box,
  lngs: NumberArray,
  lats: NumberArray,
  rows: Uint32Array,
  count: number,
): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    const lng = lngs[row] as number;
    const lat = lats[row] as number;
    rows[kept] = row;
    if (lng >= west && lat >= south && lng <= east && lat <= north) kept++;
  }
  return kept;
}

function narrowBoxes(
  boxes: readonly Box[],
  lngs: NumberArray,
  lats: NumberArray,
  rows: Uint32Array,
  count: number,
): number {
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const row = rows[at] as number;
    const lng = lngs[row] as number;
    const lat = lats[row] as number;
    rows[kept] = row;
    for (let box = 0; box < boxes.length; box++) {
      const edges = boxes[box] as Box;
      if (!(lng >= edges[0] && lat >= edges[1] && lng <= edges[2] && lat <= edges[3])) continue;
      kept++;
      break;
    }
  }
  return kept;
}

const judgeBoxes =
  (boxes: readonly Box[], lngs: Zones, lats: Zones) =>
  (at: number): Judgement => {
    const [west, east] = [lngs.min[at] as number, lngs.max[at] as number];
    const [south, north] = [lats.min[at] as number, lats.max[at] as number];
    for (const box of boxes)
      if (west <= box[2] && east >= box[0] && south <= box[3] && north >= box[1]) return 'some';
    return 'none';
  };

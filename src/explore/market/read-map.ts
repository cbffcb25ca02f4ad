// What the map of the market page is drawn of: outlines around its areas.

import { landAhead } from '../../areas/outlines/land-ahead.ts';
import type { Outlines } from '../../areas/outlines/outlines.ts';
import type { Outline } from '../../page/map/drawing.ts';
import type { DrawnLand } from '../../page/map/land.ts';
import { type MapBox, zoomFor } from '../../page/map/mercator.ts';
import type { AreaSet } from './read-areas.ts';

export interface AreaMap {
  readonly outlines: readonly Outline[];
  readonly land: DrawnLand;
  readonly ground: 'water' | 'paper';
  readonly box: MapBox;
}

/** Pixels of the drawing, which scales with its container. */
export const MAP_WIDTH = 392;
export const MAP_HEIGHT = 440;
/** Between the box and the edges of the drawing. */
export const MAP_PADDING = 12;

/** Around these areas, which are all of the set or those of one page. Null where no area has an outline. */
export async function readMap(
  outlines: Outlines,
  set: AreaSet,
  areas: AreaSet['areas'],
): Promise<AreaMap | null> {
  const ids = areas.map(({ id }) => id);
  const isPart = areas.length < set.areas.length || set.areas.length < set.total;
  const whole = (isPart ? boxAroundAll(areas) : set.box) ?? boxOf((await outlines.in(null, null)).outlines);
  if (whole === null) return null;
  const found = await outlines.in(whole, zoomFor(whole, MAP_WIDTH, MAP_HEIGHT), ids);
  const size = { width: MAP_WIDTH, height: MAP_HEIGHT, padding: MAP_PADDING };
  const land = await landAhead({ outlines: found.outlines, box: whole, ...size });
  return { outlines: found.outlines, land, ground: found.ground, box: whole };
}

/** Around boxes of areas; null without any, and across the antimeridian, where all of the land is shown. */
function boxAroundAll(areas: AreaSet['areas']): MapBox | null {
  const known = areas.flatMap(({ bbox }) => (bbox?.length === 4 ? [bbox as unknown as MapBox] : []));
  if (known.length === 0 || known.some(([west, , east]) => west > east)) return null;
  const side = (at: 0 | 1 | 2 | 3, pick: (...values: number[]) => number): number =>
    pick(...known.map((box) => box[at]));
  return [side(0, Math.min), side(1, Math.min), side(2, Math.max), side(3, Math.max)];
}

/** Around outlines; null without any. */
function boxOf(outlines: readonly Outline[]): MapBox | null {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { rings } of outlines)
    for (const ring of rings)
      for (let at = 0; at + 1 < ring.length; at += 2) {
        const [lng = 0, lat = 0] = [ring[at], ring[at + 1]];
        [west, south] = [Math.min(west, lng), Math.min(south, lat)];
        [east, north] = [Math.max(east, lng), Math.max(north, lat)];
      }
  return west > east ? null : [west, south, east, north];
}

// A point inside a boundary, near its middle: where a home is shown of which only that is known.

import { centroidOf } from './centroid.ts';
import {
  type Boundary,
  boxOf,
  type FlatPolygon,
  flattened,
  type Point,
  polygonContains,
  polygonsOf,
  ringArea,
} from './geometry.ts';

/** Parallels on which a point is looked for, as shares of the height of the polygon; the middle first. */
const PARALLELS = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9];

/** The centroid where the boundary holds it, else the middle of the longest stretch of its largest polygon on a parallel. */
export function pointInside(boundary: Boundary): Point {
  const centroid = centroidOf(boundary);
  const polygons = polygonsOf(boundary);
  if (polygons.some((rings) => polygonContains(flattened(rings), centroid))) return centroid;
  const [largest] = [...polygons].sort(([a = []], [b = []]) => ringArea(b) - ringArea(a));
  const polygon = flattened(largest ?? []);
  const [, south, , north] = boxOf(polygon[0] ?? new Float64Array());
  let [best, length] = [centroid, 0];
  for (const share of PARALLELS) {
    const lat = south + (north - south) * share;
    for (const [west, east] of stretchesAt(polygon, lat)) {
      const point = { lat, lng: (west + east) / 2 };
      if (east - west > length && polygonContains(polygon, point)) [best, length] = [point, east - west];
    }
    if (length > 0) return best;
  }
  return best;
}

/** Where the parallel crosses edges, as the stretches in between. */
function stretchesAt(polygon: FlatPolygon, lat: number): [number, number][] {
  const crossings: number[] = [];
  for (const ring of polygon) {
    let [fromLng = 0, fromLat = 0] = [ring[ring.length - 2], ring[ring.length - 1]];
    for (let at = 0; at < ring.length; at += 2) {
      const [lng = 0, to = 0] = [ring[at], ring[at + 1]];
      if (to > lat !== fromLat > lat)
        crossings.push(fromLng + ((lat - fromLat) / (to - fromLat)) * (lng - fromLng));
      [fromLng, fromLat] = [lng, to];
    }
  }
  crossings.sort((a, b) => a - b);
  return crossings.slice(1).map((east, at) => [crossings[at] ?? east, east]);
}

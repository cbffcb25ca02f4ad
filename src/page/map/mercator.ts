// Web Mercator: degrees to pixels and back, and the view that shows a box. Zooms are MapLibre's: the world is 512 pixels wide at 0.

/** minLng, minLat, maxLng, maxLat; minLng above maxLng crosses the antimeridian. */
export type MapBox = readonly [number, number, number, number];

/** The latitude at which the projected world is square. */
const MAX_LATITUDE = 85.0511287798066;
const TILE = 512;
/** Nobody reads a map closer than this, and a box around one point would have no zoom at all. */
const MAX_ZOOM = 19;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;

/** Pixels of the whole world at a zoom, sideways and down. */
export const worldSize = (zoom: number): number => TILE * 2 ** zoom;

/** Pixels from the north-western corner of the world. Longitudes beyond 180 lie east of it; poles are cut off. */
export function project(lng: number, lat: number, zoom: number): [x: number, y: number] {
  const size = worldSize(zoom);
  const sine = Math.sin(radians(Math.min(MAX_LATITUDE, Math.max(-MAX_LATITUDE, lat))));
  return [(lng / 360 + 0.5) * size, (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * size];
}

/** The point at so many pixels; the longitude is not turned back into -180 to 180. */
export function unproject(x: number, y: number, zoom: number): [lng: number, lat: number] {
  const size = worldSize(zoom);
  const lat = (Math.atan(Math.sinh(Math.PI * (1 - (2 * y) / size))) * 180) / Math.PI;
  return [(x / size - 0.5) * 360, lat];
}

/** What a map of some width and height shows. */
export interface MapView {
  readonly zoom: number;
  /** Of the north-western corner, in pixels of the world at the zoom. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The box as one range of longitudes: its eastern edge is past 180 where it crosses the antimeridian. */
export function unwrapped([west, south, east, north]: MapBox): MapBox {
  return [west, south, east < west ? east + 360 : east, north];
}

/** The largest zoom at which a box fits. */
export function zoomFor(box: MapBox, width: number, height: number): number {
  const [west, south, east, north] = unwrapped(box);
  const [left, top] = project(west, north, 0);
  const [right, bottom] = project(east, south, 0);
  const scale = Math.min(width / (right - left), height / (bottom - top));
  return Math.max(0, Math.min(MAX_ZOOM, Math.log2(scale)));
}

/** The view of so many pixels with the box in its middle, as large as it fits beside a padding on each side. */
export function viewOf(box: MapBox, width: number, height: number, padding = 0): MapView {
  const zoom = zoomFor(box, Math.max(1, width - 2 * padding), Math.max(1, height - 2 * padding));
  const [west, south, east, north] = unwrapped(box);
  const [left, top] = project(west, north, zoom);
  const [right, bottom] = project(east, south, zoom);
  return { zoom, left: (left + right - width) / 2, top: (top + bottom - height) / 2, width, height };
}

/** The view of so many pixels around a point. */
export function viewAround(
  { lng, lat }: { readonly lng: number; readonly lat: number },
  zoom: number,
  width: number,
  height: number,
): MapView {
  const [x, y] = project(lng, lat, zoom);
  return { zoom, left: x - width / 2, top: y - height / 2, width, height };
}

/** The box that a view shows, with longitudes from -180 to 180 and as many decimals as its pixels deserve. */
export function boxOfView({ zoom, left, top, width, height }: MapView): MapBox {
  const size = worldSize(zoom);
  const bottom = Math.min(size, top + height);
  const [west, north] = unproject(left, Math.max(0, top), zoom);
  const [east, south] = unproject(left + width, bottom, zoom);
  const isWorld = width >= size;
  const decimals = Math.max(2, Math.ceil(Math.log10(size / 360)) + 1);
  const rounded = (value: number): number => Number(value.toFixed(decimals));
  return [
    isWorld ? -180 : rounded(turned(west)),
    rounded(south),
    isWorld ? 180 : rounded(turned(east)),
    rounded(north),
  ];
}

const turned = (lng: number): number =>
  lng >= -180 && lng <= 180 ? lng : ((((lng + 180) % 360) + 360) % 360) - 180;

/** The box of so many pixels around a point. */
export function boxAround(
  point: { readonly lng: number; readonly lat: number },
  zoom: number,
  width: number,
  height: number,
): MapBox {
  return boxOfView(viewAround(point, zoom, width, height));
}

/** The view moved by fractions of its width and height, and zoomed by steps around its middle: for links. */
export function movedView(view: MapView, across: number, down: number, zoomBy = 0): MapView {
  const factor = 2 ** zoomBy;
  const { width, height } = view;
  const [x, y] = [view.left + width * (0.5 + across), view.top + height * (0.5 + down)];
  return {
    zoom: view.zoom + zoomBy,
    left: x * factor - width / 2,
    top: y * factor - height / 2,
    width,
    height,
  };
}

/** Where a point lies in a view, in pixels from its corner: by the turn of the world that brings it nearest to the middle. */
export function placeIn(view: MapView, lng: number, lat: number): [x: number, y: number] {
  const size = worldSize(view.zoom);
  const [x, y] = project(lng, lat, view.zoom);
  const middle = view.left + view.width / 2;
  return [x + Math.round((middle - x) / size) * size - view.left, y - view.top];
}

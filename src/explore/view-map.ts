// Map of one view, as the server draws it: its areas, clusters and pins with the views that they lead to.

import { landAhead } from '../areas/outlines/land-ahead.ts';
import type { Outlines } from '../areas/outlines/outlines.ts';
import type { Html } from '../page/html.ts';
import { drawMap } from '../page/map/draw-map.ts';
import type { HomeKind, MapCluster, MapDrawing, MapPin } from '../page/map/drawing.ts';
import { type MapBox, viewOf } from '../page/map/mercator.ts';
import { MAP_SIZE } from './page.ts';
import type { ViewCluster, ViewPin } from './view/map-parts.ts';
import { linkTo, type Parameters } from './view/parameters.ts';
import type { View } from './view/view.ts';

export interface ViewMap {
  readonly parameters: Parameters;
  readonly kind: HomeKind;
  readonly root: string;
  readonly label: string;
}

/** The view as SVG. Symbols lead to the part of the map that they stand for, names to their areas, pins to their homes. */
export async function drawViewMap(outlines: Outlines, view: View, map: ViewMap): Promise<Html> {
  const { parameters, kind, root, label } = map;
  const { box, currency } = view;
  const { width, height } = MAP_SIZE;
  const { zoom } = viewOf(box, width, height);
  const chosen = view.areas.map(({ id }) => id);
  const { ground, outlines: found } = await outlines.in(box, zoom, chosen);
  const ahead = { outlines: found, box, width, height, chosen };
  const land = await landAhead(ahead);
  const drawing: MapDrawing = {
    ...ahead,
    label,
    ground,
    currency,
    clusters: view.clusters.map((cluster) => clusterOf(cluster, kind)),
    pins: view.pins.map(pinOf),
    linkToArea: ({ id }) =>
      chosen.includes(id) ? null : linkTo(parameters, { areaId: id, bbox: null, zoom: null, cursor: null }),
    linkToCluster: (cluster) =>
      linkTo(parameters, { bbox: roomAround(cluster.box).join(','), zoom: null, cursor: null }),
    // Several homes of one building are listed beside the map.
    linkToPin: ({ id, others = [] }) =>
      others.length === 0
        ? `${root}explore/listing/${id}`
        : linkTo(parameters, { ids: [id, ...others].join(',') }),
  };
  return drawMap(drawing, land);
}

const clusterOf = ([lng, lat, count, median, ...box]: ViewCluster, kind: HomeKind): MapCluster => ({
  kind,
  lng,
  lat,
  count,
  median,
  box,
});

const pinOf = ([id, kind, price, beds, lng, lat, flags]: ViewPin): MapPin => ({
  id,
  kind: kind === 's' ? 'sale' : 'rental',
  price,
  beds,
  lng,
  lat,
  dropped: (flags & 1) !== 0,
  approximate: (flags & 16) !== 0,
  sold: (flags & 4) !== 0,
});

/** A box with room for the symbols at its edges; one around a single place is some hundred metres wide. */
function roomAround([west, south, east, north]: MapBox): MapBox {
  const [across, up] = [Math.max(0.004, (east - west) * 0.12), Math.max(0.003, (north - south) * 0.12)];
  const rounded = (value: number): number => Math.round(value * 1e5) / 1e5;
  return [
    rounded(turned(west - across)),
    rounded(Math.max(-85, south - up)),
    rounded(turned(east + across)),
    rounded(Math.min(85, north + up)),
  ];
}

const turned = (lng: number): number => (lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng);

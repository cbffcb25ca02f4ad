// The market as the front page shows it: a map of the homes for sale, with the room for a title at its left.

import { anonymous } from '../access/tiers/tiers.ts';
import { Problem } from '../lib/problem.ts';
import type { Html } from '../page/html.ts';
import { drawMap } from '../page/map/draw-map.ts';
import type { MapBox } from '../page/map/mercator.ts';
import { UNCOUNTED } from './locked-map.ts';
import type { ExploreOptions } from './render.ts';
import { linkTo } from './view/parameters.ts';
import { stateOf } from './view/state.ts';
import { readView } from './view/view.ts';

const SIZE = { width: 1280, height: 560 } as const;
/** Cities and what is larger: borders of neighbourhoods would be too many for one look. */
const MAX_LEVEL = 3;
/** How much wider than the homes the map is, at their left. */
const ROOM = 0.7;

/** Null where there is nothing to draw. Homes are counted on it only where the public may look. Throws what views throw. */
export async function drawFrontMap(options: Omit<ExploreOptions, 'assets'>): Promise<Html | null> {
  const caller = anonymous('');
  const parameters = new Map([['for', 'sale']]);
  const refusal = await options.explorer.mayLook(caller);
  if (refusal?.code === 'NOT_FOUND') return null;
  const isOpen = refusal === null;
  // Prices in several currencies have no one view: the page then begins without a map.
  const view = await readView({ ...options, explorer: UNCOUNTED }, stateOf(parameters), caller).catch(
    (error: unknown) => {
      if (error instanceof Problem && error.status < 500) return null;
      throw error;
    },
  );
  if (view === null || view.total === 0) return null;
  const box = widened(view.box);
  const { ground, outlines } = await options.outlines.in(box, 9.5);
  return drawMap({
    label: 'Map of the homes for sale',
    box,
    ...SIZE,
    ground,
    outlines: outlines.filter(({ level }) => level <= MAX_LEVEL),
    currency: null,
    clusters: isOpen
      ? view.clusters.map(([lng, lat, count, , ...around]) => ({
          kind: 'sale',
          lng,
          lat,
          count,
          median: null,
          box: around,
        }))
      : [],
    linkToCluster: ({ box: around }) => linkTo(parameters, { bbox: around.join(',') }),
    linkToArea: ({ id }) => linkTo(parameters, { areaId: id }),
  });
}

function widened([west, south, east, north]: MapBox): MapBox {
  return [west - (east - west) * ROOM, south, east, north];
}

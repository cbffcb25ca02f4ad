// The market as the front page shows it: a map with the number of homes in each place, and views to begin with, each with its count.

import { landAhead } from '../areas/outlines/land-ahead.ts';
import { Problem } from '../lib/problem.ts';
import type { Html } from '../page/html.ts';
import { drawMap } from '../page/map/draw-map.ts';
import type { MapCluster, MapDrawing, Outline } from '../page/map/drawing.ts';
import { type MapBox, type MapView, placeIn, viewOf } from '../page/map/mercator.ts';
import { clusterRadius } from '../page/map/symbols.ts';
import { moneyWords } from '../page/words.ts';
import type { ExploreOptions } from './render.ts';
import { countChanges, readMedian } from './view/counts.ts';
import { readGroups } from './view/market-groups.ts';
import { linkTo, type Parameters } from './view/parameters.ts';
import { type HomeKind, stateOf } from './view/state.ts';
import { type AreaCounts, findAreaCounts } from './view/view-store.ts';

const SIZE = { width: 1280, height: 560 } as const;
/** Cities and what is larger: borders of neighbourhoods would be too many for one look. */
const MAX_LEVEL = 3;
const ZOOM = 8;
/** Of the usual size, for places whose homes are counted one by one. */
const SCALE = 0.68;
/** How much wider than the homes the map is, at their left, where the title stands. */
const ROOM = 0.7;

/** A view that the search box offers. */
export interface FrontView {
  readonly label: string;
  /** Relative to the root of the service. */
  readonly href: string;
  /** Homes that it has now. */
  readonly count: number;
}

export interface FrontMarket {
  /** Null where there is nothing to draw. */
  readonly map: Html | null;
  /** What a symbol of the map counts; null: there is none. */
  readonly symbol: 'city' | 'group' | null;
  readonly kind: HomeKind;
  readonly views: readonly FrontView[];
  /** Listed within the last day. */
  readonly added: Readonly<Record<HomeKind, number>>;
  /** In words; null: none is known. */
  readonly medians: Readonly<Record<HomeKind, string | null>>;
  /** The place with most homes; null: none is known. */
  readonly place: { readonly name: string; readonly isCity: boolean } | null;
  /** Whether anybody may see single homes. */
  readonly isOpen: boolean;
}

const NEW = { listedSince: 'P1D' };
const WATER = { label: 'On the water', changes: { waterfront: 'true' } };
const DROPPED = {
  label: 'Price dropped this week',
  changes: { priceChanged: 'decrease', priceChangedSince: 'P7D' },
};

/**
 * Null where the explorer is switched off or nothing is on the market. Where the public may not look, the map has borders and the
 * number of homes in each area, and no home. Throws what searches throw.
 */
export async function readFrontMarket(options: Omit<ExploreOptions, 'assets'>): Promise<FrontMarket | null> {
  const caller = options.visitor;
  const refusal = await options.explorer.mayLook(caller);
  if (refusal?.code === 'NOT_FOUND') return null;
  const isOpen = refusal === null;
  const count = (kind: HomeKind, changes: readonly Readonly<Record<string, string>>[]) =>
    countChanges(options, { kind, parameters: new Map() }, caller, changes);
  const [sales = 0, newSales = 0, onWater = 0, dropped = 0] = await count('sale', [
    {},
    NEW,
    WATER.changes,
    DROPPED.changes,
  ]);
  const [rentals = 0, newRentals = 0] = await count('rental', [{}, NEW]);
  if (sales + rentals === 0) return null;
  const kind = sales > 0 ? 'sale' : 'rental';
  const parameters: Parameters = new Map(kind === 'sale' ? [] : [['for', 'rental']]);
  const places = await readPlaces(options, parameters, isOpen);
  const largest = places.counted.toSorted((a, b) => b.count - a.count)[0] ?? null;
  const offered: readonly FrontView[] = [
    ...(largest === null
      ? []
      : [
          {
            label: largest.outline.name,
            href: linkTo(parameters, { areaId: largest.outline.id }),
            count: largest.count,
          },
        ]),
    { label: WATER.label, href: linkTo(new Map(), WATER.changes), count: onWater },
    { label: DROPPED.label, href: linkTo(new Map(), DROPPED.changes), count: dropped },
  ];
  return {
    map: places.map,
    symbol: places.symbol,
    kind,
    views: offered.filter((view) => view.count > 0),
    added: { sale: newSales, rental: newRentals },
    medians: { sale: await medianWords(options, 'sale'), rental: await medianWords(options, 'rental') },
    place: largest === null ? null : { name: largest.outline.name, isCity: largest.outline.type === 'city' },
    isOpen,
  };
}

/** The median of all asking prices or rents; of several currencies that of one, which it names. */
async function medianWords(options: Omit<ExploreOptions, 'assets'>, kind: HomeKind): Promise<string | null> {
  try {
    const { median, currency, hasOthers } = await readMedian(
      options,
      { kind, parameters: new Map() },
      options.visitor,
    );
    if (median === null) return null;
    const words = moneyWords(Math.round(median), currency);
    return hasOthers ? `${words} of those priced in ${currency}` : words;
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return null;
    throw error;
  }
}

interface CountedArea {
  readonly outline: Outline;
  readonly count: number;
}

/** The map, and the areas whose homes it counts. */
async function readPlaces(
  options: Omit<ExploreOptions, 'assets'>,
  parameters: Parameters,
  isOpen: boolean,
): Promise<Pick<FrontMarket, 'map' | 'symbol'> & { readonly counted: readonly CountedArea[] }> {
  const state = stateOf(parameters);
  const { kind } = state;
  const { box: around, groups } = await readGroups(options, state);
  const box = widened(around);
  const { ground, outlines } = await options.outlines.in(box, ZOOM);
  const drawn = outlines.filter(({ level }) => level <= MAX_LEVEL);
  const counted = countedAreas(
    drawn,
    kind,
    await findAreaCounts(options.database, idsOf(drawn), options.visitor.reach),
  );
  const byArea = apart(counted, viewOf(box, SIZE.width, SIZE.height)).map(
    ({ outline, count }): MapCluster => {
      const [lng, lat] = outline.labelAt;
      return { kind, lng, lat, count, median: null, box: around, name: outline.name };
    },
  );
  const byGroup = groups.map(
    ([lng, lat, count, , ...own]): MapCluster => ({ kind, lng, lat, count, median: null, box: own }),
  );
  // One area alone says less than groups of homes, which show where they stand.
  const hasAreas = counted.length > 1 || !isOpen;
  const clusters = hasAreas ? byArea : byGroup;
  if (drawn.length === 0 && clusters.length === 0) return { map: null, symbol: null, counted };
  const ids = new Map(counted.map(({ outline }) => [outline.name, outline.id]));
  const ahead = { outlines: drawn, box, ...SIZE };
  const drawing: MapDrawing = {
    ...ahead,
    label: `Map of the homes ${kind === 'sale' ? 'for sale' : 'to rent'}`,
    ground,
    currency: null,
    clusters,
    merges: !hasAreas,
    clusterScale: hasAreas ? SCALE : 1,
    majorSize: 13,
    linkToCluster: ({ name, box: own }) =>
      linkTo(parameters, name === undefined ? { bbox: own.join(',') } : { areaId: ids.get(name) ?? null }),
  };
  const map = drawMap(drawing, await landAhead(ahead));
  return { map, symbol: clusters.length === 0 ? null : hasAreas ? 'city' : 'group', counted };
}

const idsOf = (outlines: readonly Outline[]): readonly string[] => outlines.map(({ id }) => id);

/** The areas of the finest level that is drawn, with homes. */
function countedAreas(
  outlines: readonly Outline[],
  kind: HomeKind,
  counts: ReadonlyMap<string, AreaCounts>,
): readonly CountedArea[] {
  const finest = Math.max(...outlines.map(({ level }) => level));
  return outlines
    .filter(({ level }) => level === finest)
    .map((outline) => ({ outline, count: counts.get(outline.id)?.[kind] ?? 0 }))
    .filter(({ count }) => count > 0);
}

/** Those with most homes whose symbols do not touch: a sum of two places would be that of none. */
function apart(areas: readonly CountedArea[], view: MapView): readonly CountedArea[] {
  const kept: {
    readonly area: CountedArea;
    readonly x: number;
    readonly y: number;
    readonly radius: number;
  }[] = [];
  for (const area of areas.toSorted((a, b) => b.count - a.count)) {
    const [x, y] = placeIn(view, ...area.outline.labelAt);
    const radius = clusterRadius(area.count) * SCALE;
    if (kept.every((other) => Math.hypot(other.x - x, other.y - y) > other.radius + radius))
      kept.push({ area, x, y, radius });
  }
  return kept.map(({ area }) => area);
}

function widened([west, south, east, north]: MapBox): MapBox {
  return [west - (east - west) * ROOM, south, east, north];
}

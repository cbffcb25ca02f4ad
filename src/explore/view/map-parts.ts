// Map of a view: its box and grid, and its homes as pins, stacks and clusters.

import type { NamedArea } from '../../areas/name-store.ts';
import { roundTo } from '../../lib/round.ts';
import type { ListingType } from '../../listings/vocabulary.ts';
import { type MapBox, unwrapped } from '../../page/map/mercator.ts';
import type { Database } from '../../postgres/client/database.ts';
import type { ResolvedSearch } from '../../search/query/plan.ts';
import type { Cell, MapGrid, MapPoint, SearchSession } from '../../search/query/search-backend.ts';
import type { ExploreState } from './state.ts';
import { findAreaBox } from './view-store.ts';

/** lng, lat, homes, median price, and the box around them. */
export type ViewCluster = readonly [number, number, number, number | null, number, number, number, number];

/** id, `s` for sale or `r` to rent, price, beds, lng, lat, and flags: 1 dropped, 2 new, 4 sold, 8 under contract, 16 at an approximate place. */
export type ViewPin = readonly [string, 's' | 'r', number | null, number | null, number, number, number];

/** Homes that a map shows by themselves. */
export const MAX_PINS = 200;
/** Columns of cells across a map: about as many clusters stand beside each other. */
const MAX_COLUMNS = 16;
/** More than a map of any shape has cells. */
const MAX_CLUSTERS = 1_000;
/** Cells are no smaller than some metres, and their numbers are exact. */
const MAX_BITS = 22;
const NEW_FOR = 7 * 86_400_000;
/** Of degrees: about a metre. */
const DECIMALS = 5;

/** A grid whose cells are about as high as wide on the map of a box. */
export function gridOf(box: MapBox, maxPoints = MAX_PINS): MapGrid {
  const [west, south, east, north] = unwrapped(box);
  const middle = Math.min(80, Math.abs(south + north) / 2);
  const shrunk = Math.cos((middle * Math.PI) / 180);
  // A box that is much higher than wide has as many rows instead.
  const width = Math.max(east - west, (north - south) / shrunk / 1.5);
  const lng = bitsFor((MAX_COLUMNS * 360) / width, Math.floor);
  const lat = bitsFor(2 ** lng / 2 / shrunk, Math.round);
  return { bits: { lng, lat }, maxPoints, maxCells: MAX_CLUSTERS };
}

const bitsFor = (parts: number, round: (value: number) => number): number =>
  Math.max(1, Math.min(MAX_BITS, round(Math.log2(parts))));

export function pinOf(point: MapPoint, type: ListingType, now: number): ViewPin {
  const { id, status, price, closePrice, bedrooms, lng, lat, listedAt, isReduced, isApproximate } = point;
  const isNew = listedAt !== null && now - listedAt < NEW_FOR;
  const flags =
    (isReduced ? 1 : 0) |
    (isNew ? 2 : 0) |
    (status === 'CLOSED' ? 4 : 0) |
    (status === 'PENDING' || status === 'ACTIVE_UNDER_CONTRACT' ? 8 : 0) |
    (isApproximate ? 16 : 0);
  // Rents are compared by the month, which those that were agreed on need not be.
  const shown = status === 'CLOSED' && type === 'sale' ? (closePrice ?? price) : price;
  return [id, type === 'sale' ? 's' : 'r', shown, bedrooms, lng, lat, flags];
}

/** Ids of homes at one position, where there are several. */
export function stacksOf(points: readonly MapPoint[]): readonly (readonly string[])[] {
  return [...Map.groupBy(points, ({ lng, lat }) => `${lng} ${lat}`).values()]
    .filter((stack) => stack.length > 1)
    .map((stack) => stack.map(({ id }) => id));
}

/** A cell, with the box around its homes: each is inside, and a map of the box has smaller cells. */
export function clusterOf({ lng, lat, count, medianPrice, west, south, east, north }: Cell): ViewCluster {
  const median = medianPrice === null ? null : roundTo(medianPrice, 2);
  const [x, y] = [roundTo(lng, DECIMALS), roundTo(lat, DECIMALS)];
  return [x, y, count, median, below(west), below(south), above(east), above(north)];
}

const SCALE = 10 ** DECIMALS;
const below = (degrees: number): number => Math.floor(degrees * SCALE) / SCALE;
const above = (degrees: number): number => Math.ceil(degrees * SCALE) / SCALE;

/** The box of the query; else that of its areas; else one around all homes. */
export async function boxOf(
  database: Database,
  session: SearchSession,
  search: ResolvedSearch,
  { parameters }: ExploreState,
  areas: readonly NamedArea[],
): Promise<MapBox> {
  const given = parameters.get('bbox')?.split(',').map(Number);
  if (given?.length === 4) return given as unknown as MapBox;
  const ids = areas.map(({ id }) => id);
  const known = await findAreaBox(database, ids);
  if (known !== null) return known;
  const cells = await session.cells(search, { letters: 1, limit: 32, after: undefined });
  if (cells.length === 0) return (await findAreaBox(database, null)) ?? [-180, -60, 180, 75];
  const margin = 0.01;
  return [
    Math.max(-180, below(Math.min(...cells.map(({ west }) => west)) - margin)),
    Math.max(-90, below(Math.min(...cells.map(({ south }) => south)) - margin)),
    Math.min(180, above(Math.max(...cells.map(({ east }) => east)) + margin)),
    Math.min(90, above(Math.max(...cells.map(({ north }) => north)) + margin)),
  ];
}

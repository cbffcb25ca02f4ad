// Symbols of homes on a map: how large they are, and those that would overlap merged into one.

import { countText, shortAmount } from './amounts.ts';
import type { MapCluster, MapPin } from './drawing.ts';
import { type MapBox, type MapView, placeIn, project, unproject, unwrapped } from './mercator.ts';

/** Width of a figure of 12 pixels, generously: pages must bear wider faces. */
const FIGURE = 7.4;
const PIN_HEIGHT = 27;
/** Homes from which a cluster shows its median. */
export const MEDIAN_FROM = 4;
/** Pixels between symbols. */
const GAP = 2;

/** Radius of the circle, or half the side of the square, that stands for so many homes. */
export function clusterRadius(count: number): number {
  const text = (countText(count).length * FIGURE) / 2 + 5;
  return Math.round(10 * Math.max(text, Math.min(40, 3.4 + 9.8 * count ** 0.2))) / 10;
}

/** The price; with a tilde where the place is approximate. */
export function pinText(
  { price, approximate }: Pick<MapPin, 'price' | 'approximate'>,
  currency: string | null,
): string {
  return `${approximate === true ? '~' : ''}${price === null ? 'Ask' : shortAmount(price, currency)}`;
}

/** Half the width of a pin. */
export function pinHalf(
  pin: Pick<MapPin, 'price' | 'dropped' | 'approximate'>,
  currency: string | null,
): number {
  const width = pinText(pin, currency).length * FIGURE + 16 + (pin.dropped === true ? 13 : 0);
  return Math.round(width) / 2;
}

export interface MapSymbols {
  readonly clusters: readonly MapCluster[];
  readonly pins: readonly MapPin[];
}

/** A symbol in pixels of the world: what it covers, and what it stands for. */
interface Placed {
  readonly x: number;
  readonly y: number;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly cluster: MapCluster | null;
  readonly pin: MapPin | null;
  /** Prices of its homes, where each is known. */
  readonly prices: readonly (number | null)[] | null;
  readonly count: number;
}

/**
 * Merges symbols that would overlap at a zoom, until none do. Counts add up; a merged median is given only where it can be worked out
 * exactly, which is from pins. Pins at one place become one pin with others. The result does not depend on the order.
 */
export function mergeOverlapping(
  { clusters, pins }: MapSymbols,
  zoom: number,
  currency: string | null = null,
): MapSymbols {
  const placed = [
    ...clusters.map((cluster) => placedCluster(cluster, zoom, null)),
    ...stacked(pins).map((pin) => placedPin(pin, zoom, currency)),
  ].sort(byPlace);
  const merged = mergedUntilApart(placed, zoom);
  return {
    clusters: merged.flatMap(({ cluster }) => cluster ?? []),
    pins: merged.flatMap(({ pin }) => pin ?? []),
  };
}

const byPlace = (a: Placed, b: Placed): number =>
  b.count - a.count || a.x - b.x || a.y - b.y || ((a.pin?.id ?? '') < (b.pin?.id ?? '') ? -1 : 1);

/** Homes at the very same place as one pin, that with the lowest id first. */
export function stacked(pins: readonly MapPin[]): readonly MapPin[] {
  const places = Map.groupBy(pins, ({ kind, lng, lat }) => `${kind} ${lng} ${lat}`);
  return [...places.values()].map((group) => {
    const [first, ...rest] = group.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    if (first === undefined || rest.length === 0) return first ?? (group[0] as MapPin);
    return {
      ...first,
      others: [...(first.others ?? []), ...rest.flatMap(({ id, others = [] }) => [id, ...others])],
    };
  });
}

function placedPin(pin: MapPin, zoom: number, currency: string | null): Placed {
  const [x, y] = project(pin.lng, pin.lat, zoom);
  const half = pinHalf(pin, currency) + GAP;
  const count = 1 + (pin.others?.length ?? 0);
  const prices = count === 1 ? [pin.price] : null;
  return {
    x,
    y,
    left: x - half,
    right: x + half,
    top: y - PIN_HEIGHT - GAP,
    bottom: y + GAP,
    cluster: null,
    pin,
    prices,
    count,
  };
}

function placedCluster(cluster: MapCluster, zoom: number, prices: Placed['prices']): Placed {
  const [x, y] = project(cluster.lng, cluster.lat, zoom);
  const radius = clusterRadius(cluster.count) + GAP;
  const isCaptioned = cluster.median !== null && cluster.count >= MEDIAN_FROM;
  return {
    x,
    y,
    left: x - radius,
    right: x + radius,
    top: y - radius,
    bottom: y + radius + (isCaptioned ? 13 : 0),
    cluster,
    pin: null,
    prices,
    count: cluster.count,
  };
}

/** Round by round, each symbol takes in those that it overlaps, the one of most homes first. */
function mergedUntilApart(start: readonly Placed[], zoom: number): readonly Placed[] {
  let symbols = start;
  for (;;) {
    const next: Placed[] = [];
    const gone = new Set<Placed>();
    for (const symbol of symbols) {
      if (gone.has(symbol)) continue;
      const group = symbols.filter(
        (other) => other !== symbol && !gone.has(other) && overlaps(symbol, other),
      );
      for (const each of [symbol, ...group]) gone.add(each);
      next.push(group.length === 0 ? symbol : merged([symbol, ...group], zoom));
    }
    if (next.length === symbols.length) return symbols;
    symbols = next.sort(byPlace);
  }
}

const overlaps = (a: Placed, b: Placed): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

function merged(group: readonly Placed[], zoom: number): Placed {
  const count = group.reduce((sum, each) => sum + each.count, 0);
  const mean = (value: (each: Placed) => number): number =>
    group.reduce((sum, each) => sum + value(each) * each.count, 0) / count;
  const [lng, lat] = unproject(
    mean(({ x }) => x),
    mean(({ y }) => y),
    zoom,
  );
  const prices = group.every((each) => each.prices !== null)
    ? group.flatMap((each) => each.prices ?? [])
    : null;
  const kind = (group[0]?.cluster ?? group[0]?.pin)?.kind ?? 'sale';
  const cluster: MapCluster = { kind, lng, lat, count, median: medianOf(prices), box: boxAroundAll(group) };
  return placedCluster(cluster, zoom, prices);
}

function medianOf(prices: Placed['prices']): number | null {
  const known = (prices ?? []).filter((price) => price !== null).sort((a, b) => a - b);
  if (known.length === 0) return null;
  const [below = 0, above = 0] = [known[(known.length - 1) >> 1], known[known.length >> 1]];
  return (below + above) / 2;
}

function boxAroundAll(group: readonly Placed[]): MapBox {
  const boxes = group.map(({ cluster, pin }) =>
    unwrapped(cluster?.box ?? [pin?.lng ?? 0, pin?.lat ?? 0, pin?.lng ?? 0, pin?.lat ?? 0]),
  );
  return [
    Math.min(...boxes.map(([west]) => west)),
    Math.min(...boxes.map(([, south]) => south)),
    Math.max(...boxes.map(([, , east]) => east)),
    Math.max(...boxes.map(([, , , north]) => north)),
  ];
}

/** The same place at the turn of the world that is nearest to a longitude. */
export const nearTurn = (lng: number, middle: number): number => lng + Math.round((middle - lng) / 360) * 360;

/** What symbols cover, in pixels of the drawing. */
export function coveredBy(
  { clusters, pins }: MapSymbols,
  view: MapView,
  scale = 1,
): [number, number, number, number][] {
  return [
    ...clusters.map(({ lng, lat, count, median }): [number, number, number, number] => {
      const [x, y] = placeIn(view, lng, lat);
      const radius = clusterRadius(count) * scale;
      return [x - radius, y - radius, x + radius, y + radius + (median === null ? 0 : 14)];
    }),
    ...pins.map((pin): [number, number, number, number] => {
      const [x, y] = placeIn(view, pin.lng, pin.lat);
      const half = pinHalf(pin, null);
      return [x - half, y - 27, x + half, y];
    }),
  ];
}

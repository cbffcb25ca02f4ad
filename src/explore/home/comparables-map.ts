// Map of a home and the homes that it is compared with, each by the letter of its row.

import type { OutlineAnswer } from '../../areas/outlines/outlines.ts';
import type { Listing } from '../../listings/record.ts';
import { type Html, html } from '../../page/html.ts';
import { drawMap } from '../../page/map/draw-map.ts';
import { type MapBox, type MapView, placeIn, viewOf } from '../../page/map/mercator.ts';
import type { PresentedComparable } from '../../property/comparables.ts';
import { letterOf } from './words.ts';

const WIDTH = 560;
const HEIGHT = 400;
/** Between the outermost homes and the edges, which a container of another shape cuts. */
const PADDING = 64;
/** Degrees that a map shows at least: a home beside its neighbour still lies in its city. */
const LEAST = 0.02;

type Place = NonNullable<Listing['location']>;

const placesOf = (listing: Listing, comparables: readonly PresentedComparable[]): readonly Place[] =>
  [listing.location, ...comparables.map((comparable) => comparable.listing.location)].filter(
    (place) => place !== null,
  );

/** What the map shows, with the zoom of its outlines; null where the home's place is unknown, or it is compared with none. */
export function comparedView(
  listing: Listing,
  comparables: readonly PresentedComparable[],
): { readonly box: MapBox; readonly zoom: number } | null {
  if (listing.location === null || comparables.length === 0) return null;
  // Homes on both sides of the antimeridian are near each other all the same.
  const { lng: middle } = listing.location;
  const places = placesOf(listing, comparables);
  const lngs = places.map(({ lng }) =>
    lng - middle > 180 ? lng - 360 : lng - middle < -180 ? lng + 360 : lng,
  );
  const lats = places.map(({ lat }) => lat);
  const [west, east] = around(Math.min(...lngs), Math.max(...lngs));
  const [south, north] = around(Math.min(...lats), Math.max(...lats));
  const box: MapBox = [turned(west), south, turned(east), north];
  return { box, zoom: viewOf(box, WIDTH, HEIGHT, PADDING).zoom };
}

function around(from: number, to: number): readonly [number, number] {
  const missing = Math.max(0, LEAST - (to - from)) / 2;
  return [from - missing, to + missing];
}

const turned = (lng: number): number => (lng > 180 ? lng - 360 : lng < -180 ? lng + 360 : lng);

interface ComparedPlaces {
  readonly listing: Listing;
  readonly comparables: readonly PresentedComparable[] | null;
  readonly land: OutlineAnswer | null;
}

/** Null where nothing can be drawn. */
export function comparablesMap({ listing, comparables, land }: ComparedPlaces): Html | null {
  const shown = comparedView(listing, comparables ?? []);
  if (shown === null || land === null || comparables === null) return null;
  const map = drawMap({
    label: `Map of this home and ${comparables.length} like it`,
    box: shown.box,
    width: WIDTH,
    height: HEIGHT,
    padding: PADDING,
    ground: land.ground,
    outlines: land.outlines,
    currency: null,
    graticule: false,
    prefix: 'compared',
  });
  return html`${map}${marks(listing, comparables, viewOf(shown.box, WIDTH, HEIGHT, PADDING))}`;
}

/** Pixels between the middles of two letters that can both be read. */
const APART = 25;

function marks(listing: Listing, comparables: readonly PresentedComparable[], view: MapView): Html {
  const taken: (readonly [number, number])[] = [];
  const letters = comparables.map(({ listing: { location } }, at) => {
    if (location === null) return null;
    const [x, y] = placeIn(view, location.lng, location.lat);
    let free = y;
    while (taken.some(([otherX, otherY]) => Math.hypot(otherX - x, otherY - free) < APART)) free += 6;
    taken.push([x, free]);
    return html`<g transform="translate(${Math.round(x)} ${Math.round(free)})"><circle r="11"/><text y="4">${letterOf(at)}</text></g>`;
  });
  const { location } = listing;
  const [x, y] = location === null ? [0, 0] : placeIn(view, location.lng, location.lat);
  return html`<svg class="home-letters" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="xMidYMid slice" aria-hidden="true">${letters}<g class="${
    location?.precision === 'approximate' ? 'here about' : 'here'
  }" transform="translate(${Math.round(x)} ${Math.round(y)})"><path d="M0 0C-4-7-11-11-11-19a11 11 0 0 1 22 0C11-11 4-7 0 0z"/><path class="roof" d="M-5-15v-5l5-4 5 4v5z"/></g></svg>`;
}

// What a map is drawn from: outlines, symbols, and where they lead.

import type { MapBox } from './mercator.ts';

/** The outline of an area, simplified for a zoom. Neighbours share the corners of their common border. */
export interface Outline {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** Of the hierarchy: 0 countries, 1 states, 2 counties, 3 cities, 4 boroughs, 5 neighbourhoods, 6 the rest. */
  readonly level: number;
  /** The primary parent, whether or not it is drawn too. */
  readonly parentId: string | null;
  /** Each ring as lng, lat, lng, lat … without a repeated end: shells counterclockwise, holes clockwise. */
  readonly rings: readonly (readonly number[])[];
  /** A point well inside the largest part. */
  readonly labelAt: readonly [lng: number, lat: number];
}

export type HomeKind = 'sale' | 'rental';

/** Several homes as one symbol. */
export interface MapCluster {
  readonly kind: HomeKind;
  readonly lng: number;
  readonly lat: number;
  readonly count: number;
  /** Of asking prices; null where it is not known. Shown from four homes on. */
  readonly median: number | null;
  /** Around its homes: where a click leads. */
  readonly box: MapBox;
  /** The place that all of it is in, such as a city, where it stands for one. */
  readonly name?: string;
}

/** One home, or several of one building. */
export interface MapPin {
  readonly id: string;
  readonly kind: HomeKind;
  readonly price: number | null;
  readonly beds: number | null;
  readonly lng: number;
  readonly lat: number;
  readonly dropped?: boolean;
  /** Whether only its town, postal code or street is known. */
  readonly approximate?: boolean;
  readonly sold?: boolean;
  /** Opened before. */
  readonly seen?: boolean;
  /** Further homes at the same place. */
  readonly others?: readonly string[];
}

/** How a map is drawn. Lengths are pixels of the drawing, which scales with its container. */
export interface MapDrawing {
  /** What the map is of, for those who do not see it: "Map of Port Calder with 86 homes for sale". */
  readonly label: string;
  readonly box: MapBox;
  readonly width: number;
  readonly height: number;
  /** Between the box and the edges; default 0. */
  readonly padding?: number;
  /** What lies outside all areas; default paper. */
  readonly ground?: 'water' | 'paper';
  readonly outlines: readonly Outline[];
  /** Ids of areas with an accent outline; the land outside them is dimmed. */
  readonly chosen?: readonly string[];
  readonly clusters?: readonly MapCluster[];
  readonly pins?: readonly MapPin[];
  /** Single homes as dots, for maps that show how many there are rather than which: lng, lat and kind. */
  readonly dots?: readonly (readonly [lng: number, lat: number, kind: HomeKind])[];
  /** The pin that is pointed at. */
  readonly lit?: string | null;
  readonly currency: string | null;
  /** Fills of areas by their ids, as steps 1 to 5 of the accent, or 0 for too few homes. */
  readonly shades?: ReadonlyMap<string, number>;
  /** Symbols that would overlap are merged unless false. */
  readonly merges?: boolean;
  /** How large clusters are drawn, by their usual size; default 1. Smaller ones are for maps on which none may be merged. */
  readonly clusterScale?: number;
  /** Size of the type of major names in pixels, where the page sets it; default 16. */
  readonly majorSize?: number;
  /** Lines of whole minutes or degrees, with figures at the northern edge; default true on water. */
  readonly graticule?: boolean;
  /** Names of areas; default true. */
  readonly names?: boolean;
  /** Distinguishes the parts of several maps on a page; default "map". */
  readonly prefix?: string;
  /** Where symbols and names lead; null or absent: nowhere. */
  readonly linkToArea?: (outline: Outline) => string | null;
  readonly linkToCluster?: (cluster: MapCluster) => string | null;
  readonly linkToPin?: (pin: MapPin) => string | null;
}

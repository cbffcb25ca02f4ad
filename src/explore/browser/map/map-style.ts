// Style of the live map: ground, coast, land, borders and names, in the colours of the page.

import type { FeatureCollection } from 'geojson';
import type { FilterSpecification, StyleSpecification } from 'maplibre-gl';
import type { Outline } from '../../../page/map/drawing.ts';
import { type MapBox, unwrapped } from '../../../page/map/mercator.ts';
import type { Layer } from './base-layers.ts';
import type { BaseLayers } from './basemap.ts';

/** Levels of areas whose borders are lines between cities; deeper ones are dotted. */
const CITY = 3;

/** Faces that are installed here or there: without glyphs of a server, the map draws the names with the first it finds. */
const SERIF = ['ui-serif', 'Charter', 'Bitstream Charter', 'Sitka Text', 'Cambria', 'Georgia', 'serif'];

export interface MapGround {
  readonly outlines: readonly Outline[];
  /** Ids of areas with an accent outline. */
  readonly chosen: readonly string[];
  readonly ground: 'water' | 'paper';
  /** The operator's map below the areas; null: the areas are the land. */
  readonly base: BaseLayers | null;
  readonly names: readonly DrawnName[];
  /** The area that homes are searched in, drawn by the reader; without corners: none. */
  readonly searched: readonly Corner[];
  /** The box whose homes are shown, where the map shows more than it; null: all of the map. */
  readonly box: MapBox | null;
}

/** lng, lat */
export type Corner = readonly [number, number];

/** A name where it is free of symbols. */
export interface DrawnName {
  readonly name: string;
  readonly at: Corner;
  readonly isMajor: boolean;
}

/** The map takes the style of type from the first name alone, and generic families bear no further word. */
const ITALIC = ['Italic', ...SERIF];

/** A colour of the page's style, which follows the theme. */
const color = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Data of the sources that change while the map stands. */
export const DATA = {
  areas: ({ outlines, chosen }: MapGround) => polygonsOf(outlines, chosen),
  names: ({ names }: MapGround) => labelsOf(names),
  searched: ({ searched }: MapGround) => collection(searched.length < 3 ? [] : [[closed(searched)]]),
  beyond: ({ box }: MapGround) => collection(box === null ? [] : [[WORLD, closed(cornersOf(box))]]),
  rest: ({ base, outlines, chosen }: MapGround) => collection(base === null ? [] : restOf(outlines, chosen)),
} as const satisfies Readonly<Record<string, (ground: MapGround) => FeatureCollection>>;

export function mapStyle(drawn: MapGround): StyleSpecification {
  const { base, outlines } = drawn;
  const isWater = drawn.ground === 'water' && base === null;
  const [land, paper] = [color('land'), color('paper')];
  const [quiet, ink, line, accent] = [color('quiet'), color('ink'), color('line'), color('accent')];
  const own = Object.fromEntries(
    Object.entries(DATA).map(([id, dataOf]) => [id, { type: 'geojson' as const, data: dataOf(drawn) }]),
  );
  return {
    version: 8,
    sources: base === null ? own : { ...own, base: base.source },
    layers: [
      ...(base === null ? landLayers(isWater) : baseLayers(base, outlines.length === 0)),
      {
        id: 'minor',
        type: 'line',
        source: 'areas',
        filter: ['>', ['get', 'level'], CITY],
        minzoom: 9,
        paint: { 'line-color': quiet, 'line-opacity': 0.45, 'line-width': 1, 'line-dasharray': [2, 2.5] },
      },
      {
        id: 'major',
        type: 'line',
        source: 'areas',
        filter: ['<=', ['get', 'level'], CITY],
        paint: { 'line-color': isWater ? quiet : line, 'line-opacity': 0.6, 'line-width': 1 },
      },
      {
        id: 'chosen',
        type: 'line',
        source: 'areas',
        filter: ['get', 'isChosen'],
        layout: { 'line-join': 'round' },
        paint: { 'line-color': accent, 'line-width': 2 },
      },
      { id: 'beyond', type: 'fill', source: 'beyond', paint: { 'fill-color': paper, 'fill-opacity': 0.6 } },
      {
        id: 'searched',
        type: 'fill',
        source: 'searched',
        paint: { 'fill-color': accent, 'fill-opacity': 0.1 },
      },
      {
        id: 'searched-line',
        type: 'line',
        source: 'searched',
        layout: { 'line-join': 'round' },
        paint: { 'line-color': accent, 'line-width': 2.5 },
      },
      nameLayer('neighbourhoods', ['!', ['get', 'isMajor']], { color: quiet, halo: land, size: 12 }),
      nameLayer('cities', ['get', 'isMajor'], { color: ink, halo: land, size: 16 }),
    ],
  };
}

const ROOT: FilterSpecification = ['get', 'isRoot'];
/** Widths of the bands along a coast, the outermost first, and how much of the colour of the coast each has. */
const COAST = [
  [56, 0.35],
  [32, 0.67],
  [12, 0.9],
] as const;

/** The areas as land: the coast around them, and what lies outside the chosen ones dimmed. */
function landLayers(isWater: boolean): Layer[] {
  const [land, paper, water, coast] = [color('land'), color('paper'), color('water'), color('coast')];
  return [
    { id: 'ground', type: 'background', paint: { 'background-color': isWater ? water : paper } },
    ...(isWater ? COAST : []).map(
      ([width, share], at): Layer => ({
        id: `coast-${at}`,
        type: 'line',
        source: 'areas',
        filter: ROOT,
        layout: { 'line-join': 'round' },
        // A mixed colour, for one that shows through is darker where the sides of a line meet.
        paint: {
          'line-color': ['interpolate', ['linear'], share, 0, water, 1, coast],
          'line-width': width,
        },
      }),
    ),
    { id: 'land', type: 'fill', source: 'areas', filter: ROOT, paint: { 'fill-color': land } },
    {
      id: 'outside',
      type: 'fill',
      source: 'areas',
      filter: ['get', 'isDimmed'],
      paint: { 'fill-color': paper, 'fill-opacity': 0.65 },
    },
    {
      id: 'inside',
      type: 'fill',
      source: 'areas',
      filter: ['get', 'isChosen'],
      paint: { 'fill-color': land },
    },
  ];
}

/** The operator's map; around the chosen areas it is dimmed. */
function baseLayers(base: BaseLayers, hasNames: boolean): Layer[] {
  return [
    { id: 'ground', type: 'background', paint: { 'background-color': color('land') } },
    ...base.layers(color, hasNames),
    {
      id: 'outside',
      type: 'fill',
      source: 'rest',
      paint: { 'fill-color': color('paper'), 'fill-opacity': 0.55 },
    },
  ];
}

interface NameLook {
  readonly color: string;
  readonly halo: string;
  readonly size: number;
}

function nameLayer(id: string, filter: FilterSpecification, look: NameLook): Layer {
  return {
    id,
    type: 'symbol',
    source: 'names',
    filter,
    // Each stands where there is room for it; none hides another, or waits for one to fade.
    layout: {
      'text-field': ['get', 'name'],
      'text-font': id === 'cities' ? SERIF : ITALIC,
      'text-size': look.size,
      'text-max-width': 100,
      'text-allow-overlap': true,
      'text-ignore-placement': true,
    },
    paint: { 'text-color': look.color, 'text-halo-color': look.halo, 'text-halo-width': 1.6 },
  };
}

function polygonsOf(outlines: readonly Outline[], chosen: readonly string[]): FeatureCollection {
  const ids = new Set(outlines.map(({ id }) => id));
  return {
    type: 'FeatureCollection',
    features: outlines.map(({ id, level, parentId, rings }) => {
      const isRoot = parentId === null || !ids.has(parentId);
      return {
        type: 'Feature',
        properties: {
          level,
          isRoot,
          isDimmed: isRoot && chosen.length > 0,
          isChosen: chosen.includes(id),
        },
        geometry: { type: 'MultiPolygon', coordinates: shellsOf(rings) },
      };
    }),
  };
}

/** Rings as lng, lat, lng, lat … become polygons: shells run counterclockwise, holes follow theirs. */
function shellsOf(rings: Outline['rings']): number[][][][] {
  const polygons: number[][][][] = [];
  for (const ring of rings) {
    const points = Array.from({ length: ring.length / 2 }, (_, at) => [
      ring[2 * at] ?? 0,
      ring[2 * at + 1] ?? 0,
    ]);
    if (points[0] !== undefined) points.push(points[0]);
    const last = polygons.at(-1);
    if (areaOf(points) >= 0 || last === undefined) polygons.push([points]);
    else last.push(points);
  }
  return polygons;
}

/** Twice the signed area: positive counterclockwise. */
function areaOf(points: readonly number[][]): number {
  return points.reduce((sum, [x = 0, y = 0], at) => {
    const [nextX = 0, nextY = 0] = points[(at + 1) % points.length] ?? [];
    return sum + x * nextY - nextX * y;
  }, 0);
}

function labelsOf(names: readonly DrawnName[]): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: names.map(({ name, at, isMajor }) => ({
      type: 'Feature',
      properties: { name, isMajor },
      geometry: { type: 'Point', coordinates: [...at] },
    })),
  };
}

const collection = (coordinates: number[][][][]): FeatureCollection => ({
  type: 'FeatureCollection',
  features: coordinates.map((rings) => ({
    type: 'Feature',
    properties: {},
    geometry: { type: 'Polygon', coordinates: rings },
  })),
});

const closed = (corners: readonly Corner[]): number[][] =>
  [...corners, ...corners.slice(0, 1)].map((corner) => [...corner]);

/** Three turns of the world, so that a box across the antimeridian lies within it. */
const WORLD = [
  [-540, -85],
  [540, -85],
  [540, 85],
  [-540, 85],
  [-540, -85],
];

function cornersOf(box: MapBox): Corner[] {
  const [west, south, east, north] = unwrapped(box);
  return [
    [west, south],
    [west, north],
    [east, north],
    [east, south],
  ];
}

/** The world without the chosen areas; nothing where none is chosen. */
function restOf(outlines: readonly Outline[], chosen: readonly string[]): number[][][][] {
  const shells = outlines
    .filter(({ id }) => chosen.includes(id))
    .flatMap(({ rings }) => shellsOf(rings).map(([shell = []]) => shell.toReversed()));
  return shells.length === 0 ? [] : [[WORLD, ...shells]];
}

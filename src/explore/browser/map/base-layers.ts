// Layers of the operator's base map: water, green, buildings, roads and their names, in the colours of the page.

import type { ExpressionSpecification, StyleSpecification } from 'maplibre-gl';

export type Layer = StyleSpecification['layers'][number];
/** A colour of the page by its name. */
export type Color = (name: string) => string;

/** Name of the source of the archive in a style. */
const SOURCE = 'base';
/** Faces that are installed here or there: no glyphs are loaded. */
const SANS = ['ui-sans-serif', 'system-ui', 'Segoe UI', 'Roboto', 'Helvetica', 'Arial', 'sans-serif'];

/** Kinds of what is green, and of roads by their weight, in the schemas of Protomaps and of OpenMapTiles. */
const GREEN =
  'park nature_reserve national_park forest wood grass grassland meadow cemetery golf_course garden scrub';
const MAJOR = 'highway motorway trunk';
const MIDDLE = 'major_road primary secondary';
const PATHS = 'path pedestrian track other rail ferry transit';

type Condition = ExpressionSpecification;

const kindIn = (...kinds: readonly string[]): Condition => [
  'in',
  // Protomaps has the first, OpenMapTiles the second.
  ['coalesce', ['get', 'kind'], ['get', 'class'], ''],
  ['literal', kinds.flatMap((list) => list.split(' '))],
];

const shapeIs = (shape: 'Polygon' | 'LineString', condition?: Condition): Condition => {
  const isShape: Condition = ['==', ['geometry-type'], shape];
  return condition === undefined ? isShape : ['all', isShape, condition];
};

interface Fill {
  readonly color: string;
  readonly opacity: number;
  readonly minzoom?: number;
  readonly filter?: Condition;
}

function fill(layer: string, { color, opacity, minzoom = 0, filter }: Fill): Layer {
  return {
    id: `base-${layer}-fill`,
    type: 'fill',
    source: SOURCE,
    'source-layer': layer,
    minzoom,
    filter: shapeIs('Polygon', filter),
    paint: { 'fill-color': color, 'fill-opacity': opacity },
  };
}

interface Stroke {
  readonly id: string;
  readonly color: string;
  readonly opacity?: number;
  /** Pixels at zoom 6 and at zoom 18. */
  readonly width: readonly [number, number];
  readonly minzoom?: number;
  readonly filter?: Condition;
}

function stroke(layer: string, { id, color, opacity = 1, width, minzoom = 0, filter }: Stroke): Layer {
  return {
    id: `base-${layer}-${id}`,
    type: 'line',
    source: SOURCE,
    'source-layer': layer,
    minzoom,
    filter: shapeIs('LineString', filter),
    layout: { 'line-cap': 'round', 'line-join': 'round' },
    paint: {
      'line-color': color,
      'line-opacity': opacity,
      'line-width': ['interpolate', ['exponential', 1.6], ['zoom'], 6, width[0], 18, width[1]],
    },
  };
}

interface Names {
  readonly size: number;
  readonly color: string;
  readonly halo: string;
  readonly minzoom: number;
  readonly isAlong: boolean;
}

function names(layer: string, { size, color, halo, minzoom, isAlong }: Names): Layer {
  return {
    id: `base-${layer}-names`,
    type: 'symbol',
    source: SOURCE,
    'source-layer': layer,
    minzoom,
    layout: {
      'text-field': ['coalesce', ['get', 'name'], ''],
      'text-font': SANS,
      'text-size': size,
      'text-max-width': 8,
      'symbol-placement': isAlong ? 'line' : 'point',
    },
    paint: { 'text-color': color, 'text-halo-color': halo, 'text-halo-width': 1.4 },
  };
}

/** From the ground up. `hasNames`: places too, where no areas have names. */
export function vectorLayers(color: Color, hasNames: boolean): readonly Layer[] {
  const [water, green, line, edge] = [color('water'), color('accent'), color('line'), color('edge')];
  const halo = color('land');
  const river = { id: 'line', color: water, width: [0.6, 6], minzoom: 9 } as const;
  const green9 = { color: green, opacity: 0.09 };
  const building = { color: edge, opacity: 0.16, minzoom: 14 };
  const street = { size: 11, color: color('quiet'), halo, minzoom: 14, isAlong: true };
  const place = { size: 14, color: color('ink'), halo, minzoom: 0, isAlong: false };
  const isMinor: Condition = ['!', kindIn(MAJOR, MIDDLE, PATHS)];
  const roads = (layer: string): readonly Layer[] => [
    stroke(layer, { id: 'minor', color: line, width: [0.2, 11], minzoom: 11, filter: isMinor }),
    stroke(layer, { id: 'middle', color: line, width: [0.5, 18], minzoom: 8, filter: kindIn(MIDDLE) }),
    stroke(layer, { id: 'major', color: edge, opacity: 0.55, width: [0.8, 18], filter: kindIn(MAJOR) }),
  ];
  return [
    fill('landcover', { ...green9, filter: kindIn(GREEN) }),
    fill('landuse', { ...green9, filter: kindIn(GREEN) }),
    fill('park', green9),
    fill('water', { color: water, opacity: 1 }),
    stroke('water', river),
    stroke('waterway', river),
    fill('buildings', building),
    fill('building', building),
    ...roads('roads'),
    ...roads('transportation'),
    names('roads', street),
    names('transportation_name', street),
    ...(hasNames ? [names('places', place), names('place', place)] : []),
  ];
}

/** Pictures keep their colours, a little quieter, and darker in the dark. */
export function rasterLayer(): Layer {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  return {
    id: 'base-pictures',
    type: 'raster',
    source: SOURCE,
    paint: { 'raster-saturation': -0.35, 'raster-brightness-max': isDark ? 0.55 : 1 },
  };
}

/** The layer of the archive that a layer draws; null: a picture. */
export const sourceLayerOf = (layer: Layer): string | null =>
  'source-layer' in layer && typeof layer['source-layer'] === 'string' ? layer['source-layer'] : null;

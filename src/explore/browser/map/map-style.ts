// Style of the live map: ground, coast, land, borders and names, in the colours of the page.

import type { FeatureCollection } from 'geojson';
import type { FilterSpecification, StyleSpecification } from 'maplibre-gl';
import type { Outline } from '../../../page/map/drawing.ts';

/** Levels of areas whose borders are lines between cities; deeper ones are dotted. */
const CITY = 3;

/** Faces that are installed here or there: without glyphs of a server, the map draws the names with the first it finds. */
const SERIF = ['ui-serif', 'Charter', 'Bitstream Charter', 'Sitka Text', 'Cambria', 'Georgia', 'serif'];

export interface MapGround {
  readonly outlines: readonly Outline[];
  /** Ids of areas with an accent outline. */
  readonly chosen: readonly string[];
  readonly ground: 'water' | 'paper';
}

/** A colour of the page's style, which follows the theme. */
const color = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

export function mapStyle({ outlines, chosen, ground }: MapGround): StyleSpecification {
  const isWater = ground === 'water';
  const [land, paper, water, coast] = [color('land'), color('paper'), color('water'), color('coast')];
  const [quiet, ink, line, accent] = [color('quiet'), color('ink'), color('line'), color('accent')];
  const named = chosen.length > 0;
  return {
    version: 8,
    sources: {
      areas: { type: 'geojson', data: polygonsOf(outlines, chosen) },
      names: { type: 'geojson', data: labelsOf(outlines) },
    },
    layers: [
      { id: 'ground', type: 'background', paint: { 'background-color': isWater ? water : paper } },
      ...(isWater ? [18, 12, 6] : []).map((width, at) => ({
        id: `coast-${at}`,
        type: 'line' as const,
        source: 'areas',
        layout: { 'line-join': 'round' as const },
        paint: { 'line-color': coast, 'line-width': width * 2, 'line-opacity': 0.22 + at * 0.16 },
      })),
      { id: 'land', type: 'fill', source: 'areas', filter: ['get', 'isRoot'], paint: { 'fill-color': land } },
      {
        id: 'outside',
        type: 'fill',
        source: 'areas',
        filter: ['all', ['get', 'isRoot'], named],
        paint: { 'fill-color': paper, 'fill-opacity': 0.65 },
      },
      {
        id: 'inside',
        type: 'fill',
        source: 'areas',
        filter: ['get', 'isChosen'],
        paint: { 'fill-color': land },
      },
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
      nameLayer('neighbourhoods', ['>', ['get', 'level'], CITY], {
        color: quiet,
        halo: land,
        size: 12,
        from: 11,
      }),
      nameLayer('cities', ['<=', ['get', 'level'], CITY], { color: ink, halo: land, size: 16, from: 0 }),
    ],
  };
}

interface NameLook {
  readonly color: string;
  readonly halo: string;
  readonly size: number;
  readonly from: number;
}

type Layer = StyleSpecification['layers'][number];

function nameLayer(id: string, filter: FilterSpecification, look: NameLook): Layer {
  return {
    id,
    type: 'symbol',
    source: 'names',
    filter,
    minzoom: look.from,
    layout: {
      'text-field': ['get', 'name'],
      'text-font': id === 'cities' ? SERIF : SERIF.map((face) => `${face} Italic`),
      'text-size': look.size,
      'text-max-width': 8,
      'text-padding': 12,
      'symbol-sort-key': ['get', 'level'],
    },
    paint: { 'text-color': look.color, 'text-halo-color': look.halo, 'text-halo-width': 1.6 },
  };
}

function polygonsOf(outlines: readonly Outline[], chosen: readonly string[]): FeatureCollection {
  const ids = new Set(outlines.map(({ id }) => id));
  return {
    type: 'FeatureCollection',
    features: outlines.map(({ id, level, parentId, rings }) => ({
      type: 'Feature',
      properties: {
        level,
        isRoot: parentId === null || !ids.has(parentId),
        isChosen: chosen.includes(id),
      },
      geometry: { type: 'MultiPolygon', coordinates: shellsOf(rings) },
    })),
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

function labelsOf(outlines: readonly Outline[]): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: outlines.map(({ name, level, labelAt }) => ({
      type: 'Feature',
      properties: { name, level },
      geometry: { type: 'Point', coordinates: [...labelAt] },
    })),
  };
}

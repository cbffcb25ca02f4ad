// Land of the sample market: neighbourhoods and postal codes of each cell of the map, read from files that drawing/draw-map.ts makes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import region from '../names/region.json' with { type: 'json' };
import { COLUMNS, type Layer, type Mesh, meshOf, ROWS } from './mesh.ts';

const KM_PER_DEGREE = 111.195;
const KM_PER_DEGREE_EAST = KM_PER_DEGREE * Math.cos((region.origin.latitude * Math.PI) / 180);

/** One neighbourhood and what the market needs to know of it. */
export interface Neighborhood {
  readonly index: number;
  readonly name: string;
  /** Index into the city table. */
  readonly city: number;
  readonly x: number;
  readonly y: number;
  readonly areaKm2: number;
  /** 0 open country to 1 city centre. */
  readonly urban: number;
  /** Standard scores: 0 is an ordinary place. */
  readonly desirability: number;
  readonly population: number;
  /** Share of its cells that touch water. */
  readonly shoreShare: number;
}

export interface Land {
  readonly mesh: Mesh;
  readonly neighborhoods: readonly Neighborhood[];
  readonly neighborhoodOf: Layer;
  readonly postalOf: Layer;
}

/** The content of map/cells.json: each layer as pairs of a label and how many cells in a row have it. */
export interface Cells {
  readonly neighborhoods: readonly Neighborhood[];
  readonly neighborhoodOf: readonly number[];
  readonly postalOf: readonly number[];
}

/** Longitude and latitude of a point given in kilometres; six decimals, about a decimetre. */
export function toDegrees(x: number, y: number): [longitude: number, latitude: number] {
  return [
    Math.round((region.origin.longitude + x / KM_PER_DEGREE_EAST) * 1e6) / 1e6,
    Math.round((region.origin.latitude + y / KM_PER_DEGREE) * 1e6) / 1e6,
  ];
}

export const MAP_FOLDER = join(import.meta.dirname, 'map');

/** Reads the areas of the map as GeoJSON: every area is one feature with its identifiers and outline. */
export function readAreas(): string {
  return readFileSync(join(MAP_FOLDER, 'areas.geojson'), 'utf8');
}

export function readLand(): Land {
  const cells = JSON.parse(readFileSync(join(MAP_FOLDER, 'cells.json'), 'utf8')) as Cells;
  const neighborhoodOf = decodeLayer(cells.neighborhoodOf);
  const mesh = meshOf(Uint8Array.from(neighborhoodOf, (label) => (label === -1 ? 0 : 1)));
  return {
    mesh,
    neighborhoods: cells.neighborhoods,
    neighborhoodOf,
    postalOf: decodeLayer(cells.postalOf),
  };
}

function decodeLayer(runs: readonly number[]): Layer {
  const layer = new Int16Array(COLUMNS * ROWS);
  let cell = 0;
  for (let at = 0; at < runs.length; at += 2) {
    const end = cell + (runs[at + 1] ?? 0);
    layer.fill(runs[at] ?? -1, cell, end);
    cell = end;
  }
  return layer;
}

/** The five digits of a postal code; the range is one that no real place uses. */
export function postalCode(index: number): string {
  return String(86_901 + index * 2);
}

// Finished land: one build of mesh, division and borders, with the projection between kilometres and degrees.
import cities from '../names/cities.json' with { type: 'json' };
import region from '../names/region.json' with { type: 'json' };
import { type Layer, smoothBorders } from './borders.ts';
import { buildMesh, type Mesh } from './mesh.ts';
import { type Ring, traceLayer } from './outlines.ts';
import { countyOf, divide, NEIGHBORHOODS, type Neighborhood, POSTAL_CODES } from './regions.ts';

const KM_PER_DEGREE = 111.195;
const KM_PER_DEGREE_EAST = KM_PER_DEGREE * Math.cos((region.origin.latitude * Math.PI) / 180);

export interface Land {
  readonly mesh: Mesh;
  readonly neighborhoods: readonly Neighborhood[];
  readonly neighborhoodOf: Layer;
  readonly postalOf: Layer;
  readonly outlines: {
    readonly metro: readonly Ring[];
    readonly counties: readonly (readonly Ring[])[];
    readonly cities: readonly (readonly Ring[])[];
    readonly neighborhoods: readonly (readonly Ring[])[];
    readonly postalCodes: readonly (readonly Ring[])[];
  };
}

/** Longitude and latitude of a point given in kilometres; six decimals, about a decimetre. */
export function toDegrees(x: number, y: number): [longitude: number, latitude: number] {
  return [
    Math.round((region.origin.longitude + x / KM_PER_DEGREE_EAST) * 1e6) / 1e6,
    Math.round((region.origin.latitude + y / KM_PER_DEGREE) * 1e6) / 1e6,
  ];
}

export function buildLand(): Land {
  const mesh = buildMesh();
  const { neighborhoods, neighborhoodOf, postalOf } = divide(mesh);
  const borders = smoothBorders(mesh, [neighborhoodOf, postalOf]);
  const cityOf = regroup(mesh, neighborhoodOf, (index) => neighborhoods[index]?.city ?? -1);
  const countyLayer = regroup(mesh, cityOf, countyOf);
  const metroLayer = regroup(mesh, countyLayer, () => 0);
  const outlines = {
    metro: traceLayer(mesh, metroLayer, 1, borders).flat(),
    counties: traceLayer(mesh, countyLayer, region.counties.length, borders),
    cities: traceLayer(mesh, cityOf, cities.length, borders),
    neighborhoods: traceLayer(mesh, neighborhoodOf, NEIGHBORHOODS, borders),
    postalCodes: traceLayer(mesh, postalOf, POSTAL_CODES, borders),
  };
  return { mesh, neighborhoods, neighborhoodOf, postalOf, outlines };
}

function regroup(mesh: Mesh, layer: Layer, group: (label: number) => number): Layer {
  const result: Layer = new Int16Array(mesh.size).fill(-1);
  for (const cell of mesh.landCells) result[cell] = group(layer[cell] ?? -1);
  return result;
}

// Divided land: one build of ground, division and borders.
import cities from '../../names/cities.json' with { type: 'json' };
import region from '../../names/region.json' with { type: 'json' };
import type { Land } from '../land.ts';
import type { Layer, Mesh } from '../mesh.ts';
import { smoothBorders } from './borders.ts';
import { buildMesh } from './ground.ts';
import { type Ring, traceLayer } from './outlines.ts';
import { countyOf, divide, NEIGHBORHOODS, POSTAL_CODES } from './regions.ts';

export interface DividedLand extends Land {
  readonly outlines: {
    readonly metro: readonly Ring[];
    readonly counties: readonly (readonly Ring[])[];
    readonly cities: readonly (readonly Ring[])[];
    readonly neighborhoods: readonly (readonly Ring[])[];
    readonly postalCodes: readonly (readonly Ring[])[];
  };
}

export function buildLand(): DividedLand {
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

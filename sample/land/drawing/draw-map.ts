// Program that draws the map of the sample market and writes its files, run as node sample/land/drawing/draw-map.ts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cells, MAP_FOLDER } from '../land.ts';
import type { Layer } from '../mesh.ts';
import { areaCollection } from './areas.ts';
import { buildLand } from './divided-land.ts';

/** The files of the map by their names. */
export function drawMap(): Readonly<Record<string, string>> {
  const land = buildLand();
  const { features } = areaCollection(land);
  const cells: Cells = {
    neighborhoods: land.neighborhoods,
    neighborhoodOf: encodeLayer(land.neighborhoodOf),
    postalOf: encodeLayer(land.postalOf),
  };
  const lines = (list: readonly unknown[]): string => list.map((each) => JSON.stringify(each)).join(',\n');
  return {
    'areas.geojson': `{"type":"FeatureCollection","features":[\n${lines(features)}\n]}\n`,
    'cells.json': `{"neighborhoods":[\n${lines(cells.neighborhoods)}\n],
"neighborhoodOf":${JSON.stringify(cells.neighborhoodOf)},
"postalOf":${JSON.stringify(cells.postalOf)}}\n`,
  };
}

function encodeLayer(layer: Layer): number[] {
  const runs: number[] = [];
  let start = 0;
  for (let cell = 1; cell <= layer.length; cell += 1) {
    if (layer[cell] === layer[start]) continue;
    runs.push(layer[start] ?? -1, cell - start);
    start = cell;
  }
  return runs;
}

if (import.meta.main)
  for (const [name, text] of Object.entries(drawMap())) writeFileSync(join(MAP_FOLDER, name), text);

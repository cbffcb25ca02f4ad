// Proves that the map has neither gaps nor overlaps, and that every listing stands where its address says.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Position } from 'geojson';
import { createGenesis } from '../market/genesis.ts';
import { Random } from '../random.ts';
import { type AreaFeature, type AreaType, slug } from './drawing/areas.ts';
import { drawMap } from './drawing/draw-map.ts';
import { MAP_FOLDER, postalCode, readAreas, readLand } from './land.ts';

const land = readLand();
const areas: readonly AreaFeature[] = JSON.parse(readAreas()).features;
const LAYERS: readonly AreaType[] = ['county', 'city', 'neighborhood', 'postal_code'];
const ofType = (type: AreaType): AreaFeature[] => areas.filter((area) => area.properties.type === type);

function polygonsOf({ geometry }: AreaFeature): Position[][][] {
  return geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates;
}

const ringsOf = (area: AreaFeature): Position[][] => polygonsOf(area).flat();
const point = (position: Position | undefined): [number, number] => [
  position?.[0] ?? Number.NaN,
  position?.[1] ?? Number.NaN,
];

function signedArea(ring: readonly Position[]): number {
  let sum = 0;
  for (let i = 1; i < ring.length; i += 1) {
    const [ax, ay] = point(ring[i - 1]);
    const [bx, by] = point(ring[i]);
    // Relative to a point nearby, so that the large longitudes do not drown the small differences.
    sum += (ax + 137) * (by - 41) - (bx + 137) * (ay - 41);
  }
  return sum / 2;
}

const areaOf = (area: AreaFeature): number => ringsOf(area).reduce((sum, ring) => sum + signedArea(ring), 0);

function contains(area: AreaFeature, x: number, y: number): boolean {
  let inside = false;
  for (const ring of ringsOf(area)) {
    for (let i = 1; i < ring.length; i += 1) {
      const [ax, ay] = point(ring[i - 1]);
      const [bx, by] = point(ring[i]);
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
    }
  }
  return inside;
}

/** Every directed edge of the areas, by how often it occurs. */
function edgesOf(features: readonly AreaFeature[]): Map<string, number> {
  const edges = new Map<string, number>();
  for (const ring of features.flatMap(ringsOf)) {
    for (let i = 1; i < ring.length; i += 1) {
      const edge = `${ring[i - 1]}>${ring[i]}`;
      edges.set(edge, (edges.get(edge) ?? 0) + 1);
    }
  }
  return edges;
}

const turned = (edge: string): string => edge.split('>').toReversed().join('>');

test('the files of the map are those that its program draws', () => {
  for (const [name, text] of Object.entries(drawMap()))
    assert.ok(readFileSync(join(MAP_FOLDER, name), 'utf8') === text, name);
});

test('there are a metro, 3 counties, 24 cities, 120 neighbourhoods and 40 postal codes, with names and parents of their own', () => {
  assert.deepEqual(
    ['metro', ...LAYERS].map((type) => ofType(type as AreaType).length),
    [1, 3, 24, 120, 40],
  );
  const ids = new Set(areas.map((area) => area.properties.id));
  assert.equal(ids.size, areas.length);
  assert.equal(new Set(ofType('neighborhood').map((area) => area.properties.name)).size, 120);
  for (const { properties } of areas) {
    if (properties.type === 'metro') assert.equal(properties.parentId, null);
    else assert.ok(properties.parentId !== null && ids.has(properties.parentId), properties.id);
    assert.ok(properties.population > 0, properties.id);
  }
});

test('within each layer every border is shared exactly: each edge is met once the other way, or is the metro outline', () => {
  const outline = edgesOf(ofType('metro'));
  for (const type of LAYERS) {
    const edges = edgesOf(ofType(type));
    let outer = 0;
    for (const [edge, times] of edges) {
      assert.equal(times, 1, `${type}: ${edge} occurs ${times} times`);
      if (edges.has(turned(edge))) continue;
      outer += 1;
      assert.ok(outline.has(edge), `${type}: ${edge} is neither shared nor outline`);
    }
    assert.equal(outer, outline.size, type);
  }
});

test('the areas of each layer add up to the metro', () => {
  const [metro] = ofType('metro');
  assert.ok(metro);
  const total = areaOf(metro);
  for (const type of LAYERS) {
    const sum = ofType(type).reduce((all, area) => all + areaOf(area), 0);
    assert.ok(Math.abs(sum / total - 1) < 1e-9, `${type}: ${sum} of ${total}`);
  }
});

test('outer rings run counter-clockwise, holes clockwise, all rings are closed, and the lake is a hole', () => {
  for (const area of areas) {
    for (const [outer, ...holes] of polygonsOf(area)) {
      assert.ok(outer && signedArea(outer) > 0, area.properties.id);
      for (const hole of holes) assert.ok(signedArea(hole) < 0, area.properties.id);
      for (const ring of [outer, ...holes]) assert.deepEqual(ring[0], ring.at(-1));
    }
  }
  assert.ok(ofType('metro').some((area) => polygonsOf(area).some((polygon) => polygon.length > 1)));
});

test('a point of the metro lies in exactly one area of each layer, and a point of the sea in none', () => {
  const random = new Random(1);
  const [metro] = ofType('metro');
  assert.ok(metro);
  let dry = 0;
  for (let i = 0; i < 1500; i += 1) {
    const x = random.between(-137.9, -136.9);
    const y = random.between(40.58, 41.22);
    const expected: number = contains(metro, x, y) ? 1 : 0;
    dry += expected;
    for (const type of LAYERS) {
      const found = ofType(type).filter((area) => contains(area, x, y)).length;
      assert.equal(found, expected, `${type} at ${x} ${y}`);
    }
  }
  assert.ok(dry > 500 && dry < 1400, `${dry} of 1500 points on land`);
});

test('every listing stands inside the neighbourhood and the postal code that its address names', () => {
  const { listings } = createGenesis(land, 'tiling', Date.UTC(2026, 3, 1, 12), 4000);
  const byId = new Map(areas.map((area) => [area.properties.id, area]));
  for (const { key, home } of listings) {
    const { neighborhood, postal, longitude, latitude } = home.address;
    const place = byId.get(`neighborhood-${slug(land.neighborhoods[neighborhood]?.name ?? '')}`);
    const code = byId.get(`postal-${postalCode(postal)}`);
    assert.ok(place && contains(place, longitude, latitude), `${key} in ${place?.properties.id}`);
    assert.ok(code && contains(code, longitude, latitude), `${key} in ${code?.properties.id}`);
  }
});

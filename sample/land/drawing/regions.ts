// Division of the metro: the neighbourhood and postal code of each cell, and how they build cities.
import cities from '../../names/cities.json' with { type: 'json' };
import names from '../../names/neighborhoods.json' with { type: 'json' };
import region from '../../names/region.json' with { type: 'json' };
import { Random } from '../../random.ts';
import type { Neighborhood } from '../land.ts';
import { cellX, cellY, type Layer, type Mesh, neighbour, SPACING } from '../mesh.ts';
import { growSites, type Site, spreadSites } from './growth.ts';
import { fractalNoise } from './noise.ts';

const SEED = 41;
export const NEIGHBORHOODS = 120;
export const POSTAL_CODES = 40;
const CELL_AREA = (SPACING * SPACING * Math.sqrt(3)) / 2;

export interface Division {
  readonly neighborhoods: readonly Neighborhood[];
  readonly neighborhoodOf: Layer;
  readonly postalOf: Layer;
}

/** How built-up a place is: 0 open country to 1 centre of the main city. Kilometres. */
export function urbanity(x: number, y: number): number {
  let most = 0;
  for (const city of cities) {
    const dx = x - city.x;
    const dy = y - city.y;
    const distance = Math.sqrt(dx * dx + dy * dy) / (3.2 + 3.6 * city.urban);
    // Beyond four of its radii a city is not felt.
    if (distance < 4) most = Math.max(most, city.urban * Math.exp(-distance * Math.sqrt(distance)));
  }
  return most;
}

export function divide(mesh: Mesh): Division {
  const sites = spreadSites(mesh, NEIGHBORHOODS, (x, y) => 0.022 + 0.45 * urbanity(x, y) ** 1.5, SEED);
  const postalSites = spreadSites(mesh, POSTAL_CODES, (x, y) => 0.03 + 0.2 * urbanity(x, y) ** 1.2, SEED + 1);
  const neighborhoodOf = growSites(mesh, sites, SEED + 2);
  const postalOf = growSites(mesh, postalSites, SEED + 3);
  return { neighborhoods: describe(mesh, neighborhoodOf), neighborhoodOf, postalOf };
}

interface Tally {
  cells: number;
  shore: number;
  x: number;
  y: number;
  readonly next: Set<number>;
}

function tallyCells(mesh: Mesh, layer: Layer): Tally[] {
  const tallies: Tally[] = Array.from({ length: NEIGHBORHOODS }, () => ({
    cells: 0,
    shore: 0,
    x: 0,
    y: 0,
    next: new Set(),
  }));
  for (const cell of mesh.landCells) {
    const tally = tallies[layer[cell] ?? -1];
    if (!tally) continue;
    tally.cells += 1;
    tally.x += cellX(cell);
    tally.y += cellY(cell);
    let wet = false;
    for (let side = 0; side < 6; side += 1) {
      const other = neighbour(cell, side);
      if (mesh.land[other] === 0) wet = true;
      else if (layer[other] !== layer[cell]) tally.next.add(layer[other] ?? -1);
    }
    if (wet) tally.shore += 1;
  }
  return tallies;
}

function describe(mesh: Mesh, layer: Layer): Neighborhood[] {
  const tallies = tallyCells(mesh, layer);
  const centres = tallies.map((tally) => ({ x: tally.x / tally.cells, y: tally.y / tally.cells }));
  const cityOf = joinCities(tallies, centres);
  const namer = createNamer();
  return tallies.map((tally, index) => {
    const { x, y } = centres[index] ?? { x: 0, y: 0 };
    const urban = urbanity(x, y);
    const areaKm2 = tally.cells * CELL_AREA;
    const shoreShare = tally.shore / tally.cells;
    const desirability =
      1.5 * fractalNoise(x / 7, y / 7, SEED + 9, 3) + Math.min(1.2, shoreShare * 3) + 0.5 * urban - 0.35;
    const population = Math.round((areaKm2 * (40 + 9500 * urban ** 1.7)) / 10) * 10;
    const name = namer(urban, shoreShare);
    return {
      index,
      name,
      city: cityOf[index] ?? 0,
      x,
      y,
      areaKm2,
      urban,
      desirability,
      population,
      shoreShare,
    };
  });
}

/** Every city starts at its named place and takes neighbourhoods next to what it has, so cities hang together. */
function joinCities(tallies: readonly Tally[], centres: readonly Site[]): number[] {
  const owner = tallies.map(() => -1);
  const cost = tallies.map(() => Number.POSITIVE_INFINITY);
  const open = new Set<number>();
  cities.forEach((city, index) => {
    const start = closest(centres, city, (place) => owner[place] === -1);
    owner[start] = index;
    cost[start] = 0;
    open.add(start);
  });
  while (open.size > 0) {
    const place = [...open].reduce((best, other) => ((cost[other] ?? 0) < (cost[best] ?? 0) ? other : best));
    open.delete(place);
    const city = owner[place] ?? 0;
    for (const next of tallies[place]?.next ?? []) {
      const total = (cost[place] ?? 0) + gap(centres, place, next) / (cities[city]?.reach ?? 1);
      if (total >= (cost[next] ?? 0)) continue;
      cost[next] = total;
      owner[next] = city;
      open.add(next);
    }
  }
  return owner.map((city, place) =>
    city >= 0
      ? city
      : (owner[closest(centres, centres[place] ?? { x: 0, y: 0 }, (other) => (owner[other] ?? -1) >= 0)] ??
        0),
  );
}

function gap(centres: readonly Site[], a: number, b: number): number {
  const from = centres[a] ?? { x: 0, y: 0 };
  const to = centres[b] ?? { x: 0, y: 0 };
  return Math.sqrt((from.x - to.x) ** 2 + (from.y - to.y) ** 2);
}

function closest(centres: readonly Site[], to: Site, allowed: (index: number) => boolean): number {
  let best = 0;
  let distance = Number.POSITIVE_INFINITY;
  centres.forEach((centre, index) => {
    const d = (centre.x - to.x) ** 2 + (centre.y - to.y) ** 2;
    if (d < distance && allowed(index)) {
      distance = d;
      best = index;
    }
  });
  return best;
}

/** Hands out each name once, in keeping with the place. */
function createNamer(): (urban: number, shoreShare: number) => string {
  const random = new Random(SEED + 4);
  const pools = {
    core: shuffled(names.core, random),
    shore: shuffled(names.shore, random),
    town: shuffled(names.town, random),
    country: shuffled(names.country, random),
  };
  return (urban, shoreShare) => {
    const first = urban > 0.42 ? 'core' : shoreShare > 0.1 ? 'shore' : urban > 0.14 ? 'town' : 'country';
    const name = pools[first].pop() ?? pools.town.pop() ?? pools.country.pop() ?? pools.shore.pop();
    if (name === undefined) throw new Error('More neighbourhoods than names');
    return name;
  };
}

function shuffled(list: readonly string[], random: Random): string[] {
  return list
    .map((name) => ({ name, place: random.unit() }))
    .sort((a, b) => a.place - b.place)
    .map((entry) => entry.name);
}

/** Index of the county that a city lies in. */
export function countyOf(city: number): number {
  return region.counties.findIndex((county) => county.name === cities[city]?.county);
}

// Areas of the map as GeoJSON features with their identifiers and outlines.
import type { Feature, FeatureCollection, MultiPolygon, Polygon, Position } from 'geojson';
import cities from '../../names/cities.json' with { type: 'json' };
import region from '../../names/region.json' with { type: 'json' };
import { postalCode, toDegrees } from '../land.ts';
import type { DividedLand } from './divided-land.ts';
import type { Ring } from './outlines.ts';
import { countyOf, POSTAL_CODES } from './regions.ts';

export type AreaType = 'metro' | 'county' | 'city' | 'neighborhood' | 'postal_code';

export interface AreaProperties {
  readonly id: string;
  readonly type: AreaType;
  readonly name: string;
  readonly parentId: string | null;
  readonly codes: { readonly fips?: string; readonly postal?: string };
  readonly population: number;
}

export type AreaFeature = Feature<Polygon | MultiPolygon, AreaProperties>;

export function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/['.]/g, '')
    .replace(/[^a-z0-9]+/g, '-');
}

const METRO_ID = `metro-${slug(region.metro)}`;
const countyId = (county: number): string => `county-${slug(region.counties[county]?.name ?? '')}`;
const cityId = (city: number): string => `city-${slug(cities[city]?.name ?? '')}`;

/** All areas, large to small. */
export function areaCollection(land: DividedLand): FeatureCollection<Polygon | MultiPolygon, AreaProperties> {
  const { outlines, neighborhoods } = land;
  const people = (belongs: (city: number) => boolean): number =>
    neighborhoods.filter((place) => belongs(place.city)).reduce((sum, place) => sum + place.population, 0);
  const features: AreaFeature[] = [
    area(outlines.metro, {
      id: METRO_ID,
      type: 'metro',
      name: region.metro,
      parentId: null,
      codes: {},
      population: people(() => true),
    }),
    ...region.counties.map((county, index) =>
      area(outlines.counties[index], {
        id: countyId(index),
        type: 'county',
        name: `${county.name} County`,
        parentId: METRO_ID,
        codes: { fips: county.fips },
        population: people((city) => countyOf(city) === index),
      }),
    ),
    ...cities.map((city, index) =>
      area(outlines.cities[index], {
        id: cityId(index),
        type: 'city',
        name: city.name,
        parentId: countyId(countyOf(index)),
        codes: { fips: `${region.state.fips}${String(1200 + index * 340).padStart(5, '0')}` },
        population: people((other) => other === index),
      }),
    ),
    ...neighborhoods.map((place, index) =>
      area(outlines.neighborhoods[index], {
        id: `neighborhood-${slug(place.name)}`,
        type: 'neighborhood',
        name: place.name,
        parentId: cityId(place.city),
        codes: {},
        population: place.population,
      }),
    ),
    ...postalAreas(land),
  ];
  return { type: 'FeatureCollection', features };
}

/** Postal codes cross other borders: the parent is the county in which most of the code lies. */
function postalAreas(land: DividedLand): AreaFeature[] {
  const people = new Float64Array(POSTAL_CODES);
  const counties = Array.from({ length: POSTAL_CODES }, () => region.counties.map(() => 0));
  const cells = new Float64Array(land.neighborhoods.length);
  for (const cell of land.mesh.landCells) {
    const place = land.neighborhoodOf[cell] ?? 0;
    cells[place] = (cells[place] ?? 0) + 1;
  }
  for (const cell of land.mesh.landCells) {
    const code = land.postalOf[cell] ?? 0;
    const place = land.neighborhoods[land.neighborhoodOf[cell] ?? 0];
    if (!place) continue;
    people[code] = (people[code] ?? 0) + place.population / (cells[place.index] ?? 1);
    const tally = counties[code];
    const county = countyOf(place.city);
    if (tally) tally[county] = (tally[county] ?? 0) + 1;
  }
  return land.outlines.postalCodes.map((rings, index) => {
    const tally = counties[index] ?? [];
    return area(rings, {
      id: `postal-${postalCode(index)}`,
      type: 'postal_code',
      name: postalCode(index),
      parentId: countyId(tally.indexOf(Math.max(...tally))),
      codes: { postal: postalCode(index) },
      population: Math.round((people[index] ?? 0) / 10) * 10,
    });
  });
}

function area(rings: readonly Ring[] | undefined, properties: AreaProperties): AreaFeature {
  return { type: 'Feature', id: properties.id, properties, geometry: geometryOf(rings ?? []) };
}

/** Outer rings run counter-clockwise and holes clockwise; each hole joins the outer ring around it. */
export function geometryOf(rings: readonly Ring[]): Polygon | MultiPolygon {
  const outer = rings.filter((ring) => signedArea(ring) > 0).sort((a, b) => signedArea(b) - signedArea(a));
  const polygons: Ring[][] = outer.map((ring) => [ring]);
  for (const hole of rings.filter((ring) => signedArea(ring) < 0)) {
    const [x, y] = hole[0] ?? [0, 0];
    polygons.findLast(([ring]) => ring !== undefined && isInside(ring, x, y))?.push(hole);
  }
  const coordinates = polygons.map((polygon) => polygon.map(projected));
  const [only] = coordinates;
  return coordinates.length === 1 && only
    ? { type: 'Polygon', coordinates: only }
    : { type: 'MultiPolygon', coordinates };
}

const projected = (ring: Ring): Position[] => ring.map(([x, y]) => toDegrees(x, y));

function signedArea(ring: Ring): number {
  let sum = 0;
  for (let i = 1; i < ring.length; i += 1) {
    const [ax, ay] = ring[i - 1] ?? [0, 0];
    const [bx, by] = ring[i] ?? [0, 0];
    sum += ax * by - bx * ay;
  }
  return sum / 2;
}

function isInside(ring: Ring, x: number, y: number): boolean {
  let inside = false;
  for (let i = 1; i < ring.length; i += 1) {
    const [ax, ay] = ring[i - 1] ?? [0, 0];
    const [bx, by] = ring[i] ?? [0, 0];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

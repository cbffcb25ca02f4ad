// Measures of homes: rooms, areas, lots, ages, by kind and place.
import type { Neighborhood } from '../land/land.ts';
import type { Random } from '../random.ts';
import type { Building, Home, HomeKind } from './home.ts';

export type Shape = Pick<
  Home,
  | 'unit'
  | 'floor'
  | 'bedrooms'
  | 'bathsFull'
  | 'bathsHalf'
  | 'area'
  | 'lot'
  | 'yearBuilt'
  | 'stories'
  | 'garage'
  | 'pool'
  | 'fee'
  | 'units'
>;

const NOTHING: Shape = {
  unit: null,
  floor: null,
  bedrooms: null,
  bathsFull: null,
  bathsHalf: null,
  area: null,
  lot: null,
  yearBuilt: null,
  stories: null,
  garage: 0,
  pool: false,
  fee: null,
  units: null,
};

export function drawShape(
  kind: HomeKind,
  place: Neighborhood,
  building: Building | null,
  random: Random,
): Shape {
  if (building) return drawFlat(kind, building, random);
  switch (kind) {
    case 'land':
      return {
        ...NOTHING,
        lot: Math.round(random.logNormal(place.urban > 0.2 ? 9000 : 70_000, 0.9) / 100) * 100,
      };
    case 'office':
    case 'retail':
    case 'mixed':
      return drawCommercial(place, random);
    case 'duplex':
    case 'triplex':
    case 'quadruplex':
    case 'multi':
      return drawMultiFamily(kind, place, random);
    default:
      return drawHouse(kind, place, random);
  }
}

function drawFlat(kind: HomeKind, building: Building, random: Random): Shape {
  const floor = random.integer(1, building.stories);
  const letter = 'ABCDEFGHJK'[random.integer(0, 9)] ?? 'A';
  const bedrooms = Number(random.weighted({ 0: 0.1, 1: 0.36, 2: 0.38, 3: 0.13, 4: 0.03 }));
  const area =
    Math.round(random.logNormal(390 + bedrooms * 330 + (kind === 'apartment' ? -30 : 40), 0.14) / 5) * 5;
  const bathsFull = Math.max(1, Math.min(3, Math.round(bedrooms * 0.7 + random.between(-0.2, 0.4))));
  const serviceFee = area * (0.3 + 0.45 * building.service) + 40;
  return {
    ...NOTHING,
    unit:
      building.stories > 6
        ? `${floor}${letter}`
        : `${floor}${String(random.integer(1, 24)).padStart(2, '0')}`,
    floor,
    bedrooms,
    bathsFull,
    bathsHalf: bedrooms >= 2 && random.chance(0.25) ? 1 : 0,
    area,
    yearBuilt: building.yearBuilt,
    stories: random.chance(0.04) ? 2 : 1,
    garage: random.chance(0.25 + 0.3 * building.service) ? 1 : 0,
    fee: kind === 'apartment' ? null : Math.round((kind === 'coop' ? serviceFee * 1.9 : serviceFee) / 5) * 5,
    units: null,
  };
}

function drawHouse(kind: HomeKind, place: Neighborhood, random: Random): Shape {
  const small = kind === 'cabin' || kind === 'manufactured';
  const bedrooms = Number(
    random.weighted(small ? { 1: 0.2, 2: 0.5, 3: 0.3 } : { 2: 0.17, 3: 0.43, 4: 0.29, 5: 0.09, 6: 0.02 }),
  );
  const perBedroom = kind === 'townhouse' ? 440 : small ? 330 : 520;
  const area = Math.round(random.logNormal(320 + bedrooms * perBedroom, 0.2) / 10) * 10;
  const stories = small ? 1 : kind === 'townhouse' ? random.integer(2, 4) : random.chance(0.42) ? 1 : 2;
  const lotMedian =
    kind === 'townhouse' ? 1900 : kind === 'cabin' ? 60_000 : 5200 + 9000 * (1 - place.urban) ** 6;
  const yearBuilt = drawYear(place, random);
  return {
    ...NOTHING,
    bedrooms,
    bathsFull: Math.max(1, Math.min(5, Math.round(bedrooms * 0.55 + random.between(-0.3, 0.7)))),
    bathsHalf: random.chance(stories > 1 ? 0.55 : 0.2) ? 1 : 0,
    area,
    lot:
      kind === 'manufactured'
        ? null
        : Math.max(area / stories, Math.round(random.logNormal(lotMedian, 0.55) / 10) * 10),
    yearBuilt,
    stories,
    garage: small ? 0 : Number(random.weighted({ 0: 0.2 + 0.4 * place.urban, 1: 0.25, 2: 0.45, 3: 0.08 })),
    pool: !small && random.chance(0.05),
    fee:
      kind === 'manufactured' || kind === 'townhouse' || random.chance(0.15)
        ? Math.round(random.logNormal(210, 0.5) / 5) * 5
        : null,
  };
}

function drawMultiFamily(kind: HomeKind, place: Neighborhood, random: Random): Shape {
  const units =
    kind === 'duplex' ? 2 : kind === 'triplex' ? 3 : kind === 'quadruplex' ? 4 : random.integer(5, 16);
  const each = random.integer(1, 3);
  return {
    ...NOTHING,
    bedrooms: units * each,
    bathsFull: units,
    bathsHalf: random.chance(0.3) ? 1 : 0,
    area: Math.round((units * random.logNormal(420 + each * 260, 0.15)) / 10) * 10,
    lot: Math.round(random.logNormal(5400, 0.4) / 10) * 10,
    yearBuilt: drawYear(place, random),
    stories: units > 4 ? 3 : 2,
    garage: random.integer(0, 2),
    units,
  };
}

function drawCommercial(place: Neighborhood, random: Random): Shape {
  const area = Math.round(random.logNormal(2400, 0.6) / 50) * 50;
  return {
    ...NOTHING,
    bathsHalf: 2,
    bathsFull: 0,
    area,
    lot: random.chance(0.6) ? Math.round((area * random.between(0.8, 3)) / 50) * 50 : null,
    yearBuilt: drawYear(place, random),
    stories: random.integer(1, 3),
  };
}

/** Centres grew early; the edge is new. */
function drawYear(place: Neighborhood, random: Random): number {
  const middle = 1992 - 42 * place.urban;
  return Math.round(Math.max(1885, Math.min(2025, middle + random.normal() * 22)));
}

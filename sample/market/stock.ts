// Housing stock: draws homes that suit their neighbourhood.

import type { Land, Neighborhood } from '../land/land.ts';
import buildingNames from '../names/buildings.json' with { type: 'json' };
import type { Random } from '../random.ts';
import { type AddressBook, openAddressBook } from './addresses.ts';
import { type Building, type Home, type HomeKind, isInBuilding } from './home.ts';
import { homeValue } from './prices.ts';
import { drawShape } from './shapes.ts';

export type Side = 'sale' | 'lease';

export interface Stock {
  readonly homes: Home[];
  /** Adds a home of a kind that is sold or let in such places. */
  build(side: Side): Home;
}

/** A stock that grows by drawing from the generator; the same generator always builds the same homes. */
export function openStock(land: Land, random: Random): Stock {
  const homes: Home[] = [];
  const addresses = openAddressBook(land);
  const buildings = openBuildings(addresses, random);
  const saleShares = cumulative(
    land.neighborhoods.map((place) => place.population ** 0.8 * (1.15 - 0.5 * place.urban)),
  );
  const leaseShares = cumulative(
    land.neighborhoods.map((place) => place.population ** 0.85 * (0.35 + place.urban)),
  );
  return {
    homes,
    build(side) {
      const place = pickPlace(land.neighborhoods, side === 'sale' ? saleShares : leaseShares, random);
      const kind = pickKind(place, side, random);
      const home = drawHome(homes.length, place, kind, addresses, buildings, random);
      homes.push(home);
      return home;
    },
  };
}

function cumulative(weights: readonly number[]): number[] {
  let sum = 0;
  const total = weights.reduce((all, weight) => all + weight, 0);
  return weights.map((weight) => {
    sum += weight / total;
    return sum;
  });
}

function pickPlace(places: readonly Neighborhood[], shares: readonly number[], random: Random): Neighborhood {
  const at = random.unit();
  const place = places[shares.findIndex((share) => at < share)] ?? places.at(-1);
  if (!place) throw new Error('A market needs neighbourhoods');
  return place;
}

function pickKind(place: Neighborhood, side: Side, random: Random): HomeKind {
  const u = place.urban;
  const rural = Math.max(0, 0.25 - u);
  if (side === 'lease') {
    return random.weighted<HomeKind>({
      apartment: 0.34 + 0.5 * u,
      condo: 0.1 + 0.15 * u,
      townhouse: 0.12,
      house: 0.36 * (1 - u) ** 1.5,
      duplex: 0.05,
      office: 0.006 + 0.012 * u,
      retail: 0.006 + 0.01 * u,
    });
  }
  return random.weighted<HomeKind>({
    house: 0.78 * (1 - u) ** 2,
    condo: 0.06 + 0.75 * u,
    coop: u > 0.4 ? 0.07 : 0,
    townhouse: 0.09 + 0.1 * u,
    cabin: 0.1 * rural,
    manufactured: 0.03 + 0.1 * rural,
    duplex: 0.02 + 0.02 * u,
    triplex: 0.006 + 0.012 * u,
    quadruplex: 0.005 + 0.01 * u,
    multi: 0.003 + 0.016 * u,
    land: 0.02 + 0.24 * rural,
    office: 0.003 + 0.01 * u,
    retail: 0.003 + 0.01 * u,
    mixed: 0.002 + 0.01 * u,
  });
}

function drawHome(
  index: number,
  place: Neighborhood,
  kind: HomeKind,
  addresses: AddressBook,
  buildings: Buildings,
  random: Random,
): Home {
  const building = isInBuilding(kind) ? buildings.next(place, kind, random) : null;
  const nearWater = random.chance(Math.min(0.3, place.shoreShare * 0.9));
  const address = building?.address ?? addresses.next(place.index, nearWater, random);
  const shape = drawShape(kind, place, building, random);
  const waterfront = address.shore && random.chance(building ? 0.5 : 0.65);
  const value = homeValue(place, { kind, ...shape, waterfront }, random.logNormal(1, 0.13));
  return {
    index,
    kind,
    address,
    building,
    waterfront,
    value,
    seed: Math.floor(random.unit() * 2 ** 31),
    ...shape,
  };
}

interface Buildings {
  next(place: Neighborhood, kind: HomeKind, random: Random): Building;
}

/** Buildings hold several of the market's homes: each is used until it is full enough, then another is raised. */
function openBuildings(addresses: AddressBook, random: Random): Buildings {
  const open = new Map<string, { building: Building; left: number }[]>();
  const names = [...buildingNames];
  let count = 0;
  const raise = (place: Neighborhood, kind: HomeKind): { building: Building; left: number } => {
    const stories = Math.max(2, Math.round(random.logNormal(3 + 9 * place.urban ** 1.5, 0.45)));
    const yearBuilt = kind === 'coop' ? random.integer(1908, 1968) : drawBuildingYear(random);
    const name = random.chance(0.35)
      ? (names.splice(Math.floor(random.unit() * names.length), 1)[0] ?? null)
      : null;
    const units = Math.max(4, Math.round(stories * random.between(3, 9)));
    const address = addresses.next(place.index, random.chance(place.shoreShare), random);
    const service = Math.max(
      0,
      Math.min(1, random.normal() * 0.25 + (yearBuilt > 2000 ? 0.55 : 0.2) + stories / 50),
    );
    const building = { index: count, name, stories, units, yearBuilt, address, service };
    count += 1;
    return { building, left: Math.min(units, random.integer(3, 14)) };
  };
  return {
    next(place, kind, chance) {
      const group = `${place.index}/${kind}`;
      const list = open.get(group) ?? [];
      open.set(group, list);
      const reused = list.length >= 3 ? chance.pick(list) : undefined;
      const chosen = reused ?? raise(place, kind);
      if (!reused) list.push(chosen);
      chosen.left -= 1;
      if (chosen.left <= 0) list.splice(list.indexOf(chosen), 1);
      return chosen.building;
    },
  };
}

function drawBuildingYear(random: Random): number {
  const age = random.weighted({ old: 0.22, middle: 0.28, late: 0.2, recent: 0.3 });
  if (age === 'old') return random.integer(1898, 1935);
  if (age === 'middle') return random.integer(1952, 1979);
  return age === 'late' ? random.integer(1980, 2004) : random.integer(2005, 2025);
}

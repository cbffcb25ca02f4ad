// Seeded country of the large benchmark: states, counties, towns of very different sizes, and their areas.

import type { AreaDraft } from '../../src/areas/area.ts';
import type { Boundary } from '../../src/geometry/geometry.ts';
import { random } from '../market.ts';

const STATES = { columns: 5, rows: 2, width: 9, height: 9, west: -120, south: 30 } as const;
const TOWNS_PER_STATE = { columns: 8, rows: 5 } as const;
const LARGEST_RADIUS = 0.3;
const TIME_ZONES = ['America/Los_Angeles', 'America/Denver', 'America/Chicago', 'America/New_York'];

export interface Town {
  readonly name: string;
  readonly state: string;
  readonly county: string;
  readonly lat: number;
  readonly lng: number;
  /** Degrees of latitude. */
  readonly radius: number;
  /** The share of all listings that lie here, added up to this town. */
  readonly upTo: number;
  /** What homes cost here, the country being 1. */
  readonly level: number;
  readonly neighborhoods: readonly string[];
  readonly postalCodes: readonly string[];
}

export interface Country {
  readonly towns: readonly Town[];
  readonly areas: readonly AreaDraft[];
}

const STARTS = 'al bar cor den el fair gar hol is jun kel lam mor nor ox par quin ros sal tor'.split(' ');
const MIDDLES = 'a e i o u an en il or us ber der mer ner ver stan ring ling'.split(' ');
const ENDS = 'ton ford ville field mont dale wick burg stead land haven port'.split(' ');

export const pick = <T>(next: () => number, of: readonly T[]): T => {
  const one = of[Math.floor(next() * of.length)];
  if (one === undefined) throw new Error('There is nothing to pick from');
  return one;
};

/** A name of three or four syllables. */
export function name(next: () => number): string {
  const middle = next() < 0.5 ? pick(next, MIDDLES) : `${pick(next, MIDDLES)}${pick(next, MIDDLES)}`;
  const text = `${pick(next, STARTS)}${middle}${pick(next, ENDS)}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Four hundred towns in ten states; the largest holds about one listing of twelve, half of the towns one of a thousand. */
export function country(seed: number): Country {
  const next = random(seed);
  const places = Array.from({ length: STATES.columns * STATES.rows }, (_, state) =>
    townPlaces(state, next),
  ).flat();
  const sizes = shuffled(
    places.map((_, rank) => (rank + 1) ** -0.8),
    next,
  );
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  let upTo = 0;
  const towns = places.map((place, at): Town => {
    const share = (sizes[at] ?? 0) / whole;
    upTo += share;
    const many = Math.max(1, Math.round(Math.sqrt(share) * 40));
    return {
      ...place,
      name: `${name(next)}`,
      upTo,
      level: 0.5 + next() * 1.2,
      radius: Math.max(0.03, LARGEST_RADIUS * Math.sqrt((sizes[at] ?? 0) / 1)),
      neighborhoods: Array.from({ length: many }, () => `${name(next)} Heights`),
      postalCodes: Array.from({ length: many }, (_, code) => String(10_000 + at * 100 + code)),
    };
  });
  return { towns, areas: areasOf(towns, next) };
}

function shuffled<T>(values: readonly T[], next: () => number): T[] {
  return values
    .map((value) => [next(), value] as const)
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value);
}

const stateCode = (state: number): string => `S${state}`;
const west = (state: number): number => STATES.west + (state % STATES.columns) * STATES.width;
const south = (state: number): number => STATES.south + Math.floor(state / STATES.columns) * STATES.height;

function townPlaces(state: number, next: () => number) {
  const { columns, rows } = TOWNS_PER_STATE;
  return Array.from({ length: columns * rows }, (_, at) => {
    const [column, row] = [at % columns, Math.floor(at / columns)];
    const county = `${stateCode(state)} County ${Math.floor(column / 2) + 4 * (row < 3 ? 0 : 1)}`;
    return {
      state: stateCode(state),
      county,
      lng: west(state) + ((column + 0.3 + next() * 0.4) * STATES.width) / columns,
      lat: south(state) + ((row + 0.3 + next() * 0.4) * STATES.height) / rows,
    };
  });
}

function areasOf(towns: readonly Town[], next: () => number): AreaDraft[] {
  const states = Array.from({ length: STATES.columns * STATES.rows }, (_, state) => {
    const [left, low] = [west(state), south(state)];
    const boundary = rectangle(left, low, left + STATES.width, low + STATES.height);
    const zone = TIME_ZONES[Math.floor(((state % STATES.columns) * 4) / STATES.columns)] ?? 'UTC';
    return { ...area('state', stateCode(state), 'country', boundary), timeZone: zone };
  });
  const counties = [...Map.groupBy(towns, (town) => town.county)].map(([county, some]) =>
    area('county', county, some[0]?.state ?? '', null),
  );
  const inTowns = towns.flatMap((town) => [
    { ...area('city', town.name, town.county, outline(town, next)), externalId: keyOf(town) },
    ...town.neighborhoods.map((each) =>
      area('neighborhood', each, keyOf(town), null, `${keyOf(town)} ${each}`),
    ),
    ...town.postalCodes.map((each) => area('postal_code', each, keyOf(town), null)),
  ]);
  const whole = { ...area('country', 'country', null, null), name: 'US' };
  return [
    ...new Map([whole, ...states, ...counties, ...inTowns].map((each) => [each.externalId, each])).values(),
  ];
}

const keyOf = (town: Town): string => `${town.state} ${town.name}`;

function area(
  type: AreaDraft['type'],
  named: string,
  parentReference: string | null,
  boundary: Boundary | null,
  externalId = named,
): AreaDraft {
  return {
    type,
    externalId,
    name: named,
    aliases: [],
    codes: {},
    parentReference,
    population: null,
    boundary,
  };
}

function rectangle(left: number, low: number, right: number, high: number): Boundary {
  const ring = [
    [left, low],
    [right, low],
    [right, high],
    [left, high],
    [left, low],
  ];
  return { type: 'Polygon', coordinates: [ring] } as Boundary;
}

/** A town's edge: 32 corners, some nearer than others. */
export function outline(
  { lat, lng, radius }: Pick<Town, 'lat' | 'lng' | 'radius'>,
  next: () => number,
): Boundary {
  const corners = Array.from({ length: 32 }, (_, at) => {
    const [angle, far] = [(at * Math.PI) / 16, radius * (0.75 + next() * 0.5)];
    return [lng + 1.3 * far * Math.cos(angle), lat + far * Math.sin(angle)];
  });
  return { type: 'Polygon', coordinates: [[...corners, corners[0]]] } as Boundary;
}

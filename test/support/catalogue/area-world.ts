// World of areas that tests make up, and what naive rules say of it: no index, no database, one area at a time.

import type { AreaDraft } from '../../../src/areas/area.ts';
import type { AreaType } from '../../../src/listings/vocabulary.ts';

type Rectangle = readonly [west: number, south: number, east: number, north: number];

/** An area of whole degrees; `words` are how its name is typed. */
export interface KnownArea {
  readonly id: string;
  readonly name: string;
  readonly words: readonly string[];
  readonly type: AreaType;
  readonly parents: readonly string[];
  readonly population: number | null;
  readonly rectangles: readonly Rectangle[];
  readonly hole: Rectangle | null;
  readonly active: number;
}

const TYPES: readonly AreaType[] = ['city', 'county', 'neighborhood', 'postal_code', 'custom'];
const NAMES: readonly (readonly [string, string])[] = [
  ['Springfield', 'springfield'],
  ['St. Alban', 'st alban'],
  ['Saint Étienne', 'saint etienne'],

  ['Tromsø', 'tromso'],
  ['Łódź Fields', 'lodz fields'],
  ['North Haverbrook', 'north haverbrook'],

  ['Ogdenville', 'ogdenville'],
  ['Coeur d’Alene', 'coeur dalene'],
  ['Haverford', 'haverford'],
] as const;

/** The same numbers in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function makeWorld(size: number, seed: number): KnownArea[] {
  const draw = numbers(seed);
  const world: KnownArea[] = [];
  for (let at = 0; at < size; at++) {
    const [name = '', typed = ''] = NAMES[draw(NAMES.length)] ?? [];
    const type = TYPES[draw(TYPES.length)] ?? 'custom';
    const others = world.filter((area) => area.type !== type);
    const parents = Array.from(
      { length: Math.min(draw(4), others.length) },
      () => others[draw(others.length)]?.id,
    );
    const rectangles = draw(5) === 0 ? [] : rectanglesOf(draw);
    const [first] = rectangles;
    const hole = first && first[2] - first[0] > 3 && first[3] - first[1] > 3 && draw(3) === 0;
    world.push({
      id: `${type.replaceAll('_', '-')}-a${at}`,
      name,
      words: typed.split(' '),
      type,
      rectangles,
      parents: [...new Set(parents.flatMap((id) => id ?? []))],
      population: draw(3) === 0 ? null : draw(20),
      hole: hole && first ? [first[0] + 1, first[1] + 1, first[2] - 1, first[3] - 1] : null,
      active: draw(3),
    });
  }
  return world;
}

/** One or two rectangles apart; many end at the antimeridian. */
function rectanglesOf(draw: (below: number) => number): Rectangle[] {
  const south = draw(16) - 8;
  const [height, width] = [1 + draw(6), 1 + draw(6)];
  if (draw(3) === 0)
    return [
      [180 - width, south, 180, south + height],
      ...(draw(2) ? [[-180, south, -178, south + height] as const] : []),
    ];
  const west = 160 + draw(10);
  return [[west, south, west + width, south + height]];
}

const ring = ([west, south, east, north]: Rectangle): number[][] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

export function draftOf({ id, name, type, parents, population, rectangles, hole }: KnownArea): AreaDraft {
  const [parentReference = null, ...otherParents] = parents;
  const coordinates = rectangles.map((each, at) =>
    at === 0 && hole ? [ring(each), ring(hole)] : [ring(each)],
  );
  const externalId = id.slice(id.lastIndexOf('-') + 1);
  return {
    type,
    externalId,
    name,
    aliases: [],
    codes: {},
    parentReference,
    otherParents,
    population,
    boundary: rectangles.length === 0 ? null : { type: 'MultiPolygon', coordinates },
  };
}

const inRectangle = ([west, south, east, north]: Rectangle, x: number, y: number): boolean =>
  x >= west && x <= east && y >= south && y <= north;

export function holdsPoint({ rectangles, hole }: KnownArea, lng: number, lat: number): boolean {
  const lngs = Math.abs(lng) === 180 ? [180, -180] : [lng];
  return lngs.some((x) => {
    if (hole && x > hole[0] && x < hole[2] && lat > hole[1] && lat < hole[3])
      return rectangles.slice(1).some((each) => inRectangle(each, x, lat));
    return rectangles.some((each) => inRectangle(each, x, lat));
  });
}

/** Every half degree of two boxes side by side is looked at: all corners lie on whole ones. */
export function meetsBox({ rectangles }: KnownArea, box: readonly number[]): boolean {
  if (rectangles.length === 0) return false;
  const [west = 0, south = 0, east = 0, north = 0] = box;
  const bottom = Math.min(...rectangles.map((each) => each[1]));
  const top = Math.max(...rectangles.map((each) => each[3]));
  if (bottom > north || top < south) return false;
  const [from, width] = narrowest(rectangles);
  const covers = (at: number) => (west <= east ? at >= west && at <= east : at >= west || at <= east);
  for (let step = 0; step <= width; step += 0.5) {
    const at = from + step > 180 ? from + step - 360 : from + step;
    if (covers(at) || (Math.abs(at) === 180 && covers(-at))) return true;
  }
  return false;
}

/** Eastwards from each western side in turn: where the way to the last eastern side is the shortest, and how long it is. */
function narrowest(rectangles: readonly Rectangle[]): readonly [from: number, width: number] {
  const ways = rectangles.map(([start]) => {
    const ends = rectangles.map(([west, , east]) => ((((west - start) % 360) + 360) % 360) + east - west);
    return [start, Math.max(...ends)] as const;
  });
  return ways.reduce((a, b) => (b[1] < a[1] ? b : a));
}

/** Grows the set of those below until nothing is added. */
export function below(world: readonly KnownArea[], id: string): Set<string> {
  const found = new Set<string>();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const area of world)
      if (area.parents.some((parent) => parent === id || found.has(parent))) found.add(area.id);
  }
  found.delete(id);
  return found;
}

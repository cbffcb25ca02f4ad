// Queries of the large benchmark: kinds of searches, each with any number of different URLs.

import { random } from '../market.ts';
import { townAt, VOCABULARY } from './drafts.ts';
import { country, outline, pick, type Town } from './towns.ts';

/** What of the loaded catalogue questions name. */
export interface Known {
  /** Ids of cities by state and name, as the areas' external ids have them. */
  readonly cities: ReadonlyMap<string, string>;
  readonly states: readonly string[];
  /** Ids of listings that are active. */
  readonly listings: readonly string[];
}

export interface Kind {
  readonly name: string;
  /** What half of the requests should stay below, in milliseconds; null: nothing was promised. */
  readonly goal: number | null;
  readonly ask: (draw: Draw) => string;
}

/** What a question is drawn with. */
export interface Draw {
  readonly next: () => number;
  readonly known: Known;
  readonly towns: readonly Town[];
}

/** Towns as people ask for them: large ones more often, as there is more to find in them. */
const town = ({ next, towns }: Draw): Town => (next() < 0.5 ? townAt(towns, next()) : pick(next, towns));
const cityId = (draw: Draw): string => {
  const { state, name } = town(draw);
  return draw.known.cities.get(`${state} ${name}`) ?? '';
};
const which = ({ next }: Draw): string => (next() < 0.6 ? 'sales' : 'rentals');
const round = (value: number, digits = 4): string => value.toFixed(digits);

/** A highest price, which differs from question to question; a lowest one and bedrooms each in about half of them. */
function filters({ next }: Draw, kind: string): string {
  const unit = kind === 'sales' ? 250_000 : 1_200;
  const price = unit * (0.3 + next() * 2);
  const from = next() < 0.5 ? `&minPrice=${Math.round(price)}` : '';
  const beds = next() < 0.5 ? `&minBedrooms=${1 + Math.floor(next() * 3)}` : '';
  return `${from}&maxPrice=${Math.round(price * (1.5 + next()))}${beds}`;
}

const search = (draw: Draw, parameters: (draw: Draw, kind: string) => string): string => {
  const kind = which(draw);
  return `/v1/search/${kind}?${parameters(draw, kind)}${filters(draw, kind)}`;
};

function box(draw: Draw, least: number, most: number): string {
  const { lat, lng } = town(draw);
  const half = (least * (most / least) ** draw.next()) / 2;
  const [x, y] = [lng + (draw.next() - 0.5) * 0.2, lat + (draw.next() - 0.5) * 0.2];
  return `bbox=${round(x - half * 1.3)},${round(y - half)},${round(x + half * 1.3)},${round(y + half)}`;
}

function circle(draw: Draw): string {
  const { lat, lng } = town(draw);
  const { next } = draw;
  return `lat=${round(lat + next() * 0.05)}&lng=${round(lng + next() * 0.05)}&radius=${round(1 * 25 ** next(), 2)}km`;
}

function polygon(draw: Draw): string {
  const boundary = outline({ ...town(draw), radius: 0.03 + draw.next() * 0.2 }, draw.next);
  const [ring = []] = boundary.coordinates as number[][][];
  const corners = ring.slice(0, -1).filter((_, at) => at % 2 === 0);
  return `polygon=${corners.map(([lng = 0, lat = 0]) => `${round(lng)},${round(lat)}`).join(';')}`;
}

const described = ({ next }: Draw): string =>
  VOCABULARY[Math.floor(VOCABULARY.length * next() ** 2)] ?? 'home';

/** Two letters exchanged. */
function misspelt(draw: Draw): string {
  const { name } = town(draw);
  const at = 2 + Math.floor(draw.next() * (name.length - 4));
  return name.slice(0, at) + name.charAt(at + 1) + name.charAt(at) + name.slice(at + 2);
}

const FACETS = 'facets=propertyType,bedrooms,priceBucket,city';
const figuresOf = (kind: string): string =>
  `stats=inventory,${kind === 'sales' ? 'median_list_price,median_price_per_area' : 'median_rent,median_rent_per_area'}`;
const PAGE = 15;

export const KINDS: readonly Kind[] = [
  { name: 'area', goal: 2, ask: (draw) => search(draw, (d) => `areaId=${cityId(d)}`) },
  { name: 'area, cheapest first', goal: 2, ask: (d) => search(d, () => `areaId=${cityId(d)}&sort=price`) },
  {
    name: 'area, by days on market',
    goal: 2,
    ask: (d) => search(d, () => `areaId=${cityId(d)}&sort=-daysOnMarket`),
  },
  {
    name: 'state, by days on market',
    goal: 2,
    ask: (d) => search(d, () => `areaId=${pick(d.next, d.known.states)}&sort=-daysOnMarket`),
  },
  { name: 'everywhere, newest', goal: null, ask: (d) => search(d, () => 'limit=20') },
  { name: 'box of 2 to 20 km', goal: 5, ask: (d) => search(d, () => box(d, 0.02, 0.2)) },
  { name: 'box of 50 to 1,000 km', goal: 5, ask: (d) => search(d, () => box(d, 0.5, 9)) },
  { name: 'circle of 1 to 25 km', goal: 5, ask: (d) => search(d, circle) },
  { name: 'circle, nearest first', goal: 5, ask: (d) => search(d, () => `${circle(d)}&sort=distance`) },
  { name: 'polygon of 16 corners', goal: 5, ask: (d) => search(d, polygon) },
  {
    name: 'two words of the description',
    goal: null,
    ask: (d) => search(d, () => `q=${described(d)}%20${described(d)}`),
  },
  {
    name: 'a town, misspelt, most relevant first',
    goal: null,
    ask: (d) => search(d, () => `q=${misspelt(d)}&sort=-relevance`),
  },
  {
    name: 'facets of an area',
    goal: 20,
    ask: (d) => search(d, () => `areaId=${cityId(d)}&limit=1&${FACETS}`),
  },
  {
    name: 'facets of a state',
    goal: 20,
    ask: (d) => search(d, () => `areaId=${pick(d.next, d.known.states)}&limit=1&${FACETS}`),
  },
  {
    name: 'figures of an area',
    goal: null,
    ask: (d) => search(d, (_, kind) => `areaId=${cityId(d)}&limit=1&${figuresOf(kind)}`),
  },
  {
    name: 'explanation of an area',
    goal: null,
    ask: (d) => search(d, () => `areaId=${cityId(d)}&limit=1&explain=true`),
  },
  { name: 'closed in an area', goal: null, ask: (d) => search(d, () => `areaId=${cityId(d)}&status=CLOSED`) },
  {
    name: 'exact count of an area',
    goal: 20,
    ask: (d) => search(d, () => `areaId=${cityId(d)}&limit=1&count=exact`),
  },
  { name: 'exact count of everything', goal: 20, ask: (d) => search(d, () => 'limit=1&count=exact') },
  {
    name: 'clusters of a box of 20 to 200 km',
    goal: null,
    ask: (d) => search(d, () => `${box(d, 0.2, 2)}&cluster=true&zoom=10`),
  },
  {
    name: 'autocomplete',
    goal: null,
    ask: (d) => `/v1/areas?suggest=true&limit=10&q=${town(d).name.slice(0, 2 + Math.floor(d.next() * 5))}`,
  },
  { name: 'market statistics of an area', goal: null, ask: (d) => market(d, 'stats') },
  { name: 'market history of an area, a year', goal: null, ask: (d) => market(d, 'history') },
  {
    name: 'comparables',
    goal: null,
    ask: ({ next, known }) => `/v1/property/${pick(next, known.listings)}/comparables`,
  },
];

function market(draw: Draw, path: 'stats' | 'history'): string {
  const type = draw.next() < 0.6 ? 'sale' : 'rental';
  const bedrooms = draw.next() < 0.5 ? '' : `&bedrooms=${1 + Math.floor(draw.next() * 4)}`;
  const rest = path === 'history' ? `&interval=month&periods=12&limit=${PAGE}` : '';
  return `/v1/market/${path}?listingType=${type}&areaId=${cityId(draw)}${bedrooms}${rest}`;
}

/** So many different questions of a kind. */
export function questions(kind: Kind, known: Known, seed: number, count: number): string[] {
  const { towns } = country(seed);
  const draw = { next: random(kind.name.length * 7_919), known, towns };
  const asked = new Set<string>();
  for (let tries = 0; asked.size < count && tries < 50 * count; tries++) asked.add(kind.ask(draw));
  return [...asked];
}

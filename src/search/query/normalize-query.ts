// Normalized query: ranges in one text, acres and latitude-first corners become the plain filters.

import { invalidParameter } from '../../lib/problem.ts';
import type { SearchQuery } from './parameters.ts';

/** Ranges in one text, and the suffix of their `min` and `max` parameters. */
const RANGES = {
  price: 'Price',
  bathrooms: 'Bathrooms',
  squareFootage: 'LivingArea',
  lotSize: 'LotSize',
  yearBuilt: 'YearBuilt',
  daysOld: 'DaysOnMarket',
} as const;

type Shorthand =
  | keyof typeof RANGES
  | 'bedrooms'
  | 'minacres'
  | 'maxacres'
  | 'map'
  | 'points'
  | 'includeTotalCount';

/** A query in which every filter has one form. */
export type NormalizedQuery = Omit<SearchQuery, Shorthand> & {
  readonly bedrooms?: readonly number[] | undefined;
};

const ACRE = 43_560;
const SQUARE_METRES = 0.3048 * 0.3048;

/** The query in plain form. Throws INVALID_PARAMETER if a filter is given in two forms. */
export const normalizeQuery = (query: SearchQuery): NormalizedQuery => replaceShorthands(query).plain;

/**
 * The same with the shorthand that each replaced filter was written as: for `price=100:200`, minPrice and maxPrice come from
 * price.
 */
export function replaceShorthands(query: SearchQuery): {
  readonly plain: NormalizedQuery;
  readonly shorthands: Partial<Record<string, Shorthand>>;
} {
  const { bedrooms, ...others } = query;
  let plain: NormalizedQuery = { ...others };
  const shorthands: Partial<Record<string, Shorthand>> = {};
  const put = (
    from: Shorthand,
    to: keyof NormalizedQuery,
    value: NormalizedQuery[keyof NormalizedQuery],
  ): void => {
    if (plain[to] !== undefined)
      throw invalidParameter(from, `means the same as ${to}: send only one of them`);
    plain = { ...plain, [to]: value };
    shorthands[to] = from;
  };
  const range = bedrooms?.find((each) => typeof each === 'string');
  if (range !== undefined) {
    if (bedrooms?.length !== 1) throw invalidParameter('bedrooms', 'takes either numbers or one range');
    const [min, max] = parseRange(range);
    if (min !== undefined) put('bedrooms', 'minBedrooms', min);
    if (max !== undefined) put('bedrooms', 'maxBedrooms', max);
  } else if (bedrooms !== undefined) {
    plain = { ...plain, bedrooms: bedrooms.filter((each) => typeof each === 'number') };
  }
  for (const name of Object.keys(RANGES) as (keyof typeof RANGES)[]) {
    const text = query[name];
    if (text === undefined) continue;
    const [min, max] = parseRange(text);
    if (min !== undefined) put(name, `min${RANGES[name]}`, min);
    if (max !== undefined) put(name, `max${RANGES[name]}`, max);
  }
  for (const end of ['min', 'max'] as const) {
    const acres = query[`${end}acres`];
    const size = query.units === 'metric' ? ACRE * SQUARE_METRES : ACRE;
    if (acres !== undefined) put(`${end}acres`, `${end}LotSize`, acres * size);
  }
  if (query.map !== undefined) put('map', 'polygon', query.map);
  if (query.points !== undefined) put('points', 'polygon', query.points.map(swapCorner).join(';'));
  if (query.includeTotalCount !== undefined)
    put('includeTotalCount', 'count', query.includeTotalCount ? 'exact' : 'none');
  return { plain: withoutShorthands(plain), shorthands };
}

function parseRange(text: string): [number | undefined, number | undefined] {
  const [from = '', to = from] = text.split(':');
  const end = (digits: string) => (digits === '' || digits === '*' ? undefined : Number(digits));
  return [end(from), end(to)];
}

function swapCorner(corner: string): string {
  const [lat, lng, ...more] = corner.split(',');
  if (lat === undefined || lng === undefined || more.length > 0)
    throw invalidParameter('points', 'must be corners in degrees, latitude first: lat,lng');
  return `${lng},${lat}`;
}

const SHORTHANDS = new Set<string>([
  ...Object.keys(RANGES),
  'minacres',
  'maxacres',
  'map',
  'points',
  'includeTotalCount',
]);

function withoutShorthands(query: NormalizedQuery): NormalizedQuery {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !SHORTHANDS.has(name)));
}

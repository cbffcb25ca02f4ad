// Owns what each search parameter and sort key means, said once more as a plain loop that shares no code with the service.

import fc from 'fast-check';
import { closedAt, DAY, type Facts, type Row, timeOf } from './market.ts';
import { inCircle, windsAround } from './sphere.ts';

/** A query as a client writes it. */
export type Query = Readonly<Record<string, string>>;

/** A filter: the parameters that belong together, values for them, and whether a listing meets them. `now`: milliseconds. */
export interface Filter {
  readonly parameters: readonly string[];
  readonly saleOnly?: boolean;
  readonly values: fc.Arbitrary<Query>;
  meets(row: Row, query: Query, now: number): boolean;
}

export const priceOf = ({ listPrice, closePrice, status }: Facts): number | null =>
  listPrice ?? (status === 'CLOSED' ? closePrice : null);
const monthly: Readonly<Record<string, number>> = {
  ...{ DAILY: 365 / 12, WEEKLY: 52 / 12, MONTHLY: 1, QUARTERLY: 1 / 3, ANNUALLY: 1 / 12 },
};
const rounded = (value: number): number => Math.round(value * 100) / 100;

export function comparedPrice(facts: Facts): number | null {
  const price = priceOf(facts);
  if (facts.listingType === 'sale' || price === null) return price;
  const months = monthly[facts.priceFrequency];
  return months === undefined ? null : rounded(price * months);
}

const SQUARE_METRES = 0.3048 * 0.3048;
const isMetric = (query: Query): boolean => query.units === 'metric';
/** As the answer shows it: bounds hold for what is shown. */
const shownArea = (feet: number | null, query: Query): number | null =>
  feet === null || !isMetric(query) ? feet : rounded(feet * SQUARE_METRES);
export const perArea = (facts: Facts): number | null => {
  const price = priceOf(facts);
  return price === null || facts.livingArea === null ? null : price / facts.livingArea;
};
function shownPerArea(facts: Facts, query: Query): number | null {
  const value = perArea(facts);
  return value === null ? null : rounded(isMetric(query) ? value / SQUARE_METRES : value);
}

/** Pairs in order, one end alone, or both the same. */
const ends = (name: string, values: readonly number[]): fc.Arbitrary<Query> =>
  fc
    .tuple(fc.constantFrom(...values), fc.constantFrom(...values), fc.constantFrom('both', 'min', 'max'))
    .map(([a, b, which]) => ({
      ...(which !== 'max' && { [`min${name}`]: String(Math.min(a, b)) }),
      ...(which !== 'min' && { [`max${name}`]: String(Math.max(a, b)) }),
    }));

function range(
  name: string,
  values: readonly number[],
  read: (facts: Facts, query: Query) => number | null,
  saleOnly = false,
): Filter {
  return {
    saleOnly,
    parameters: [`min${name}`, `max${name}`],
    values: ends(name, values),
    meets({ facts }, query) {
      const [value, least, most] = [read(facts, query), query[`min${name}`], query[`max${name}`]];
      if (value === null) return false;
      return (least === undefined || value >= Number(least)) && (most === undefined || value <= Number(most));
    },
  };
}

const listOf = (...values: string[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 }).map((list) => list.join());

function words(name: keyof Facts & string, ...values: string[]): Filter {
  const folded = (text: unknown) => String(text).trim().toUpperCase();
  return {
    parameters: [name],
    values: listOf(...values).map((list) => ({ [name]: list })),
    meets: ({ facts }, query) =>
      facts[name] !== null &&
      (query[name] ?? '').split(',').some((text) => folded(text) === folded(facts[name])),
  };
}

/** Milliseconds; durations in days are the only ones written here. */
function moment(text: string, now: number): number {
  const days = /^P(\d+)D$/.exec(text)?.[1];
  return days === undefined ? Date.parse(text) : now - Number(days) * DAY;
}

function since(name: string, saleOnly: boolean, read: (row: Row) => number | null): Filter {
  const [from, to] = [`${name}Since`, `${name}Before`];
  const early = fc.constantFrom('P400D', 'P31D', 'P30D', '2025-12-05T12:00:00Z', 'P7D', '2025-12-29');
  const late = fc.constantFrom('P1D', '2026-01-04T13:00:00+01:00', 'P0D', '2026-01-05', '2030-01-01', 'P2D');
  return {
    ...{ parameters: [from, to], saleOnly },
    values: fc.oneof(
      early.map((text) => ({ [from]: text })),
      fc.oneof(early, late).map((text) => ({ [to]: text })),
      fc.tuple(early, late).map(([a, b]) => ({ [from]: a, [to]: b })),
    ),
    meets(row, query, now) {
      const [value, least, below] = [read(row), query[from], query[to]];
      if (value === null) return false;
      return (
        (least === undefined || value >= moment(least, now)) &&
        (below === undefined || value < moment(below, now))
      );
    },
  };
}

/** Where searches see a listing: at about a kilometre where its address is withheld. */
export function seenAt({ located, addressDisplayed, lat, lng }: Facts): { lat: number; lng: number } | null {
  if (!located) return null;
  return addressDisplayed ? { lat, lng } : { lat: rounded(lat), lng: rounded(lng) };
}

const shape = (parameters: readonly string[], values: fc.Arbitrary<Query>, holds: HoldsPoint): Filter => ({
  ...{ parameters, values },
  meets({ facts }, query) {
    const at = seenAt(facts);
    return at !== null && holds(query, at.lng, at.lat);
  },
});
type HoldsPoint = (query: Query, lng: number, lat: number) => boolean;

export function inBox(text: string, lng: number, lat: number): boolean {
  const [west = 0, south = 0, east = 0, north = 0] = text.split(',').map(Number);
  const within = west <= east ? lng >= west && lng <= east : lng >= west || lng <= east;
  return within && lat >= south && lat <= north;
}

/** Kilometres of a radius as written. */
export function kilometres(radius: string, metric: boolean): number {
  const [, digits = '', unit = ''] = /^([\d.]+)(\w*)$/.exec(radius) ?? [];
  return Number(digits) * ({ km: 1, m: 0.001, mi: 1.609344 }[unit] ?? (metric ? 1 : 1.609344));
}

const held = (value: number, from: number, to: number) => value >= from && value <= to;
const open = (value: number, from: number, to: number) => value > from && value < to;
/** Whether an area holds a listing, by its boundary or else by address or its children. */
const AREAS: Readonly<Record<string, (facts: Facts) => boolean>> = {
  'county-ring': ({ located, lat, lng }) =>
    located &&
    held(lng, 20, 21) &&
    held(lat, 10, 11) &&
    !(open(lng, 20.25, 20.75) && open(lat, 10.25, 10.75)),
  'metro-dateline': ({ located, lat, lng }) => located && Math.abs(lng) >= 179 && held(lat, 10, 11),
  'city-aldern': ({ city }) => city?.trim().toLowerCase() === 'aldern',
  'city-crane': ({ city, state }) => city === 'Crane' && state !== 'Verge',
  'state-umbra': (facts) =>
    ['Umbra', 'UM'].includes(facts.state ?? '') ||
    inArea('county-ring', facts) ||
    inArea('city-crane', facts),
  'school-district-empty': () => false,
};
const inArea = (id: string, facts: Facts): boolean => AREAS[id]?.(facts) ?? false;

const plain = (status: string): string => status.replace(/[ _-]/g, '').toLowerCase();

/** Every filter; of the statuses, without one only ACTIVE is meant. */
export const FILTERS: readonly Filter[] = [
  {
    parameters: ['areaId'],
    values: listOf(...Object.keys(AREAS)).map((areaId) => ({ areaId })),
    meets: ({ facts }, { areaId = '' }) => areaId.split(',').some((id) => inArea(id, facts)),
  },
  words('city', 'aldern', 'BROOK hollow', ' crane ', 'nowhere'),
  words('neighborhood', 'HOOK', 'old town'),
  words('county', 'ring', 'ÖSTRA'),
  words('state', 'umbra', 'um', 'verge'),
  words('postalCode', '10001', '10002-7'),
  words('country', 'us', 'Se'),
  words('propertyType', 'CONDO', 'single_family', 'Land'),
  shape(
    ['bbox'],
    fc
      .constantFrom('20,10,20.5,11', '179,10,-179.5,12', '-180,10.5,180,10.5', '20.75,10.26,21,10.26')
      .map((bbox) => ({ bbox })),
    ({ bbox = '' }, lng, lat) => inBox(bbox, lng, lat),
  ),
  shape(
    ['lat', 'lng', 'radius'],
    fc
      .tuple(
        fc.constantFrom('10.4', '11'),
        fc.constantFrom('20.1', '-179.9', '179.5', '20.5'),
        fc.constantFrom('60', '60km', '50mi', '99999.5m', '12mi', '1m'),
      )
      .map(([lat, lng, radius]) => ({ lat, lng, radius })),
    (query, lng, lat) => {
      const centre = { lat: Number(query.lat), lng: Number(query.lng) };
      return inCircle(centre, { lat, lng }, kilometres(query.radius ?? '', isMetric(query)));
    },
  ),
  shape(
    ['polygon'],
    fc
      .constantFrom(
        '19.9,9.9;20.6,9.9;20.6,10.6',
        '20,10;21,10;21,11;20,11;20,10',
        '179,9;180,9;180,12;179,12',
      )
      .map((polygon) => ({ polygon })),
    ({ polygon = '' }, lng, lat) => windsAround(polygon, lng, lat),
  ),
  range('Price', [0, 433.33, 2_600, 11_266.67, 79_083.33, 120_000, 250_000.5, 400_000, 1e12], comparedPrice),
  range('PricePerArea', [0, 0.05, 100.13, 125, 232.26, 624.99, 625, 1_000, 9_000], shownPerArea),
  range('Bedrooms', [0, 1, 2, 3, 33, 1000], (facts) => facts.bedrooms),
  {
    parameters: ['bedrooms'],
    values: listOf('0', '2', '33').map((bedrooms) => ({ bedrooms })),
    meets: ({ facts }, { bedrooms = '' }) => bedrooms.split(',').includes(String(facts.bedrooms)),
  },
  range('Bathrooms', [0, 0.5, 0.75, 1.75, 2.25, 3], (facts) => facts.bathrooms),
  range('LivingArea', [0, 0.74, 37.16, 99.99, 100, 185.81, 400, 1_077, 2_000], (facts, query) =>
    shownArea(facts.livingArea, query),
  ),
  range('LotSize', [0, 464.51, 464.52, 5_000, 43_560, 99_999], (facts, query) =>
    shownArea(facts.lotSize, query),
  ),
  range('YearBuilt', [0, 1900, 1999, 2026, 9999], (facts) => facts.yearBuilt),
  {
    parameters: ['hasPhotos'],
    values: fc.constantFrom('true', 'false').map((hasPhotos) => ({ hasPhotos })),
    meets: ({ facts }, { hasPhotos }) => String((facts.photoCount ?? 0) > 0) === hasPhotos,
  },
  since('listed', false, ({ facts }) => timeOf(facts.listed)),
  since('updated', false, (row) => row.updatedAt),
  range(
    'ClosePrice',
    [0, 95_000, 100_000, 250_000.5],
    ({ closePrice, status }) => (status === 'CLOSED' ? closePrice : null),
    true,
  ),
  since('closed', true, ({ facts }) => closedAt(facts)),
  {
    parameters: ['status'],
    values: fc
      .oneof(
        fc.constantFrom(
          'any',
          'Any',
          'Active Under Contract,activeundercontract',
          'ACTIVE_UNDER_CONTRACT,any',
        ),
        listOf(
          'ACTIVE',
          'Active',
          'coming-soon',
          'Pending',
          'CLOSED',
          'Hold',
          'withdrawn',
          'UNKNOWN',
          'Expired',
        ),
        listOf('ComingSoon', 'Canceled', 'Active Under Contract'),
      )
      .map((status) => ({ status })),
    meets({ facts }, { status = '' }) {
      const wanted = status.split(',').map(plain);
      return wanted.includes('any') || wanted.includes(plain(facts.status));
    },
  },
  {
    parameters: ['ids'],
    values: fc
      .uniqueArray(fc.nat({ max: 399 }), { minLength: 1, maxLength: 100 })
      .map((keys) => ({ ids: keys.map((key) => `key-${key}`).join() })),
    // Written by their keys until they are asked for: ids are known once the market is.
    meets: ({ key }, { ids = '' }) => ids.split(',').includes(key),
  },
];

/** Whether a search of this type finds the listing. */
export function finds(listingType: Facts['listingType'], query: Query, row: Row, now: number): boolean {
  const { facts } = row;
  if (facts.listingType !== listingType || facts.status === 'DELETED' || facts.status === 'INCOMPLETE')
    return false;
  if (!facts.displayed && query.display !== 'ignore') return false;
  if (query.status === undefined && facts.status !== 'ACTIVE') return false;
  return FILTERS.every(
    ({ parameters, meets }) => !parameters.some((name) => name in query) || meets(row, query, now),
  );
}

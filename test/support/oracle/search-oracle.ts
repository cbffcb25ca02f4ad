// Search parameters and sort keys as a plain loop over listings; shares no code with the service.

import fc from 'fast-check';
import { closedAt, type Facts, type Row } from '../catalogue/random-market.ts';
import { inCircle, windsAround } from '../catalogue/sphere.ts';
import { AREAS, comparedPrice, inArea, listedFrom, perArea } from './facts.ts';
import {
  asRange,
  type Filter,
  isMetric,
  listOf,
  places,
  postalCodes,
  type Query,
  range,
  rounded,
  shorthand,
  since,
  words,
} from './filters.ts';
import { TERM_FILTERS } from './terms.ts';
import { TEXT_FILTERS } from './text.ts';
import { TRAIT_FILTERS } from './traits.ts';

const SQUARE_METRES = 0.3048 * 0.3048;
/** As the answer shows it: bounds hold for what is shown. */
const shownArea = (feet: number | null, query: Query): number | null =>
  feet === null || !isMetric(query) ? feet : rounded(feet * SQUARE_METRES);
function shownPerArea(facts: Facts, query: Query): number | null {
  const value = perArea(facts);
  return value === null ? null : rounded(isMetric(query) ? value / SQUARE_METRES : value);
}

/** Where searches see a listing: at about a kilometre where its address is withheld. */
/** Where the service's own gazetteer has the ZIP code of the market. */
const MIDDLE_OF_10001 = { lat: 40.7484, lng: -73.9967 };

/** Whether the address alone places a home without coordinates: no state contradicts the code, which is one of its country. */
const hasKnownZip = ({ country, state, postalCode }: Facts): boolean =>
  country?.toUpperCase() === 'US' && state === null && postalCode !== null;

/** How precise the place of a listing is for who may not see withheld addresses; null: it has none. */
export function precisionOf(facts: Facts): 'exact' | 'approximate' | null {
  if (seenAt(facts) === null) return null;
  return facts.located && facts.addressDisplayed ? facts.precision : 'approximate';
}

export function seenAt(facts: Facts): { lat: number; lng: number } | null {
  const { located, addressDisplayed } = facts;
  if (!located && !hasKnownZip(facts)) return null;
  const { lat, lng } = located ? facts : MIDDLE_OF_10001;
  return addressDisplayed ? { lat, lng } : { lat: rounded(lat), lng: rounded(lng) };
}

const shape = (parameters: readonly string[], values: fc.Arbitrary<Query>, holds: HoldsPoint): Filter => ({
  parameters,
  values,
  meets({ facts }, query) {
    const at = seenAt(facts);
    return at !== null && holds(query, at.lng, at.lat);
  },
});
type HoldsPoint = (query: Query, lng: number, lat: number) => boolean;

export function inBox(text: string, lng: number, lat: number): boolean {
  const [west = 0, south = 0, east = 0, north = 0] = text.split(',').map(Number);
  const spans = (at: number) => (west <= east ? at >= west && at <= east : at >= west || at <= east);
  // The meridians 180 and -180 are one.
  const within = spans(lng) || (Math.abs(lng) === 180 && spans(-lng));
  return within && lat >= south && lat <= north;
}

/** Kilometres of a radius as written. */
export function kilometres(radius: string, metric: boolean): number {
  const [, digits = '', unit = ''] = /^([\d.]+)(\w*)$/.exec(radius) ?? [];
  return Number(digits) * ({ km: 1, m: 0.001, mi: 1.609344 }[unit] ?? (metric ? 1 : 1.609344));
}

const plain = (status: string): string => status.replace(/[ _-]/g, '').toLowerCase();

const PRICES = range(
  'Price',
  [0, 433.33, 2_600, 11_266.67, 79_083.33, 120_000, 250_000.5, 400_000, 1e12],
  comparedPrice,
);
const BATHROOMS = range('Bathrooms', [0, 0.5, 0.75, 1.75, 2.25, 3], (facts) => facts.bathrooms);
const LIVING_AREAS = range(
  'LivingArea',
  [0, 0.74, 37.16, 99.99, 100, 185.81, 400, 1_077, 2_000],
  (facts, query) => shownArea(facts.livingArea, query),
);
const LOT_SIZES = range('LotSize', [0, 464.51, 464.52, 5_000, 43_560, 99_999], (facts, query) =>
  shownArea(facts.lotSize, query),
);
const YEARS = range('YearBuilt', [0, 1900, 1999, 2026, 9999], (facts) => facts.yearBuilt);
const inAcres = (acres: string, query: Query): string =>
  String(Number(acres) * 43_560 * (isMetric(query) ? SQUARE_METRES : 1));
const POLYGONS = shape(
  ['polygon'],
  fc
    .constantFrom('19.9,9.9;20.6,9.9;20.6,10.6', '20,10;21,10;21,11;20,11;20,10', '179,9;180,9;180,12;179,12')
    .map((polygon) => ({ polygon })),
  ({ polygon = '' }, lng, lat) => windsAround(polygon, lng, lat),
);

/** Every filter; of the statuses, without one only ACTIVE is meant. */
export const FILTERS: readonly Filter[] = [
  {
    parameters: ['areaId'],
    values: listOf(...Object.keys(AREAS)).map((areaId) => ({ areaId })),
    meets: ({ facts }, { areaId = '' }) => areaId.split(',').some((id) => inArea(id, facts)),
  },
  places('city', 'aldern', 'BROOK hollow', 'Brook-Hollow', ' crane ', 'nowhere'),
  places('neighborhood', 'HOOK', 'old town', 'Old-Town', 'ôld town.'),
  places('county', 'ring', 'ÖSTRA', 'ostra'),
  places('state', 'umbra', 'u.m.', 'verge'),
  postalCodes('10001', '10001-2345', '100012345', '10002'),
  {
    parameters: ['precision'],
    values: fc.constantFrom('exact', 'approximate', 'exact,approximate').map((precision) => ({ precision })),
    meets: ({ facts }, { precision = '' }) => precision.split(',').includes(precisionOf(facts) ?? 'none'),
  },
  places('country', 'us', 'Se'),
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
  POLYGONS,
  shorthand('map', ['[[[19.9,9.9],[20.6,9.9],[20.6,10.6]]]'], POLYGONS, () => ({
    polygon: '19.9,9.9;20.6,9.9;20.6,10.6',
  })),
  shorthand('points', ['9,179;9,180;12,180;12,179'], POLYGONS, () => ({
    polygon: '179,9;180,9;180,12;179,12',
  })),
  {
    parameters: ['currency'],
    values: fc.constantFrom('USD', 'usd', 'EUR').map((currency) => ({ currency })),
    meets: (row, { currency = '' }) => row.currency === currency.toUpperCase(),
  },
  PRICES,
  shorthand('price', ['100:2600', '*:120000', '2600.25:', '250000.5'], PRICES, asRange('Price')),
  range('PricePerArea', [0, 0.05, 100.13, 125, 232.26, 624.99, 625, 1_000, 9_000], shownPerArea),
  range('Bedrooms', [0, 1, 2, 3, 33, 1000], (facts) => facts.bedrooms),
  {
    parameters: ['bedrooms'],
    values: listOf('0', '2', '33').map((bedrooms) => ({ bedrooms })),
    meets: ({ facts }, { bedrooms = '' }) => bedrooms.split(',').includes(String(facts.bedrooms)),
  },
  BATHROOMS,
  shorthand('bathrooms', ['0.5:1', '1.75'], BATHROOMS, asRange('Bathrooms')),
  LIVING_AREAS,
  shorthand('squareFootage', ['100:', '0:400', '8'], LIVING_AREAS, asRange('LivingArea')),
  LOT_SIZES,
  shorthand('lotSize', ['1:', '464:5000'], LOT_SIZES, asRange('LotSize')),
  shorthand('minacres', ['0.1', '1'], LOT_SIZES, (acres, query) => ({ minLotSize: inAcres(acres, query) })),
  shorthand('maxacres', ['0', '0.9', '1.01'], LOT_SIZES, (acres, query) => ({
    maxLotSize: inAcres(acres, query),
  })),
  YEARS,
  shorthand('yearBuilt', ['1999:', '1900'], YEARS, asRange('YearBuilt')),
  {
    parameters: ['hasPhotos'],
    values: fc.constantFrom('true', 'false').map((hasPhotos) => ({ hasPhotos })),
    meets: ({ facts }, { hasPhotos }) => String((facts.photoCount ?? 0) > 0) === hasPhotos,
  },
  since('listed', false, ({ facts }) => listedFrom(facts)),
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
    // By their keys until the search is made: ids are known once the market is.
    meets: ({ key }, { ids = '' }) => ids.split(',').includes(key),
  },
  ...TRAIT_FILTERS,
  ...TERM_FILTERS,
  ...TEXT_FILTERS,
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

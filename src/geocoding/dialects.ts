// Dialects of geocoders: how an address is asked for, and what an answer means. Pure.

import type { GeocodedPlace } from '../ingest/geocoded-address-store.ts';
import type { GeocodingAddress } from '../ingest/geocoding-key.ts';
import type { Dialect } from './geocoder-settings.ts';

interface DialectForm {
  /** The end of the path, which a base URL may have already. */
  readonly path: string;
  parameters(address: GeocodingAddress): Readonly<Record<string, string | null>>;
  /** The first place of a body; null: none. */
  read(body: unknown): Found | null;
}

/** A place with its house number, where it has one. */
interface Found {
  readonly lat: number;
  readonly lng: number;
  readonly isHouse: boolean;
  readonly houseNumber: string | null;
}

const FORMS: Readonly<Record<Dialect, DialectForm>> = {
  nominatim: {
    path: '/search',
    parameters: ({ street, city, state, postalCode, country }) => ({
      street,
      city,
      state,
      postalcode: postalCode,
      country,
      format: 'jsonv2',
      addressdetails: '1',
      limit: '1',
    }),
    read(body) {
      const [first] = Array.isArray(body) ? (body as unknown[]) : [];
      const { lat, lon, address, place_rank: rank } = objectOf(first);
      const houseNumber = textOf(objectOf(address).house_number);
      return found(lat, lon, Number(rank) >= 30 || houseNumber !== null, houseNumber);
    },
  },
  photon: {
    path: '/api',
    parameters: (address) => ({ q: inOneLine(address), limit: '1' }),
    read(body) {
      const { properties, lat, lng } = firstFeature(body);
      const houseNumber = textOf(properties.housenumber);
      return found(lat, lng, properties.type === 'house' || houseNumber !== null, houseNumber);
    },
  },
  pelias: {
    path: '/v1/search',
    parameters: (address) => ({ text: inOneLine(address), size: '1' }),
    read(body) {
      const { properties, lat, lng } = firstFeature(body);
      // Others lie between two known houses, or in the middle of the street or town.
      const isHouse = properties.layer === 'address' && properties.accuracy === 'point';
      return found(lat, lng, isHouse, textOf(properties.housenumber));
    },
  },
};

/** The URL of a request; members of its query in the base URL, such as a key, stay. */
export function geocodingUrl(base: string, dialect: Dialect, address: GeocodingAddress): URL {
  const { path, parameters } = FORMS[dialect];
  const url = new URL(base);
  const start = url.pathname.replace(/\/+$/, '');
  // A base may end with the path, or with its beginning: https://pelias.example/v1.
  const [head = ''] = /^\/[^/]+/.exec(path) ?? [];
  const rest = start.endsWith(path) ? '' : start.endsWith(head) ? path.slice(head.length) : path;
  url.pathname = `${start}${rest}`;
  for (const [name, value] of Object.entries(parameters(address)))
    if (value !== null) url.searchParams.set(name, value);
  return url;
}

/** The place of an answer; null: the geocoder knows none. Exact only where it is of a house with the number of the address. */
export function readAnswer(
  dialect: Dialect,
  body: unknown,
  { street }: GeocodingAddress,
): GeocodedPlace | null {
  const place = FORMS[dialect].read(body);
  if (place === null) return null;
  const { lat, lng, isHouse, houseNumber } = place;
  const isSame = houseNumber === null || numberIn(street) === numberIn(houseNumber);
  return { lat, lng, precision: isHouse && isSame ? 'exact' : 'approximate' };
}

const numberIn = (text: string): string | undefined => /\d+/.exec(text)?.[0].replace(/^0+/, '');

const inOneLine = ({ street, city, state, postalCode, country }: GeocodingAddress): string =>
  [street, city, [state, postalCode].filter(Boolean).join(' '), country].filter(Boolean).join(', ');

function firstFeature(body: unknown) {
  const { features } = objectOf(body);
  const feature = objectOf(Array.isArray(features) ? features[0] : null);
  const { coordinates } = objectOf(feature.geometry);
  const [lng, lat] = Array.isArray(coordinates) ? (coordinates as unknown[]) : [];
  return { properties: objectOf(feature.properties), lat, lng };
}

function found(lat: unknown, lng: unknown, isHouse: boolean, houseNumber: string | null): Found | null {
  const [y, x] = [numberOf(lat), numberOf(lng)];
  if (y === null || x === null || Math.abs(y) > 90 || Math.abs(x) > 180 || (x === 0 && y === 0)) return null;
  return { lat: y, lng: x, isHouse, houseNumber };
}

function numberOf(value: unknown): number | null {
  if (typeof value !== 'number' && (typeof value !== 'string' || value.trim() === '')) return null;
  return Number.isFinite(Number(value)) ? Number(value) : null;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

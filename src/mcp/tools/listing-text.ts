// Listings in words: one line each, for people.

import type { Json } from './tool-row.ts';
import { label } from './untrusted.ts';

/** Members of a listing that say what it is, for those who choose among many. */
export const SHORT_LISTING = [
  ...['id', 'object', 'propertyId', 'listingType', 'status', 'price', 'currency', 'priceFrequency'],
  ...[
    'closePrice',
    'closedAt',
    'propertyType',
    'bedrooms',
    'bathrooms',
    'livingArea',
    'areaUnit',
    'yearBuilt',
  ],
  ...['address', 'daysOnMarket'],
];

/** A member that is an object; empty where it is not. */
export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

/** A member that is a list of objects; empty where it is not. */
export const rowsOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(objectOf) : []);

const FORMAT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** A number as people write it, such as 1,895. */
export const number = (value: unknown): string =>
  typeof value === 'number' ? FORMAT.format(value) : 'unknown';

/** A text of a source within a line; empty where there is none. */
export const word = (value: unknown): string => (typeof value === 'string' ? label(value) : '');

/** The parts that there are, between dots. */
export const dotted = (parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null && part !== '').join(' · ');

const counted = (value: unknown, unit: string): string | null =>
  typeof value === 'number' ? `${number(value)} ${unit}` : null;

function priceOf({ price, currency, priceFrequency, closePrice }: Json): string {
  const per = priceFrequency === 'MONTHLY' ? ' a month' : '';
  const asked = typeof price === 'number' ? `${word(currency)} ${number(price)}${per}` : 'price unknown';
  return typeof closePrice === 'number' ? `${asked}, closed at ${number(closePrice)}` : asked;
}

/** `USD 1,895 a month · 3 bd · … · ACTIVE · lst_1`. */
export function listingLine(listing: Json): string {
  const { bedrooms, bathrooms, livingArea, areaUnit, address, daysOnMarket } = listing;
  return dotted([
    priceOf(listing),
    bedrooms === 0 ? 'studio' : counted(bedrooms, 'bd'),
    counted(bathrooms, 'ba'),
    counted(livingArea, word(areaUnit)),
    word(listing.propertyType),
    word(objectOf(address).full),
    word(listing.status),
    counted(daysOnMarket, daysOnMarket === 1 ? 'day on market' : 'days on market'),
    word(listing.id),
  ]);
}

/** Rows under numbers. */
export const numbered = (lines: readonly string[]): string =>
  lines.map((line, at) => `${at + 1}. ${line}`).join('\n');

/** `1,338`; empty where nothing was counted. */
export function totalOf(total: unknown): string {
  const { value } = objectOf(total);
  return typeof value === 'number' ? number(value) : '';
}

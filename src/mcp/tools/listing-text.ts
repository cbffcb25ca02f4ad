// Listings in words: one line each, for people.

import { DAY, HOUR, MINUTE } from '../../lib/clock.ts';
import type { Json } from './tool-row.ts';
import { label } from './untrusted.ts';

/** Members of a short listing where the route has no `fields`; a test compares them with `fields=summary`. */
export const SHORT_LISTING = [
  'id',
  'object',
  'propertyId',
  'listingType',
  'status',
  'price',
  'currency',
  'priceFrequency',
  'closePrice',
  'closedAt',
  'propertyType',
  'bedrooms',
  'bathrooms',
  'livingArea',
  'areaUnit',
  'yearBuilt',
  'address',
  'daysOnMarket',
  'attribution',
  'fetchedAt',
];

/** What short listings at a path keep, and of their parts. */
export const shortListingAt = (path: string, more: readonly string[] = []) => ({
  [path]: [...SHORT_LISTING, ...more],
  [`${path}/address`]: ['full', 'neighborhood'],
});

/** A member that is an object; empty where it is not. */
export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

/** A member that is a list of objects; empty where it is not. */
export const rowsOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.map(objectOf) : []);

const FORMAT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });

/** A number as people write it, such as 1,895. */
export const number = (value: unknown): string =>
  typeof value === 'number' ? FORMAT.format(value) : 'unknown';

/** An amount with its currency, such as USD 1,895. */
export const money = (value: unknown, currency: unknown): string =>
  typeof value === 'number' ? `${word(currency)} ${number(value)}`.trim() : 'unknown';

/** A text of a source within a line; empty where there is none. */
export const word = (value: unknown): string => (typeof value === 'string' ? label(value) : '');

/** The parts that there are, between dots. */
export const dotted = (parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null && part !== '').join(' · ');

const counted = (value: unknown, unit: string): string | null =>
  typeof value === 'number' ? `${number(value)} ${unit}` : null;

function priceOf({ price, currency, priceFrequency, closePrice }: Json): string {
  const per = priceFrequency === 'MONTHLY' ? ' a month' : '';
  const priceText = typeof price === 'number' ? `${word(currency)} ${number(price)}${per}` : 'price unknown';
  return typeof closePrice === 'number'
    ? `${priceText}, closed at ${word(currency)} ${number(closePrice)}`
    : priceText;
}

/** `confirmed 3 min ago`: when the source last sent it; null where that is not known. */
function ageOf(fetchedAt: unknown, now: number): string | null {
  const at = typeof fetchedAt === 'string' ? Date.parse(fetchedAt) : Number.NaN;
  if (Number.isNaN(at)) return null;
  const age = Math.max(0, now - at);
  if (age >= DAY) return `confirmed ${Math.floor(age / DAY)} d ago`;
  if (age >= HOUR) return `confirmed ${Math.floor(age / HOUR)} h ago`;
  return `confirmed ${age >= MINUTE ? `${Math.floor(age / MINUTE)} min` : `${Math.floor(age / 1000)} s`} ago`;
}

/** `USD 1,895 a month · 3 bd · … · ACTIVE · confirmed 3 min ago · lst_1`; `now` in milliseconds. */
export function listingLine(listing: Json, now: number): string {
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
    ageOf(listing.fetchedAt, now),
    word(listing.id),
  ]);
}

/** Rows under numbers. */
export const numbered = (lines: readonly string[]): string =>
  lines.map((line, at) => `${at + 1}. ${line}`).join('\n');

/** What a choice among several currencies leaves out; empty where none was made. */
export function currencyNote(currency: unknown, choice: unknown): string {
  const { excluded, otherCurrencies } = objectOf(choice);
  if (!Array.isArray(otherCurrencies)) return '';
  const others = otherCurrencies.map(word).join(', ');
  return `Prices are in ${word(currency)}: ${number(excluded)} ${excluded === 1 ? 'listing' : 'listings'} priced in ${others} ${excluded === 1 ? 'is' : 'are'} left out. Send currency to choose another.`;
}

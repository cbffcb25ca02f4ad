// Words of the page of one home: dates, prices, facts and units as people read them.

import type { Listing } from '../../listings/record.ts';
import type { PROPERTY_TYPES } from '../../listings/vocabulary.ts';
import { shortened, visibleText } from '../../page/html.ts';
import { enumWords, moneyWords } from '../../page/words.ts';

export const NOT_STATED = 'Not stated';
export const WITHHELD = 'Address withheld';

const UTC = { timeZone: 'UTC' } as const;
const DAY_FORMAT = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  ...UTC,
});
const MONTH_FORMAT = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', ...UTC });
const TIME_FORMAT = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  ...UTC,
});
const DAY = 86_400_000;

/** 14 Aug 2026 */
export const dayWords = (at: number): string => DAY_FORMAT.format(at).replace('Sept', 'Sep');

/** August 2026 */
export const monthWords = (at: number): string => MONTH_FORMAT.format(at);

/** The time of a moment of today, such as `02:15:28 UTC`; of another day, its date before it. */
export function momentWords(at: number, now: number): string {
  const time = `${TIME_FORMAT.format(at)} UTC`;
  return Math.floor(at / DAY) === Math.floor(now / DAY) ? time : `${dayWords(at)}, ${time}`;
}

/** `14 s ago`, `3 min ago`, `5 h ago`, `12 days ago` */
export function ageWords(at: number, now: number): string {
  const seconds = Math.max(0, Math.floor((now - at) / 1000));
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h ago`;
  return `${Math.floor(seconds / 86_400)} days ago`;
}

/** `$1.58M`, `$792k`, `$2,450`: for places where the whole amount is too long. */
export function shortMoney(amount: number, currency: string): string {
  const [value, unit] =
    amount >= 999_500 ? [amount / 1e6, 'M'] : amount >= 10_000 ? [amount / 1e3, 'k'] : [amount, ''];
  const digits = unit === 'M' ? 3 : unit === 'k' ? 3 : 4;
  const rounded = Number(value.toPrecision(digits));
  return `${moneyWords(unit === '' ? Math.round(value) : rounded, currency).replace(/(\.\d)0$/, '$1')}${unit}`;
}

const TYPE_WORDS: Readonly<Record<(typeof PROPERTY_TYPES)[number], string>> = {
  CONDO: 'Condominium',
  COOP: 'Co-op',
  APARTMENT: 'Apartment',
  SINGLE_FAMILY: 'Detached house',
  TOWNHOUSE: 'Townhouse',
  MULTI_FAMILY: 'Multi-family house',
  MANUFACTURED: 'Manufactured home',
  LAND: 'Land',
  COMMERCIAL: 'Commercial property',
  OTHER: 'Other home',
};

export const typeWords = (type: Listing['propertyType']): string => TYPE_WORDS[type];

/** Words that others wrote, on one line. */
export const oneLine = (text: string, max = 160): string => shortened(visibleText(text), max);

/** The street of a home, or that it is withheld. */
export function titleOf({ address }: Pick<Listing, 'address'>): string {
  const street = [
    address.line1,
    address.unit && !address.line1?.includes(address.unit) ? address.unit : null,
  ];
  const line = street.filter(Boolean).join(', ');
  return line === '' ? WITHHELD : oneLine(line);
}

/** `Cooper Square, Port Calder, MW 86927` */
export function placeOf({ address }: Pick<Listing, 'address'>): string {
  const region = [address.state, address.postalCode].filter(Boolean).join(' ');
  const parts = [address.neighborhood, address.city, region].filter(Boolean);
  return oneLine([...new Set(parts)].join(', '));
}

/** Whether its source withholds the street from readers. */
export const isWithheld = ({ address }: Pick<Listing, 'address'>): boolean => address.line1 === null;

export interface StatusWords {
  readonly text: string;
  /** Class of its tag. */
  readonly kind: 'sale' | 'rental' | 'pending' | 'sold' | 'withdrawn';
}

const ENDED: readonly Listing['status'][] = ['WITHDRAWN', 'CANCELED', 'EXPIRED', 'DELETED', 'UNKNOWN'];

export function statusWords({ status, listingType }: Pick<Listing, 'status' | 'listingType'>): StatusWords {
  const isSale = listingType === 'sale';
  if (status === 'CLOSED') return { text: isSale ? 'Sold' : 'Let', kind: 'sold' };
  if (status === 'PENDING' || status === 'ACTIVE_UNDER_CONTRACT')
    return { text: status === 'PENDING' ? 'Sale pending' : 'Under contract', kind: 'pending' };
  if (ENDED.includes(status))
    return { text: status === 'EXPIRED' ? 'No longer offered' : enumWords(status), kind: 'withdrawn' };
  const offered = isSale ? 'For sale' : 'For rent';
  const text = status === 'COMING_SOON' ? 'Coming soon' : status === 'HOLD' ? 'On hold' : offered;
  return { text, kind: isSale ? 'sale' : 'rental' };
}

const count = (value: number): string => value.toLocaleString('en-US');

export const unitWords = (
  unit: Listing['areaUnit'],
): { readonly short: string; readonly long: string; readonly one: string } =>
  unit === 'sqft'
    ? { short: 'sqft', long: 'square feet', one: 'square foot' }
    : { short: 'm²', long: 'square metres', one: 'square metre' };

/** `2,770 sqft` */
export const areaWords = (area: number, unit: Listing['areaUnit']): string =>
  `${count(Math.round(area))} ${unitWords(unit).short}`;

/** `4 bd · 3 ba`; what is unknown is left out. */
export function roomWords({ bedrooms, bathrooms }: Pick<Listing, 'bedrooms' | 'bathrooms'>): string {
  const beds = bedrooms === null ? null : bedrooms === 0 ? 'Studio' : `${bedrooms} bd`;
  return [beds, bathrooms === null ? null : `${bathrooms} ba`].filter(Boolean).join(' · ');
}

/** A, B and so on: the letter of a comparable home in its row and on the map. */
export const letterOf = (at: number): string => String.fromCharCode(65 + at);

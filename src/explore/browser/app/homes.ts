// Homes of a tool's result, as the page of an MCP App shows them. Pure.

import { type Json, objectOf } from './host.ts';

export interface AppHome {
  readonly id: string;
  readonly kind: 'sale' | 'rental';
  readonly status: string | null;
  readonly price: number | null;
  readonly closePrice: number | null;
  readonly currency: string | null;
  readonly priceFrequency: string | null;
  readonly beds: number | null;
  readonly baths: number | null;
  readonly livingArea: number | null;
  readonly areaUnit: string | null;
  readonly yearBuilt: number | null;
  readonly propertyType: string | null;
  readonly address: string | null;
  readonly place: string | null;
  readonly features: readonly string[];
  readonly description: string | null;
  readonly attribution: string | null;
  /** RFC 3339 */
  readonly confirmedAt: string | null;
  /** Null: the result does not say where it lies, or its source withholds it. */
  readonly at: readonly [lng: number, lat: number] | null;
  /** What is said of it beside its facts, such as how far it is from another. */
  readonly note: string | null;
}

/** What a result shows. */
export interface AppResult {
  readonly homes: readonly AppHome[];
  /** Homes that there are; null: the result does not count them. */
  readonly total: number | null;
  /** A search, one home, or homes like one. */
  readonly form: 'search' | 'home' | 'comparables' | 'text';
  /** The page that shows the same to people; null: there is none. */
  readonly view: string | null;
  /** Of a result without homes, or one that failed. */
  readonly text: string;
  readonly hasFailed: boolean;
}

export function readResult(result: Json): AppResult {
  const content = objectOf(result.structuredContent);
  const text = textOf(result.content);
  const view = linkOf(content.view);
  const base = { view, text, total: null, hasFailed: result.isError === true };
  if (base.hasFailed) return { ...base, homes: [], form: 'text' };
  const texts = untrustedTexts(content.untrusted);
  if (Array.isArray(content.data)) {
    const rows = content.data.map(objectOf);
    const isCompared = rows.some(({ listing }) => listing !== undefined);
    const homes = rows.flatMap((row, at) => {
      const path = isCompared ? `/data/${at}/listing` : `/data/${at}`;
      const home = homeOf(isCompared ? objectOf(row.listing) : row, path, texts);
      return home === null ? [] : [{ ...home, note: isCompared ? distanceWords(row) : null }];
    });
    const total = numberOf(objectOf(content.total).value);
    return { ...base, homes, total, form: isCompared ? 'comparables' : 'search' };
  }
  const isProperty = 'currentListing' in content;
  const name = isProperty ? 'currentListing' : content.live == null ? 'cached' : 'live';
  const listing = objectOf(content[name]);
  const home = homeOf(isProperty ? withProperty(content, listing) : listing, `/${name}`, texts);
  return { ...base, homes: home === null ? [] : [home], form: home === null ? 'text' : 'home' };
}

/** A property says some things of its home once, for all its listings. */
function withProperty(property: Json, listing: Json): Json {
  const known = Object.entries(listing).filter(([, value]) => value != null);
  return { ...property, ...Object.fromEntries(known) };
}

function homeOf(listing: Json, path: string, texts: ReadonlyMap<string, string>): AppHome | null {
  const { id, address, location } = listing;
  if (typeof id !== 'string') return null;
  const { lat, lng } = objectOf(location);
  const [x, y] = [numberOf(lng), numberOf(lat)];
  return {
    id,
    kind: listing.listingType === 'rental' ? 'rental' : 'sale',
    status: wordOf(listing.status),
    price: numberOf(listing.price),
    closePrice: numberOf(listing.closePrice),
    currency: wordOf(listing.currency),
    priceFrequency: wordOf(listing.priceFrequency),
    beds: numberOf(listing.bedrooms),
    baths: numberOf(listing.bathrooms),
    livingArea: numberOf(listing.livingArea),
    areaUnit: wordOf(listing.areaUnit),
    yearBuilt: numberOf(listing.yearBuilt),
    propertyType: wordOf(listing.propertyType),
    address: wordOf(objectOf(address).full) ?? wordOf(objectOf(address).line1),
    place: wordOf(objectOf(address).neighborhood) ?? wordOf(objectOf(address).city),
    features: Array.isArray(listing.features)
      ? listing.features.filter((each) => typeof each === 'string')
      : [],
    description: texts.get(`${path}/description`) ?? null,
    attribution: texts.get(`${path}/attribution`) ?? texts.get('/attribution') ?? null,
    confirmedAt: wordOf(listing.fetchedAt),
    at: x === null || y === null ? null : [x, y],
    note: null,
  };
}

/** Texts of others by the place that they were taken from. */
function untrustedTexts(list: unknown): ReadonlyMap<string, string> {
  const entries = (Array.isArray(list) ? list : []).map(objectOf);
  return new Map(entries.map(({ at, text }) => [String(at), String(text)]));
}

function distanceWords({ distance, distanceUnit, basis }: Json): string | null {
  const how = basis === 'closed' ? 'sold' : 'on the market';
  return typeof distance === 'number'
    ? `${distance.toFixed(1)} ${wordOf(distanceUnit) ?? ''} away, ${how}`
    : how;
}

function textOf(content: unknown): string {
  const blocks = (Array.isArray(content) ? content : []).map(objectOf);
  return blocks.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : [])).join('\n\n');
}

/** An address of the web; null: none. */
function linkOf(value: unknown): string | null {
  const url = typeof value === 'string' ? URL.parse(value) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null;
}

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const wordOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

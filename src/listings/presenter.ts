// Presenter of listings: makes of a stored record the one that a reader sees, with its units, masked address and freshness.

import type { Reach } from '../access/tiers/reach.ts';
import { type Principal, tierName } from '../access/tiers/tiers.ts';
import { Problem } from '../lib/problem.ts';
import { roundTo } from '../lib/round.ts';
import { type DaysOnMarketClock, daysOnMarket, parseStoredClock } from './days-on-market.ts';
import type { DraftLocation } from './draft.ts';
import { listedAt } from './listed-at.ts';
import { addressMatcher } from './masking/address-matcher.ts';
import { ownName, thumbnailPath } from './pictures/own-pictures.ts';
import { listingAttribution } from './provenance/attribution.ts';
import type { Listing } from './record.ts';
import type { StoredListing } from './store.ts';
import type { StoredRecord } from './stored-record.ts';
import { SQUARE_FEET_PER_SQUARE_METRE, type UnitSystem } from './vocabulary.ts';

/** How one kind of reader sees records: in which units, and with which rights. */
interface LastingView {
  readonly units: UnitSystem;
  /** Internal callers may switch display rules off. */
  readonly ignoreDisplayRules: boolean;
  /** What licences open to the reader. */
  readonly reach: Reach;
  /** Whether listings include cumulative and reported days on market. */
  readonly allDaysOnMarket: boolean;
  /** Base of the URLs in the record, without a slash at its end. */
  readonly publicUrl: string;
}

/** The same at one moment. */
export interface ReaderView extends LastingView {
  readonly source: 'live' | 'cached';
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The view of one request. Throws TIER_RESTRICTED if anyone but Internal asks to ignore display rules. */
export function buildReaderView(
  caller: Principal,
  query: {
    readonly units?: UnitSystem | undefined;
    readonly display?: 'ignore' | undefined;
    readonly include?: readonly string[] | undefined;
  },
  now: number,
  publicUrl: string,
): ReaderView {
  requireDisplay(caller, query.display);
  return {
    units: query.units ?? 'imperial',
    source: 'cached',
    ignoreDisplayRules: query.display === 'ignore',
    reach: caller.reach,
    allDaysOnMarket: query.include?.includes('daysOnMarket') === true,
    now,
    publicUrl,
  };
}

/** Throws TIER_RESTRICTED if anyone but Internal asks to ignore display rules. */
export function requireDisplay({ tier }: Pick<Principal, 'tier'>, display: 'ignore' | undefined): void {
  if (display !== 'ignore' || tier === 'internal') return;
  throw new Problem(
    'TIER_RESTRICTED',
    `display=ignore needs the ${tierName('internal')} tier; remove it to see what the source allows to be shown.`,
  );
}

/** Members that change without the record: entity tags do not depend on them. */
export const VOLATILE_MEMBERS: readonly string[] = ['fetchedAt', 'meta'];

/** Who sees a listing: 2 all readers, 1 those who ignore display rules, 0 nobody, since it is INCOMPLETE at its source. */
export const audienceOf = ({ status, displayed }: Pick<StoredListing, 'status' | 'displayed'>): number =>
  status === 'INCOMPLETE' ? 0 : displayed ? 2 : 1;

/** Whether this reader belongs to an audience. */
export const isIn = (audience: number, view: Pick<ReaderView, 'ignoreDisplayRules'>): boolean =>
  audience >= (view.ignoreDisplayRules ? 1 : 2);

/** Whether this reader may see the listing at all. */
export const isVisible = (
  listing: Pick<StoredListing, 'status' | 'displayed' | 'licenceNo'>,
  view: Pick<ReaderView, 'ignoreDisplayRules' | 'reach'>,
): boolean => isIn(audienceOf(listing), view) && view.reach.has(listing.licenceNo);

/** The public record; null where the whole listing is hidden from this reader. */
export function presentListing(stored: StoredListing, view: ReaderView): Listing | null {
  if (!isVisible(stored, view)) return null;
  return { ...lastingMembers(stored, view), ...movingMembers(momentsOf(stored), view) };
}

/** What the moving members of a listing are computed from. */
export interface Moments {
  readonly clock: DaysOnMarketClock;
  readonly earlierDays: number;
  readonly fetchedAt: string;
}

export const momentsOf = (stored: StoredListing): Moments => ({
  clock: parseStoredClock(stored.daysOnMarketStart, stored.daysOnMarketEnd),
  earlierDays: stored.earlierDays,
  fetchedAt: stored.fetchedAt,
});

/**
 * All members that may change while the version of a listing stays: what time moves, what follows from other listings of the
 * property, and when the source last confirmed it.
 */
export function movingMembers({ clock, earlierDays, fetchedAt }: Moments, view: ReaderView) {
  const days = daysOnMarket(clock, view.now);
  return {
    daysOnMarket: days,
    ...(view.allDaysOnMarket && { cumulativeDaysOnMarket: days === null ? null : days + earlierDays }),
    source: view.source,
    fetchedAt: view.source === 'live' ? new Date(view.now).toISOString() : fetchedAt,
  };
}

export type MovingMembers = ReturnType<typeof movingMembers>;

/** All other members. Its types keep everything from it that moves: each version has one such record for each view. */
export function lastingMembers(
  stored: Omit<StoredListing, 'earlierDays' | 'fetchedAt'>,
  view: LastingView,
): Omit<Listing, keyof MovingMembers> {
  const { property, ...unmasked } = stored.record;
  const record = isMasked(stored, view) ? maskAddress(unmasked) : unmasked;
  const unit: Listing['areaUnit'] = view.units === 'metric' ? 'sqm' : 'sqft';
  return {
    ...record,
    listedAt: listedAt(stored.record, stored.timeZone),
    enteredAt: record.listedAt,
    // Records of an earlier release lack `rentControl`.
    rental: record.rental && { ...record.rental, rentControl: record.rental.rentControl ?? null },
    pricePerArea: pricePerArea(record, view.units),
    livingArea: areaIn(record.livingArea, view.units),
    lotSize: areaIn(record.lotSize, view.units),
    location: presentLocation(stored, view),
    areaUnit: unit,
    lotSizeUnit: unit,
    photos: presentPictures(record.photos, view),
    floorPlans: presentPictures(record.floorPlans, view),
    areaIds: [...stored.areaIds],
    createdAt: stored.createdAt,
    updatedAt: stored.updatedAt,
    attribution: listingAttribution(stored.record, view.reach.displayOf(stored.source)),
    url: `${view.publicUrl}/v1/property/${stored.id}`,
    version: stored.version,
    ...(view.allDaysOnMarket && { daysOnMarketReported: property.daysOnMarketReported }),
  };
}

/** Square feet in the reader's unit, to two decimals when converted. */
export function areaIn(squareFeet: number | null, units: UnitSystem): number | null {
  if (squareFeet === null || units === 'imperial') return squareFeet;
  return roundTo(squareFeet / SQUARE_FEET_PER_SQUARE_METRE, 2);
}

/** A price per square foot in the reader's unit, to two decimals. */
export function perAreaIn(perSquareFoot: number, units: UnitSystem): number {
  return roundTo(units === 'imperial' ? perSquareFoot : perSquareFoot * SQUARE_FEET_PER_SQUARE_METRE, 2);
}

function pricePerArea(
  { price, livingArea }: Omit<StoredRecord, 'property'>,
  units: UnitSystem,
): number | null {
  return price === null || !livingArea ? null : perAreaIn(price / livingArea, units);
}

/** Whether the address is withheld from this reader. */
const isMasked = (stored: Pick<StoredListing, 'addressDisplayed'>, view: LastingView): boolean =>
  !stored.addressDisplayed && !view.ignoreDisplayRules;

type PublicRecord = Omit<StoredRecord, 'property'>;

/** Pictures that are served from here, and their sizes, at the public URL. */
function presentPictures(pictures: PublicRecord['photos'], { publicUrl }: LastingView): Listing['photos'] {
  if (!pictures.some(({ url }) => ownName(url) !== null)) return pictures;
  return pictures.map((each) => {
    const thumbnail = thumbnailPath(each.url);
    if (thumbnail === null) return each;
    return { ...each, url: `${publicUrl}${each.url}`, thumbnailUrl: `${publicUrl}${thumbnail}` };
  });
}

/** The whole of an address whose street is withheld. */
export function townOf(address: Pick<Listing['address'], 'city' | 'state' | 'postalCode'>): string | null {
  const region = [address.state, address.postalCode].filter(Boolean).join(' ');
  return [address.city, region].filter(Boolean).join(', ') || null;
}

/** The record without its street address, in texts and links too; the town stays. */
export function maskAddress(record: PublicRecord): PublicRecord {
  const { address } = record;
  const street = { line1: null, unit: null, streetNumber: null, streetName: null, crossStreet: null };
  const matcher = addressMatcher(address);
  const mask = (text: string | null) => text && matcher.mask(text);
  const photos = (all: PublicRecord['photos']) =>
    all
      .filter(({ url, thumbnailUrl }) => !matcher.isIn(`${url} ${thumbnailUrl ?? ''}`))
      .map((each) => ({ ...each, caption: mask(each.caption) }));
  const openHouse = (each: PublicRecord['openHouses'][number]) => ({
    ...each,
    remarks: mask(each.remarks),
    livestreamUrl: each.livestreamUrl && matcher.isIn(each.livestreamUrl) ? null : each.livestreamUrl,
  });
  return {
    ...record,
    address: { ...address, ...street, full: townOf(address) },
    description: mask(record.description),
    photos: photos(record.photos),
    floorPlans: photos(record.floorPlans),
    openHouses: record.openHouses.map(openHouse),
    // Pages about a home usually have its address in their URLs.
    listingUrl: null,
    virtualTourUrl: null,
  };
}

function presentLocation(
  stored: Pick<StoredListing, 'addressDisplayed' | 'record'>,
  view: LastingView,
): Listing['location'] {
  const { location } = stored.record;
  if (location === null) return null;
  const visible = isMasked(stored, view) ? maskLocation(location) : location;
  return { ...visible, source: location.source ?? 'provided' };
}

/** The location as a reader sees it who may not see the address. */
export function maskLocation<Known extends Pick<DraftLocation, 'lat' | 'lng' | 'precision'>>(
  location: Known,
): Known {
  return { ...location, ...coarseLocation(location), precision: 'approximate' };
}

/** The public location of a home whose address is withheld: two decimals of a degree, about a kilometre. */
export function coarseLocation({ lat, lng }: { readonly lat: number; readonly lng: number }) {
  return { lat: roundTo(lat, 2), lng: roundTo(lng, 2) };
}

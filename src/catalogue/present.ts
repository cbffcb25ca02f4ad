// Owns how a stored listing becomes the record a reader sees: units, masked addresses, freshness and the clock.

import type { StoredListing } from './catalogue.ts';
import { cents, type KeptRecord } from './listing.ts';
import { daysOnMarket, storedClock } from './market-clock.ts';
import type { Listing } from './record.ts';
import { SQUARE_FEET_PER_SQUARE_METRE, type UnitSystem } from './vocabulary.ts';
import { withheld } from './write-plan.ts';

/** Who is looking, when and how. */
export interface View {
  readonly units: UnitSystem;
  readonly source: 'live' | 'cached';
  /** Internal callers may switch display rules off. */
  readonly ignoreDisplayRules: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Base of the URLs in the record, without a slash at its end. */
  readonly publicUrl: string;
}

/** The public record; null where display rules hide the whole listing from this reader. */
export function presentListing(stored: StoredListing, view: View): Listing | null {
  if (!stored.displayed && !view.ignoreDisplayRules) return null;
  const { property: _, ...record } = stored.record;
  const unit = view.units === 'metric' ? 'sqm' : 'sqft';
  const days = daysOnMarket(storedClock(stored.clockStart, stored.clockEnd), view.now);
  return {
    ...record,
    pricePerArea: pricePerArea(record, view.units),
    livingArea: areaIn(record.livingArea, view.units),
    areaUnit: unit,
    lotSize: areaIn(record.lotSize, view.units),
    lotSizeUnit: unit,
    address: presentAddress(stored, view),
    location: presentLocation(stored, view),
    areaIds: [...stored.areaIds],
    daysOnMarket: days,
    cumulativeDaysOnMarket: days === null ? null : days + stored.earlierDays,
    createdAt: stored.createdAt,
    updatedAt: stored.updatedAt,
    source: view.source,
    fetchedAt: view.source === 'live' ? new Date(view.now).toISOString() : stored.fetchedAt,
    url: `${view.publicUrl}/v1/property/${stored.id}`,
    version: stored.version,
  };
}

/** Square feet in the reader's unit, to two decimals when converted. */
export function areaIn(squareFeet: number | null, units: UnitSystem): number | null {
  if (squareFeet === null || units === 'imperial') return squareFeet;
  return cents(squareFeet / SQUARE_FEET_PER_SQUARE_METRE);
}

function pricePerArea({ price, livingArea, pricePerArea }: Omit<KeptRecord, 'property'>, units: UnitSystem) {
  if (units === 'imperial' || price === null || !livingArea) return pricePerArea;
  return cents((price / livingArea) * SQUARE_FEET_PER_SQUARE_METRE);
}

const masked = (stored: StoredListing, view: View): boolean =>
  !stored.addressDisplayed && !view.ignoreDisplayRules;

/** Where the address is withheld, what is left names the town and nothing nearer. */
export function presentAddress(stored: StoredListing, view: View): Listing['address'] {
  const { address } = stored.record;
  if (!masked(stored, view)) return address;
  const region = [address.state, address.postalCode].filter(Boolean).join(' ');
  const full = [address.city, region].filter(Boolean).join(', ');
  const street = { line1: null, unit: null, streetNumber: null, streetName: null, crossStreet: null };
  return { ...address, ...street, full: full || null };
}

export function presentLocation(stored: StoredListing, view: View): Listing['location'] {
  const { location } = stored.record;
  if (!location || !masked(stored, view)) return location;
  return { lat: withheld(location.lat), lng: withheld(location.lng), precision: 'approximate' };
}

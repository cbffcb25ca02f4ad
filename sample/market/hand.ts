// Manual changes: sets fields of one listing so that what depends on them follows.
import type { Field } from '../fields/field.ts';
import { propertyFields } from '../fields/property.ts';
import standard from '../names/lookups.json' with { type: 'json' };
import { type Listing, type Status, setPhotos, setPrice, setStatus } from './listing.ts';
import type { Market } from './market.ts';

export type FieldSet = Readonly<Record<string, unknown>>;

/** Fields that follow from others and cannot be set themselves. */
const DERIVED: ReadonlySet<string> = new Set([
  'ListingKey',
  'ModificationTimestamp',
  'OriginalListPrice',
  'PreviousListPrice',
  'StatusChangeTimestamp',
  'PriceChangeTimestamp',
  'MajorChangeTimestamp',
  'MajorChangeType',
  'PhotosChangeTimestamp',
]);

/** Why the fields cannot be set, or null when they can. */
export function faultOfFieldSet(set: FieldSet): string | null {
  if (Object.keys(set).length === 0) return 'set names no field';
  for (const [name, value] of Object.entries(set)) {
    const field = propertyFields.get(name);
    if (!field) return `${name} is not a field of Property`;
    if (DERIVED.has(name)) return `${name} follows from other changes and cannot be set`;
    const fault = faultOfValue(field, value);
    if (fault) return `${name} ${fault}`;
  }
  return null;
}

function faultOfValue(field: Field, value: unknown): string | null {
  if (field.name === 'StandardStatus') {
    return typeof value === 'string' && Object.hasOwn(standard.StandardStatus, value)
      ? null
      : 'must be a StandardStatus in display spelling';
  }
  if (field.name === 'ListPrice')
    return typeof value === 'number' && value > 0 ? null : 'must be a number above 0';
  if (field.name === 'PhotosCount') {
    return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 60
      ? null
      : 'must be 0 to 60';
  }
  if (value === null) return null;
  if (field.many) {
    return Array.isArray(value) && value.every((entry) => typeof entry === 'string')
      ? null
      : 'must be a list of texts';
  }
  switch (field.type) {
    case 'Boolean':
      return typeof value === 'boolean' ? null : 'must be true, false or null';
    case 'Decimal':
    case 'Int64':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'must be a number or null';
    default:
      return typeof value === 'string' ? null : 'must be a text or null';
  }
}

/** Applies a checked set at an instant. Status, price and photos move their own timestamps; the rest are laid over. */
export function changeByHand(market: Market, listing: Listing, set: FieldSet, at: number): void {
  const { StandardStatus, ListPrice, PhotosCount, ...others } = set;
  if (typeof ListPrice === 'number') setPrice(listing, ListPrice, at);
  if (typeof PhotosCount === 'number') setPhotos(listing, PhotosCount, at);
  if (typeof StandardStatus === 'string' && StandardStatus !== listing.status) {
    setStatus(listing, StandardStatus as Status, at);
    market.refile(listing);
  }
  if (Object.keys(others).length > 0) listing.overrides = { ...listing.overrides, ...others };
  listing.modifiedAt = at;
  market.reach(at);
}

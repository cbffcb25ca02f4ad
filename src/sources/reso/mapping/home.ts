// Home of a record: its address, location, size and features.

import { roundTo } from '../../../lib/round.ts';
import { areaUnitOf, SQUARE_FEET } from '../../../listings/area-units.ts';
import type { DraftAddress, ListingDraft } from '../../../listings/draft.ts';
import type { FieldReader } from './decode.ts';
import { fold, slug, spelled } from './enumerations.ts';
import TABLE from './features.json' with { type: 'json' };

const STREET_PARTS = [
  'StreetDirPrefix',
  'StreetName',
  'StreetSuffix',
  'StreetSuffixModifier',
  'StreetDirSuffix',
];

/** The neighborhood is the finest name the source has for the place: subdivision, then its areas. */
export function address(record: FieldReader): DraftAddress {
  const hasStreet = record.text('StreetName') !== null;
  return {
    full: record.text('UnparsedAddress'),
    unit: record.text('UnitNumber'),
    streetNumber: record.text('StreetNumber') ?? record.integer('StreetNumberNumeric')?.toString() ?? null,
    streetName: hasStreet ? STREET_PARTS.flatMap((field) => record.text(field) ?? []).join(' ') : null,
    city: record.text('City') ?? record.text('PostalCity'),
    neighborhood:
      record.text('SubdivisionName') ?? record.text('MLSAreaMinor') ?? record.text('MLSAreaMajor'),
    county: record.text('CountyOrParish'),
    state: record.text('StateOrProvince'),
    postalCode: record.text('PostalCode'),
    country: record.text('Country'),
    crossStreet: record.text('CrossStreet'),
  };
}

/** Null without both degrees, out of range, or at 0,0, which is how servers write that a place is unknown. */
export function location(record: FieldReader): ListingDraft['location'] {
  const lat = record.number('Latitude');
  const lng = record.number('Longitude');
  if (lat === null || lng === null || (lat === 0 && lng === 0)) return null;
  if (Math.abs(lat) > 90) return record.unreadable('Latitude');
  if (Math.abs(lng) > 180) return record.unreadable('Longitude');
  return { lat, lng, precision: 'exact' };
}

function squareFeet(unit: string | null): number | undefined {
  const known = unit === null ? undefined : areaUnitOf(unit);
  return known === undefined ? undefined : SQUARE_FEET[known];
}

/**
 * Full 1, three-quarter 0.75, half 0.5, quarter 0.25. The dictionary's total counts a half bath as a whole one, so it
 * is used only where the parts are missing, and after one vendor's decimal total.
 */
export function bathrooms(record: FieldReader): number | null {
  const full = record.count('BathroomsFull');
  const total = record.amount('BathroomsTotalDecimal') ?? record.count('BathroomsTotalInteger');
  const parts =
    0.75 * (record.count('BathroomsThreeQuarter') ?? 0) +
    0.5 * (record.count('BathroomsHalf') ?? 0) +
    0.25 * (record.count('BathroomsOneQuarter') ?? 0);
  if (full !== null) return full + parts;
  return total ?? (parts > 0 ? parts : null);
}

/** Square feet; also without a unit, as the dictionary says. Zero means unknown. */
export function livingArea(record: FieldReader): number | null {
  const area = record.amount('LivingArea');
  const unit = record.text('LivingAreaUnits');
  const factor = unit === null ? 1 : squareFeet(unit);
  if (factor === undefined) return record.unreadable('LivingAreaUnits');
  return area === null || area === 0 ? null : roundTo(area * factor, 2);
}

/** Square feet, from whichever of the dictionary's three forms is there. */
export function lotSize(record: FieldReader): number | null {
  const stated = record.amount('LotSizeSquareFeet');
  if (stated !== null && stated > 0) return stated;
  const area = record.amount('LotSizeArea');
  const unit = record.text('LotSizeUnits');
  const factor = squareFeet(unit);
  if (unit !== null && factor === undefined) record.unreadable('LotSizeUnits');
  if (area !== null && area > 0 && factor !== undefined) return roundTo(area * factor, 2);
  const acres = record.amount('LotSizeAcres');
  return acres === null || acres === 0 ? null : roundTo(acres * SQUARE_FEET.acres, 2);
}

type Slugs = string | readonly string[];

const MAX_SLUG_LENGTH = 60;

const TABLES = Object.entries(TABLE.values as Readonly<Record<string, Readonly<Record<string, Slugs>>>>).map(
  ([field, values]) => ({ field, meaning: spelled<Slugs>(values) }),
);

const NEVER = new Set(TABLE.never.map(fold));

// Elsewhere a bare "Gas" or "Common" means nothing outside its field, so only values in the table count there.
const FREE = new Set(TABLE.free);

/** The fields features are read from, for $select. */
export const FEATURE_FIELDS: readonly string[] = [
  ...TABLES.map(({ field }) => field),
  ...TABLE.free,
  ...Object.keys(TABLE.flags),
  ...Object.keys(TABLE.counts),
];

function ownSlug(field: string, value: string): Slugs {
  const own = slug(value);
  return FREE.has(field) && own !== '' && own.length <= MAX_SLUG_LENGTH ? own : [];
}

/** Sorted, without repeats. Values the table does not know keep a slug of their own where their field allows it. */
export function features(record: FieldReader): string[] {
  const found = new Set<string>();
  for (const { field, meaning } of TABLES) {
    for (const value of record.list(field)) {
      if (NEVER.has(fold(value))) continue;
      for (const feature of [meaning(value) ?? ownSlug(field, value)].flat()) found.add(feature);
    }
  }
  for (const [field, feature] of Object.entries(TABLE.flags)) if (record.flag(field)) found.add(feature);
  for (const [field, feature] of Object.entries(TABLE.counts)) if (record.count(field)) found.add(feature);
  if (found.has('washer') && found.has('dryer')) found.add('washer_dryer');
  return [...found].sort();
}

// Property resource: turns listings into records and their fields into comparable columns.
import type { Field, FieldContext, FieldValue } from '../fields/field.ts';
import { propertyFields } from '../fields/property.ts';
import type { Listing } from '../market/listing.ts';
import { mediaOf } from '../market/media.ts';
import { openHousesOf } from '../market/open-houses.ts';
import { type Spelling, spelled } from './lookups.ts';
import type { Column, Columns, Scalar } from './match.ts';
import type { Query } from './options.ts';
import { badRequest } from './problem.ts';

export const NAVIGATION = ['Media', 'OpenHouse'] as const;

export interface View {
  readonly context: FieldContext;
  readonly spelling: Spelling;
}

/** Fields as columns; 400 for a name that is not served. */
export function propertyColumns(view: View): Columns<Listing> {
  return (name) => {
    const field = knownField(name);
    const { lookup } = field;
    const column: Column<Listing> = {
      name,
      type: field.type,
      many: field.many,
      read: readerOf(field, view.context),
    };
    if (lookup === null) return column;
    return {
      ...column,
      same: (value, literal) => value === literal || spelled(lookup, value, 'legacy') === literal,
    };
  };
}

function knownField(name: string): Field {
  const field = propertyFields.get(name);
  if (!field) throw badRequest(`Property has no field ${name}; $metadata lists those it has`);
  return field;
}

function rawValue(field: Field, listing: Listing, context: FieldContext): FieldValue {
  const set = listing.overrides?.[field.name];
  return set === undefined ? field.get(listing, context) : (set as FieldValue);
}

function readerOf(field: Field, context: FieldContext): Column<Listing>['read'] {
  const { instant } = field;
  const slowly = (listing: Listing): Scalar => comparable(field, rawValue(field, listing, context));
  return instant ? (listing) => (listing.overrides ? slowly(listing) : instant(listing)) : slowly;
}

function comparable(field: Field, value: FieldValue): Scalar {
  if (typeof value === 'object') return null;
  return field.type === 'DateTimeOffset' && typeof value === 'string' ? Date.parse(value) : value;
}

/** Checks the names that a query selects and expands. */
export function checkNames(query: Query): void {
  for (const name of query.select ?? []) knownField(name);
  for (const name of query.expand.keys()) {
    if (!NAVIGATION.some((known) => known === name))
      throw badRequest(`$expand: Property has no ${name}; known: ${NAVIGATION.join(', ')}`);
  }
}

/** One listing as served. */
export function recordOf(
  listing: Listing,
  query: Pick<Query, 'select' | 'expand'>,
  view: View,
): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const name of query.select ?? propertyFields.keys()) {
    const field = knownField(name);
    record[name] = served(field, rawValue(field, listing, view.context), view.spelling);
  }
  const media = query.expand.get('Media');
  if (media !== undefined) record.Media = mediaOf(listing, view).slice(0, media);
  const openHouses = query.expand.get('OpenHouse');
  if (openHouses !== undefined) record.OpenHouse = openHousesOf(listing, view).slice(0, openHouses);
  return record;
}

function served(field: Field, value: FieldValue, spelling: Spelling): FieldValue {
  const { lookup } = field;
  if (lookup === null || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => spelled(lookup, String(entry), spelling));
  return typeof value === 'string' ? spelled(lookup, value, spelling) : value;
}

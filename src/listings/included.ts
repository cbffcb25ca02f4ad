// Owns what `include` adds to the listings on a page: their history, the property that each belongs to, and RESO's fields.

import type { Database } from '../postgres/client/database.ts';
import { findHistories, findListingsOf } from './included-store.ts';
import type { View } from './present.ts';
import { presentProperty } from './property.ts';
import { presentReso } from './reso.ts';
import { findResoRecords } from './reso-store.ts';
import type { StoredListing } from './stored-listing.ts';

/** What is added to a listing, by its id. */
export type Additions = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Reads what is asked for of all listings at once. */
export async function readIncluded(
  database: Database,
  stored: readonly StoredListing[],
  included: readonly Included[],
  view: View,
): Promise<Additions> {
  const histories = included.includes('history') ? await historiesOf(database, stored) : null;
  const properties = included.includes('property') ? await propertiesOf(database, stored, view) : null;
  const records = included.includes('reso')
    ? await findResoRecords(
        database,
        stored.map(({ id }) => id),
      )
    : null;
  return new Map(
    stored.map((listing) => {
      const { id, propertyId } = listing;
      return [
        id,
        {
          ...(histories && { history: histories.get(id) ?? [] }),
          ...(properties && { property: properties.get(propertyId) ?? null }),
          ...(records && { reso: presentReso(records.get(id), listing, view) }),
        },
      ];
    }),
  );
}

async function historiesOf(database: Database, stored: readonly StoredListing[]) {
  const lines = await findHistories(
    database,
    stored.map(({ id }) => id),
  );
  return Map.groupBy(lines, ({ listingId }) => listingId);
}

async function propertiesOf(database: Database, stored: readonly StoredListing[], view: View) {
  const listings = await findListingsOf(database, [...new Set(stored.map(({ propertyId }) => propertyId))]);
  const byProperty = Map.groupBy(listings, ({ propertyId }) => propertyId);
  return new Map(
    [...byProperty].map(([id, own]) => [
      id,
      presentProperty({ id, listings: own, history: [] }, view, { include: [], live: null }),
    ]),
  );
}

export const INCLUDED = ['history', 'property', 'reso', 'daysOnMarket'] as const;

export type Included = (typeof INCLUDED)[number];

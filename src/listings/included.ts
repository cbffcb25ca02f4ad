// Members that `include` adds to listings: their history, their property, and the fields of the RESO record.

import type { Database } from '../postgres/client/database.ts';
import type { ReaderView } from './presenter.ts';
import { presentProperty } from './property-record.ts';
import { presentReso } from './reso-record.ts';
import { findResoRecords } from './reso-store.ts';
import { findHistories, findListingsOfProperties, type StoredListing } from './store.ts';

/** Members by the id of the listing that they are added to. */
export type IncludedMembers = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Finds the included members of all listings at once. */
export async function findIncluded(
  database: Database,
  stored: readonly StoredListing[],
  included: readonly Included[],
  view: ReaderView,
): Promise<IncludedMembers> {
  const ids = stored.map(({ id }) => id);
  const events = included.includes('history') ? await database.read((sql) => findHistories(sql, ids)) : null;
  const histories = events && Map.groupBy(events, ({ listingId }) => listingId);
  const properties = included.includes('property') ? await findPropertiesOf(database, stored, view) : null;
  const records = included.includes('reso') ? await findResoRecords(database, ids) : null;
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

async function findPropertiesOf(database: Database, stored: readonly StoredListing[], view: ReaderView) {
  const ids = [...new Set(stored.map(({ propertyId }) => propertyId))];
  const listings = await database.read((sql) => findListingsOfProperties(sql, ids));
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

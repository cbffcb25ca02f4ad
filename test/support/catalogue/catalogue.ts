// Service with an empty catalogue for a test file, and functions that write drafts and areas into it.

import type { AreaDraft } from '../../../src/areas/area.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../../src/listings/draft.ts';
import type { Property } from '../../../src/listings/property-record.ts';
import type { Listing } from '../../../src/listings/record.ts';
import type { Closing } from '../database/database.ts';
import { startService } from '../service/service.ts';

/** Starts the service; stopped when the test or the file ends. */
export async function startCatalogue(t: Closing) {
  const service = await startService(t);
  const { database, clock, keys } = service;
  const catalogue = createCatalogue(database);

  async function write(...drafts: ListingDraft[]) {
    return database.transaction((tx) => catalogue.write(tx, 'test', drafts, clock.now()));
  }

  /** Writes them; gives their ids in the same order. */
  async function writtenIds(...drafts: ListingDraft[]): Promise<string[]> {
    const { ids } = await write(...drafts);
    return drafts.map((each) => ids.get(each.listingKey) ?? '');
  }

  /** A moment so many days before the service's clock began. */
  const BEGUN = clock.now();
  const daysAgo = (days: number): string => new Date(BEGUN - days * 86_400_000).toISOString();

  async function property(id: string, key = keys.pro, query = ''): Promise<Property> {
    return service.json(`/v1/property/${id}?include=listings,history${query}`, key);
  }

  async function found(query: string, key = keys.internal): Promise<Listing[]> {
    const answer: { data: Listing[] } = await service.json(`/v1/search/sales?limit=500&${query}`, key);
    return answer.data;
  }

  return { service, database, clock, keys, catalogue, write, writtenIds, daysAgo, property, found };
}

export const square = (west: number, south: number, size: number): AreaDraft['boundary'] => ({
  type: 'Polygon',
  coordinates: [
    [
      [west, south],
      [west + size, south],
      [west + size, south + size],
      [west, south + size],
      [west, south],
    ],
  ],
});

export const area = (facts: Partial<AreaDraft> & Pick<AreaDraft, 'type' | 'name'>): AreaDraft => ({
  externalId: facts.name,
  aliases: [],
  codes: {},
  parentReference: null,
  population: null,
  boundary: null,
  ...facts,
});

export const at = (lat: number, lng: number): ListingDraft['location'] => ({ lat, lng, precision: 'exact' });

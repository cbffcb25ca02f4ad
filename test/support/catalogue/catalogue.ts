// Owns a service with an empty catalogue for a test file, and writing drafts and areas into it.

import { after } from 'node:test';
import type { AreaDraft } from '../../../src/areas/area.ts';
import { createCatalogue } from '../../../src/ingest/catalogue.ts';
import type { ListingDraft } from '../../../src/listings/draft.ts';
import type { Property } from '../../../src/listings/property-record.ts';
import type { Listing } from '../../../src/listings/record.ts';
import { startService } from '../service/service.ts';

export const service = await startService({ after });
export const { database, clock, keys } = service;
export const catalogue = createCatalogue(database);

export async function write(...drafts: ListingDraft[]) {
  return database.transaction((tx) => catalogue.apply(tx, 'test', drafts, clock.now()));
}

/** Writes them; gives their ids in the same order. */
export async function writtenIds(...drafts: ListingDraft[]): Promise<string[]> {
  const { ids } = await write(...drafts);
  return drafts.map((each) => ids.get(each.listingKey) ?? '');
}

/** A moment so many days before the service's clock began. */
const BEGUN = clock.now();
export const daysAgo = (days: number): string => new Date(BEGUN - days * 86_400_000).toISOString();

export async function property(id: string, key = keys.pro, query = ''): Promise<Property> {
  return service.json(`/v1/property/${id}?include=listings,history${query}`, key);
}

export async function found(query: string, key = keys.internal): Promise<Listing[]> {
  const answer: { data: Listing[] } = await service.json(`/v1/search/sales?limit=500&${query}`, key);
  return answer.data;
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
  ...{
    externalId: facts.name,
    aliases: [],
    codes: {},
    parentReference: null,
    population: null,
    boundary: null,
  },
  ...facts,
});

export const at = (lat: number, lng: number): ListingDraft['location'] => ({ lat, lng, precision: 'exact' });

// Catalogue of listings: its one writer, and reads of what is stored.

import { createListingReads, type ListingReads } from '../listings/store.ts';
import type { Database } from '../postgres/client/database.ts';
import { createListingWriter, type ListingWriter } from './listing-writer.ts';

export interface Catalogue extends ListingWriter, ListingReads {}

export function createCatalogue(database: Database): Catalogue {
  return { ...createListingWriter(), ...createListingReads(database) };
}

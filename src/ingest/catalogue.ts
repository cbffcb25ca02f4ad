// Catalogue of listings: its one writer, and reads of what is stored.

import { createListingReads, type ListingReads } from '../listings/listing-reads.ts';
import type { Database } from '../postgres/client/database.ts';
import { createWriter, type Writer } from './apply.ts';

export interface Catalogue extends Writer, ListingReads {}

export function createCatalogue(database: Database): Catalogue {
  return { ...createWriter(), ...createListingReads(database) };
}

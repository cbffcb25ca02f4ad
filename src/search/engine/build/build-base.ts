// Building of bases: listings loaded from the database or merged in memory, and made segments.

import type { ListingType } from '../../../listings/vocabulary.ts';
import type { Database } from '../../../postgres/client/database.ts';
import type { Base, BaseBuilder } from '../base-builder.ts';
import { mergeSegment } from '../build-segment.ts';
import type { Columns, Table } from '../segment.ts';
import { loadListings } from './load-store.ts';

export const loadBase = async (
  database: Database,
  ...how: Parameters<BaseBuilder['load']>
): Promise<Base> => {
  const { columns, dictionaries, sequence } = await loadListings(database, ...how);
  const segments = { rental: segmentOf(columns.rental), sale: segmentOf(columns.sale) };
  return { segments, dictionaries, sequence };
};

const NONE = new Uint32Array();

const segmentOf = (columns: Columns) => mergeSegment(null, NONE, columns, NONE);

/** What a merge reads of a table. */
export type MergedTable = Pick<Table, 'base' | 'baseRemoved' | 'tail' | 'tailRemoved'>;

export function mergeTables(tables: Readonly<Record<ListingType, MergedTable>>): Base['segments'] {
  return { rental: mergeTable(tables.rental), sale: mergeTable(tables.sale) };
}

const mergeTable = ({ base, baseRemoved, tail, tailRemoved }: MergedTable) =>
  mergeSegment(base, baseRemoved, tail, tailRemoved);

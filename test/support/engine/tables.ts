// Tables of the engine in tests: bases made of rows in any order, and the listings that a generation has.

import assert from 'node:assert/strict';
import type { SearchRow } from '../../../src/listings/search-row.ts';
import { LISTING_TYPES } from '../../../src/listings/vocabulary.ts';
import { ColumnBuffer } from '../../../src/search/engine/columns/column-buffer.ts';
import { createDictionaries, type Dictionaries } from '../../../src/search/engine/columns/dictionary.ts';
import { idOf } from '../../../src/search/engine/columns/ids.ts';
import type { Columns, Generation, Segment } from '../../../src/search/engine/columns/segment.ts';
import { NO_WORDS } from '../../../src/search/engine/columns/word-index.ts';
import type { Base } from '../../../src/search/engine/segments/build-base.ts';
import { expectedFacts, type Facts, factsOf } from './column-rows.ts';

export interface HeldListing {
  readonly row: SearchRow;
  readonly version: number;
}

/** A base of these listings: without orders, zones and areas, which whoever applies changes does not read. */
export function baseOf(
  listings: Iterable<HeldListing>,
  sequence: number,
  dictionaries: Dictionaries = createDictionaries(),
): Base {
  const buffers = { rental: new ColumnBuffer(dictionaries), sale: new ColumnBuffer(dictionaries) };
  for (const { row, version } of listings) buffers[row.listing_type].add(row, version);
  const segments = {
    rental: segmentOf(buffers.rental.columns()),
    sale: segmentOf(buffers.sale.columns()),
  };
  return { segments, dictionaries, sequence };
}

function segmentOf(columns: Columns): Segment {
  const ids = Array.from({ length: columns.rows }, (_, row) => Buffer.from(idOf(columns, row)));
  const byId = Uint32Array.from(ids.keys()).sort((a, b) =>
    Buffer.compare(ids[a] ?? assert.fail(), ids[b] ?? assert.fail()),
  );
  const idRanks = new Uint32Array(columns.rows);
  for (const [rank, row] of byId.entries()) idRanks[row] = rank;
  const none = new Uint32Array();
  const areas = { nos: none, offsets: new Uint32Array(1), rows: none };
  return { ...columns, shown: 0, zones: {}, areas, orders: {}, byId, idRanks, words: NO_WORDS };
}

/** What a generation holds, by id; asserts that each listing is there once and that the live ones are counted. */
export function heldFacts({ tables, dictionaries }: Generation): Map<string, Facts> {
  const held = new Map<string, Facts>();
  for (const type of LISTING_TYPES) {
    const { base, baseRemoved, tail, tailRemoved, live } = tables[type];
    const before = held.size;
    for (const [columns, removed] of [
      [base, baseRemoved],
      [tail, tailRemoved],
    ] as const) {
      assert.ok(removed.length * 32 >= columns.rows);
      for (let row = 0; row < columns.rows; row++) {
        if (((removed[row >>> 5] ?? 0) >>> (row & 31)) & 1) continue;
        const id = idOf(columns, row);
        assert.ok(!held.has(id), `${id} is there twice`);
        held.set(id, { type, ...factsOf(columns, row, dictionaries) });
      }
    }
    assert.equal(live, held.size - before);
  }
  return held;
}

/** What a generation has to hold of these listings. */
export const factsOfListings = (listings: Iterable<HeldListing>): Map<string, Facts> =>
  new Map(
    [...listings].map(({ row, version }) => [
      row.id,
      { type: row.listing_type, ...expectedFacts(row, version) },
    ]),
  );

// Check of a segment against plain lists: every row, and every order, zone and area by naive sorting.

import assert from 'node:assert/strict';
import type { SearchRow } from '../../../src/listings/search-row.ts';
import { NUMBER_COLUMNS, ORDER_COLUMNS } from '../../../src/search/engine/columns/columns.ts';
import type { Dictionaries } from '../../../src/search/engine/columns/dictionary.ts';
import { BLOCK_ROWS, type Segment } from '../../../src/search/engine/columns/segment.ts';
import { hilbertKey } from '../../../src/search/engine/segments/hilbert.ts';
import { expectedFacts, factsOf } from './column-rows.ts';

export interface VersionedRow {
  readonly row: SearchRow;
  readonly version: number;
}

/** Fails unless the segment holds exactly these listings, and all that belongs to them. */
export function checkSegment(
  segment: Segment,
  listings: readonly VersionedRow[],
  dictionaries: Dictionaries,
): void {
  const expected = listings.toSorted((a, b) => placeOrder(a.row, b.row));
  assert.equal(segment.rows, expected.length);
  for (const [at, { row, version }] of expected.entries())
    assert.deepEqual(factsOf(segment, at, dictionaries), expectedFacts(row, version));
  assert.equal(segment.shown, expected.filter(({ row }) => isShown(row)).length);
  const facts = expected.map(({ row }) => expectedFacts(row, 0));
  checkOrders(segment, facts);
  checkZones(segment, facts);
  const nos = [...new Set(expected.flatMap(({ row }) => row.area_nos))].sort((a, b) => a - b);
  assert.deepEqual([...segment.areas.nos], nos);
  for (const [at, no] of nos.entries()) {
    const { offsets, rows } = segment.areas;
    const lying = [...expected.keys()].filter((row) => expected[row]?.row.area_nos.includes(no));
    assert.deepEqual([...rows.slice(offsets[at], offsets[at + 1])], lying);
  }
}

const isShown = ({ status, displayed }: SearchRow): boolean => status === 'ACTIVE' && displayed;
const compare = (a: number, b: number): number => (a < b ? -1 : Number(a > b));
const compareIds = (a: unknown, b: unknown): number =>
  Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));

function placeOrder(a: SearchRow, b: SearchRow): number {
  const key = ({ location }: SearchRow): number => {
    const [lng = 0, lat = 0] = (location ?? '').slice(1, -1).split(',').map(Number);
    return location === null ? Number.POSITIVE_INFINITY : hilbertKey(lng, lat);
  };
  return Number(isShown(b)) - Number(isShown(a)) || compare(key(a), key(b)) || compareIds(a.id, b.id);
}

type ManyFacts = readonly Readonly<Record<string, unknown>>[];

function checkOrders(segment: Segment, facts: ManyFacts): void {
  const byId = [...facts.keys()].sort((a, b) => compareIds(facts[a]?.id, facts[b]?.id));
  assert.deepEqual([...segment.byId], byId);
  assert.deepEqual(
    [...segment.idRanks],
    [...byId.keys()].map((row) => byId.indexOf(row)),
  );
  for (const column of ORDER_COLUMNS) {
    const value = (row: number) => facts[row]?.[column] as number | null;
    const known = byId.filter((row) => value(row) !== null);
    const sorted = known.toSorted((a, b) => compare(value(a) ?? 0, value(b) ?? 0));
    const order = segment.orders[column];
    assert.equal(order?.known ?? 0, known.length, column);
    if (order === undefined) continue;
    assert.deepEqual([...order.rows], [...sorted, ...byId.filter((row) => value(row) === null)], column);
  }
}

function checkZones(segment: Segment, facts: ManyFacts): void {
  for (const column of NUMBER_COLUMNS) {
    const zones = segment.zones[column];
    const values = facts.map((each) => each[column] as number | null);
    assert.equal(
      zones !== undefined,
      values.some((value) => value !== null),
      column,
    );
    for (let block = 0; zones !== undefined && block * BLOCK_ROWS < facts.length; block++) {
      const known = values
        .slice(block * BLOCK_ROWS, (block + 1) * BLOCK_ROWS)
        .filter((value) => value !== null);
      const [min, max] = known.length === 0 ? [NaN, NaN] : [Math.min(...known), Math.max(...known)];
      assert.deepEqual(
        [(zones.min[block] ?? 0) + 0, (zones.max[block] ?? 0) + 0],
        [min + 0, max + 0],
        column,
      );
    }
  }
}

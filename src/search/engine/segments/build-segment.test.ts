// Proves that segments are what naive sorting makes of the same rows, however they came to be.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rowArbitrary } from '../../../../test/support/catalogue/search-rows.ts';
import { runs } from '../../../../test/support/check/runs.ts';
import { checkSegment, type VersionedRow } from '../../../../test/support/engine/check-segment.ts';
import type { SearchRow } from '../../../listings/search-row.ts';
import { ColumnBuffer } from '../columns/column-buffer.ts';
import { createDictionaries } from '../columns/dictionary.ts';
import type { Segment } from '../columns/segment.ts';
import { mergeSegment } from './build-segment.ts';

const NUMBERS = [0, -0, 2 ** 31, 1234.56, 1e300, 0.1, 16_777_217, null];
const id = fc.oneof(
  fc.integer({ min: 0, max: 60 }).map((number) => `lst_${number}`),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 9 }).filter((text) => !text.includes('\0')),
);
const listing: fc.Arbitrary<VersionedRow> = fc
  .record({
    indexed: rowArbitrary,
    id,
    version: fc.nat(),
    number: fc.constantFrom(...NUMBERS),
    status: fc.constantFrom('ACTIVE', 'ACTIVE', 'COMING_SOON'),
  })
  .map(({ indexed: { row }, id: own, version, number, status }) => ({
    row: { ...row, id: own, status, price: number ?? row.price, bedrooms: number } as SearchRow,
    version,
  }));

/** Writes of listings, and the next merge after each group; null instead of a listing: one of the former ones ends. */
const history = fc.array(fc.array(fc.option(listing, { freq: 5 }), { maxLength: 40 }), {
  minLength: 1,
  maxLength: 4,
});

const bits = (rows: number): Uint32Array => new Uint32Array((rows + 31) >> 5);
const setBit = (words: Uint32Array, row: number): void => {
  words[row >> 5] = (words[row >> 5] ?? 0) | (1 << (row & 31));
};

test('merging group after group gives the segment that all rows at once give, which is that of naive sorting', () => {
  fc.assert(
    fc.property(history, fc.nat(), (groups, seed) => {
      const dictionaries = createDictionaries();
      const live = new Map<string, VersionedRow>();
      let base: Segment | null = null;
      for (const group of groups) {
        const buffer = new ColumnBuffer(dictionaries);
        const places = new Map<string, number>();
        const removed = bits(group.length);
        const baseRemoved = bits(base?.rows ?? 0);
        const end = (listingId: string): void => {
          const row = places.get(listingId);
          if (row !== undefined) setBit(removed, row);
          else if (live.has(listingId) && base !== null)
            setBit(baseRemoved, rowOf(base, listingId) ?? assert.fail());
          places.delete(listingId);
          live.delete(listingId);
        };
        for (const written of group) {
          if (written === null) {
            const ended = [...live.keys()][seed % Math.max(1, live.size)];
            if (ended !== undefined) end(ended);
            continue;
          }
          end(written.row.id);
          places.set(written.row.id, buffer.add(written.row, written.version));
          live.set(written.row.id, written);
        }
        base = mergeSegment(base, baseRemoved, buffer.columns(), removed);
        checkSegment(base, [...live.values()], dictionaries);
        const all = new ColumnBuffer(dictionaries);
        for (const { row, version } of live.values()) all.add(row, version);
        assert.deepEqual(base, mergeSegment(null, bits(0), all.columns(), bits(all.rows)));
      }
    }),
    runs(60, 7),
  );
});

test('segments of many blocks have the zones, orders and areas of all their rows', () => {
  const dictionaries = createDictionaries();
  const buffer = new ColumnBuffer(dictionaries);
  const drawn = fc.sample(listing, { numRuns: 60, seed: 5 });
  const listings = Array.from({ length: 2_500 }, (_, at) => {
    const { row, version } = drawn[at % drawn.length] ?? assert.fail();
    return {
      row: { ...row, id: `lst_${(at * 7_919) % 2_500}`, year_built: at % 900 === 0 ? at : null },
      version,
    };
  });
  for (const { row, version } of listings) buffer.add(row, version);
  const segment = mergeSegment(null, bits(0), buffer.columns(), bits(buffer.rows));
  checkSegment(segment, listings, dictionaries);
});

test('of no rows, and when all are removed, the same empty segment is left', () => {
  const none = new ColumnBuffer(createDictionaries()).columns();
  const empty = mergeSegment(null, bits(0), none, bits(0));
  assert.equal(empty.rows, 0);
  const buffer = new ColumnBuffer(createDictionaries());
  for (const [at, { row, version }] of fc.sample(listing, { numRuns: 40, seed: 1 }).entries())
    buffer.add({ ...row, id: `lst_${at}` }, version);
  const full = mergeSegment(null, bits(0), buffer.columns(), bits(40));
  assert.deepEqual(mergeSegment(full, bits(40).fill(0xffff_ffff), none, bits(0)), empty);
});

test('every array of a segment is shared memory, as narrow as its values allow', () => {
  const buffer = new ColumnBuffer(createDictionaries());
  const [{ row } = assert.fail()] = fc.sample(listing, { numRuns: 1, seed: 1 });
  const prices = { price: 2 ** 31 + 0.01, bedrooms: 2.5, tax: null, city: 'x' };
  for (let at = 0; at < 300; at++) buffer.add({ ...row, ...prices, id: `lst_${at}`, county: `c${at}` }, 1);
  const segment = mergeSegment(null, bits(0), buffer.columns(), bits(300));
  assert.ok(
    segment.numbers.price instanceof Float64Array && segment.numbers.bedrooms instanceof Float32Array,
  );
  assert.ok(segment.codes.city instanceof Uint8Array && segment.codes.county instanceof Uint16Array);
  assert.ok(!('tax' in segment.numbers));
  const arrays = arraysIn(segment);
  assert.ok(arrays.length > 60 && arrays.every(({ buffer: memory }) => memory instanceof SharedArrayBuffer));
});

const arraysIn = (value: object): Uint8Array[] =>
  Object.values(value).flatMap((part) => {
    if (ArrayBuffer.isView(part)) return [part as Uint8Array];
    return typeof part === 'object' ? arraysIn(part) : [];
  });

function rowOf({ byId, texts }: Segment, listingId: string): number | undefined {
  const { offsets, bytes } = texts.id;
  return byId.find(
    (row) => Buffer.from(bytes.slice(offsets[row], offsets[row + 1])).toString() === listingId,
  );
}

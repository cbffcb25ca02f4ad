// Proves that a generation has what a map of the same changes has, and that generations which were handed out never change.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rowArbitrary } from '../../../../test/support/catalogue/search-rows.ts';
import { runs } from '../../../../test/support/check/runs.ts';
import {
  baseOf,
  factsOfListings,
  type HeldListing,
  heldFacts,
} from '../../../../test/support/engine/tables.ts';
import type { Generation } from '../columns/segment.ts';
import { GenerationWriter, type RowChange } from './generation-writer.ts';

/** Ids that begin alike, and such that sort by bytes in another way than by letters. */
const IDS = ['a', 'aa', 'ab', 'b', 'lst_10', 'lst_9', 'é', '\u{10428}', '\uffee'];
const HELD = new Set(['ACTIVE', 'ACTIVE_UNDER_CONTRACT', 'COMING_SOON']);

const listing = fc
  .record({
    indexed: rowArbitrary,
    id: fc.constantFrom(...IDS),
    status: fc.option(fc.constantFrom(...HELD), { nil: undefined }),
  })
  .map(({ indexed: { row }, id, status }) => ({ ...row, id, status: status ?? row.status }) as typeof row);
const stepArbitrary = fc.oneof(
  { weight: 6, arbitrary: fc.array(listing, { maxLength: 6 }) },
  { weight: 1, arbitrary: fc.constant('rebuild' as const) },
  { weight: 1, arbitrary: fc.constant('repeat' as const) },
);

test('whatever changes, in whatever batches, a generation has each held listing once as it is last, and keeps what it has', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(listing, { selector: ({ id }) => id }),
      fc.array(stepArbitrary, { maxLength: 15 }),
      (first, steps) => {
        const expected = new Map<string, HeldListing>();
        for (const row of first) if (HELD.has(row.status)) expected.set(row.id, { row, version: 1 });
        let [sequence, version, batch] = [7, 1, [] as RowChange[]];
        let writer = new GenerationWriter(baseOf(expected.values(), sequence));
        const handedOut: { generation: Generation; facts: ReturnType<typeof heldFacts> }[] = [];
        for (const step of steps) {
          if (step === 'rebuild') {
            const { dictionaries } = writer.generation;
            writer = new GenerationWriter(baseOf(expected.values(), sequence, dictionaries));
          } else if (step === 'repeat') {
            // Changes that a base has already are met again after a load.
            const { tailRows } = writer;
            writer.write(batch);
            assert.equal(writer.tailRows, tailRows);
          } else {
            batch = step.map((row) => ({ row, sequence: ++sequence, version: ++version, words: [] }));
            for (const { row, version: of } of batch) {
              if (HELD.has(row.status)) expected.set(row.id, { row, version: of });
              else expected.delete(row.id);
            }
            writer.write(batch);
            writer.publish(++sequence);
          }
          const { generation } = writer;
          assert.equal(generation.sequence, sequence);
          handedOut.push({ generation, facts: factsOfListings(expected.values()) });
        }
        for (const { generation, facts } of handedOut) assert.deepEqual(heldFacts(generation), facts);
      },
    ),
    runs(150, 7),
  );
});

test('a table in which nothing changed is the same one, and entries that are no changes move the sequence alone', () => {
  const [{ row } = assert.fail()] = fc.sample(rowArbitrary, { numRuns: 1, seed: 3 });
  const sale = { ...row, id: 'x', listing_type: 'sale' as const, status: 'ACTIVE' as const };
  const writer = new GenerationWriter(baseOf([{ row: sale, version: 1 }], 1));
  const before = writer.generation;
  const moved = writer.publish(5);
  assert.deepEqual([moved.sequence, moved.tables.sale === before.tables.sale], [5, true]);
  writer.write([{ row: { ...sale, price: 1 }, sequence: 6, version: 2, words: [] }]);
  const changed = writer.publish(6);
  assert.ok(changed.tables.sale !== before.tables.sale && changed.tables.rental === before.tables.rental);
  assert.deepEqual([writer.tailRows, changed.tables.sale.live], [1, 1]);
});

// Proves that every generation has what the log says up to its sequence, whenever a new base takes over.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextIteration } from 'node:timers/promises';
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
import { mergedTables, mergeTables } from '../segments/build-base.ts';
import { IndexManager } from './index-manager.ts';

const [{ row: SOME } = assert.fail()] = fc.sample(rowArbitrary, { numRuns: 1, seed: 3 });
const IDS = Array.from({ length: 40 }, (_, at) => `lst_${at}`);

/** Batches of listings with their prices; a price below 0 is a listing that is off the market. */
const batches = fc.array(
  fc.record({
    listings: fc.array(fc.record({ id: fc.constantFrom(...IDS), price: fc.integer({ min: -3, max: 9 }) }), {
      minLength: 1,
      maxLength: 160,
      size: 'max',
    }),
    /** Turns of the event loop after the batch before. */
    turns: fc.nat(4),
  }),
  { minLength: 2, maxLength: 8 },
);

test('a generation has each listing as it was at its sequence, and sequences never fall, while bases are built beside', async () => {
  let rebuilds = 0;
  await fc.assert(
    fc.asyncProperty(batches, fc.array(fc.nat(12), { minLength: 4 }), async (steps, mergeTurns) => {
      const expected = new Map<string, HeldListing>();
      const factsAt = new Map([[0, factsOfListings([])]]);
      const published: Generation[] = [];
      const manager = new IndexManager(baseOf([], 0), {
        async merge({ tables }) {
          const segments = mergeTables(mergedTables(tables));
          for (let turn = mergeTurns.shift() ?? 0; turn > 0; turn--) await nextIteration();
          return segments;
        },
        signal: new AbortController().signal,
        onGeneration: (generation) => published.push(generation),
        onFailure: assert.ifError,
        onRebuilt: () => rebuilds++,
        monotonic: () => 0,
        maxTail: { rows: 20, share: 0 },
      });
      let sequence = 0;
      for (const { listings, turns } of steps) {
        const changes = listings.map(({ id, price }) => {
          const status = price < 0 ? ('CLOSED' as const) : ('ACTIVE' as const);
          const row = { ...SOME, id, price, status, listing_type: 'sale' as const };
          sequence++;
          if (price < 0) expected.delete(id);
          else expected.set(id, { row, version: sequence });
          return { sequence, row, version: sequence, words: [] };
        });
        factsAt.set(sequence, factsOfListings(expected.values()));
        for (let turn = 0; turn < turns; turn++) await nextIteration();
        await manager.apply(changes, sequence);
      }
      await manager.idle();
      let last = 0;
      for (const generation of published) {
        assert.ok(generation.sequence >= last);
        last = generation.sequence;
        assert.deepEqual(heldFacts(generation), factsAt.get(last));
      }
      assert.equal(last, sequence);
    }),
    runs(60, 11),
  );
  assert.ok(rebuilds > 0);
});

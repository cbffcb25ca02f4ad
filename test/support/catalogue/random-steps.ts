// Random steps of a catalogue: what writers do to listings and areas, one after another.

import fc from 'fast-check';
import { updateAllPlacements, writeAreaBatch } from '../../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import type { Database } from '../../../src/postgres/client/database.ts';
import { area, square } from './catalogue.ts';
import { factsArbitrary, toDraft } from './random-market.ts';

const KEYS = ['a', 'b', 'c', 'd'];

/** Listings written and removed, and an area redrawn, which may move the time zone. */
export const stepArbitrary = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('write' as const),
      facts: fc.dictionary(fc.constantFrom(...KEYS), factsArbitrary, { minKeys: 1 }),
      removed: fc.subarray(KEYS, { maxLength: 1 }),
      quiet: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('redraw' as const),
      west: fc.constantFrom(20, 20.6),
      timeZone: fc.constantFrom('Asia/Tokyo', 'America/New_York'),
      quiet: fc.boolean(),
    }),
  },
);
export type Step = typeof stepArbitrary extends fc.Arbitrary<infer S> ? S : never;

/** `at`: milliseconds, as of the database's clock. */
export async function take(database: Database, step: Step, at: number): Promise<void> {
  if (step.kind === 'redraw') {
    const boundary = square(step.west, 10, 1);
    const { timeZone } = step;
    await writeAreaBatch(database, 'test', [area({ type: 'custom', name: 'Zone', boundary, timeZone })]);
    return updateAllPlacements(database, { quiet: step.quiet });
  }
  const drafts = Object.entries(step.facts).map(([key, facts]) => toDraft(key, facts));
  await database.transaction((tx) =>
    createCatalogue(database).write(tx, 'test', drafts, at, step.removed, step.quiet),
  );
}

// Proves that a sound installation passes the comparison of `freehold doctor`, and that one without room for it is told what it needs.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { compareSearches } from '../../src/cli/doctor/doctor-compare.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { factsArbitrary, writeAreas, writeMarket } from '../support/catalogue/random-market.ts';
import { testDatabase } from '../support/database/database.ts';

const { database } = await testDatabase({ after });

test('without listings there is nothing to compare', async () => {
  const { state, detail } = await compareSearches(database);
  assert.deepEqual([state, detail], ['ok', 'there is nothing on the market to search for']);
});

test('random searches of a random market have the same answers from memory and from PostgreSQL', async () => {
  await writeAreas(database);
  await writeMarket(
    database,
    createCatalogue(database),
    fc.sample(factsArbitrary, { numRuns: 400, seed: 4 }),
  );
  const { state, detail } = await compareSearches(database);
  assert.deepEqual([state, detail.startsWith('100 random searches')], ['ok', true], detail);
});

test('a market that does not fit into memory is not loaded', async () => {
  const { state, detail, remedy } = await compareSearches(database, 1e6);
  assert.deepEqual([state, remedy], ['warn', 'Run it with more memory.']);
  assert.match(detail, /^not made: .* listings need about 30\d MB of memory, of 1 MB$/);
});

// Proof that what a first load copies into the tables is what any other write of the same drafts writes, in every table.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { DAY, factsArbitrary, NOW, toDraft, writeAreas } from '../support/catalogue/random-market.ts';
import { runs } from '../support/check/runs.ts';
import { testDatabase } from '../support/database/database.ts';

/** All that a write leaves, without the places of changes in the log and the numbers that sequences give. */
const TABLES = {
  property: 'select * from property order by id',
  listing:
    "select to_jsonb(listing) - '{change_batch_id,change_ordinal,record}'::text[] as row, record::text from listing order by id",
  listing_search: 'select * from listing_search order by id',
  listing_text: 'select * from listing_text order by listing_id',
  listing_event:
    "select to_jsonb(listing_event) - 'sequence' as row, row_number() over (partition by listing_id order by sequence) from listing_event order by listing_id, sequence",
  market_listing: 'select * from market_listing order by listing_id',
  market_period: 'select * from market_period order by listing_id, started_at, ended_at, price',
  market_event: 'select * from market_event order by listing_id, kind, at, price, days, ratio',
  listing_currency: 'select * from listing_currency order by 1, 2, 3',
  search_name: 'select * from search_name order by listing_type, kind, key, licence_no',
  search_word: 'select * from search_word order by 1',
  area_count: 'select * from area_count order by area_no, listing_type, licence_no',
  source_freshness: 'select * from source_freshness order by 1',
};

async function contents(database: Database): Promise<Record<string, unknown>> {
  const tables: Record<string, unknown> = {};
  for (const [name, query] of Object.entries(TABLES))
    tables[name] = await database.read((sql) => sql.unsafe(query));
  return tables;
}

const loaded = await testDatabase({ after });
const written = await testDatabase({ after });
for (const { database } of [loaded, written]) await writeAreas(database);

/** Writes the same into both databases, into one of them as a first load does. */
async function writeBoth(source: string, drafts: readonly ListingDraft[], at: number): Promise<void> {
  for (const [{ database }, quiet] of [
    [loaded, true],
    [written, false],
  ] as const) {
    const catalogue = createCatalogue(database);
    await database.transaction((tx) => catalogue.write(tx, source, drafts, at, [], quiet));
  }
}

test('random drafts in batches that share homes, keys and words leave the same in every table', async () => {
  const home = fc.record({
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    facts: factsArbitrary,
  });
  const batches = fc.array(fc.array(home, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(batches, async (chosen) => {
      run++;
      for (const [at, batch] of chosen.entries()) {
        const drafts = batch.map(({ key, facts }) => toDraft(key, facts));
        await writeBoth(`run-${run}`, drafts, NOW + (run * 10 + at) * DAY);
      }
      assert.deepEqual(await contents(loaded.database), await contents(written.database));
    }),
    runs(25, 48),
  );
});

test('so do hundreds at once, some of one home, with texts that a copy has to escape', async () => {
  const drafts = Array.from({ length: 620 }, (_, at) =>
    draft(`many\t${at}\\`, {
      listPrice: 100_000 + at,
      status: at % 3 === 0 ? 'CLOSED' : 'ACTIVE',
      closePrice: at % 3 === 0 ? 90_000 : null,
      closedAt: at % 3 === 0 ? `2025-0${1 + (at % 9)}-01` : null,
      onMarketDate: `2024-0${1 + (at % 9)}-15`,
      listedAt: `2024-0${1 + (at % 9)}-15T10:00:00.123Z`,
      description: `Line\none\r\n\\N \\. "quoted", tab\there, NUL\0, \ud800 and 'words' {${at}}`,
      features: ['a\\b', 'c"d', 'e,f', '{g}', 'null'],
      propertySubType: '\\N',
      address: {
        ...NO_ADDRESS,
        streetNumber: String(1 + Math.floor(at / 2)),
        streetName: "O'Brien \\ Road",
        city: 'Tab\tTown',
      },
    }),
  );
  await writeBoth('many', drafts, NOW + 1_000 * DAY);
  assert.deepEqual(await contents(loaded.database), await contents(written.database));
  const [counted] = await loaded.database.read(
    (sql) => sql<{ n: number }[]>`select count(*)::int as n from listing where source = 'many'`,
  );
  assert.equal(counted?.n, 620);
});

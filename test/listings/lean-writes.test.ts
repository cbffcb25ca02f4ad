// Proof that a change writes anew what it changes, and nothing else.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { storedSnapshot } from '../../src/ingest/listing-change.ts';
import { findLockedListings } from '../../src/ingest/listing-store.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { textRow } from '../../src/ingest/rows/search-row.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { area, at, square } from '../support/catalogue/catalogue.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { DAY, NOW, writeAreas } from '../support/catalogue/random-market.ts';
import { stepArbitrary, take } from '../support/catalogue/random-steps.ts';
import { runs } from '../support/check/runs.ts';
import { testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';

/** Ids of listings whose stored words are not those of their records, and names that are not known. */
async function wrongTexts(database: Database): Promise<string[]> {
  return database.transaction(async (tx) => {
    const ids = (await tx<{ id: string }[]>`select id from listing`).map(({ id }) => id);
    const texts = [...(await findLockedListings(tx, ids)).values()].map((one) =>
      textRow(storedSnapshot(one)),
    );
    const wrong = await tx<{ wrong: string }[]>`
      select listing_id as wrong
      from unnest(${texts.map(({ row }) => String(row.listing_id))}::text[], ${texts.map(({ row }) => String(row.words))}::text[])
        as told (id, said) left join listing_text on listing_id = id where said::tsvector is distinct from words
      union all select name from unnest(${texts.flatMap(({ names }) => names)}::text[]) as name
      where name not in (select word from search_word)`;
    return wrong.map((row) => row.wrong);
  });
}

test('whatever is written, the words of each listing are those of its record', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { minLength: 3, maxLength: 8 }), async (steps) => {
      const { database } = await testDatabase(t);
      const clocked = { ...database, clock: manualClock(NOW) };
      await writeAreas(clocked);
      for (const [day, step] of steps.entries()) {
        await take(clocked, step, NOW + day * DAY);
        assert.deepEqual(await wrongTexts(database), []);
      }
      await database.close(1_000);
    }),
    { ...runs(12, 60), endOnFailure: true },
  );
});

test('a listing that moves into an area has its word, and no longer once it has left', async (t) => {
  const { database } = await testDatabase(t);
  const catalogue = createCatalogue(database);
  await writeAreaBatch(database, 'test', [
    area({ type: 'custom', name: 'Zone', boundary: square(20, 10, 1) }),
  ]);
  for (const lng of [15, 20.5, 15]) {
    const moved = draft('m', { location: at(10.5, lng) });
    await database.transaction((tx) => catalogue.write(tx, 'test', [moved], NOW));
    assert.deepEqual(await wrongTexts(database), []);
  }
});

test('a street that comes to be shown is a name that typos are matched against', async (t) => {
  const { database } = await testDatabase(t);
  const catalogue = createCatalogue(database);
  const write = (listing: boolean) => {
    const display = { listing, address: true, estimate: true };
    const address = { ...NO_ADDRESS, streetNumber: '7', streetName: 'Quillby' };
    return database.transaction((tx) => catalogue.write(tx, 'test', [draft('d', { display, address })], NOW));
  };
  await write(false);
  assert.deepEqual(await namesOf(database), []);
  await write(true);
  assert.deepEqual(await namesOf(database), ['quillby']);
});

async function namesOf(database: Database): Promise<string[]> {
  const rows = await database.read((sql) => sql<{ word: string }[]>`select word from search_word`);
  return rows.map(({ word }) => word);
}

test('a price writes neither words nor the property, nor what happened before', async (t) => {
  const { database } = await testDatabase(t);
  const catalogue = createCatalogue(database);
  const write = (listPrice: number, time: number) =>
    database.transaction((tx) => catalogue.write(tx, 'test', [draft('p', { listPrice })], time));
  const written = async () =>
    database.read(
      (sql) => sql<{ row: string }[]>`
        select 'words ' || xmin as row from listing_text union all select 'property ' || xmin from property
        union all select kind || ' ' || xmin from market_event where kind = 'new' order by 1`,
    );
  await write(500_000, NOW);
  const before = await written();
  assert.equal(before.length, 3);
  await write(450_000, NOW + DAY);
  assert.deepEqual(await written(), before);
});

// Proves that free text finds features of homes, of those that were written before it did too.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { MIGRATIONS_FOLDER } from '../../src/postgres/migrations/migrate.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { type Answer, searchClient } from '../support/catalogue/search-client.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const NOW = Date.parse('2026-05-04T12:00:00Z');
const service = await startService({ after }, { clock: manualClock(NOW) });
const { database } = service;
const catalogue = createCatalogue(database);
const ask = searchClient(service);

const write = (drafts: readonly ListingDraft[]) =>
  database.transaction((tx) => catalogue.write(tx, 'test', drafts, service.clock.now()));
const poolRoad = { ...NO_ADDRESS, full: '4 Pool Road, Aldern', streetNumber: '4', streetName: 'Pool Road' };
await write([
  draft('swims', { features: ['pool', 'tennis_court'] }),
  draft('washes', { features: ['washer_dryer'], description: 'No pool, but a view' }),
  draft('lives', { address: poolRoad, features: ['gym', 'off_street_parking'] }),
  draft('floats', { address: poolRoad, features: ['pool'] }),
  draft('stands', {}),
]);

async function found(query: Readonly<Record<string, string>>): Promise<string[]> {
  const { data }: Answer = await ask('sale', { ...query, limit: '100' });
  return data.map(({ provider }) => provider.listingKey ?? '').sort();
}

test('a word of a feature finds the homes that have it, as a word of their description does', async () => {
  assert.deepEqual(await found({ q: 'pool' }), ['floats', 'lives', 'swims', 'washes']);
  assert.deepEqual(await found({ q: 'pool', qFields: 'description' }), ['floats', 'swims', 'washes']);
  assert.deepEqual(await found({ q: 'pool', qFields: 'address' }), ['floats', 'lives']);
  assert.deepEqual(await found({ q: 'Tennis Court' }), ['swims']);
  assert.deepEqual(await found({ q: 'dryer view' }), ['washes']);
});

test('a home is found by a feature from the change on that adds it, and no longer after the one that takes it away', async () => {
  await write([draft('stands', { features: ['sauna'] }), draft('lives', { address: poolRoad })]);
  assert.deepEqual(await found({ q: 'sauna' }), ['stands']);
  assert.deepEqual(await found({ q: 'gym' }), []);
  await write([
    draft('stands', {}),
    draft('lives', { address: poolRoad, features: ['gym', 'off_street_parking'] }),
  ]);
  assert.deepEqual(await found({ q: 'sauna' }), []);
  assert.deepEqual(await found({ q: 'gym' }), ['lives']);
});

test('the migration gives listings of before the words that a write gives them', async () => {
  const words = () =>
    database.read((sql) => sql`select listing_id, words::text from listing_text order by 1`);
  const written = await words();
  const ofFeatures = ['tennis', 'ct', 'washer', 'dryer', 'gym', 'off', 'st', 'parking', 'Dpool'];
  await database.write(async (sql) => {
    await sql`update listing_text set words = ts_delete(words, ${ofFeatures}::text[])`;
    await sql`update listing_text set words = ts_delete(words, 'pool') where listing_id in (
      select id from listing_search where address_key is null and features @> '{pool}')`;
  });
  assert.notDeepEqual(await words(), written);
  const migration = await readFile(join(MIGRATIONS_FOLDER, '022_feature_words.sql'), 'utf8');
  await database.write((sql) => sql.unsafe(migration));
  assert.deepEqual(await words(), written);
});

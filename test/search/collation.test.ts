// Proves that answers do not depend on how the database orders texts.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareSearches } from '../../src/cli/doctor/doctor-compare.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { englishDatabase } from '../support/database/database.ts';
import { startService, type TestService } from '../support/service/service.ts';

/** Ordered by code points. In English `a z` comes before `aa`, `zeta` after `\u00e4`; by units of UTF-16 the house comes before `\uff42`. */
const WORDS = ['a-z', 'aa', 'ab', 'b c', 'ba', 'zeta', 'ä', 'äa', '\uff42', '\u{1f3e0}'];

/** The same with names that differ by more than accents. */
const CITIES = ['a-z', 'aa', 'ab', 'b c', 'ba', 'zeta', 'я', 'яa', '\ufa0e', '\u{1f3e0}'];

async function write(service: TestService): Promise<void> {
  const drafts = CITIES.toReversed().map((city, at) =>
    draft(city, {
      listPrice: 1,
      address: { ...NO_ADDRESS, city },
      features: [`f${WORDS.toReversed()[at]}`],
      bedrooms: at + 2,
    }),
  );
  await service.database.transaction((tx) =>
    createCatalogue(service.database).write(tx, 'test', drafts, service.clock.now()),
  );
}

async function facets(service: TestService) {
  const path = '/v1/search/sales?facets=city,features,bedrooms';
  const answer = await service.get(path, service.keys.internal, { 'cache-control': 'no-cache' });
  const body = (await answer.json()) as { facets: Record<string, { value: string | number }[]> };
  const valuesOf = (name: string) => body.facets[name]?.map(({ value }) => value);
  return [valuesOf('city'), valuesOf('features'), valuesOf('bedrooms')];
}

const EXPECTED = [CITIES, WORDS.map((word) => `f${word}`), [10, 11, 2, 3, 4, 5, 6, 7, 8, 9]];

test('values with one count have one order, from memory and from a PostgreSQL that orders texts as in English', async (t) => {
  const environment = { SEARCH_ENGINE: 'memory' };
  const service = await startService(t, { createDatabase: englishDatabase, environment });
  await write(service);
  assert.deepEqual(await facets(service), EXPECTED);
  const { state, detail } = await compareSearches(service.database);
  assert.equal(state, 'ok', detail);
});

test('where PostgreSQL answers by itself, the order is the same', async (t) => {
  const environment = { SEARCH_ENGINE: 'postgres' };
  const service = await startService(t, { createDatabase: englishDatabase, environment });
  await write(service);
  assert.deepEqual(await facets(service), EXPECTED);
});

test('similar places are suggested where names with other first letters stand among them', async (t) => {
  const service = await startService(t, { createDatabase: englishDatabase });
  const drafts = ['Aarhus', 'Ärlöv', 'Azov'].map((city) =>
    draft(city, { listPrice: 1, address: { ...NO_ADDRESS, city } }),
  );
  await service.database.transaction((tx) =>
    createCatalogue(service.database).write(tx, 'test', drafts, service.clock.now()),
  );
  const { meta }: { meta: { suggestions: { suggestions: string[] }[] | null } } = await service.json(
    '/v1/search/sales?city=azof',
    service.keys.internal,
  );
  assert.deepEqual(
    meta.suggestions?.map(({ suggestions }) => suggestions),
    [['Azov']],
  );
});

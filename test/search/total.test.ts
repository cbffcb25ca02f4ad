// Proves that a total is what a walk to the end meets and what facets add up to, however many listings there are.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { factsArbitrary, NOW, writeAreas, writeMarket } from '../support/catalogue/random-market.ts';
import { idsOf, searchClient, walk } from '../support/catalogue/search-client.ts';
import { runs } from '../support/check/runs.ts';
import { FILTERS } from '../support/oracle/search-oracle.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const service = await startService({ after }, { clock: manualClock(NOW) });
const { database } = service;
const ask = searchClient(service);
await writeAreas(database);
const [facts = []] = fc.sample(fc.array(factsArbitrary, { minLength: 300, maxLength: 300, size: 'max' }), {
  seed: 31,
  numRuns: 1,
});
await writeMarket(database, createCatalogue(database), facts);

const filter = fc.oneof(
  fc.constant({}),
  ...FILTERS.filter((each) => !each.rentalOnly && !each.parameters.includes('ids')).map(
    ({ values }) => values,
  ),
);

interface Counts {
  readonly facets: { readonly status: readonly { readonly count: number }[] };
}

test('a walk to its end meets as many listings as every page of it says there are', async () => {
  let pages = 0;
  await fc.assert(
    fc.asyncProperty(filter, async (one) => {
      const query = { ...one, limit: '7' };
      const found = await walk(ask, 'sale', query);
      const value = idsOf(found).length;
      for (const { total } of found) assert.deepEqual(total, { value, relation: 'exact' });
      pages += found.length;
    }),
    runs(60, 5),
  );
  assert.ok(pages > 60, `${pages} pages were read`);
});

test('a facet that every listing has adds up to the total, which is exact', async () => {
  await fc.assert(
    fc.asyncProperty(filter, async (one) => {
      const query = { ...one, limit: '1', facets: 'status,features' };
      const { total, facets } = (await ask('sale', query)) as Awaited<ReturnType<typeof ask>> & Counts;
      const value = facets.status.reduce((sum, { count }) => sum + count, 0);
      assert.deepEqual(total, { value, relation: 'exact' });
    }),
    runs(40, 6),
  );
});

test('very many listings are all counted, whether a count is asked for or not', async () => {
  const catalogue = createCatalogue(database);
  const before = (await ask('rental', { limit: '1' })).total?.value ?? 0;
  const rentals = Array.from({ length: 10_005 }, (_, at) => draft(`many-${at}`, { listingType: 'rental' }));
  for (let from = 0; from < rentals.length; from += 1_000)
    await database.transaction((tx) => catalogue.write(tx, 'test', rentals.slice(from, from + 1_000), NOW));
  const count = before + rentals.length;
  const whole = { value: count, relation: 'exact' };
  for (const query of [{}, { count: 'exact' }, { count: 'estimate' }, { facets: 'bedrooms' }]) {
    const { total, meta } = await ask('rental', { limit: '1', ...query });
    assert.deepEqual(total, whole, JSON.stringify(query));
    assert.equal(meta.totalNote, null);
  }
  assert.equal((await ask('rental', { limit: '1', count: 'none' })).total, null);
});

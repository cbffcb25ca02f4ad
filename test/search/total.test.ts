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

const service = await startService(
  { after },
  { clock: manualClock(NOW), environment: { SEARCH_ENGINE: 'postgres' } },
);
const { database } = service;
const ask = searchClient(service);
await writeAreas(database);
const [facts = []] = fc.sample(fc.array(factsArbitrary, { minLength: 300, maxLength: 300, size: 'max' }), {
  ...{ seed: 31, numRuns: 1 },
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

/** Copies of the one rental, numbered; faster than writing each as a source does. */
async function copyRental(from: number, to: number): Promise<void> {
  await database.transaction(
    async (tx) => {
      await tx`create temp table copied on commit drop as
        select listing.*, n from listing, generate_series(${from}::integer, ${to}::integer) as n
        where listing_key = 'rental'`;
      await tx`create temp table found on commit drop as select listing_search.*, n
        from listing_search join copied on copied.id = listing_search.id`;
      for (const table of ['copied', 'found']) await tx`update ${tx(table)} set id = 'lst_copy' || n`;
      await tx`update copied set listing_key = 'copy' || n`;
      for (const table of ['copied', 'found']) await tx`alter table ${tx(table)} drop column n`;
      await tx`insert into listing select * from copied`;
      await tx`insert into listing_search select * from found`;
    },
    { timeout: 60_000 },
  );
}

test('very many listings are all counted, whether a count is asked for or not', async () => {
  await database.transaction((tx) => tx`delete from listing_search where listing_type = 'rental'`);
  await database.transaction((tx) =>
    createCatalogue(database).write(tx, 'test', [draft('rental', { listingType: 'rental' })], NOW),
  );
  const count = 10_005;
  await copyRental(2, count);
  const whole = { value: count, relation: 'exact' };
  for (const query of [{}, { count: 'exact' }, { count: 'estimate' }, { facets: 'bedrooms' }]) {
    const { total, meta } = await ask('rental', { limit: '1', ...query });
    assert.deepEqual(total, whole, JSON.stringify(query));
    assert.equal(meta.totalNote, null);
  }
  assert.equal((await ask('rental', { limit: '1', count: 'none' })).total, null);
});

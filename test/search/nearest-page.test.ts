// Proves that a page is whole also where it lies behind the listings next in its order, which are looked at first.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { compileQuery } from '../../src/http/input/query.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { resolveQuery } from '../../src/search/http/resolve-query.ts';
import { isPerhapsNext, NEXT } from '../../src/search/legacy/page-ways.ts';
import { findPage } from '../../src/search/legacy/search-store.ts';
import { SaleSearchQuery, type SearchQuery } from '../../src/search/query/parameters.ts';
import { planSearch } from '../../src/search/query/plan.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { testDatabase } from '../support/database/database.ts';

const NOW = Date.UTC(2026, 2, 1);
const MINUTE = 60_000;
const DEAR = 2_000_000;
const { database } = await testDatabase({ after });

/** The newest first: cheap ones, as many as are looked at; of those behind them every second is dear. */
const homes = Array.from({ length: NEXT + 40 }, (_, place) => ({
  key: `home-${place}`,
  price: place >= NEXT && place % 2 === 0 ? DEAR + place : 100_000 + place,
  listedAt: new Date(NOW - place * MINUTE).toISOString(),
}));
const { ids } = await database.transaction((tx) =>
  createCatalogue(database).write(
    tx,
    'test',
    homes.map(({ key, price, listedAt }) => draft(key, { listPrice: price, listedAt })),
    NOW,
  ),
);

const readQuery = compileQuery(SaleSearchQuery);
const planOf = (query: Record<string, string>) =>
  planSearch('sale', readQuery(new URLSearchParams(query).toString()) as SearchQuery, 5, NOW);

const named = async () => [];

async function pageOf(query: Record<string, string>) {
  const plan = planOf(query);
  const resolved = await resolveQuery({ database, named }, plan);
  assert.ok(isPerhapsNext(plan, resolved));
  const { rows, more } = await findPage(database, plan, resolved);
  return { found: rows.map(({ listing }) => listing.id), more };
}

const idsOf = (wanted: readonly { readonly key: string }[]) => wanted.map(({ key }) => ids.get(key));

test('what is met among the next in the order is the page, and what lies behind them is found all the same', async () => {
  const cheap = await pageOf({ minPrice: '100001' });
  assert.deepEqual(cheap, { found: idsOf(homes.slice(1, 6)), more: true });
  const dear = homes.filter(({ price }) => price >= DEAR);
  assert.deepEqual(await pageOf({ minPrice: String(DEAR) }), { found: idsOf(dear.slice(0, 5)), more: true });
  assert.deepEqual(await pageOf({ minPrice: String(DEAR), sort: 'listedAt' }), {
    found: idsOf(dear.slice(-5).reverse()),
    more: true,
  });
  assert.deepEqual(await pageOf({ minPrice: String(dear.at(-2)?.price) }), {
    found: idsOf(dear.slice(-2)),
    more: false,
  });
});

// Check of the load: the tables contain what the catalogue would write for the same drafts.

import assert from 'node:assert/strict';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { Database, Transaction } from '../../src/postgres/client/database.ts';
import { listingsOf } from './drafts.ts';
import type { Loaded } from './load.ts';
import { SOURCE, TABLES, type Table } from './rows.ts';
import { country } from './towns.ts';

const SAMPLE = 60;

/** Throws where counts disagree, or where a sample of properties, written anew, differs in any table. */
export async function checkLoad(database: Database, loaded: Loaded): Promise<void> {
  const [counts] = await database.read(
    (sql) => sql<{ listings: number; rows: number; texts: number; facts: number; wrong: number }[]>`
      select (select count(*) from listing) as listings, (select count(*) from listing_search) as rows,
        (select count(*) from listing_text) as texts, (select count(*) from market_listing) as facts,
        (with counted as (
          select no as area_no, listing_type, count(*)::integer as active
          from listing_search, unnest(area_nos) as no where status = 'ACTIVE' and displayed group by 1, 2)
        select count(*) from counted full join area_count using (area_no, listing_type)
          where coalesce(counted.active, 0) <> coalesce(area_count.active, 0)) as wrong`,
  );
  assert(counts && counts.listings >= loaded.listings, 'every listing was written');
  assert.deepEqual(new Set([counts.listings]), new Set([counts.rows, counts.texts, counts.facts]));
  assert.equal(counts.wrong, 0, 'the counts of areas are those of a recount');
  await checkSample(database, loaded);
}

async function checkSample(database: Database, { seed, today }: Loaded): Promise<void> {
  const { towns } = country(seed);
  const seen = Array.from({ length: SAMPLE }, (_, at) => listingsOf(towns, seed, at * 101, today)).flat();
  const catalogue = createCatalogue(database);
  const rolledBack = new Error('The sample is put back');
  const proof = database.transaction(async (tx) => {
    const listings: string[] = [];
    for (const { draft, observedAt } of seen) {
      const applied = await catalogue.write(tx, SOURCE, [draft], observedAt);
      assert.equal(applied.unchanged, 1, `${draft.listingKey} stands as it would be written`);
      listings.push(...applied.ids.values());
    }
    const found = await tx<{ id: string }[]>`
      select distinct property_id as id from listing where id = any(${listings}::text[])`;
    const properties = found.map(({ id }) => id);
    const before = await contents(tx, listings, properties);
    await removeAll(tx, listings, properties);
    for (const { draft, observedAt } of seen) await catalogue.write(tx, SOURCE, [draft], observedAt);
    assert.deepEqual(
      await contents(tx, listings, properties),
      before,
      'written anew, the sample is the same',
    );
    throw rolledBack;
  });
  await proof.catch((error: unknown) => {
    if (error !== rolledBack) throw error;
  });
}

const KEYS: Readonly<Record<Table, string>> = {
  property: 'id',
  listing: 'id',
  listing_search: 'id',
  listing_text: 'listing_id',
  listing_event: 'listing_id',
  market_listing: 'listing_id',
  market_period: 'listing_id',
  market_event: 'listing_id',
};

async function contents(
  tx: Transaction,
  listings: readonly string[],
  properties: readonly string[],
): Promise<Record<string, unknown>> {
  const tables: Record<string, unknown> = {};
  for (const table of TABLES) {
    const ids = table === 'property' ? properties : listings;
    const rows = await tx<{ row: Record<string, unknown> }[]>`
      select to_jsonb(one) - '{sequence,change_batch_id,change_ordinal}'::text[] as row from ${tx(table)} as one
      where ${tx(KEYS[table])} = any(${[...ids]}::text[])`;
    tables[table] = rows.map(({ row }) => JSON.stringify(row)).sort();
  }
  return tables;
}

async function removeAll(tx: Transaction, listings: readonly string[], properties: readonly string[]) {
  for (const table of TABLES.toReversed()) {
    const ids = table === 'property' ? properties : listings;
    await tx`delete from ${tx(table)} where ${tx(KEYS[table])} = any(${[...ids]}::text[])`;
  }
}

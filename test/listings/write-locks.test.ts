// Proves that writers of listings which meet in any order wait for each other and never for one another: none is cut off.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { writeNames } from '../../src/areas/name-store.ts';
import { deleteAreasOf } from '../../src/areas/write-store.ts';
import { writeAreaBatch, writeAreaDrafts } from '../../src/ingest/area-writer.ts';
import { propertyId, propertyIdentity } from '../../src/ingest/identity.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { type Database, openDatabase, type Transaction } from '../../src/postgres/client/database.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { until } from '../support/check/until.ts';
import { testDatabase } from '../support/database/database.ts';

const { database, url, name } = await testDatabase({ after });
const catalogue = createCatalogue(database);
const NOW = Date.UTC(2026, 0, 10);

/** Holds what `take` locks until it is told to let go; resolves when it is held. */
async function gate(take: (tx: Transaction) => Promise<unknown>): Promise<() => Promise<void>> {
  const own = openDatabase({ url, maxConnections: 1, applicationName: 'gate', timeout: 20_000 });
  const [held, open] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const holding = own
    .transaction(async (tx) => {
      await take(tx);
      held.resolve();
      await open.promise;
      throw new Error('undone');
    })
    .catch(() => {});
  await held.promise;
  return async () => {
    open.resolve();
    await holding;
    await own.close(1_000);
  };
}

/** Resolves when so many of the writers wait for a lock. */
const waiting = (count: number): Promise<void> =>
  until(`${count} wait`, async () => {
    const [row] = await database.read(
      (sql) => sql<{ waits: number }[]>`
        select count(*)::integer as waits from pg_stat_activity
        where application_name = ${name} and wait_event_type = 'Lock'`,
    );
    return row?.waits === count;
  });

/** Two writers: the second begins when the first stands at the gate, which opens when both wait. */
async function meet(
  take: (tx: Transaction) => Promise<unknown>,
  first: (tx: Transaction) => Promise<unknown>,
  second: (tx: Transaction) => Promise<unknown>,
): Promise<void> {
  const open = await gate(take);
  const one = database.transaction(first);
  await waiting(1);
  const two = database.transaction(second);
  await waiting(2);
  await open();
  await Promise.all([one, two]);
}

test('two writers of names in opposite orders both write', async () => {
  await meet(
    (tx) => writeNames(tx, ['mmmm']),
    (tx) => writeNames(tx, ['aaaa', 'mmmm', 'zzzz']),
    (tx) => writeNames(tx, ['zzzz', 'aaaa']),
  );
  const rows = await database.read((sql) => sql`select word from search_word order by word`);
  assert.deepEqual(
    rows.map(({ word }) => word),
    ['aaaa', 'mmmm', 'zzzz'],
  );
});

const write =
  (source: string, drafts: readonly ListingDraft[], gone: readonly string[] = []) =>
  (tx: Transaction) =>
    catalogue.write(tx, source, drafts, NOW, gone);
const area = (externalId: string) => ({
  type: 'city' as const,
  externalId,
  name: externalId,
  aliases: [],
  codes: {},
  parentReference: null,
  population: null,
  boundary: null,
});
const inCity = (city: string) => ({ address: { ...NO_ADDRESS, city } });

test('a page that brings and takes listings, and one listing fetched live meanwhile, are both written', async () => {
  await writeAreaBatch(database, 'test', ['Aldern', 'Birch'].map(area));
  await database.transaction(write('a', [draft('leaving', inCity('Aldern'))]));
  await meet(
    (tx) =>
      tx`insert into area_count (area_no, listing_type, licence_no, active) select no, 'sale', 1, 0 from area where name = 'Birch'`,
    write('a', [draft('new', inCity('Aldern')), draft('other', inCity('Birch'))], ['leaving']),
    write('a', [draft('leaving', { ...inCity('Aldern'), status: 'PENDING' })]),
  );
  const rows = await countsOf(database);
  assert.deepEqual(rows, { Aldern: 1, Birch: 1 });
});

test('two writers of the same areas in opposite orders are both written, in one transaction of one batch or of more', async () => {
  const named = (id: string, name: string) => ({ ...area(id), name });
  await writeAreaBatch(database, 'test', ['Cedar', 'Dogwood'].map(area));
  const begun = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const one = database.transaction(async (tx) => {
    await writeAreaDrafts(tx, 'test', [named('Cedar', 'Cedar one')], NOW);
    begun.resolve();
    await open.promise;
    await writeAreaDrafts(tx, 'test', [named('Dogwood', 'Dogwood one')], NOW);
  });
  await begun.promise;
  const two = database.transaction((tx) =>
    writeAreaDrafts(tx, 'test', [named('Dogwood', 'Dogwood two'), named('Cedar', 'Cedar two')], NOW),
  );
  await waiting(1);
  open.resolve();
  await Promise.all([one, two]);
  const rows = await database.read(
    (sql) => sql`select name from area where external_id in ('Cedar', 'Dogwood') order by name`,
  );
  assert.deepEqual(
    rows.map(({ name }) => name),
    ['Cedar two', 'Dogwood two'],
  );
});

test('a removal of the areas of a source, and a writer of one of them meanwhile, are both done', async () => {
  const own = (id: string, name: string) => ({ ...area(id), name });
  await writeAreaBatch(database, 'leaving', [own('Elm', 'Elm'), own('Fir', 'Fir')]);
  const begun = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const writing = database.transaction(async (tx) => {
    await writeAreaDrafts(tx, 'leaving', [own('Elm', 'Elm one')], NOW);
    begun.resolve();
    await open.promise;
    await writeAreaDrafts(tx, 'leaving', [own('Fir', 'Fir one')], NOW);
  });
  await begun.promise;
  const removing = database.transaction((tx) => deleteAreasOf(tx, 'leaving'));
  await waiting(1);
  open.resolve();
  const [, removed] = await Promise.all([writing, removing]);
  assert.equal(removed, 2);
});

async function countsOf(from: Database): Promise<Record<string, number>> {
  const rows = await from.read(
    (sql) => sql<{ name: string; active: number }[]>`
      select name, active from area_count join area on no = area_no where active <> 0`,
  );
  return Object.fromEntries(rows.map((row) => [row.name, row.active]));
}

test('two sources that tell of one property at once are both written', async () => {
  const address = { ...NO_ADDRESS, county: 'Umbra', state: 'UM' };
  const at = (key: string, parcelNumber: string, facts: Partial<ListingDraft>) =>
    draft(key, { address, parcelNumber, ...facts });
  const parcelOf = (parcel: string) => propertyId(propertyIdentity('x', at('x', parcel, {})));
  const [low = '', high = ''] = ['P-1', 'P-2'].sort((a, b) => (parcelOf(a) < parcelOf(b) ? -1 : 1));
  const later = { onMarketDate: '2026-01-05', status: 'ACTIVE' as const } satisfies Partial<ListingDraft>;
  const earlier = { onMarketDate: '2025-12-01', status: 'CLOSED' as const, offMarketAt: '2025-12-20' };
  await database.transaction(write('a', [at('later', high, later), at('low', low, later)]));
  await meet(
    (tx) => tx`select from property where id = ${parcelOf(low)} for update`,
    write('a', [at('later', high, { ...later, bedrooms: 2 }), at('low', low, { ...later, bedrooms: 3 })]),
    write('b', [at('earlier', high, earlier)]),
  );
  const [row] = await database.read(
    (
      sql,
    ) => sql`select bedrooms, earlier_days_on_market as days, count(*) over (partition by property_id)::int as told
      from listing join listing_search using (id) where listing_key in ('later', 'earlier') order by listing_key desc`,
  );
  // Days on the market of another source are not this one's to tell.
  assert.deepEqual(row, { bedrooms: 2, days: 0, told: 2 });
});

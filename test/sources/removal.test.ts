// Proves that a removed source leaves nothing behind: the database, searches, figures, events and the log are as without it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { updateAllPlacements, writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { listingId } from '../../src/ingest/identity.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { takeReaderLease } from '../../src/sources/reader-lease.ts';
import { removeSource, SourceInUse } from '../../src/sources/removal.ts';
import { area, at, square } from '../support/catalogue/catalogue.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { importFile } from '../support/catalogue/imports.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService, type TestService } from '../support/service/service.ts';
import type { ReadEvent, ReadPage } from '../support/watch/event-service.ts';
import { isMatched } from '../support/watch/matching-oracle.ts';
import { sendWatcher } from '../support/watch/watchers.ts';

/** Noon of a day in 2026. */
const NOON = Date.UTC(2026, 2, 1, 12);
const DAY = 86_400_000;
const folder = await temporaryFolder({ after }, 'removal');

/** Homes of two sources; every third one is the same property in both. */
function homes(source: string, offset: number): ListingDraft[] {
  return Array.from({ length: 30 }, (_, number) =>
    draft(`${source}-${number}`, {
      listPrice: 100_000 + offset + number * 1_000,
      currency: source === 'kept' ? 'USD' : number % 2 === 0 ? 'USD' : 'EUR',
      livingArea: 1_000 + number,
      onMarketDate: new Date(NOON - (60 - offset - number) * DAY).toISOString().slice(0, 10),
      location: at(40.5 + number / 100, -90.5),
      universalPropertyId: number % 3 === 0 ? `home-${number}` : null,
      address: { ...NO_ADDRESS, city: number % 2 === 0 ? 'Shared' : `Only ${source}`, country: 'US' },
      features: ['pool', `${source} sauna`],
    }),
  );
}

async function writeSource(database: Database, source: string, offset: number): Promise<void> {
  const catalogue = createCatalogue(database);
  const drafts = homes(source, offset);
  await writeAreaBatch(database, source, [
    area({ type: 'city', name: `${source} town`, boundary: square(-91, 40, 2) }),
  ]);
  await updateAllPlacements(database);
  const write = (some: readonly ListingDraft[], time: number) =>
    database.transaction((tx) => catalogue.write(tx, source, some, time));
  await write(drafts, NOON);
  // Prices fall and homes close, so that there are figures of several kinds.
  const closed = { status: 'CLOSED', closedAt: '2026-03-03', closePrice: 90_000 } as const;
  await write(
    drafts.map((each, number) =>
      number % 4 === 0 ? { ...each, ...closed } : { ...each, listPrice: (each.listPrice ?? 0) - 5_000 },
    ),
    NOON + 2 * DAY,
  );
}

/** Everything that listings and areas left, without numbers, versions and times of the service. */
async function stored(database: Database): Promise<Record<string, unknown>> {
  const read = (
    name: string,
    rows: (sql: Parameters<Parameters<Database['read']>[0]>[0]) => Promise<unknown>,
  ) => database.read(async (sql) => [name, await rows(sql)] as const);
  return Object.fromEntries(
    await Promise.all([
      read(
        'listings',
        (sql) => sql`
          select l.id, l.source, l.property_id, l.status, l.earlier_days_on_market, l.record,
            array(select a.id from unnest(l.area_nos) as no join area a using (no) order by 1) as areas,
            cardinality(l.area_nos) as area_count, s.price, s.provider_id,
            array(select w from unnest(tsvector_to_array(t.words)) as w where w !~ '^#' order by 1) as words
          from listing l join listing_search s using (id) join listing_text t on listing_id = l.id order by l.id`,
      ),
      read(
        'orphans',
        (sql) => sql`
          select (select count(*)::int from listing_search) as searched, (select count(*)::int from listing_text) as texts,
            (select count(*)::int from listing_reso) as reso, (select count(*)::int from listing_confirmation) as confirmed`,
      ),
      read('properties', (sql) => sql`select id from property order by id`),
      read('areas', (sql) => sql`select id, parent_id from area order by id`),
      read(
        'counts',
        (sql) =>
          sql`select area.id, listing_type, active from area_count join area on no = area_no where active <> 0 order by 1, 2`,
      ),
      read(
        'history',
        (sql) =>
          sql`select listing_id, event, at, price, status from listing_event order by listing_id, sequence`,
      ),
      read('market listings', (sql) => sql`select * from market_listing order by listing_id`),
      read(
        'periods',
        (sql) => sql`select * from market_period order by listing_id, started_at, ended_at, price`,
      ),
      read('facts', (sql) => sql`select * from market_event order by listing_id, at, kind`),
      read('names', (sql) => sql`select listing_type, kind, key from search_name order by 1, 2, 3`),
      read(
        'currencies',
        (sql) => sql`select distinct listing_type, currency from listing_currency order by 1, 2`,
      ),
      read('freshness', (sql) => sql`select source from source_freshness order by 1`),
    ]),
  );
}

test('without a source everything that is stored of the others is as if it had never been there', async (t) => {
  const [both, alone] = [await testDatabase(t), await testDatabase(t)];
  await writeSource(both.database, 'kept', 0);
  await writeSource(both.database, 'gone', 10);
  await writeSource(alone.database, 'kept', 0);
  const before = await stored(both.database);
  assert.notDeepEqual(before, await stored(alone.database));
  const removal = await removeSource({ database: both.database, source: 'gone' });
  assert.deepEqual(removal, { source: 'gone', listings: 30, areas: 1, removed: 30 });
  const expected = await stored(alone.database);
  const remaining = await stored(both.database);
  for (const name of Object.keys(expected)) assert.deepEqual(remaining[name], expected[name], name);
});

test('figures that a removed source had a part in are as if it had never been there', async (t) => {
  const clock = () => manualClock(NOON + 40 * DAY);
  const [both, alone] = [
    await startService(t, { clock: clock() }),
    await startService(t, { clock: clock() }),
  ];
  await writeSource(both.database, 'kept', 0);
  await writeSource(both.database, 'gone', 10);
  await writeSource(alone.database, 'kept', 0);
  const figures = async (service: TestService): Promise<unknown> => {
    const path = '/v1/market/history?listingType=sale&currency=USD&limit=100';
    const read = async (scope: string): Promise<unknown> => {
      const { points }: { points: unknown } = await service.json(`${path}${scope}`, service.keys.internal);
      return points;
    };
    return [await read(''), await read('&areaId=city-kept-town')];
  };
  const expected = await figures(alone);
  assert.notDeepEqual(await figures(both), expected);
  await removeSource({ database: both.database, source: 'gone' });
  assert.deepEqual(await figures(both), expected);
});

test('searches, pages, events and the log of changes show no removed listing, and watchers hear nothing', async (t) => {
  const service = await startService(t);
  const { database, keys } = service;
  await importFile(database, folder, { name: 'first.csv', content: 'id,price\na,1000\nb,2000\n' });
  const target = { type: 'search', listingType: 'sale', query: { maxPrice: 5_000 } };
  const { status, text } = await sendWatcher(service, 'POST', '', { key: keys.business, body: { target } });
  assert.equal(status, 201, text);
  await importFile(database, folder, { name: 'second.csv', content: 'id,price\na,900\nb,2000\nc,3000\n' });
  const events = async (): Promise<readonly ReadEvent[]> => {
    await until('all changes are matched', () => isMatched(database));
    const page: ReadPage = await service.json('/v1/events?limit=100', keys.business);
    return page.data;
  };
  const told = await events();
  const [a, c] = [listingId('small', 'a'), listingId('small', 'c')];
  assert.ok(told.some(({ data }) => (data.object as { price?: number }).price === 3_000));
  const now: { page: { nextCursor: string } } = await service.json('/v1/changes?after=now', keys.business);
  const head = now.page.nextCursor;

  await removeSource({ database, source: 'small' });
  const after = await events();
  assert.deepEqual(
    after.map(({ id }) => id),
    told.map(({ id }) => id),
  );
  for (const { data } of after) {
    assert.deepEqual(Object.keys(data.object as object), ['id']);
    assert.equal(data.previous, null);
  }
  const changes: { data: { type: string; listingId: string; listing: unknown }[] } = await service.json(
    `/v1/changes?after=${head}`,
    keys.business,
  );
  assert.deepEqual(
    changes.data.map(({ type, listing }) => [type, listing]),
    Array.from({ length: 3 }, () => ['removed', null]),
  );
  assert.ok(changes.data.some(({ listingId: id }) => id === c));
  assert.equal((await service.get(`/v1/property/${a}`, keys.business)).status, 404);
  await until('searches find nothing', async () => {
    const { data }: { data: unknown[] } = await service.json('/v1/search/sales', keys.business);
    return data.length === 0;
  });
});

test('a source of which every listing was lost is removed, and the log goes on', async (t) => {
  const { database } = await testDatabase(t);
  const catalogue = createCatalogue(database);
  const write = (source: string, status: 'ACTIVE' | 'DELETED') =>
    database.transaction((tx) => catalogue.write(tx, source, [draft('home', { status })], NOON));
  await write('gone', 'ACTIVE');
  await write('gone', 'DELETED');
  await removeSource({ database, source: 'gone' });
  await write('kept', 'ACTIVE');
  assert.deepEqual(await database.read((sql) => sql`select source from listing`), [{ source: 'kept' }]);
});

test('a source that is imported again after its removal is shown as the new file says', async (t) => {
  const service = await startService(t);
  const { database, keys } = service;
  // Without no-cache: what is kept in memory counts.
  const prices = async (): Promise<number[]> => {
    const headers = { authorization: `Bearer ${keys.business}` };
    const answer = await fetch(`${service.url}/v1/search/sales?sort=price`, { headers });
    const { data } = (await answer.json()) as { data: { price: number }[] };
    return data.map(({ price }) => price);
  };
  await importFile(database, folder, { name: 'wrong.csv', content: 'id,price\na,1\nb,2\n' });
  for (let times = 0; times < 3; times++)
    await until('the first file is found', async () => String(await prices()) === '1,2');
  await removeSource({ database, source: 'small' });
  await until('nothing is found', async () => (await prices()).length === 0);
  await importFile(database, folder, { name: 'right.csv', content: 'id,price\na,100\nb,200\n' });
  await until('something is found', async () => (await prices()).length === 2);
  assert.deepEqual(await prices(), [100, 200]);
});

test('a process reading or importing a source keeps it from being removed', async (t) => {
  const { database } = await testDatabase(t);
  await writeSource(database, 'gone', 0);
  const lock = await takeReaderLease(database, 'gone');
  assert.ok(lock);
  await assert.rejects(removeSource({ database, source: 'gone' }), SourceInUse);
  await lock.release();
  const [row] = await database.read((sql) => sql`select count(*)::int as count from listing`);
  assert.equal(row?.count, 30);
});

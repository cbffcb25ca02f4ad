// How fresh listings and figures are told to be: each by its own source, and renewed by whatever that source says again.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Listing } from '../../src/listings/record.ts';
import { listen } from '../../src/postgres/client/listen.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { NOW, writeAreas } from '../support/catalogue/random-market.ts';
import { until } from '../support/check/until.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const clock = manualClock(NOW);
const service = await startService({ after }, { clock });
const { database, keys } = service;
await writeAreas(database);
const catalogue = createCatalogue(database);

const iso = (at: number): string => new Date(at).toISOString();
const apply = (source: string, drafts: readonly ListingDraft[], at: number) =>
  database.transaction((tx) => catalogue.write(tx, source, drafts, at));

const homes = (city: string, facts: Partial<ListingDraft>): ListingDraft[] =>
  (['sale', 'rental'] as const).flatMap((listingType) =>
    Array.from({ length: 6 }, (_, index) =>
      draft(`${city}-${listingType}-${index}`, {
        listingType,
        listPrice: 1_000 * (index + 1),
        bedrooms: 2,
        livingArea: 900,
        priceFrequency: listingType === 'sale' ? 'ONE_TIME' : 'MONTHLY',
        listedAt: '2025-12-03T09:00:00.000Z',
        upstreamModifiedAt: '2025-12-04T09:00:00.000Z',
        location: { lat: 10.1, lng: 20.1 + index / 100, precision: 'exact' },
        address: { ...NO_ADDRESS, city, state: 'Umbra', full: `${index} ${city} ${listingType}` },
        ...facts,
      }),
    ),
  );

const aldern = homes('Aldern', { sourceName: 'Aldern Board', attribution: 'Data by the Aldern Board' });
const crane = homes('Crane', { sourceName: 'Crane files' }).map((each, index) => ({
  ...each,
  attribution: `Agent ${index}`,
}));
const [early, late] = [NOW - 9 * DAY, NOW - HOUR];
await apply('board', aldern, early);
await apply('files', crane, late);

const BOARD = {
  id: 'board',
  name: 'Aldern Board',
  attribution: 'Aldern Board',
  logoUrl: null,
  dataAsOf: iso(early),
};
/** Its listings each name another agent. */
const FILES = {
  id: 'files',
  name: 'Crane files',
  attribution: 'Crane files',
  logoUrl: null,
  dataAsOf: iso(late),
};

interface Told {
  readonly meta: {
    readonly dataAsOf: string | null;
    readonly sources: readonly unknown[];
    readonly definitions: Readonly<Record<string, string>>;
  };
}
const told = (path: string): Promise<Told> => service.json(`/v1/${path}`, keys.internal);

const IN = { sale: 'listingType=sale&', rental: 'listingType=rental&' };
const MARKET = [
  `stats?${IN.sale}`,
  `history?${IN.rental}periods=2&`,
  `distribution?${IN.sale}measure=price&`,
  'yield?',
];

test('figures are as fresh as the stalest source of their own scope, and name those sources', async () => {
  for (const path of MARKET) {
    const [there, here, both] = [
      await told(`market/${path}city=aldern`),
      await told(`market/${path}city=crane`),
      await told(`market/${path}state=umbra`),
    ];
    assert.deepEqual([there.meta.dataAsOf, there.meta.sources], [iso(early), [BOARD]], path);
    assert.deepEqual([here.meta.dataAsOf, here.meta.sources], [iso(late), [FILES]], path);
    assert.deepEqual([both.meta.dataAsOf, both.meta.sources], [iso(early), [BOARD, FILES]], path);
    const nowhere = await told(`market/${path}city=nowhere`);
    assert.deepEqual([nowhere.meta.dataAsOf, nowhere.meta.sources], [null, []], path);
  }
  const compared = await told(`market/compare?${IN.sale}areaId=city-aldern&areaId=city-crane`);
  assert.deepEqual(compared.meta.sources, [BOARD, FILES]);
  const box = 'bbox=-180,-90,180,90&cluster=true&zoom=3';
  for (const figures of ['stats=inventory', 'facets=bedrooms', 'minBedrooms=1&explain=true', box]) {
    const search = await told(`search/sales?city=aldern&${figures}`);
    assert.equal(search.meta.dataAsOf, iso(early), figures);
  }
});

test('every answer about the market leads to the definition of each of its metrics', async () => {
  const page = await (await service.get('/docs/metrics')).text();
  const { data } = (await service.json('/v1/market/metrics')) as {
    data: { id: string; definition: string }[];
  };
  for (const { id, definition } of data) assert.equal(definition, `${service.url}/docs/metrics#${id}`);
  const compare = `compare?${IN.sale}areaId=city-aldern&metrics=median_list_price_yoy,inventory&`;
  for (const path of [...MARKET, compare]) {
    const answer = await told(`market/${path}`);
    const links = Object.entries(answer.meta.definitions);
    assert.ok(links.length > 1, path);
    for (const [id, url] of links) {
      assert.equal(url, `${service.url}/docs/metrics#${id}`);
      assert.ok(page.includes(`id="${id}"`), `${id} is on the page`);
    }
  }
  assert.deepEqual(Object.keys((await told(`market/${compare}`)).meta.definitions), [
    'median_list_price',
    'inventory',
  ]);
});

/** What a reader sees of one listing, and how. */
async function seen(id: string) {
  const property = await service.get(
    `/v1/property/${id}?include=listings,history&freshness=cached`,
    keys.internal,
  );
  const record = (await property.json()) as {
    fetchedAt: string;
    cacheAgeSeconds: number;
    currentListing: Listing;
    history: unknown[];
  };
  const { data }: { data: Listing[] } = await service.json(`/v1/search/sales?ids=${id}`, keys.internal);
  const [found] = data;
  assert.ok(found);
  const { etag, 'last-modified': modified, age } = Object.fromEntries(property.headers);
  return { record, found, etag, modified, age };
}

test('what a source tells again unchanged is confirmed, and is still the same version', async (t) => {
  const heard: string[] = [];
  const joined = Promise.withResolvers<void>();
  const changes = listen(database, 'listings', (payload) => void heard.push(payload), joined.resolve, {});
  t.after(() => changes.close());
  await joined.promise;
  const { ids } = await apply('board', [], early);
  assert.equal(ids.size, 0);
  const [first] = await database.read(
    (sql) => sql<{ id: string }[]>`
    select id from listing where source = 'board' and listing_type = 'sale' order by id limit 1`,
  );
  assert.ok(first);
  const before = await seen(first.id);
  assert.equal(before.found.fetchedAt, iso(early));
  const events = () => database.read((sql) => sql`select * from listing_event order by sequence`);
  const kept = [...(await events())];

  const again = NOW - 60_000;
  const { unchanged, changed, created } = await apply('board', aldern, again);
  assert.deepEqual({ unchanged, changed, created }, { unchanged: aldern.length, changed: 0, created: 0 });
  const now = await seen(first.id);
  assert.equal(now.found.fetchedAt, iso(again));
  assert.equal(now.record.fetchedAt, iso(again));
  assert.equal(now.record.currentListing.fetchedAt, iso(again));
  assert.equal(now.age, String(now.record.cacheAgeSeconds));
  assert.ok(now.record.cacheAgeSeconds < 120);
  const same = ({ fetchedAt: _, ...listing }: Listing) => listing;
  assert.deepEqual(same(now.found), same(before.found));
  assert.equal(now.etag, before.etag);
  assert.equal(now.modified, before.modified);
  assert.deepEqual([...(await events())], kept);
  const unmodified = await service.get(
    `/v1/property/${first.id}?include=listings,history&freshness=cached`,
    keys.internal,
    { 'if-none-match': before.etag ?? '' },
  );
  assert.equal(unmodified.status, 304);
  assert.equal(unmodified.headers.get('age'), now.age);
  const stats = await told(`market/stats?${IN.sale}city=aldern`);
  assert.equal(stats.meta.dataAsOf, iso(again));

  // A notification of a later change is heard, so none was missed.
  await apply('files', [{ ...(crane[0] ?? draft('none')), listPrice: 7 }], NOW);
  await until('the change is heard of', () => heard.length > 0);
  assert.equal(heard.length, 1);
});

test('what comes late and speaks of an earlier state confirms nothing, and no confirmation turns time back', async () => {
  const fetched = async () =>
    (
      await database.read(
        (sql) => sql<{ at: string }[]>`
      select greatest(listing.fetched_at, confirmed_at) as at from listing join listing_confirmation on listing_id = id
      where listing_key = 'Aldern-sale-1'`,
      )
    )[0]?.at;
  const [mine] = aldern.filter(({ listingKey }) => listingKey === 'Aldern-sale-1');
  assert.ok(mine);
  await apply('board', [{ ...mine, listPrice: 5, upstreamModifiedAt: '2025-12-01T00:00:00.000Z' }], NOW);
  assert.equal(await fetched(), iso(NOW - 60_000));
  await apply('board', [mine], NOW - 2 * HOUR);
  assert.equal(await fetched(), iso(NOW - 60_000));
  const { meta } = await told(`market/stats?${IN.sale}city=aldern`);
  assert.equal(meta.dataAsOf, iso(NOW));
});

test('a reader who takes what is remembered hears of a confirmation within five seconds', async () => {
  const path = '/v1/search/sales?city=aldern&sort=bedrooms&limit=1';
  const remembered = async () => {
    const answer = await service.get(path, keys.internal, { 'cache-control': '' });
    return ((await answer.json()) as { data: Listing[] }).data[0]?.fetchedAt;
  };
  await remembered();
  await remembered();
  clock.advance(HOUR);
  await apply('board', aldern, clock.now());
  clock.advance(5_000);
  assert.equal(await remembered(), iso(clock.now() - 5_000));
});

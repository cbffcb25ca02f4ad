// Proves that pages of cached records are those of records that are read: for every reader, at every moment, after every change.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Listing } from '../../src/listings/record.ts';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { readMetric } from '../support/billing/read-metric.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import { DAY, NOW } from '../support/catalogue/random-market.ts';
import { stepArbitrary, take } from '../support/catalogue/random-steps.ts';
import { runs } from '../support/check/runs.ts';
import { atEnd, type Closing } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService, type TestService } from '../support/service/service.ts';

interface Answer {
  readonly text: string;
  readonly data: readonly Listing[];
}

const SALES = '/v1/search/sales';
const CACHED = { 'cache-control': 'max-age=60' };

async function ask(service: TestService, path: string, key?: string, headers = {}): Promise<Answer> {
  const answer = await service.get(path, key, headers);
  // Every page tells when any source last sent data, which is read once a second.
  const text = (await answer.text()).replace(/"(requestId|dataAsOf)":(?:null|"[^"]*")/g, '"$1":null');
  assert.equal(answer.status, 200, text);
  return { text, data: JSON.parse(text).data ?? [] };
}

/** A page from the cache, where it can be; the one before it was read, so that the engine has what was written. */
async function same(service: TestService, path: string, key?: string): Promise<Answer> {
  const read = await ask(service, path, key);
  for (let time = 0; time < 2; time++) assert.equal((await ask(service, path, key, CACHED)).text, read.text);
  return read;
}

const metric = (service: TestService, name: string) =>
  readMetric(service, `freehold_search_cache_${name}`, {});

const write = (service: TestService, drafts: readonly ListingDraft[], removed: readonly string[] = []) =>
  service.database.transaction((tx) =>
    createCatalogue(service.database).write(tx, 'test', drafts, service.clock.now(), removed),
  );

const home = (key: string, facts: Partial<ListingDraft> = {}): ListingDraft =>
  draft(key, {
    listPrice: 100_000,
    livingArea: 1_000,
    listedAt: '2026-01-01T00:00:00.000Z',
    location: { lat: 10.12345, lng: 20.12345, precision: 'exact' },
    address: { ...NO_ADDRESS, full: '12 Oak Street, Aldern', streetName: 'Oak Street', city: 'Aldern' },
    ...facts,
  });

/** A service whose statements that read records, and when sources confirmed them, are counted. */
async function countingService(t: Closing, environment: Record<string, string> = {}) {
  const counted = { records: 0, confirmations: 0 };
  const service = await startService(t, {
    clock: manualClock(NOW),
    environment,
    async connect(url) {
      const database = openDatabase({ url, maxConnections: 8, timeout: 60_000 });
      atEnd(t, () => database.close(1_000));
      return countingReads(database, (text) => {
        if (!text.includes('with ordinality as requested (id, position) join listing')) return;
        counted[text.includes('"fetchedAt"') ? 'confirmations' : 'records']++;
      });
    },
  });
  return { service, counted };
}

function countingReads(database: Database, onStatement: (text: string) => void): Database {
  return {
    ...database,
    read: (work, options) =>
      database.read((sql) => {
        const counting = new Proxy(sql, {
          apply(target, self, given: Parameters<typeof sql>) {
            onStatement(String(Array.isArray(given[0]) ? given[0].join('') : '').trim());
            return Reflect.apply(target, self, given);
          },
        });
        return work(counting);
      }, options),
  };
}

test('a page whose records are cached reads none, until one of them changes; when sources confirmed them is read every five seconds', async (t) => {
  const { service, counted } = await countingService(t);
  const keys = Array.from({ length: 30 }, (_, at) => `k${at}`);
  await write(
    service,
    keys.map((key) => home(key)),
  );
  const path = `${SALES}?limit=20&sort=price`;
  const first = await ask(service, path, service.keys.pro);
  assert.equal(first.data.length, 20);
  const take = async () => {
    Object.assign(counted, { records: 0, confirmations: 0 });
    const { text, data } = await ask(service, path, service.keys.pro, CACHED);
    return { text, data, ...counted };
  };
  assert.equal((await take()).records, 1);
  for (let time = 0; time < 3; time++) {
    const { text, records, confirmations } = await take();
    assert.deepEqual([text, records, confirmations], [first.text, 0, 0]);
  }
  assert.deepEqual([await metric(service, 'misses_total'), await metric(service, 'hits_total')], [20, 60]);
  const [changed = assert.fail()] = first.data;
  await write(service, [home(changed.provider.listingKey, { listPrice: 99_999 })]);
  await ask(service, path, service.keys.pro);
  const after = await take();
  assert.deepEqual([after.records, after.data[0]?.id, after.data[0]?.price], [1, changed.id, 99_999]);
  assert.equal(await metric(service, 'misses_total'), 21);
  service.clock.advance(60_000);
  await write(
    service,
    keys
      .slice(1)
      .map((key) => home(key))
      .filter(({ listingKey }) => listingKey !== changed.provider.listingKey),
  );
  const confirmed = await take();
  assert.deepEqual([confirmed.records, confirmed.confirmations], [0, 1]);
  assert.equal(confirmed.text, (await ask(service, path, service.keys.pro)).text);
  service.clock.advance(5_000);
  assert.deepEqual([(await take()).confirmations, (await take()).records], [0, 0]);
  service.clock.advance(1);
  assert.deepEqual([(await take()).confirmations, (await take()).confirmations], [1, 0]);
});

test('readers of one listing get it in their units, with their fields and their rights, whoever asked first', async (t) => {
  const { service } = await countingService(t);
  const masked = home('m', {
    display: { listing: true, address: false, estimate: true },
    description: 'See 12 Oak Street',
  });
  await write(service, [
    home('a'),
    masked,
    home('h', { display: { listing: false, address: true, estimate: true } }),
  ]);
  const { internal, business, pro } = service.keys;
  const paths = [
    '',
    'units=metric',
    'fields=price,address.full,daysOnMarket',
    'fields=location',
    'fields=fetchedAt,source',
  ].flatMap((query) => [`${SALES}?limit=5&${query}`, `${SALES}?limit=5&format=geojson&${query}`]);
  for (let time = 0; time < 2; time++)
    for (const path of [...paths, ...paths.toReversed()]) {
      const all = await same(service, `${path}&display=ignore`, internal);
      const some = await same(service, path, pro);
      assert.equal((await same(service, path, business)).text.replace('business', 'pro'), some.text);
      assert.ok(some.text.length < all.text.length);
    }
  const shown = await ask(service, `${SALES}?sort=price`, pro, CACHED);
  assert.deepEqual(shown.data.map(({ address, location }) => [address.full, location?.lat]).toSorted(), [
    ['12 Oak Street, Aldern', 10.12345],
    ['Aldern', 10.12],
  ]);
  assert.doesNotMatch(shown.data.find(({ address }) => address.full === 'Aldern')?.description ?? '', /Oak/);
});

test('a listing that is withdrawn, hidden or deleted leaves the pages, and one whose address is withheld loses it', async (t) => {
  const { service } = await countingService(t);
  const keys = ['a', 'b', 'c', 'd', 'e'];
  await write(
    service,
    keys.map((key) => home(key)),
  );
  const path = `${SALES}?sort=price`;
  assert.equal((await same(service, path)).data.length, 5);
  const display = { listing: true, address: true, estimate: true };
  await write(
    service,
    [
      home('a', { status: 'WITHDRAWN' }),
      home('b', { display: { ...display, listing: false } }),
      home('d', { display: { ...display, address: false } }),
    ],
    ['c'],
  );
  const found = (await ask(service, path, undefined, { 'cache-control': 'no-cache' })).data;
  const cached = (await ask(service, path, undefined, CACHED)).data;
  assert.deepEqual(cached, found);
  assert.deepEqual(cached.map(({ provider, address }) => [provider.listingKey, address.full]).toSorted(), [
    ['d', 'Aldern'],
    ['e', '12 Oak Street, Aldern'],
  ]);
});

test('HEAD, compression and lines answer as they do without a cache', async (t) => {
  const { service } = await countingService(t);
  await write(
    service,
    Array.from({ length: 8 }, (_, at) => home(`k${at}`, { description: 'Küche – „neu“' })),
  );
  const path = `${SALES}?sort=price`;
  const { text } = await same(service, path);
  for (const encoding of ['identity', 'gzip', 'br'])
    assert.equal(
      (await ask(service, path, undefined, { ...CACHED, 'accept-encoding': encoding })).text,
      text,
    );
  const url = `${service.url}${path}`;
  const head = await fetch(url, { method: 'HEAD', headers: { ...CACHED, 'accept-encoding': 'identity' } });
  const whole = await fetch(url, { headers: { ...CACHED, 'accept-encoding': 'identity' } });
  const bytes = (await whole.arrayBuffer()).byteLength;
  assert.deepEqual(
    [head.headers.get('content-length'), whole.headers.get('content-length')],
    [`${bytes}`, `${bytes}`],
  );
  for (const format of ['csv', 'ndjson']) {
    const lines = (headers: object) =>
      service
        .get(`${path}&format=${format}`, service.keys.pro, { ...headers })
        .then((answer) => answer.text());
    assert.equal(await lines(CACHED), await lines({}));
  }
});

test('the cache takes no more than it may, and nothing where it is off, PostgreSQL answers, or parts are included', async (t) => {
  const long = (key: string) => home(key, { description: `${key} `.repeat(6_000) });
  const { service } = await countingService(t, { SEARCH_CACHE_MB: '1' });
  await write(
    service,
    Array.from({ length: 100 }, (_, at) => long(`k${at + 10}`)),
  );
  for (const headers of [{}, CACHED, CACHED])
    await ask(service, `${SALES}?limit=100`, service.keys.internal, headers);
  const bytes = await metric(service, 'bytes');
  assert.ok(bytes > 900_000 && bytes <= 1_000_000, `${bytes} bytes`);
  await write(service, [home('closed', { status: 'CLOSED', closePrice: 5 })]);
  const looked = await metric(service, 'misses_total');
  for (const query of [
    'status=CLOSED',
    'include=history&limit=1',
    'include=daysOnMarket&limit=1',
    'format=csv&limit=1',
  ])
    assert.equal((await service.get(`${SALES}?${query}`, service.keys.internal, CACHED)).status, 200);
  assert.equal(await metric(service, 'misses_total'), looked);
  for (const setting of [{ SEARCH_CACHE_MB: '0' }, { SEARCH_ENGINE: 'postgres' }]) {
    const { service: plain } = await countingService(t, setting);
    await write(plain, [home('a')]);
    for (const headers of [{}, CACHED, CACHED])
      assert.equal((await ask(plain, SALES, undefined, headers)).data.length, 1);
    assert.deepEqual([await metric(plain, 'bytes'), await metric(plain, 'hits_total')], [0, 0]);
  }
});

test('once the cache is full, records that are asked for once displace none, and those asked for twice do', async (t) => {
  const { service } = await countingService(t, { SEARCH_CACHE_MB: '1' });
  const long = (key: string, city: string) =>
    home(key, {
      description: 'x'.repeat(20_000),
      address: { ...NO_ADDRESS, full: `${key}, ${city}`, streetName: key, city },
    });
  const cities = { Often: 20, Seldom: 60, Later: 20 };
  await write(
    service,
    Object.entries(cities).flatMap(([city, count]) =>
      Array.from({ length: count }, (_, at) => long(`${city}${at + 10}`, city)),
    ),
  );
  /** How many of a city's records are found in the cache. */
  const hits = async (city: keyof typeof cities, headers: object = CACHED): Promise<number> => {
    const before = await metric(service, 'hits_total');
    const path = `${SALES}?q=${city}&limit=100`;
    const { data } = await ask(service, path, service.keys.internal, headers);
    assert.equal(data.length, cities[city]);
    return (await metric(service, 'hits_total')) - before;
  };
  await hits('Often', {});
  // More than there is room for.
  await hits('Seldom');
  for (let time = 0; time < 3; time++) await hits('Often');
  assert.equal(await hits('Often'), 20);
  await hits('Later');
  assert.equal(await hits('Often'), 20, 'nothing was displaced');
  assert.equal(await hits('Later'), 0);
  assert.equal(await hits('Later'), 20);
});

test('whatever is written, and however time goes on, cached pages are the pages that are read', async (t) => {
  const clock = manualClock(NOW);
  let days = 0;
  const service = await startService(t, { clock: { ...clock, now: () => clock.now() + days * DAY } });
  const { internal, pro } = service.keys;
  const terms = { listingType: 'rental', priceFrequency: 'MONTHLY' } as const;
  await write(service, [
    home('s'),
    home('t', { bedrooms: 2 }),
    home('u', terms),
    home('v', { ...terms, bedrooms: 1 }),
  ]);
  const question = fc.record({
    type: fc.constantFrom('sales', 'rentals'),
    query: fc.constantFrom(
      '',
      'units=metric',
      'fields=id,price,daysOnMarket,areaIds',
      'sort=price',
      'sort=-daysOnMarket&units=metric',

      'status=ACTIVE,COMING_SOON,ACTIVE_UNDER_CONTRACT',
      'format=geojson',
      'limit=2',
      'minBedrooms=1&fields=url,fetchedAt',
    ),
    ignores: fc.boolean(),
  });
  const steps = fc.array(
    fc.record({
      step: stepArbitrary,
      questions: fc.array(question, { minLength: 1, maxLength: 4 }),
      days: fc.constantFrom(0, 0.5, 40),
    }),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      for (const { step, questions, days: later } of all) {
        await take(service.database, step, service.clock.now());
        // Timers are spared most of the time that passes.
        days += later;
        clock.advance(5_001);
        for (const { type, query, ignores } of questions)
          await same(
            service,
            `/v1/search/${type}?${query}${ignores ? '&display=ignore' : ''}`,
            ignores ? internal : pro,
          );
      }
    }),
    runs(8, 17),
  );
  assert.ok((await metric(service, 'hits_total')) > 100);
});

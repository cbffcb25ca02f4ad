// Proves that figures computed in memory are those that PostgreSQL computes, whatever is asked, and whatever changes meanwhile.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { updateAllPlacements, writeAreaBatch } from '../../src/ingest/area-writer.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { Scheduler } from '../../src/lib/scheduler.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { factMetric, untilFactsHeld } from '../support/catalogue/held-facts.ts';
import { draftAt, END, listingHistories, readingsOf } from '../support/catalogue/listing-histories.ts';
import { runs } from '../support/check/runs.ts';
import { until } from '../support/check/until.ts';
import { atEnd, type Closing } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { startSecondService } from '../support/service/second-service.ts';
import { startService, type TestService } from '../support/service/service.ts';

const NO_AREA = { aliases: [], codes: {}, parentReference: null, population: null, boundary: null };
/** Clocks that go half an hour forward, a whole one, and none. */
const areas = (aldern: string, crane: string) => [
  { ...NO_AREA, type: 'state' as const, externalId: 'umbra', name: 'Umbra', codes: { postal: 'UM' } },
  ...[['aldern', 'Aldern', aldern] as const, ['crane', 'Crane', crane] as const].map(
    ([externalId, name, timeZone]) => ({
      ...NO_AREA,
      type: 'city' as const,
      parentReference: 'umbra',
      externalId,
      name,
      timeZone,
    }),
  ),
];

/** What histories leave open, told by the number in a key. */
function withTraits(told: ListingDraft): ListingDraft {
  const number = Number(/\d+/.exec(told.listingKey)?.[0] ?? 0);
  return {
    ...told,
    currency: number % 11 === 0 ? 'EUR' : 'USD',
    bathrooms: [null, 1, 1.5, 2.25][number % 4] ?? null,
    yearBuilt: number % 5 === 0 ? null : 1950 + number,
    lotSize: number % 3 === 0 ? null : 1_000.5 * number,
    location:
      number % 7 === 0
        ? null
        : { lat: 10 + (number % 10) / 10, lng: 20 + (number % 13) / 13, precision: 'exact' },
    features: number % 2 === 0 ? ['pool'] : [],
  };
}

const some = (...texts: string[]) => fc.constantFrom('', '', ...texts);
const filters = fc
  .tuple(
    some('bedrooms=1', 'bedrooms=0,2', 'minBedrooms=1', 'maxBedrooms=1'),
    some(
      'areaId=city-aldern',
      'areaId=city-crane',
      'areaId=state-umbra',
      'areaId=city-aldern,city-crane',
      'city=crane',
    ),
    some('propertyType=CONDO', 'propertyType=CONDO,SINGLE_FAMILY', 'minBathrooms=1.5', 'minYearBuilt=1990'),
    some(
      'maxPrice=300000',
      'minPrice=1000',
      'minLotSize=40000',
      'hasLivingArea=false',
      'hasPrice=true',
      'features=pool',
    ),
    some(
      'bbox=20.1,10.1,20.6,10.6',
      'lat=10.5&lng=20.5&radius=40km',
      'polygon=20,10;20.8,10;20.4,10.9',
      'hasPhotos=true',
    ),
  )
  .map((parts) => parts.filter((part) => part !== ''));
const period = fc.constantFrom(
  '',
  'from=2025-12-01&to=2026-01-01',
  'from=2025-03-09&to=2025-03-10',
  'from=2025-10-05&to=2025-11-03',
  'from=2025-01-01&to=2026-01-01',
  'from=2025-06-29&to=2025-09-28',
);
const series = fc.constantFrom(
  'periods=14',
  'interval=week&periods=30',
  'interval=quarter&periods=6',
  'interval=year&periods=2',
  'interval=month&periods=8&window=P45D',
  'interval=week&periods=9&window=P10D',
);
const type = fc.constantFrom('sale', 'rental');
const join = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('&');
const question: fc.Arbitrary<string> = fc.oneof(
  fc
    .tuple(
      type,
      filters,
      period,
      some('groupBy=bedrooms', 'groupBy=propertyType', 'groupBy=bedrooms,propertyType'),
    )
    .map(([of, how, when, by]) => `stats?${join(`listingType=${of}`, 'currency=USD', ...how, when, by)}`),
  fc
    .tuple(type, filters, series)
    .map(([of, how, when]) => `history?${join(`listingType=${of}`, 'currency=USD', ...how, when)}`),
  fc
    .tuple(type, filters, period)
    .map(([of, how, when]) =>
      join(
        `compare?listingType=${of}&currency=USD&areaId=city-aldern,city-crane,state-umbra`,
        ...how.filter((part) => !part.startsWith('areaId')),
        when,
      ),
    ),
  fc.tuple(filters, period).map(([how, when]) => {
    const shared = how.filter((part) => !/price/i.test(part));
    return `yield?${join('currency=USD', ...shared, when)}`;
  }),
  fc
    .tuple(
      type,
      filters,
      period,
      fc.constantFrom('price', 'pricePerArea', 'livingArea', 'daysOnMarket'),
      fc.constantFrom(1, 7, 20),
    )
    .map(
      ([of, how, when, measure, buckets]) =>
        `distribution?${join(`listingType=${of}`, 'currency=USD', ...how, when)}&measure=${measure}&buckets=${buckets}`,
    ),
);
/** Fixed questions that need nothing but what is held, so that some are surely answered from memory. */
const HELD = [
  'stats?listingType=sale&currency=USD&groupBy=bedrooms',
  'history?listingType=rental&currency=USD&bedrooms=1',
];

/** The answer to a question, but for the id of the request. */
async function answerOf(url: string, question: string, key: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'cache-control': 'no-cache' };
  const answer = await fetch(
    `${url}/v1/market/${question}${question.includes('limit') ? '' : '&limit=100'}`,
    { headers },
  );
  const { meta, requestId, ...body } = (await answer.json()) as Record<string, unknown>;
  const { requestId: _, ...rest } = (meta ?? {}) as Record<string, unknown>;
  return { status: answer.status, ...body, meta: rest };
}

interface Pair {
  readonly service: TestService;
  readonly plain: string;
  write(drafts: readonly ListingDraft[], at: number, gone?: readonly string[]): Promise<unknown>;
}

/** A service that holds facts in memory, and one beside it that does not. */
async function pairOf(t: Closing): Promise<Pair> {
  const service = await startService(t, {
    clock: manualClock(END),
    environment: { SEARCH_ENGINE: 'memory' },
  });
  const plain = await startSecondService(t, service, {}, undefined, { SEARCH_ENGINE: 'postgres' });
  const catalogue = createCatalogue(service.database);
  return {
    service,
    plain: plain.url,
    write: (drafts, at, gone = []) =>
      service.database.transaction((tx) => catalogue.write(tx, 'test', drafts, at, gone)),
  };
}

/** Puts questions to both, and holds the answers to each other. Returns how many gave figures. */
async function holdTogether(
  { service, plain }: Pair,
  questions: readonly string[],
  what: string,
): Promise<number> {
  let told = 0;
  for (const asked of questions) {
    const expected = await answerOf(plain, asked, service.keys.internal);
    assert.deepEqual(
      await answerOf(service.url, asked, service.keys.internal),
      expected,
      `${what}: ${asked}`,
    );
    if ((expected as { status: number }).status === 200) told++;
  }
  return told;
}

test('figures from memory are those of PostgreSQL, to the last digit, before and after all kinds of changes', async (t) => {
  for (const [all, asked] of fc.sample(
    fc.tuple(listingHistories, fc.array(question, { minLength: 160, maxLength: 160 })),
    runs(1, 41),
  )) {
    const pair = await pairOf(t);
    const { service, write } = pair;
    const { database } = service;
    await writeAreaBatch(database, 'test', areas('America/New_York', 'Australia/Lord_Howe'));
    const readings = readingsOf(all).map(([at, drafts]) => [at, drafts.map(withTraits)] as const);
    const early = Math.floor(readings.length / 2);
    for (const [at, drafts] of readings.slice(0, early)) await write(drafts, at);
    await service.json('/v1/market/stats?listingType=sale&bedrooms=1&currency=USD', service.keys.internal);
    await until('figures are computed in memory', async () => (await factMetric(service, 'ready')) === 1);
    const parts = [asked.slice(0, 40), asked.slice(40, 80), asked.slice(80, 120), asked.slice(120)];
    let told = await holdTogether(pair, [...(parts[0] ?? []), ...HELD], 'as loaded');
    for (const [at, drafts] of readings.slice(early)) await write(drafts, at);
    told += await holdTogether(pair, [...(parts[1] ?? []), ...HELD], 'after other readings');
    // Homes that move, grow, are withheld, become another property, or are gone.
    for (const [at, life] of all.entries()) {
      const now = withTraits(draftAt(life, END - 1));
      if (at % 4 === 0)
        await write([{ ...now, livingArea: 321, bathrooms: 2.25, bedrooms: 2 }], END - 9_000 + at);
      if (at % 4 === 1)
        await write([{ ...now, display: { ...now.display, listing: !life.displayed } }], END - 9_000 + at);
      if (at % 8 === 2)
        await write(
          [{ ...now, universalPropertyId: `home-${at % 50}`, address: { ...now.address, city: 'Crane' } }],
          END - 9_000 + at,
        );
      if (at % 8 === 6) await write([], END - 9_000 + at, [life.key]);
    }
    told += await holdTogether(pair, [...(parts[2] ?? []), ...HELD], 'after changes');
    await writeAreaBatch(database, 'test', areas('Europe/Stockholm', 'America/Havana'));
    await updateAllPlacements(database);
    told += await holdTogether(pair, [...(parts[3] ?? []), ...HELD], 'after other time zones');
    assert.ok(told > 100, `enough figures were told: ${told}`);
    const answers = await factMetric(service, 'answers_total');
    assert.ok(answers > 100, `enough of them from memory: ${answers}`);
    assert.equal(await factMetric(service, 'loads_total'), 1, 'changes were followed');
  }
});

test('memory is given back when nobody asks for an hour, and taken again when somebody does', async (t) => {
  const service = await startService(t, {
    clock: manualClock(END),
    environment: { SEARCH_ENGINE: 'memory' },
  });
  assert.equal(await factMetric(service, 'ready'), 0, 'nobody asked');
  await untilFactsHeld(service);
  service.clock.advance(HOUR - 1);
  await service.json('/v1/market/stats?listingType=sale&bedrooms=1', service.keys.internal);
  service.clock.advance(HOUR - 1);
  assert.equal(await factMetric(service, 'ready'), 1);
  service.clock.advance(1);
  assert.equal(await factMetric(service, 'ready'), 0);
  await untilFactsHeld(service);
  assert.equal(await factMetric(service, 'loads_total'), 2);
});

test('while memory is behind the log PostgreSQL answers, and memory again when it has caught up', async (t) => {
  let [isAway, lost] = [false, 0];
  /** What is copied is lost on the way while the flag is set. */
  const connect = async (url: string): Promise<Database> => {
    const plain = openDatabase({ url, maxConnections: 6 });
    atEnd(t, () => plain.close(1_000));
    return {
      ...plain,
      async read(work, options) {
        const result = await plain.read(work, options);
        if (!isAway || options?.timeout !== 0) return result;
        lost++;
        throw new Error('The connection broke');
      },
    };
  };
  const service = await startService(t, {
    clock: manualClock(END),
    connect,
    environment: { SEARCH_ENGINE: 'memory' },
  });
  const { database } = service;
  const catalogue = createCatalogue(database);
  const write = (key: string) =>
    database.transaction((tx) =>
      catalogue.write(tx, 'test', [draft(key, { bedrooms: 1, listedAt: '2025-12-05T10:00:00Z' })], END),
    );
  const inventory = async (): Promise<number> => {
    const path =
      '/v1/market/stats?listingType=sale&bedrooms=1&metrics=inventory&from=2025-12-01&to=2026-01-01';
    const { metrics }: { metrics: { inventory: { value: number } } } = await service.json(
      path,
      service.keys.internal,
    );
    return metrics.inventory.value;
  };
  await write('first');
  await untilFactsHeld(service);
  assert.equal(await inventory(), 1);
  const answered = await factMetric(service, 'answers_total');
  isAway = true;
  await write('second');
  await until('a batch was lost', () => lost > 0);
  let isAnswered = false;
  const late = inventory().finally(() => {
    isAnswered = true;
  });
  await until('the question has waited long enough', async () => {
    // So little at a time that the question itself is not late.
    service.clock.advance(25);
    await factMetric(service, 'ready');
    return isAnswered;
  });
  assert.equal(await late, 2);
  assert.equal(await factMetric(service, 'answers_total'), answered, 'not from memory');
  isAway = false;
  await until('memory has caught up', async () => {
    assert.equal(await inventory(), 2);
    return (await factMetric(service, 'answers_total')) > answered;
  });
});

test('when a listing turns out to be of another home, the earlier listing of its former home counts again', async (t) => {
  const pair = await pairOf(t);
  const { service, write } = pair;
  const offer = (key: string, home: string, day: string): ListingDraft =>
    draft(key, { bedrooms: 1, universalPropertyId: home, listedAt: `2025-${day}T10:00:00Z` });
  await write([offer('earlier', 'one', '10-02'), offer('later', 'one', '11-02')], END);
  await untilFactsHeld(service);
  const asked = 'stats?listingType=sale&bedrooms=1&metrics=inventory';
  const inventory = async (): Promise<unknown> => {
    await holdTogether(pair, [asked], 'a home');
    const { metrics }: { metrics: { inventory: { value: number } } } = await service.json(
      `/v1/market/${asked}`,
      service.keys.internal,
    );
    return metrics.inventory.value;
  };
  assert.equal(await inventory(), 1);
  await write([offer('later', 'two', '11-02')], END + 1_000);
  assert.equal(await inventory(), 2);
});

test('figures from memory that take long wait for a slot among scans, and others do not', async (t) => {
  let now = 0;
  const service = await startService(t, {
    clock: manualClock(END),
    environment: { SEARCH_ENGINE: 'memory' },
    // Nobody ever gets a slot among the scans, and each block of work takes two microseconds.
    overrides: {
      slots: { statements: 1, scans: 0 },
      scheduler: new Scheduler({ monotonic: () => (now += 0.002) }),
    },
  });
  const { database, keys } = service;
  const catalogue = createCatalogue(database);
  // On the market for a thousand weeks, each of which counts them all.
  const homes = Array.from({ length: 20 }, (_, at) =>
    draft(`home-${at}`, { bedrooms: 1, listedAt: '2006-01-02T10:00:00Z' }),
  );
  await database.transaction((tx) => catalogue.write(tx, 'test', homes, END));
  await untilFactsHeld(service);
  const answered = await factMetric(service, 'answers_total');
  const history = '/v1/market/history?listingType=sale&bedrooms=1&interval=week&limit=1000';
  assert.equal((await service.get(`${history}&periods=2`, keys.internal)).status, 200, 'few weeks');
  assert.equal(await factMetric(service, 'answers_total'), answered + 1, 'from memory');
  let status = 0;
  const asked = service.get(`${history}&periods=1000`, keys.internal).then((answer) => {
    status = answer.status;
  });
  await until('its time is over', async () => {
    // So little at a time that it comes to the line before it is late.
    service.clock.advance(50);
    await factMetric(service, 'ready');
    return status !== 0;
  });
  await asked;
  assert.equal(status, 503);
  assert.equal(await factMetric(service, 'answers_total'), answered + 2, 'from memory');
});

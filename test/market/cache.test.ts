// Proves that figures that are kept are those that would be computed anew, whatever is written, in whatever order, by whom.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Database } from '../../src/postgres/client/database.ts';
import { draft, NO_ADDRESS } from '../support/catalogue/drafts.ts';
import {
  draftAt,
  END,
  type ListingHistory,
  listingHistories,
  readingsOf,
} from '../support/catalogue/listing-histories.ts';
import { writeAreas } from '../support/catalogue/random-market.ts';
import { backgroundAtRest } from '../support/check/background.ts';
import { runs } from '../support/check/runs.ts';
import { until } from '../support/check/until.ts';
import { expect } from '../support/oracle/market-oracle.ts';
import { manualClock } from '../support/service/clock.ts';
import { startSecondService } from '../support/service/second-service.ts';
import { startService, type TestService } from '../support/service/service.ts';

type Figures = Record<
  string,
  { readonly value: number | null; readonly n: number; readonly excluded: number }
>;
interface History {
  readonly points: readonly { readonly start: string; readonly end: string; readonly metrics: Figures }[];
}

const SCOPES = ['', '&areaId=city-aldern', '&areaId=city-crane', '&areaId=state-umbra'];
const TYPES = ['sale', 'rental'] as const;

const historyOf = (service: TestService, type: string, scope: string): Promise<History> =>
  service.json(`/v1/market/history?listingType=${type}${scope}&limit=100`, service.keys.internal);

/** The points of every scope's default history. */
async function histories(service: TestService): Promise<History['points'][]> {
  const asked = TYPES.flatMap((type) => SCOPES.map((scope) => [type, scope] as const));
  const answers: History['points'][] = [];
  for (const [type, scope] of asked) answers.push((await historyOf(service, type, scope)).points);
  return answers;
}

const cachedRows = async ({ database }: TestService): Promise<number> => {
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`select count(*)::int as count from market_figure_cache`,
  );
  return row?.count ?? 0;
};

async function emptyService(t: Parameters<typeof startService>[0]): Promise<TestService> {
  const service = await startService(t, { clock: manualClock(END) });
  await writeAreas(service.database);
  return service;
}

/** Holds every history to one that is computed from nothing. */
async function holdToComputed(service: TestService, what: string): Promise<void> {
  const kept = await histories(service);
  await service.database.write((sql) => sql`delete from market_figure_cache`);
  assert.deepEqual(kept, await histories(service), what);
}

/** The same home as its source tells it when it has moved, grown, been withheld or come back into view. */
const otherwise = (life: ListingHistory, at: number): ListingHistory => ({
  ...life,
  city: at % 3 === 0 ? (life.city === 'Aldern' ? 'Crane' : 'Aldern') : life.city,
  livingArea: at % 3 === 1 ? 1_234 : life.livingArea,
  displayed: at % 3 === 2 ? !life.displayed : life.displayed,
});

test('kept figures are those of the definitions and those computed anew, however writes and questions mix', async (t) => {
  for (const [all, asks] of fc.sample(
    fc.tuple(listingHistories, fc.array(fc.nat(200), { minLength: 8 })),
    runs(1, 31),
  )) {
    const service = await emptyService(t);
    const catalogue = createCatalogue(service.database);
    const write = (drafts: readonly ListingDraft[], at: number) =>
      service.database.transaction((tx) => catalogue.write(tx, 'test', drafts, at));
    for (const [index, [at, drafts]] of readingsOf(all).entries()) {
      await write(drafts, at);
      if (asks.includes(index)) await histories(service);
    }
    await holdToComputed(service, 'after all readings');
    assert.ok((await cachedRows(service)) > 500, 'figures are kept');
    const later = all.map((life, at) => (at % 4 === 0 ? otherwise(life, at / 4) : life));
    for (const [at, life] of later.entries())
      if (life !== all[at]) await write([draftAt(life, END - 1)], END - 1_000 + at);
    const answers = await histories(service);
    for (const [place, listingType] of TYPES.entries()) {
      for (const [scope, city] of [
        [1, 'Aldern'],
        [2, 'Crane'],
      ] as const) {
        const points = answers[place * SCOPES.length + scope] ?? [];
        assert.equal(points.length, 12);
        for (const { start, end, metrics } of points) {
          const span = { start: Date.parse(`${start}T00:00:00Z`), end: Date.parse(`${end}T00:00:00Z`) };
          const expected = expect(later, { listingType, keeps: (life) => life.city === city, ...span });
          for (const [id, { n, excluded }] of Object.entries(expected))
            assert.deepEqual(
              { n: metrics[id]?.n, excluded: metrics[id]?.excluded },
              { n, excluded },
              `${id} ${start}`,
            );
        }
      }
    }
    await holdToComputed(service, 'after moves, withholdings and other sizes');
  }
});

const home = (key: string, facts: Partial<ListingDraft> = {}): ListingDraft =>
  draft(key, {
    universalPropertyId: key,
    listPrice: 100,
    listedAt: '2025-03-05T10:00:00Z',
    address: { ...NO_ADDRESS, city: 'Aldern', state: 'Umbra' },
    ...facts,
  });

/** The inventory of a city at the end of each month of 2025, as the service tells it, or one beside it. */
async function inventory(
  service: TestService,
  url = service.url,
  city = 'aldern',
): Promise<(number | null | undefined)[]> {
  const path = `/v1/market/history?listingType=sale&areaId=city-${city}&metrics=inventory`;
  const headers = { authorization: `Bearer ${service.keys.internal}`, 'cache-control': 'no-cache' };
  const answer = await fetch(`${url}${path}`, { headers });
  assert.equal(answer.status, 200);
  const { points } = (await answer.json()) as History;
  return points.map(({ metrics }) => metrics.inventory?.value);
}

test('a second question reads no life again, and a write drops the months from its first change on alone', async (t) => {
  const service = await emptyService(t);
  const catalogue = createCatalogue(service.database);
  const write = (told: ListingDraft) =>
    service.database.transaction((tx) => catalogue.write(tx, 'test', [told], END));
  await write(home('first'));
  const before = await inventory(service);
  assert.deepEqual(before, [0, 0, ...Array(10).fill(1)]);
  const again = await service.database.transaction(async (tx) => {
    // Whoever reads lives waits for this transaction, and is given up.
    await tx`lock table market_period, market_event in access exclusive mode`;
    return inventory(service);
  });
  assert.deepEqual(again, before);
  const ends = async () => {
    const rows = await service.database.read(
      (sql) => sql<{ end: string }[]>`
        select end_date as end from market_figure_cache where area_no <> 0 and kind = 'inventory' order by 1`,
    );
    return rows.map(({ end }) => end);
  };
  assert.equal((await ends()).at(-1), '2026-01-01');
  await write(home('second', { status: 'CLOSED', closedAt: '2025-10-12', listedAt: '2025-08-05T10:00:00Z' }));
  assert.equal((await ends()).at(-1), '2025-08-01');
  assert.deepEqual(await inventory(service), [0, 0, 1, 1, 1, 1, 1, 2, 2, 1, 1, 1]);
});

test('a home that moves or is withheld leaves the figures of where it was', async (t) => {
  const service = await emptyService(t);
  const catalogue = createCatalogue(service.database);
  const both = async () => [
    (await inventory(service)).at(-1),
    (await inventory(service, service.url, 'crane')).at(-1),
  ];
  const tell = async (facts: Partial<ListingDraft>) => {
    const told = home('one', facts);
    await service.database.transaction((tx) => catalogue.write(tx, 'test', [told], END));
    return both();
  };
  const moved = { address: { ...NO_ADDRESS, city: 'Crane', state: 'Umbra' } } satisfies Partial<ListingDraft>;
  assert.deepEqual(await tell({}), [1, 0]);
  assert.deepEqual(await tell(moved), [0, 1]);
  const withheld = {
    display: { listing: false, address: true, estimate: true },
  } satisfies Partial<ListingDraft>;
  assert.deepEqual(await tell({ ...moved, ...withheld }), [0, 0]);
  assert.deepEqual(await tell({}), [1, 0]);
});

test('the running month is never kept', async (t) => {
  const service = await emptyService(t);
  const path = '/v1/market/stats?listingType=sale&areaId=city-aldern&from=2026-01-01&to=2026-01-05';
  await service.json(path, service.keys.internal);
  await service.json(
    '/v1/market/history?listingType=sale&areaId=city-aldern&to=2026-02-01',
    service.keys.internal,
  );
  const rows = await service.database.read(
    (sql) => sql`select from market_figure_cache where end_date > '2026-01-01'`,
  );
  assert.equal(rows.length, 0);
  assert.ok((await cachedRows(service)) > 0);
});

/** Transactions that begin once it is closed wait until they may go on: what keeps figures is held after it has read. */
function transactionGate({ clock }: TestService) {
  const { promise: open, resolve: release } = Promise.withResolvers<void>();
  let guarded: Database | undefined;
  let isClosed = false;
  let waiting = 0;
  const guard = (database: Database): Database => {
    guarded = database;
    return {
      ...database,
      async transaction(work, options) {
        if (isClosed) {
          waiting += 1;
          await open;
        }
        return database.transaction(work, options);
      },
    };
  };
  /** Lets work in the background end before. */
  async function close(): Promise<void> {
    assert.ok(guarded !== undefined);
    await backgroundAtRest({ database: guarded, clock });
    isClosed = true;
  }
  return { guard, close, release, isWaiting: () => waiting > 0 };
}

test('a process that has read before a write keeps nothing of what the write changed, however long it is held', async (t) => {
  const service = await emptyService(t);
  const catalogue = createCatalogue(service.database);
  const write = (told: ListingDraft) =>
    service.database.transaction((tx) => catalogue.write(tx, 'test', [told], END));
  await write(home('first'));
  const { guard, close, release, isWaiting } = transactionGate(service);
  const beside = await startSecondService(t, service, {}, guard);
  await close();
  const early = inventory(service, beside.url);
  await until('the other process has read', isWaiting);
  await write(home('second', { listedAt: '2025-06-05T10:00:00Z' }));
  release();
  assert.equal((await early).at(-1), 1, 'it answers what it has read');
  assert.ok((await cachedRows(service)) > 0, 'months before the write are kept');
  assert.deepEqual(await inventory(service), [0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2]);
});

test('nothing is kept beside a write that has dropped figures and is not committed yet', async (t) => {
  const service = await emptyService(t);
  const catalogue = createCatalogue(service.database);
  await service.database.transaction(async (tx) => {
    await catalogue.write(tx, 'test', [home('first')], END);
    assert.deepEqual(await inventory(service), Array(12).fill(0));
  });
  assert.deepEqual(await inventory(service), [0, 0, ...Array(10).fill(1)]);
});

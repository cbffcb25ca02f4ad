// Proves what closings are worth: the price paid is no asking price, and a sale that is taken back leaves the figures.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Property } from '../../src/listings/property-record.ts';
import type { Listing } from '../../src/listings/record.ts';
import { changesAfter } from '../support/catalogue/change-log.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 5, 12);
const service = await startService({ after }, { clock: manualClock(NOW) });
const { database, keys } = service;
const catalogue = createCatalogue(database);

/** Writes six homes alike, which is enough for a figure; gives the id of the first. Each test has bedrooms of its own. */
async function read(at: number, name: string, facts: Partial<ListingDraft>): Promise<string> {
  const drafts = Array.from({ length: 6 }, (_, no) =>
    draft(`${name}-${no}`, { universalPropertyId: `${name}-${no}-17`, ...facts }),
  );
  const { ids } = await database.transaction((tx) => catalogue.write(tx, 'test', drafts, at));
  return ids.get(`${name}-0`) ?? '';
}

type Figure = { readonly value: number | null; readonly n: number; readonly excluded: number };

async function figure(metric: string, bedrooms: number, more = ''): Promise<Figure> {
  const period = 'from=2025-01-01&to=2026-01-01';
  const answer: { metrics: Record<string, Figure> } = await service.json(
    `/v1/market/stats?listingType=sale&bedrooms=${bedrooms}&${period}&metrics=${metric}${more}`,
    keys.internal,
  );
  return answer.metrics[metric] ?? assert.fail(metric);
}

async function told(id: string) {
  const { history }: Property = await service.json(`/v1/property/${id}?include=history`, keys.pro);
  const answer = await service.get(`/v1/listing/${id}`, keys.pro, { accept: 'application/json' });
  const lines = (history ?? []).map(({ event, at, price }) => `${event} ${at.slice(0, 10)} ${price}`);
  return { listing: (await answer.json()) as Listing, history: lines.reverse() };
}

const offered = { listPrice: 550_000, onMarketDate: '2025-10-01' } satisfies Partial<ListingDraft>;
const sold = {
  ...offered,
  status: 'CLOSED',
  closePrice: 520_000,
  closedAt: '2025-11-20',
} satisfies Partial<ListingDraft>;

const COPIES = {
  'writes the price paid over it': { listPrice: 520_000 },
  'no longer has one': { listPrice: null },
  'calls the closing a change of price': {
    listPrice: 520_000,
    previousPrice: 550_000,
    priceChangedAt: '2025-11-21T09:00:00Z',
  },
} as const satisfies Record<string, Partial<ListingDraft>>;

for (const [index, [how, copy]] of Object.entries(COPIES).entries()) {
  const bedrooms = 1 + index;
  test(`the last asking price stays where a closing ${how}`, async () => {
    await read(NOW - 60 * DAY, how, { ...offered, bedrooms });
    const [last] = (await changesAfter(database, 0)).slice(-1);
    const id = await read(NOW - 30 * DAY, how, { ...sold, ...copy, bedrooms });
    const { listing, history } = await told(id);
    assert.deepEqual(
      [listing.price, listing.closePrice, listing.priceChange, listing.previousPrice],
      [550_000, 520_000, null, null],
    );
    assert.deepEqual(history, ['LISTED 2025-10-01 550000', 'CLOSED 2025-11-20 520000']);
    const ratio = await figure('sale_to_list_ratio', bedrooms);
    assert.deepEqual([ratio.value, ratio.n], [0.945455, 6]);
    assert.equal((await figure('median_price_drop_percent', bedrooms)).n, 0);
    for (const { changed, before } of await changesAfter(database, last?.sequence ?? 0)) {
      assert.ok(!changed.includes('price'), 'nobody hears of a new price');
      assert.equal(before?.listing?.price, undefined);
    }
    await read(NOW - 20 * DAY, how, { ...sold, ...copy, bedrooms });
    assert.equal((await told(id)).listing.version, listing.version, 'the same again says nothing new');
  });
}

test('a sale that is first seen closed keeps the price that it was offered at, if the source dates the change to the closing', async () => {
  const moved = { listPrice: 520_000, previousPrice: 550_000, priceChangedAt: '2025-11-20T18:00:00Z' };
  const id = await read(NOW - 9 * DAY, 'first', { ...sold, ...moved, bedrooms: 4 });
  assert.deepEqual((await told(id)).history, ['LISTED 2025-10-01 550000', 'CLOSED 2025-11-20 520000']);
  assert.equal((await figure('sale_to_list_ratio', 4)).value, 0.945455);
  const cut = { ...moved, priceChangedAt: '2025-11-01T18:00:00Z' };
  await read(NOW - 9 * DAY, 'cut', { ...sold, ...cut, bedrooms: 5 });
  assert.equal((await figure('sale_to_list_ratio', 5)).value, 1, 'a cut before it was sold is a cut');
});

test('an asking price that is noticed with the closing changed before it', async () => {
  await read(NOW - 60 * DAY, 'noticed', { ...offered, bedrooms: 6 });
  const id = await read(NOW - 9 * DAY, 'noticed', { ...sold, listPrice: 530_000, bedrooms: 6 });
  assert.deepEqual((await told(id)).history, [
    'LISTED 2025-10-01 550000',
    'PRICE_CHANGED 2025-11-20 530000',
    'CLOSED 2025-11-20 520000',
  ]);
  assert.equal((await figure('sale_to_list_ratio', 6)).value, 0.981132);
});

test('a sale that is taken back leaves closings, prices paid and days on market, and the home was on offer all the time', async () => {
  const all = ['closed_listings', 'sales_volume', 'median_close_price', 'median_days_on_market'];
  await read(NOW - 60 * DAY, 'back', { ...offered, bedrooms: 7 });
  await read(NOW - 40 * DAY, 'back', { ...sold, bedrooms: 7 });
  assert.deepEqual(await Promise.all(all.map(async (metric) => (await figure(metric, 7)).n)), [6, 6, 6, 6]);
  const id = await read(NOW - 20 * DAY, 'back', { ...offered, bedrooms: 7 });
  for (const metric of all) {
    const { n, excluded } = await figure(metric, 7);
    assert.deepEqual([n, excluded], [0, 0], metric);
    assert.equal((await figure(metric, 7, '&minLivingArea=0')).n, 0, `${metric}, not from memory`);
  }
  assert.equal((await figure('off_market_in_two_weeks_share', 7)).value, 0);
  const december: { metrics: Record<string, Figure> } = await service.json(
    '/v1/market/stats?listingType=sale&bedrooms=7&from=2025-11-01&to=2025-12-01&metrics=inventory',
    keys.internal,
  );
  assert.equal(december.metrics.inventory?.value, 6);
  assert.equal((await told(id)).listing.daysOnMarket, 96);
});

test('a sale under an earlier offer stands when the home is offered another time', async () => {
  await read(NOW - 60 * DAY, 'again', { ...sold, bedrooms: 8 });
  await read(NOW - 9 * DAY, 'again', { ...offered, onMarketDate: '2025-12-20', bedrooms: 8 });
  assert.equal((await figure('closed_listings', 8)).value, 6);
});

test('days on market are unknown where a home was listed after its sale, and figures count it as excluded', async () => {
  const late = { ...sold, onMarketDate: '2025-12-05', bedrooms: 9 } as const;
  const id = await read(NOW - 9 * DAY, 'after', late);
  assert.equal((await told(id)).listing.daysOnMarket, null);
  const days = await figure('median_days_on_market', 9);
  assert.deepEqual([days.value, days.n, days.excluded], [null, 0, 6]);
  const same = await read(NOW - 9 * DAY, 'same-day', { ...sold, onMarketDate: '2025-11-20', bedrooms: 10 });
  assert.equal((await told(same)).listing.daysOnMarket, 0, 'sold on the day it was listed');
  await read(NOW - 8 * DAY, 'after', { ...late, onMarketDate: '2025-11-10' });
  assert.equal((await told(id)).listing.daysOnMarket, 10, 'once the source corrects the date');
});

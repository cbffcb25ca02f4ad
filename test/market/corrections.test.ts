// Proves that figures and history follow what a source corrects: dates, prices paid, holds and contracts told late.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import type { ListingDraft } from '../../src/listings/draft.ts';
import type { Property } from '../../src/listings/property-record.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 0, 5, 12);
const service = await startService({ after }, { clock: manualClock(NOW) });
const catalogue = createCatalogue(service.database);

/** Writes one reading; gives the listing's id. Each test has homes of its own kind, told apart by bedrooms. */
async function read(at: number, key: string, facts: Partial<ListingDraft>): Promise<string> {
  const told = draft(key, { universalPropertyId: key, ...facts });
  const { ids } = await service.database.transaction((tx) => catalogue.write(tx, 'test', [told], at));
  return ids.get(key) ?? '';
}

interface Point {
  readonly start: string;
  readonly metrics: Record<string, { readonly value: number | null; readonly n: number }>;
}

/** The months of 2025 in which a metric of these homes is not 0, with its value. */
async function months(metric: string, bedrooms: number): Promise<Record<string, number | null>> {
  const path = `/v1/market/history?listingType=sale&from=2025-01-01&to=2026-01-01&metrics=${metric}`;
  const { points }: { points: Point[] } = await service.json(
    `${path}&bedrooms=${bedrooms}`,
    service.keys.internal,
  );
  const told = points.flatMap(({ start, metrics }) => {
    const figure = metrics[metric];
    return figure && figure.value !== 0 ? [[start.slice(0, 7), figure.value] as const] : [];
  });
  return Object.fromEntries(told);
}

async function history(id: string): Promise<string[]> {
  const { history: lines }: Property = await service.json(
    `/v1/property/${id}?include=history`,
    service.keys.pro,
  );
  return (lines ?? []).map(({ event, at, price }) => `${event} ${at.slice(0, 10)} ${price}`).reverse();
}

test('a closing told with another date or another price moves in figures and in history', async () => {
  const sold = { status: 'CLOSED', bedrooms: 1, listPrice: 500, listedAt: '2025-02-01T10:00:00Z' } as const;
  const first = { ...sold, closePrice: 480, closedAt: '2025-05-20' } satisfies Partial<ListingDraft>;
  const id = await read(NOW - 9 * DAY, 'moved', first);
  assert.deepEqual(await months('closed_listings', 1), { '2025-05': 1 });
  await read(NOW - 8 * DAY, 'moved', { ...first, closedAt: '2025-08-02', closePrice: 470 });
  assert.deepEqual(await months('closed_listings', 1), { '2025-08': 1 });
  assert.deepEqual(await months('sales_volume', 1), { '2025-08': 470 });
  assert.deepEqual(await months('inventory', 1), Object.fromEntries(range(2, 7).map((month) => [month, 1])));
  assert.deepEqual(await history(id), ['LISTED 2025-02-01 500', 'CLOSED 2025-08-02 470']);
  await read(NOW - 7 * DAY, 'moved', { ...first, closedAt: '2025-08-02', closePrice: 470, listPrice: 510 });
  assert.deepEqual(await history(id), ['LISTED 2025-02-01 510', 'CLOSED 2025-08-02 470']);
});

test('a contract told with another date, or told only after the closing, is pending in that month', async () => {
  const sold = {
    status: 'CLOSED',
    bedrooms: 2,
    listedAt: '2025-02-01T10:00:00Z',
  } as const satisfies Partial<ListingDraft>;
  const id = await read(NOW - 9 * DAY, 'late', { ...sold, closedAt: '2025-07-20' });
  assert.deepEqual(await months('pending_listings', 2), {});
  await read(NOW - 8 * DAY, 'late', { ...sold, closedAt: '2025-07-20', pendingAt: '2025-06-04T15:00:00Z' });
  assert.deepEqual(await months('pending_listings', 2), { '2025-06': 1 });
  await read(NOW - 7 * DAY, 'late', { ...sold, closedAt: '2025-07-20', pendingAt: '2025-05-04T15:00:00Z' });
  assert.deepEqual(await months('pending_listings', 2), { '2025-05': 1 });
  assert.deepEqual(await months('inventory', 2), { '2025-02': 1, '2025-03': 1, '2025-04': 1 });
  assert.deepEqual(await history(id), [
    'LISTED 2025-02-01 null',
    'PENDING 2025-05-04 null',
    'CLOSED 2025-07-20 null',
  ]);
  const { listings }: Property = await service.json(`/v1/property/${id}?include=listings`, service.keys.pro);
  assert.equal(listings?.[0]?.daysOnMarket, 92);
});

test('what was on the market in one reading and closed in the next was pending on the day that is told for it', async () => {
  const on = { bedrooms: 3, listedAt: '2025-09-01T10:00:00Z' } satisfies Partial<ListingDraft>;
  const id = await read(Date.UTC(2025, 9, 1), 'between', on);
  await read(Date.UTC(2025, 11, 15), 'between', {
    ...on,
    status: 'CLOSED',
    pendingAt: '2025-10-12T09:00:00Z',
    closedAt: '2025-11-28',
  });
  assert.deepEqual(await months('pending_listings', 3), { '2025-10': 1 });
  assert.deepEqual(await months('closed_listings', 3), { '2025-11': 1 });
  assert.deepEqual(await months('inventory', 3), { '2025-09': 1 });
  assert.deepEqual(
    (await history(id)).map((line) => line.split(' ')[0]),
    ['LISTED', 'PENDING', 'CLOSED'],
  );
});

test('the end of a hold changes no month before it, whether the source dated its beginning or not', async () => {
  const held = { status: 'HOLD', listedAt: '2025-03-10T10:00:00Z' } as const satisfies Partial<ListingDraft>;
  const dated = {
    ...held,
    bedrooms: 4,
    statusChangedAt: '2025-06-15T10:00:00Z',
  } satisfies Partial<ListingDraft>;
  await read(Date.UTC(2025, 9, 20), 'held', dated);
  await read(Date.UTC(2025, 9, 20), 'seen-held', { ...held, bedrooms: 5 });
  const before = [await months('inventory', 4), await months('inventory', 5)];
  assert.deepEqual(before, [
    { '2025-03': 1, '2025-04': 1, '2025-05': 1 },
    Object.fromEntries(range(3, 9).map((month) => [month, 1])),
  ]);
  await read(Date.UTC(2025, 11, 20), 'held', { ...dated, status: 'ACTIVE', statusChangedAt: null });
  await read(Date.UTC(2025, 11, 20), 'seen-held', { ...held, bedrooms: 5, status: 'ACTIVE' });
  assert.deepEqual(await months('inventory', 4), { ...before[0], '2025-12': 1 });
  assert.deepEqual(await months('inventory', 5), { ...before[1], '2025-12': 1 });
});

test('a corrected day of coming on the market moves new listings, and what was seen to happen stays where it was seen', async () => {
  const on = { bedrooms: 6, onMarketDate: '2025-04-03', listPrice: 900 } satisfies Partial<ListingDraft>;
  const id = await read(Date.UTC(2025, 3, 5), 'began', on);
  await read(Date.UTC(2025, 5, 6), 'began', { ...on, listPrice: 800 });
  await read(Date.UTC(2025, 6, 6), 'began', { ...on, listPrice: 800, onMarketDate: '2025-03-30' });
  assert.deepEqual(await months('new_listings', 6), { '2025-03': 1 });
  assert.deepEqual(await history(id), ['LISTED 2025-03-30 900', 'PRICE_CHANGED 2025-06-06 800']);
});

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => `2025-${String(from + at).padStart(2, '0')}`);
}

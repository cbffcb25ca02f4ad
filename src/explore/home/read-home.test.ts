// Tests of what a page shows of a home while some of its parts cannot be read.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVERYTHING } from '../../access/tiers/reach.ts';
import { systemClock } from '../../lib/clock.ts';
import type { StoredListing } from '../../listings/store.ts';
import { type HomeReads, readHome } from './read-home.ts';

const SUBJECT = {
  id: 'lst_1',
  source: 'test',
  propertyId: 'prp_1',
  listingType: 'sale',
  status: 'ACTIVE',
  version: 1,
  licenceNo: 1,
  displayed: true,
  addressDisplayed: true,
  areaIds: [],
  timeZone: 'UTC',
  daysOnMarketStart: null,
  daysOnMarketEnd: null,
  earlierDays: 0,
  createdAt: '2026-05-01T00:00:00Z',
  updatedAt: '2026-05-01T00:00:00Z',
  fetchedAt: '2026-05-01T00:00:00Z',
  record: {
    id: 'lst_1',
    listingType: 'sale',
    status: 'ACTIVE',
    price: 500_000,
    livingArea: 1_500,
    location: { lat: 1, lng: 1, precision: 'exact' },
    address: {},
    photos: [],
    floorPlans: [],
    provider: { id: 'test' },
    property: { taxes: [], estimateDisplayed: true },
  },
} as unknown as StoredListing;

function readsOf(fails: (what: string) => never) {
  const errors: unknown[] = [];
  const property = { id: 'prp_1', listings: [SUBJECT], history: [] };
  const reads = {
    database: { read: async () => fails('the database') },
    cache: { listing: async () => SUBJECT, property: async () => property },
    trends: { slope: async () => fails('trends') },
    areaTrends: { read: async () => fails('figures') },
    outlines: { in: async () => fails('outlines') },
    clock: systemClock,
    publicUrl: 'https://homes.example',
    report: (error: unknown) => errors.push(error),
  } as unknown as HomeReads;
  return { reads, errors };
}

test('parts that fail leave the home as it is, and their causes are reported', async () => {
  const { reads, errors } = readsOf((what) => {
    throw new Error(`${what} failed`);
  });
  const signal = new AbortController().signal;
  const home = await readHome(reads, { id: 'lst_1', units: 'imperial', reach: EVERYTHING, signal });
  assert.ok(home !== null && home !== 'deleted');
  assert.equal(home.listing.price, 500_000);
  assert.deepEqual([home.estimate, home.comparables, home.areas], [null, null, []]);
  assert.ok(errors.length >= 2);
});

test('a property stands for its current listing, and an id of neither is no home', async () => {
  const { reads } = readsOf(() => {
    throw new Error('failed');
  });
  const signal = new AbortController().signal;
  const home = await readHome(reads, { id: 'prp_1', units: 'imperial', reach: EVERYTHING, signal });
  assert.ok(home !== null && home !== 'deleted' && home.listing.id === 'lst_1');
  assert.equal(await readHome(reads, { id: 'lst_2', units: 'imperial', reach: EVERYTHING, signal }), null);
});

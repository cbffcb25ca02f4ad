// Tests of what changed between a stored listing and a live one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Listing } from '../../../listings/record.ts';
import { changesBetween } from './live-changes.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');

const LISTING = {
  price: 690_000,
  currency: 'USD',
  priceFrequency: 'ONE_TIME',
  listingType: 'sale',
  status: 'ACTIVE',
  priceChangedAt: '2026-11-17T10:00:00Z',
  pricePerArea: 549.8,
  areaUnit: 'sqft',
  photos: [],
  description: 'A house.',
  agent: null,
  floor: null,
  fetchedAt: '2026-11-28T11:00:00Z',
  version: 1,
  source: 'cached',
} as unknown as Listing;

test('what changed is in words, without what changes by itself', () => {
  const live = {
    ...LISTING,
    price: 675_000,
    priceChangedAt: '2026-11-28T11:59:00Z',
    status: 'PENDING',
    version: 2,
    source: 'live',
    fetchedAt: '2026-11-28T12:00:00Z',
  } as Listing;
  assert.deepEqual(changesBetween(LISTING, live, NOW), [
    { name: 'Price', before: '$690,000', after: '$675,000' },
    { name: 'Status', before: 'For sale', after: 'Sale pending' },
    { name: 'Price changed', before: '17 Nov 2026', after: '11:59 UTC' },
  ]);
  assert.deepEqual(changesBetween(LISTING, { ...LISTING, version: 9 }, NOW), []);
});

test('a fact that has no words of its own is named too, and one that differs beyond its words is marked', () => {
  const live = { ...LISTING, floor: 3, description: `A house.${' '.repeat(3)}` } as Listing;
  assert.deepEqual(changesBetween(LISTING, live, NOW), [
    { name: 'Description', before: 'A house.', after: 'Changed' },
    { name: 'Floor', before: 'As stored', after: 'Changed' },
  ]);
  const known = changesBetween(LISTING, { ...LISTING, agent: { name: 'Ada' } } as unknown as Listing, NOW);
  assert.deepEqual(known, [{ name: 'Agent', before: 'Not stated', after: 'Ada' }]);
});

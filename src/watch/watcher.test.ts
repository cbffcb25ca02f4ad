// Proof of which events each target can send, and which it sends by itself.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SavedSearch } from '../search/query/saved-search.ts';
import { defaultEventsOf, eventsOf } from './events/event-types.ts';
import { definitionOf } from './matching/watcher-definition.ts';
import type { Watcher } from './watcher.ts';

test('a search that names no events sends its matches, a listing everything that happens to it', () => {
  assert.deepEqual(defaultEventsOf('search'), ['search.match_added', 'search.match_removed']);
  assert.deepEqual(defaultEventsOf('listing'), eventsOf('listing'));
  assert.ok(eventsOf('listing').includes('listing.price_decreased'));
});

test('only a search can send matches, and no watcher chooses events about itself', () => {
  assert.ok(!eventsOf('listing').includes('search.match_added'));
  assert.ok(!eventsOf('property').includes('search.match_added'));
  assert.ok(eventsOf('search').includes('listing.created'));
  for (const target of ['listing', 'property', 'search'] as const)
    assert.deepEqual(
      eventsOf(target).filter((type) => type.startsWith('watcher.')),
      [],
    );
});

const SEARCH: SavedSearch = {
  listingType: 'sale',
  conditions: [],
  ignoreDisplayRules: true,
  areaNos: [],
  words: {},
  units: 'imperial',
  currency: null,
  names: { maxPrice: 'maxPrice', bedrooms: 'beds' },
};

const WATCHER: Watcher = {
  no: 7,
  id: 'wat_a',
  owner: 'cus:ann',
  allowance: 'cus:ann',
  subscription: 'one',
  grant: null,
  name: null,
  search: SEARCH,
  ignoreDisplayRules: false,
  interpretation: null,
  target: { type: 'search', listingType: 'sale', query: { maxPrice: 5, beds: 2 } },
  events: ['search.match_added'],
  delivery: [],
  eventsPerHour: 10,
  backfill: false,
  cadence: 'instant',
  requestedCadence: null,
  timeZone: 'UTC',
  status: 'active',
  statusReason: null,
  expiresAt: null,
  metadata: {},
  initialMatchCount: 3,
  version: 1,
  createdAt: 0,
  updatedAt: 0,
};

test('a definition has the search as it was understood, under the display rules of the plan', () => {
  const { target, ignoreDisplayRules } = definitionOf(WATCHER);
  const search = { ...SEARCH, ignoreDisplayRules: false };
  assert.deepEqual(target, { type: 'search', search });
  assert.equal(ignoreDisplayRules, false, 'the plan does not allow it any more');
  const listing = { type: 'listing', listingId: 'lst_a' } as const;
  assert.deepEqual(definitionOf({ ...WATCHER, target: listing, search: null }).target, listing);
});

// Proves what a compiled saved search needs and refuses.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SearchRow } from '../../listings/search-row.ts';
import { compilePredicate } from './predicate.ts';
import type { SavedSearch } from './saved-search.ts';

const row: SearchRow = {
  id: 'lst_1',
  listing_type: 'sale',
  status: 'ACTIVE',
  licence: '1',
  displayed: true,
  property_type: 'CONDO',
  property_sub_type: null,
  currency: 'USD',
  price: 100,
  has_price: true,
  close_price: null,
  price_per_area: null,
  price_direction: null,
  price_change_percent: null,
  association_fee: null,
  tax: null,
  monthly_cost: null,
  bedrooms: null,
  bathrooms: null,
  living_area: null,
  lot_size: null,
  year_built: null,
  stories: null,
  floor: null,
  parking_spaces: null,
  garage_spaces: null,
  available_from: null,
  lease_term_months: null,
  furnished: null,
  pets: [],
  utilities: [],
  no_fee: null,
  rent_control: null,
  move_in_cost: null,
  months_free: null,
  net_effective_price: null,
  listed_at: null,
  updated_at: '2026-01-05T12:00:00.000Z',
  closed_at: null,
  price_changed_at: null,
  days_on_market_start: null,
  days_on_market_end: null,
  open_houses: null,
  location: null,
  precision: null,
  guessed: false,
  area_nos: [7],
  city: null,
  neighborhood: null,
  county: null,
  state: null,
  postal_code: null,
  country: null,
  address_key: null,
  has_photos: false,
  has_virtual_tour: false,
  new_construction: null,
  waterfront: null,
  features: [],
  sale_conditions: [],
  provider_id: 'test',
  mls_number: null,
  agent_id: null,
  office_id: null,
};

const search: SavedSearch = {
  listingType: 'sale',
  conditions: [],
  ignoreDisplayRules: false,
  areaNos: [],
  words: {},
  units: 'imperial',
  currency: null,
  names: {},
};

test('a search without a condition matches every listing of its type that may be shown', () => {
  const matches = compilePredicate(search);
  assert.equal(matches(row), true);
  assert.equal(matches({ ...row, listing_type: 'rental' }), false);
  assert.equal(matches({ ...row, displayed: false }), false);
  assert.equal(compilePredicate({ ...search, ignoreDisplayRules: true })({ ...row, displayed: false }), true);
});

test('a search for words reads them, and does not run without', () => {
  const matches = compilePredicate({
    ...search,
    conditions: [{ kind: 'text', words: ['oak'], fields: ['address', 'area'] }],
    words: { oak: { spellings: ['oak'], areaNos: [7] } },
  });
  assert.equal(matches.needsWords, true);
  assert.equal(matches(row, new Set()), true, 'it lies in an area of that name');
  assert.equal(matches({ ...row, area_nos: [] }, new Set(['oak', 'Boak'])), true);
  assert.equal(matches({ ...row, area_nos: [] }, new Set(['oak', 'Doak'])), false);
  assert.throws(() => matches(row));
  assert.equal(compilePredicate(search).needsWords, false);
});

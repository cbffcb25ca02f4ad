// The mix of watchers and changes that matching is measured with: a state of 100 cities, each of 30 neighbourhoods.

import type { ListingChange } from '../../src/changes/change.ts';
import type { ChangeState, ListingSummary } from '../../src/listings/change-state.ts';
import type { SearchRow } from '../../src/listings/search-row.ts';
import type { Condition } from '../../src/search/query/condition.ts';
import type { SavedSearch } from '../../src/search/query/saved-search.ts';
import type { WatcherTarget } from '../../src/watch/matching/index/indexed-watcher.ts';
import type { WatcherDefinition } from '../../src/watch/matching/watcher-definition.ts';
import { random } from '../market.ts';

const CITIES = 100;
const NEIGHBORHOODS = 30;
const STATE_NO = 1;
const cityNo = (city: number): number => 10 + city;
const neighborhoodNo = (city: number, at: number): number => 1_000 + city * NEIGHBORHOODS + at;
const TYPES = ['CONDO', 'APARTMENT', 'SINGLE_FAMILY', 'TOWNHOUSE', 'MULTI_FAMILY'] as const;
const WORDS = Array.from({ length: 2_000 }, (_, at) => `word${at}`);

/** The n-th city has 1/n of the weight of the first. */
const WEIGHTS = Array.from({ length: CITIES }, (_, at) => 1 / (at + 1));
const SUMS = WEIGHTS.map((_, at) => WEIGHTS.slice(0, at + 1).reduce((sum, weight) => sum + weight, 0));
const TOTAL = SUMS.at(-1) ?? 0;

interface Dice {
  below(end: number): number;
  city(): number;
}

function dice(seed: number): Dice {
  const next = random(seed);
  return {
    below: (end) => Math.floor(next() * end),
    city() {
      const drawn = next() * TOTAL;
      return Math.max(
        0,
        SUMS.findIndex((sum) => drawn < sum),
      );
    },
  };
}

/** The south-western corner of a city; each is a tenth of a degree wide. */
const corner = (city: number) => ({ lng: -75 + (city % 10) * 0.2, lat: 40 + Math.floor(city / 10) * 0.2 });

const LISTINGS = 200_000;

const UNKNOWN = {
  property_sub_type: null,
  has_price: true,
  close_price: null,
  price_per_area: null,
  price_direction: null,
  price_change_percent: null,
  association_fee: null,
  tax: null,
  monthly_cost: null,
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
  closed_at: null,
  price_changed_at: null,
  days_on_market_start: null,
  days_on_market_end: null,
  open_houses: null,
  country: null,
  address_key: null,
  has_photos: false,
  has_virtual_tour: false,
  new_construction: null,
  waterfront: null,
  sale_conditions: [],
  provider_id: 'bench',
};

/** The row of a listing. */
export function listingRow(no: number): SearchRow {
  const die = dice(no + 1);
  const city = die.city();
  const neighborhood = die.below(NEIGHBORHOODS);
  const { lng, lat } = corner(city);
  return {
    ...UNKNOWN,
    id: `lst_${no}`,
    listing_type: 'sale',
    status: 'ACTIVE',
    licence: '1',
    displayed: true,
    property_type: TYPES[die.below(TYPES.length)] ?? 'CONDO',
    currency: 'USD',
    price: 100_000 + die.below(190) * 5_000,
    bedrooms: die.below(6),
    bathrooms: 1 + die.below(5) / 2,
    living_area: 500 + die.below(3_000),
    updated_at: '2026-01-01T00:00:00.000Z',
    precision: 'exact',
    guessed: false,
    location: `(${lng + ((neighborhood % 6) + die.below(1_000) / 1_000) / 60},${lat + (Math.floor(neighborhood / 6) + die.below(1_000) / 1_000) / 60})`,
    area_nos: [neighborhoodNo(city, neighborhood), cityNo(city), STATE_NO],
    city: `city ${city}`,
    neighborhood: `neighborhood ${neighborhood}`,
    county: `county ${city % 10}`,
    state: 'ny',
    postal_code: `${10_000 + city * 10 + (neighborhood % 10)}`,
    mls_number: `m${no}`,
    agent_id: `agent ${die.below(5_000)}`,
    office_id: `office ${die.below(500)}`,
    features: [],
  };
}

/** The words of its text. */
export const listingWords = (no: number): ReadonlySet<string> => {
  const die = dice(no + 7);
  return new Set(Array.from({ length: 60 }, () => WORDS[die.below(WORDS.length)] ?? ''));
};

export const ACTIVE: Condition = { kind: 'statuses', statuses: ['ACTIVE'] };
const PRICES = [0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 1].map((millions) => millions * 1e6);

/** The n-th watcher of the mix. */
export function watcher(no: number): WatcherDefinition {
  const die = dice(no * 31 + 5);
  return {
    no,
    id: `wat_${no.toString(36).padStart(20, '0')}`,
    owner: `cus:${no % 100_000}`,
    status: 'active',
    statusReason: null,
    cadence: 'instant',
    eventsPerHour: 1_000,
    backfill: false,
    ignoreDisplayRules: false,
    target: targetOf(die, die.below(100), no),
    events: ['search.match_added', 'search.match_removed'],
  };
}

function targetOf(die: Dice, share: number, no: number): WatcherTarget {
  if (share < 70) return areaSearch(die, neighborhoodNo(die.city(), die.below(NEIGHBORHOODS)));
  if (share < 80) return shapeSearch(die);
  if (share < 85) return { type: 'listing', listingId: `lst_${die.below(LISTINGS)}` };
  if (share < 90) return { type: 'property', propertyId: `prp_lst_${die.below(LISTINGS)}` };
  if (share < 95) return areaSearch(die, cityNo(die.city()));
  if (share < 98) return wordSearch(die);
  return no % 2 === 0
    ? areaSearch(die, STATE_NO)
    : search([...common(die), { kind: 'words', column: 'state', values: ['ny'] }]);
}

const areaSearch = (die: Dice, areaNo: number): WatcherTarget =>
  search([{ kind: 'areas', ids: [`area_${areaNo}`] }, ...common(die)], { areaNos: [areaNo] });

/** Price, bedrooms and property type. */
function common(die: Dice): Condition[] {
  const low = die.below(PRICES.length - 3);
  const max = PRICES[low + 1 + die.below(3)] ?? 1e6;
  const min = die.below(2) === 0 ? undefined : PRICES[low];
  return [
    { kind: 'range', column: 'price', min, max },
    { kind: 'range', column: 'bedrooms', min: die.below(4), max: undefined },
    { kind: 'words', column: 'propertyType', values: TYPES.slice(0, 1 + die.below(TYPES.length)) },
  ];
}

function shapeSearch(die: Dice): WatcherTarget {
  const { lng, lat } = corner(die.city());
  const centre = { lng: lng + die.below(1_000) / 10_000, lat: lat + die.below(1_000) / 12_000 };
  const radius = 0.005 + die.below(100) / 5_000;
  const shell = Array.from({ length: 12 }, (_, at) => ({
    lng: centre.lng + radius * Math.cos((at * Math.PI) / 6),
    lat: centre.lat + radius * Math.sin((at * Math.PI) / 6),
  }));
  const box = [centre.lng - radius, centre.lat - radius, centre.lng + radius, centre.lat + radius] as const;
  return search([{ kind: 'polygon', parts: [{ shell, holes: [] }], boxes: [box] }, ...common(die)]);
}

function wordSearch(die: Dice): WatcherTarget {
  const words = Array.from({ length: 1 + die.below(2) }, () => WORDS[die.below(WORDS.length)] ?? '');
  return search([{ kind: 'text', words, fields: ['address', 'id', 'area', 'description'] }]);
}

export function search(conditions: readonly Condition[], part: Partial<SavedSearch> = {}): WatcherTarget {
  const saved: SavedSearch = {
    listingType: 'sale',
    conditions: [ACTIVE, ...conditions],
    ignoreDisplayRules: false,
    areaNos: [],
    words: {},
    units: 'imperial',
    currency: 'USD',
    names: {},
    ...part,
  };
  return { type: 'search', search: saved };
}

/** The number of the listing that a change is about. */
export const listingNo = ({ listingId }: { readonly listingId: string }): number =>
  Number(listingId.slice(4));

/** The n-th change of the mix: 60 % another price, 20 % another status, 20 % entering or leaving. */
export function change(no: number): ListingChange<ChangeState> {
  const die = dice(no * 17 + 3);
  const listing = die.below(LISTINGS);
  const row: SearchRow = { ...listingRow(listing), updated_at: '2026-02-01T00:00:00.000Z' };
  const share = die.below(100);
  if (share < 60)
    return update(no, row, priceChange(Math.round(((row.price ?? 0) * (92 + die.below(16))) / 100)));
  if (share < 80)
    return update(no, row, { status: die.below(2) === 0 ? 'PENDING' : 'ACTIVE_UNDER_CONTRACT' });
  if (share < 90) return { ...update(no, row, {}), kind: 'created', changed: [], before: null };
  return { ...update(no, row, { status: 'DELETED' }), kind: 'removed' };
}

/** What differs with the price. */
const priceChange = (price: number): Partial<SearchRow> => ({
  price,
  price_per_area: price / 1_000,
  price_direction: 'decrease',
  price_changed_at: '2026-02-01T00:00:00.000Z',
});

function update(no: number, row: SearchRow, changes: Partial<SearchRow>): ListingChange<ChangeState> {
  const changed = Object.keys(changes) as (keyof SearchRow)[];
  const before = Object.fromEntries(changed.map((name) => [name, row[name]]));
  return {
    sequence: no,
    at: no,
    kind: 'updated',
    listingId: row.id,
    propertyId: `prp_${row.id}`,
    quiet: false,
    changed,
    wordsBefore: null,
    after: { row: { ...row, ...changes }, listing: NO_SUMMARY },
    before: { row: { ...before, updated_at: '2026-01-01T00:00:00.000Z' } },
  };
}

/** Matching does not read it. */
const NO_SUMMARY = {} as ListingSummary;

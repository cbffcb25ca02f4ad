// Tests of events in plain words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContentRow, EventRow } from '../../watch/events/read-store.ts';
import { eventFacts, eventTitle } from './event-words.ts';

const ROW: EventRow = {
  sequence: 1,
  watcherId: 'wat_1',
  type: 'listing.price_decreased',
  ordinal: 0,
  day: '2026-01-01',

  owner: 'cus:a',
  licenceNo: null,
  listingId: 'lst_1',
  matchedOn: '',
  data: null,
  dropped: null,
  at: '2026-01-01T00:00:00Z',
};
const content = (object: object | null, previous: object | null = null): ContentRow => ({
  sequence: 1,
  listingId: 'lst_1',
  credits: null,
  changedFields: 'price',
  object: object && JSON.stringify(object),
  previous: previous && JSON.stringify(previous),
});

test('an event about a home says which one, and what changed', () => {
  const home = { price: 450_000, currency: 'USD', status: 'PENDING', address: { full: '12 Elm St, Austin' } };
  assert.deepEqual(eventFacts(ROW, content(home)), ['12 Elm St, Austin', '$450,000']);
  assert.deepEqual(eventFacts(ROW, content(home, { price: 480_000, status: 'ACTIVE_UNDER_CONTRACT' })), [
    '12 Elm St, Austin',
    '$450,000, before $480,000',
    'Active under contract, now pending',
  ]);
  const rent = { price: 2_000, currency: 'EUR', priceFrequency: 'MONTHLY', address: { full: null } };
  assert.deepEqual(eventFacts(ROW, content(rent)), ['Listing lst_1', '€2,000 a month']);
  assert.deepEqual(
    eventFacts(ROW, content({ price: 759_900, currency: 'USD', priceFrequency: 'ONE_TIME' })),
    ['Listing lst_1', '$759,900'],
  );
});

test('“Listing changed” says what changed: short values with what they were, long ones by name', () => {
  const row: EventRow = { ...ROW, type: 'listing.updated' };
  const changed = (names: string, object: object, previous: object | null) => {
    const [, ...facts] = eventFacts(row, { ...content(object, previous), changedFields: names });
    return facts;
  };
  const home = { bedrooms: 4, yearBuilt: 1990, propertyType: 'SINGLE_FAMILY', currency: 'USD' };
  assert.deepEqual(
    changed('bedrooms,yearBuilt,propertyType,description', home, {
      bedrooms: 3,
      yearBuilt: null,
      propertyType: 'CONDO',
    }),
    [
      'Changed: bedrooms 4, before 3; year built 1990, before not given; property type single-family, before condo; description',
    ],
  );
  assert.deepEqual(changed('photos,photoCount', {}, { photoCount: 3 }), ['Changed: photos']);
  assert.deepEqual(changed('closePrice', { closePrice: 1, currency: 'USD' }, { closePrice: 2 }), [
    'Changed: closing price $1, before $2',
  ]);
  assert.deepEqual(changed('a,b,c,d,e,f,g,h', {}, {}), ['Changed: a; b; c; d; e; f; 2 more']);
  assert.deepEqual(changed('price', { price: 5, currency: 'USD' }, { price: 6 }), ['$5, before $6']);
  assert.deepEqual(changed('', {}, null), ['Shown again']);
});

test('a home that may not be shown any more is named by its id alone', () => {
  const hidden = ['Listing lst_1, which is not shown any more'];
  assert.deepEqual(eventFacts(ROW, content(null)), hidden);
  assert.deepEqual(eventFacts(ROW, undefined), hidden);
});

test('an event about the watcher says why', () => {
  const about = (type: EventRow['type'], data: object, dropped: number | null = null) =>
    eventFacts({ ...ROW, type, listingId: null, data: JSON.stringify(data), dropped }, undefined, 'USD');
  assert.deepEqual(about('watcher.paused', { reason: 'owner' }), ['You paused it.']);
  assert.deepEqual(about('watcher.paused', { reason: 'new_one' }), []);
  assert.deepEqual(about('watcher.throttled', { limit: 1_000 }, 12), [
    'Your plan has 1,000 events an hour; 12 more were left out',
  ]);
  assert.deepEqual(about('watcher.test', {}), []);
  assert.deepEqual(about('watcher.digest', { after: 1, count: 1_200 }), ['1,200 events together']);
  assert.deepEqual(
    about('market.threshold_crossed', { metric: 'median_list_price', value: 510_000, previous: 490_000.5 }),
    ['Median list price: $510,000, before $490,000.50'],
  );
  const crossed = { metric: 'vacancy_days', op: 'change_percent_above', value: 12.5, previous: 3 };
  assert.deepEqual(about('market.threshold_crossed', crossed), [
    'Vacancy days: a change of 12.5 %, before 3 %',
  ]);
});

test('each type has words, and a type without any is named as it is', () => {
  assert.equal(eventTitle('search.match_added'), 'New match');
  assert.equal(eventTitle('some.thing'), 'some.thing');
});

// Proves that a view's URL and its state are the same thing, and that its requests of the API have the same filters.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { carried, linkTo, listOf, readParameters, rebased, writeQuery } from './parameters.ts';
import { apiRequests, parametersOf, searchCursor, stateOf } from './state.ts';

const readState = (query: string) => stateOf(readParameters(query));

const MAP = { bbox: '-70.1,43.4,-69.9,43.6', zoom: 12.4, currency: null };

test('a state that is written and read again is the same, whatever its parameters', () => {
  const name = fc.constantFrom('areaId', 'bbox', 'q', 'minPrice', 'propertyType', 'sort');
  const query = fc.uniqueArray(fc.tuple(name, fc.string({ minLength: 1 })), { selector: ([key]) => key });
  fc.assert(
    fc.property(query, fc.boolean(), (pairs, isRental) => {
      const text = new URLSearchParams([
        ...(isRental ? [['for', 'rental']] : []),
        ...pairs,
      ] as string[][]).toString();
      const state = readState(text);
      assert.equal(state.kind, isRental ? 'rental' : 'sale');
      assert.deepEqual([...state.parameters], pairs);
      assert.deepEqual(readState(writeQuery(parametersOf(state))), state);
    }),
  );
});

test('a parameter that comes several times is a list', () => {
  const { parameters } = readState('propertyType=CONDO&minPrice=1&propertyType=LAND,HOUSE');
  assert.deepEqual(listOf(parameters, 'propertyType'), ['CONDO', 'LAND', 'HOUSE']);
});

test('a change of a filter begins the list again, and a form carries all other parameters along', () => {
  const parameters = readParameters('for=rental&minPrice=1&cursor=3.abc');
  assert.equal(linkTo(parameters, { maxPrice: '2' }), 'explore?for=rental&minPrice=1&maxPrice=2');
  assert.deepEqual(carried(parameters, ['minPrice']), [['for', 'rental']]);
});

test('a cursor of a view has that of the search, between its number of rows and its seal', () => {
  assert.equal(searchCursor(readState('cursor=20.abc-_.d')), 'abc-_');
  assert.equal(searchCursor(readState('cursor=abc')), 'abc');
  assert.equal(searchCursor(readState('')), null);
});

test('requests of the API have the filters of the view, and clusters its map', () => {
  const requests = apiRequests(
    readState('for=rental&minPrice=1000&sort=price&zoom=12'),
    'http://a.example',
    MAP,
  );
  const search = 'http://a.example/v1/search/rentals';
  assert.equal(requests.search, `${search}?minPrice=1000&sort=price&limit=10`);
  assert.equal(requests.clusters, `${search}?minPrice=1000&cluster=true&bbox=${MAP.bbox}&zoom=12`);
  assert.equal(requests.csv, `${search}/export?minPrice=1000&sort=price`);
  assert.match(
    requests.curl,
    /^curl -G http:\/\/a\.example\/v1\/search\/rentals \\\n {2}-d minPrice=1000 \\\n/,
  );
});

test('words that a URL cannot carry are encoded by curl, and quoted for the shell and for JavaScript', () => {
  const requests = apiRequests(
    readState(new URLSearchParams({ q: "sea view's \\ 100% & more" }).toString()),
    'http://a.example',
    MAP,
  );
  assert.match(requests.curl, /--data-urlencode q='sea view'\\''s \\ 100% & more'/);
  assert.match(requests.fetch, / {2}q: 'sea view\\'s \\\\ 100% & more',/);
});

test('a link that was written for one view changes the same in another: two filters chosen one after the other are both in force', () => {
  const [base, moved] = ['bbox=1,2,3,4&q=pool&cursor=2.x', 'bbox=5,6,7,8&q=pool&waterfront=true'].map(
    readParameters,
  );
  assert.ok(base !== undefined && moved !== undefined);
  const target = readParameters('bbox=1,2,3,4&minBedrooms=2');
  assert.equal(writeQuery(rebased(base, target, moved)), 'bbox=5,6,7,8&waterfront=true&minBedrooms=2');
  assert.deepEqual(rebased(base, target, base), target);
});

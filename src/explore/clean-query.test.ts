// Queries of forms become queries of views.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanQuery } from './clean-query.ts';

const cleaned = (query: string) => cleanQuery(query).redirect;

test('the query of a view stays what it is', () => {
  for (const query of [
    '',
    'for=rental',
    'minPrice=400000&bbox=-1.5,2,3.25,4',
    'q=pool%2C+garden',
    'cursor=2.abc',
  ])
    assert.equal(cleaned(query), null, query);
});

test('blank fields are left out, and what was typed as an amount is one', () => {
  assert.equal(cleaned('for=sale&minPrice=&maxPrice=+'), 'for=sale');
  assert.equal(cleaned('minPrice=%24400%2C000&maxPrice=%24900k'), 'minPrice=400000&maxPrice=900000');
  assert.equal(cleaned('minPrice=1.25m'), 'minPrice=1250000');
  assert.equal(cleaned('maxPrice=1%20200%20000%20%E2%82%AC'), 'maxPrice=1200000');
  assert.equal(cleaned('minPrice=cheap'), null, 'the API says what is wrong with it');
});

test('checkboxes of one name are a list, and the search box is none of the view', () => {
  assert.equal(cleaned('propertyType=CONDO&propertyType=TOWNHOUSE'), 'propertyType=CONDO,TOWNHOUSE');
  const { find, redirect } = cleanQuery('find=Port+Calder&for=sale');
  assert.deepEqual([find, redirect], ['Port Calder', 'for=sale']);
});

test('the choice of sold homes leads to those of the last months, and to what else was chosen', () => {
  assert.equal(cleaned('for=sold&find='), 'status=CLOSED&closedSince=P6M');
  assert.equal(cleaned('for=sold&closedSince=P1M'), 'closedSince=P1M&status=CLOSED');
  const { parameters, find } = cleanQuery('for=sold&find=Port+Calder');
  assert.deepEqual(
    [[...parameters], find],
    [
      [
        ['status', 'CLOSED'],
        ['closedSince', 'P6M'],
      ],
      'Port Calder',
    ],
  );
});

// Chips of filters: whatever parameter of a search is in a link, its chip says it in words and removes it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activeFilters } from '../../../src/explore/parts/filters.ts';
import { RentalSearchQuery, SaleSearchQuery } from '../../../src/search/query/parameters.ts';

/** What shapes the view or its answer, and is no filter; which areas it shows stands in the search box. */
const OF_VIEWS = new Set(
  'areaId bbox zoom sort cursor status units limit count includeTotalCount fields include display format facets priceBucket stats cluster explain'.split(
    ' ',
  ),
);
/** Of no effect alone. */
const WITH_OTHERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  lat: { lng: '1' },
  lng: { lat: '1' },
  qFields: { q: 'pool' },
  featuresOperator: { features: 'pool' },
};

const context = { kind: 'sale', currency: 'USD', areas: new Map<string, string>() } as const;
const chipsOf = (entries: Readonly<Record<string, string>>) =>
  activeFilters(new Map(Object.entries(entries)), context);

test('each filter of a search has a chip in words, which removes it', () => {
  const names = Object.keys({ ...SaleSearchQuery.properties, ...RentalSearchQuery.properties });
  assert.ok(names.length > 60);
  for (const name of names) {
    if (OF_VIEWS.has(name)) continue;
    const chips = chipsOf(Object.fromEntries([[name, '2'], ...Object.entries(WITH_OTHERS[name] ?? {})]));
    assert.equal(chips.length, 1, name);
    assert.ok(chips[0]?.parameters.includes(name), name);
    assert.ok(!chips[0]?.words.includes(`${name}:`), name);
  }
});

test('rarer filters are said as people would', () => {
  const words = (entries: Readonly<Record<string, string>>) => chipsOf(entries).map((chip) => chip.words);
  assert.deepEqual(words({ city: 'Port Calder,Northmoor' }), ['City Port Calder or Northmoor']);
  assert.deepEqual(words({ lat: '1', lng: '2', radius: '1.5mi' }), ['Within 1.5 mi of a point']);
  assert.deepEqual(words({ hasPhotos: 'false' }), ['Without photos']);
  assert.deepEqual(words({ minacres: '0.5' }), ['Lot 0.5+ acres']);
  assert.deepEqual(words({ minFloor: '3' }), ['Floor 3 or above']);
  assert.deepEqual(words({ maxTax: '400' }), ['Tax up to $400 a month']);
  assert.deepEqual(words({ minClosePrice: '400000', maxClosePrice: '500000' }), ['Sold for $400k – $500k']);
  assert.deepEqual(words({ updatedSince: 'P7D' }), ['Changed this week']);
  assert.deepEqual(words({ agentId: 'a,b' }), ['Of 2 agents']);
  assert.deepEqual(words({ pets: 'cats,dogs' }), ['Allows cats or dogs']);
});

test('a parameter that no search knows is shown by its name', () => {
  assert.deepEqual(
    chipsOf({ colour: 'red' }).map(({ words }) => words),
    ['colour: red'],
  );
});

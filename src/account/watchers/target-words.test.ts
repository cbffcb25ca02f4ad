// Tests of targets in plain words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeTarget } from './target-words.ts';

const search = (query: object, interpretation: object = { areas: [], currency: 'USD', units: 'imperial' }) =>
  describeTarget({
    target: { type: 'search', listingType: 'sale', query: query as Record<string, unknown> },
    interpretation,
    address: null,
  });

test('a listing and a property are named by their address, and by their id where it is not known', () => {
  const listing = { type: 'listing', listingId: 'lst_1' } as const;
  const property = { type: 'property', propertyId: 'prp_1' } as const;
  const words = (target: typeof listing | typeof property, address: string | null) =>
    describeTarget({ target, interpretation: null, address });
  const elm = '12 Elm St, Austin';
  assert.deepEqual(words(listing, elm), { title: elm, what: 'One listing', which: [elm] });
  assert.deepEqual(words(property, elm), { title: elm, what: 'All listings of one home', which: [elm] });
  assert.equal(words(listing, null).title, 'Listing lst_1');
  assert.equal(words(property, null).title, 'Property prp_1');
});

test('bounds are said with their unit, and both bounds of one thing together', () => {
  assert.deepEqual(search({ minBedrooms: 3, maxPrice: 600_000, minPrice: 100_000 }), {
    title: 'Homes for sale',
    what: 'Homes for sale',
    which: ['Bedrooms: 3 or more', 'Price: $100,000 to $600,000'],
  });
  assert.deepEqual(search({ maxlivingArea: 90, minYearBuilt: 1990, minPriceDropPercent: 5 }).which, [
    'Living area: 90 sq ft or less',
    'Year built: 1990 or more',
    'Price drop percent: 5 % or more',
  ]);
  assert.deepEqual(search({ minLivingArea: 90 }, { units: 'metric' }).which, ['Living area: 90 m² or more']);
});

test('places are said by the names that were understood, and outlines without their corners', () => {
  const interpretation = { areas: [{ name: 'Austin' }, { name: 'Dallas' }], currency: null };
  assert.deepEqual(search({ areaId: ['a', 'b'], q: 'lake view' }, interpretation).which, [
    'Area: Austin or Dallas',
    'Words: “lake view”',
  ]);
  assert.deepEqual(search({ polygon: '1,2;3,4;5,6', currency: 'USD' }).which, [
    'Place: inside a drawn outline',
  ]);
  assert.deepEqual(search({ lat: 1, lng: 2, radius: '2km' }).which, ['Place: within 2km of a point']);
});

test('other filters are said by their names, in bounded length and number', () => {
  assert.deepEqual(
    search({
      propertyType: ['SINGLE_FAMILY', 'CONDO'],
      hasPhotos: true,
      listedSince: '2026-01-01',
      beds: '2:',
    }).which,
    [
      'Property type: single-family or condo',
      'Has photos: yes',
      'Listed since: 2026-01-01',
      'Beds: 2 or more',
    ],
  );
  const [long = ''] = search({ city: ['x'.repeat(500)] }).which;
  assert.equal(Array.from(long).length, 80);
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, number) => [`filter${number}x`, 'x']));
  assert.equal(search(many).which.at(-1), '8 more filters');
  assert.equal(search(many).which.length, 13);
});

test('a figure of the market is said with its area, its homes and its condition', () => {
  const figure = (more: object, condition: object) =>
    describeTarget({
      target: {
        type: 'market',
        areaId: 'area_1',
        listingType: 'sale',
        metric: 'median_list_price',
        ...more,
        condition,
      } as never,
      interpretation: { areas: [{ name: 'Austin' }], currency: 'USD' },
      address: null,
    });
  assert.deepEqual(figure({}, { op: 'above', value: 500_000 }), {
    title: 'Median list price, Austin',
    what: 'Median list price',
    which: ['Area: Austin', 'Of: homes for sale', 'When: above $500,000'],
  });
  assert.deepEqual(
    figure({ propertyType: 'CONDO', bedrooms: 2 }, { op: 'change_percent_below', value: -3, window: 'P30D' })
      .which,
    ['Area: Austin', 'Of: condo for sale, 2 bedrooms', 'When: a change below -3 % in 30 days'],
  );
});

// Proves what rules take from a part of a cell: numbers among words, parts of an address, projected coordinates, months by name.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceRecord } from '../formats/record.ts';
import { type AddressParts, addressParts } from './address-parts.ts';
import { type MapError, parseMap } from './map.ts';
import { compileMap, sentenceOf } from './row.ts';

const BASE = {
  listingKey: { column: 'id' },
  listingType: { constant: 'sale' },
  status: { constant: 'ACTIVE' },
  propertyType: { constant: 'CONDO' },
  currency: { constant: 'EUR' },
};

function mapOf(fields: object) {
  const text = JSON.stringify({
    kind: 'listings',
    source: { id: 'parts', name: 'Parts' },
    fields: { ...BASE, ...fields },
  });
  return parseMap('map.json', text);
}

/** The value of one field of a record; the reason where the record is rejected. */
function readOne(field: string, rule: object, cells: Readonly<Record<string, unknown>>): unknown {
  const twin = field === 'location.lat' ? 'location.lng' : 'location.lat';
  const more = field.startsWith('location.') ? { [twin]: { constant: 1 } } : {};
  const record: SourceRecord = {
    row: 1,
    place: 1,
    fields: { id: '1', ...cells },
    broken: null,
    geometry: null,
    rejectedText: () => '',
  };
  const { values, faults } = compileMap(mapOf({ [field]: rule, ...more }))(record);
  return faults.length > 0 ? sentenceOf(faults) : values.get(field);
}

const faultsOf = (field: string, rule: unknown): string => {
  try {
    mapOf({ [field]: rule });
    return '';
  } catch (error) {
    return (error as MapError).message;
  }
};

test('a number is taken from among words, with its multiplier and its unit', () => {
  const price = { column: 'v', format: '1,234.5', suffixes: { k: 1_000, M: 1_000_000, 'Mio.': 1_000_000 } };
  const cases: readonly (readonly [string, object, string | number, unknown])[] = [
    ['listPrice', price, '$387k', 387_000],
    ['listPrice', price, '1.2M USD', 1_200_000],
    ['listPrice', price, '$412,500', 412_500],
    ['listPrice', { ...price, format: '1.234,5' }, '1,2 Mio. €', 1_200_000],
    ['listPrice', { column: 'v', factor: 1_000 }, '387.5', 387_500],
    ['listPrice', { column: 'v', factor: 1_000 }, 387.5, 387_500],
    ['listPrice', { column: 'v', part: 'first', format: '1,234.5' }, 'from £1,250 pcm', 1_250],
    ['bedrooms', { column: 'v', part: 'first' }, '3 bd / 2 ba', 3],
    ['bathrooms', { column: 'v', part: 'second' }, '3 bd / 2.5 ba', 2.5],
    ['livingArea', { column: 'v', unitInCell: true, format: '1,234.5' }, '1,850 sq. ft.', 1_850],
    ['livingArea', { column: 'v', unitInCell: true }, 'ca. 100 m² Wohnfläche', 1_076.39],
    ['livingArea', { column: 'v', unitInCell: true, unit: 'sqm' }, '100', 1_076.39],
    ['lotSize', { column: 'v', unitInCell: true }, '0.5 acres', 21_780],
    ['location.lat', { column: 'v', part: 'first' }, '47.61, -122.33', 47.61],
    ['location.lng', { column: 'v', part: 'first' }, 'POINT (-122.33 47.61)', -122.33],
  ];
  for (const [field, rule, cell, expected] of cases)
    assert.equal(readOne(field, rule, { v: cell }), expected, `${field} of ${cell}`);
  assert.match(String(readOne('bedrooms', { column: 'v', part: 'first' }, { v: 'many' })), /is not a number/);
});

test('metres of a projection become degrees, and an unknown projection is refused by name', () => {
  const near = (value: unknown, expected: number) =>
    assert.ok(Math.abs(Number(value) - expected) < 0.000_1, `${value} is not ${expected}`);
  const rule = (projection: string) => ({ columns: ['x', 'y'], projection });
  const cells: readonly (readonly [string, number, number, number, number])[] = [
    ['EPSG:3857', -13618025.0, 6041572.31, -122.3328, 47.6061],
    ['EPSG:27700', 530_268, 179_642, -0.124_57, 51.500_67],
    ['EPSG:32633', 500_000, 5_538_630.7, 15, 50],
    ['EPSG:25830', 500_000, 4_427_757.22, -3, 40],
  ];
  for (const [projection, x, y, lng, lat] of cells) {
    const at = { x: String(x), y: String(y) };
    near(readOne('location.lng', rule(projection), at), lng);
    near(readOne('location.lat', rule(projection), at), lat);
  }
  assert.equal(readOne('location.lat', rule('EPSG:3857'), { x: '0', y: '0' }), null);
  assert.match(faultsOf('location.lat', rule('EPSG:2154')), /EPSG:2154 is not converted.*ogr2ogr/);
  assert.match(faultsOf('location.lat', { column: 'x', projection: 'EPSG:3857' }), /needs two columns/);
});

test('an address in one text is read part by part, as several countries write it', () => {
  const cases: readonly (readonly [string, AddressParts])[] = [
    [
      '12 Oak Street, Apt 4, Springfield, IL 62704',
      {
        streetNumber: '12',
        streetName: 'Oak Street',
        unit: '4',
        city: 'Springfield',
        state: 'IL',
        postalCode: '62704',
      },
    ],
    [
      '3400 E 5th Ave #12, Denver, CO 80206-1234, USA',
      {
        streetNumber: '3400',
        streetName: 'E 5th Ave',
        unit: '12',
        city: 'Denver',
        state: 'CO',
        postalCode: '80206-1234',
        country: 'US',
      },
    ],
    [
      'Hauptstraße 5a, 10115 Berlin',
      { streetNumber: '5a', streetName: 'Hauptstraße', city: 'Berlin', postalCode: '10115' },
    ],
    [
      '12 rue de la Paix, 75002 Paris, France',
      { streetNumber: '12', streetName: 'rue de la Paix', city: 'Paris', postalCode: '75002', country: 'FR' },
    ],
    [
      'Calle Mayor, 5, 2º B, 28013 Madrid',
      { streetNumber: '5', streetName: 'Calle Mayor', unit: '2º B', city: 'Madrid', postalCode: '28013' },
    ],
    [
      '10 Downing Street, London SW1A 2AA',
      { streetNumber: '10', streetName: 'Downing Street', city: 'London', postalCode: 'SW1A 2AA' },
    ],
    [
      'Flat 3, 12 High Street, Leeds, LS1 4AP',
      { unit: '3', streetNumber: '12', streetName: 'High Street', city: 'Leeds', postalCode: 'LS1 4AP' },
    ],
    [
      'Musterweg 12-14 80331 München',
      { streetNumber: '12-14', streetName: 'Musterweg', city: 'München', postalCode: '80331' },
    ],
    ['The Old Barn, Oxford', { streetName: 'The Old Barn', city: 'Oxford' }],
  ];
  for (const [text, parts] of cases) assert.deepEqual(addressParts(text), parts, text);
  const city = { column: 'a', part: 'city' };
  assert.equal(readOne('address.city', city, { a: '12 Oak Street, Springfield, IL 62704' }), 'Springfield');
  assert.match(faultsOf('bedrooms', city), /part city is for texts/);
});

test('months are read by their names in several languages, and lists from JSON within a cell', () => {
  const dates = [
    ['D. MMMM YYYY', '15. März 2026'],
    ['D MMM YYYY', '15 mars 2026'],
    ['D de MMMM de YYYY', '15 de marzo de 2026'],
    ['MMM D, YYYY', 'Mar 15, 2026'],
  ] as const;
  for (const [format, cell] of dates)
    assert.equal(readOne('onMarketDate', { column: 'd', format }, { d: cell }), '2026-03-15', cell);
  const photos = readOne(
    'photos',
    { column: 'p' },
    { p: '["https://a.example/1.jpg","https://a.example/2.jpg"]' },
  );
  assert.equal((photos as readonly unknown[]).length, 2);
});

test('a mere value as a rule is answered with the rule to write', () => {
  assert.match(
    faultsOf('listingType', 'sale'),
    /fields\.listingType: a rule is an object: \{"constant": "sale"\}/,
  );
});

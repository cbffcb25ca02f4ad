// Tests of the gazetteer: which texts name which place, and which name none.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { distanceKm } from '../geometry/geometry.ts';
import { type AddressNames, namesInAddress } from './address-names.ts';
import { gazetteer } from './gazetteer.ts';

const towns = await gazetteer();
const NO_NAMES: AddressNames = { full: null, city: null, state: null, postalCode: null, country: null };
const find = (names: Partial<AddressNames>) => towns.find({ ...NO_NAMES, ...names });

/** Town, region as an address writes it, country, and its middle. */
const TOWNS = [
  ['Seattle', 'WA', 'US', 47.6, -122.3],
  ['St. Louis', 'MO', 'US', 38.6, -90.2],
  ['Fort Worth', 'Texas', 'US', 32.7, -97.3],
  ['Québec', 'QC', 'CA', 46.8, -71.2],
  ['Newcastle', 'NSW', 'AU', -32.9, 151.8],
  ['München', 'Bayern', 'DE', 48.1, 11.6],
  ['Köln', '', 'DE', 50.9, 7],
  ['Milano', 'MI', 'IT', 45.5, 9.2],
  ['São Paulo', 'SP', 'BR', -23.5, -46.6],
  ['Sevilla', 'Andalucía', 'ES', 37.4, -6],
] as const;

const unaccented = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '');
const spellings = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  unaccented,
  (text) => ` ${text} `,
  (text) => text.replaceAll('.', ''),
  (text) => text.replace('Fort ', 'Ft. ').replace('St. ', 'Saint '),
);

test('a town is found by its name and region in any case, with accents or without, abbreviated or not', () => {
  fc.assert(
    fc.property(fc.constantFrom(...TOWNS), spellings, spellings, (town, ofCity, ofState) => {
      const [city, state, country, lat, lng] = town;
      const place = find({ city: ofCity(city), state: state === '' ? null : ofState(state), country });
      assert.ok(place && distanceKm(place, { lat, lng }) < 20, `${ofCity(city)}: ${JSON.stringify(place)}`);
    }),
  );
});

test('the end of a whole address says the same as members of their own', () => {
  const streets = fc.constantFrom('12 Oak St', '500 Main St, Unit 4', 'Lot 7 Hwy 20', '1428 Elm Street #2');
  const ends = fc.constantFrom(
    ['Seattle, WA 98101', '98101'],
    ['Seattle, WA 98101-1234', '98101-1234'],
    ['Seattle WA 98101', '98101'],
    ['Seattle, wa 98101', '98101'],
    ['Seattle, WA 98101, USA', '98101'],
    ['Seattle, WA', null],
  );
  fc.assert(
    fc.property(streets, ends, (street, [end, postalCode]) => {
      const names = namesInAddress({ ...NO_NAMES, full: `${street}, ${end}` }, (text) => text === 'USA');
      assert.deepEqual(
        [names.city, names.state, names.postalCode],
        ['Seattle', 'WA', postalCode],
        `${street}, ${end}`,
      );
    }),
  );
  assert.equal(find({ full: 'Chausseestr. 5, 10115 Berlin, Deutschland' })?.by, 'town');
  assert.equal(find({ full: '12 Oak St' }), null);
  assert.equal(find({ full: '12 Oak St, Springfield', country: 'US' }), null);
});

test('a postal code counts in its own country and state alone', () => {
  assert.deepEqual(find({ postalCode: '98101', state: 'WA' })?.by, 'postal_code');
  assert.deepEqual(find({ postalCode: '981011234', state: 'Washington' })?.by, 'postal_code');
  assert.deepEqual(find({ postalCode: 'V6B 1A1' })?.by, 'postal_code');
  assert.equal(find({ postalCode: '98101' }), null, 'five digits are a code of many countries');
  assert.equal(find({ postalCode: '98101', country: 'DE' }), null);
  assert.equal(find({ postalCode: '98101', state: 'OR' }), null);
  assert.equal(find({ city: 'Seattle', state: 'WA', postalCode: '97201' })?.by, 'town');
});

test('a name that several places have, or of a country that is not understood, is no place', () => {
  assert.equal(find({ city: 'Springfield', country: 'US' }), null);
  assert.equal(find({ city: 'Springfield' }), null);
  assert.equal(find({ city: 'Seattle', state: 'OR', country: 'US' }), null);
  assert.equal(find({ city: 'Seattle', state: 'WA', country: 'Freedonia' }), null);
});

test('whatever an address says, there is a place on Earth or none', () => {
  const name = fc.option(
    fc.oneof(fc.string(), fc.constantFrom('Seattle', 'WA', 'US', '98101', '__proto__', ',,')),
  );
  fc.assert(
    fc.property(name, name, name, name, name, (full, city, state, postalCode, country) => {
      const place = find({ full, city, state, postalCode, country });
      assert.ok(place === null || (Math.abs(place.lat) <= 90 && Math.abs(place.lng) <= 180));
    }),
  );
});

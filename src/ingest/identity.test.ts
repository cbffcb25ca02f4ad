// Tests of identities: which listings may be one home, and which may not.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addressParts } from './address-parts.ts';
import { type HomeEvidence, isContradicted, propertyIdentities } from './identity.ts';
import { isPlaceholder } from './placeholders.ts';

const NOTHING = {
  full: null,
  unit: null,
  streetNumber: null,
  streetName: null,
  city: null,
  neighborhood: null,
  county: null,
  state: null,
  postalCode: null,
  country: null,
};

const home = (listingKey: string, facts: Partial<HomeEvidence>): HomeEvidence => ({
  source: 'a',
  listingKey,
  addressDisplayed: true,
  universalPropertyId: null,
  parcelNumber: null,
  location: null,
  address: NOTHING,
  ...facts,
});

test('a number that identifies nothing is a placeholder, and one of a parcel is none', () => {
  for (const text of [
    '0',
    '000-000',
    'N/A',
    'n.a.',
    'NA',
    'TBD',
    'TBD-4',
    '999999',
    '99-999',
    'UNKNOWN',
    'None',
    '-',
    '',
    'Not Available',
    'Unassigned',
    'To be determined',
    '1111111',
    '123456',
    '12-34-56-789',
    'XXXX',
    'See Remarks',
    'MULTIPLE',
    'pending',
  ])
    assert.ok(isPlaceholder(text), text);
  for (const text of ['42', '000123', '7129300520', '1-1', 'R0012', '12-34-56-780', 'home', '100000'])
    assert.ok(!isPlaceholder(text), text);
});

const STREETS: readonly [string, string | null, string | null, string | null][] = [
  ['500 Main St, Unit 1, Town, OR', '500 Main St', '500', '1'],
  ['500 Main St Unit 1, Town, OR', '500 Main St', '500', '1'],
  ['500 Main St #2B, Town, OR', '500 Main St', '500', '2b'],
  ['500 Main St, Apt. 2B, Town, OR', '500 Main St', '500', '2b'],
  ['500 Main St, Town, OR 97001', '500 Main St', '500', null],
  ['500 Main St, Flat Rock, MI', '500 Main St', '500', null],
  ['500 Main St, Bldg 2 Unit 5, Town', '500 Main St', '500', 'bldg 2 unit 5'],
  ['500 Main St, Penthouse, Town', '500 Main St', '500', 'penthouse'],
  ['Flat 2, 10 High Street, London', '10 High Street', '10', '2'],
  ['Calle Mayor 12, 3B, Madrid', 'Calle Mayor 12', '12', '3b'],
  ['Hauptstraße 5, 10115 Berlin', 'Hauptstraße 5', '5', null],
  ['0 County Road, Town, OR', null, null, null],
  ['0 County Road 12, Town, OR', null, null, null],
  ['County Road 12, Town, OR', null, null, null],
  ['00000 State Highway 7, Town', null, null, null],
  ['TBD 12 Oak Ln, Town', null, null, null],
  ['99999 Oak Ln, Town', null, null, null],
  ['E 5th St, Town', null, null, null],
  ['5th Avenue, New York', null, null, null],
  ['Lot 7 Oak Ln, Town', null, null, null],
  ['N56W12345 Silver Spring Dr, Menomonee Falls', 'N56W12345 Silver Spring Dr', '56', null],
  ['12 Flat Rd, Town', '12 Flat Rd', '12', null],
];

test('house number, street and unit are read out of whole addresses', () => {
  for (const [full, street, houseNumber, unit] of STREETS)
    assert.deepEqual(addressParts({ ...NOTHING, full }), { street, houseNumber, unit }, full);
});

test('a whole address and one in parts are the same identity', () => {
  const inParts = { streetNumber: '500', streetName: 'Main Street', unit: '1', city: 'Town', state: 'OR' };
  const [one] = propertyIdentities(home('a', { address: { ...NOTHING, ...inParts } }));
  for (const full of ['500 Main St, Unit 1, Town, OR', '500 Main St. #1, Town', '500 Main St Apt 1']) {
    const address = { ...NOTHING, full, city: 'Town', state: 'OR' };
    assert.equal(propertyIdentities(home('b', { address }))[0], one, full);
  }
});

test('evidence that is missing, a placeholder or withheld leaves the next best, and last the listing alone', () => {
  const address = { ...NOTHING, full: '12 Oak Ln', city: 'Town', state: 'OR', county: 'Lane' };
  const kinds = (facts: Partial<HomeEvidence>) =>
    propertyIdentities(home('k', { address, ...facts })).map((text) => text.split('|')[0]);
  assert.deepEqual(kinds({ universalPropertyId: 'US-41039-N-17-R-N', parcelNumber: '17' }), [
    'upi',
    'parcel',
    'address',
    'listing',
  ]);
  assert.deepEqual(kinds({ universalPropertyId: 'US-41039-N-0-R-N', parcelNumber: 'N/A' }), [
    'address',
    'listing',
  ]);
  assert.deepEqual(kinds({ universalPropertyId: 'urn:reso:upi:2.0:US:41039:TBD' }), ['address', 'listing']);
  assert.deepEqual(kinds({ parcelNumber: '0', address: { ...address, full: '0 County Road' } }), ['listing']);
  assert.deepEqual(kinds({ parcelNumber: '17', addressDisplayed: false }), ['listing']);
});

test('homes that share an identity differ by unit, by house number, or by a place too far away', () => {
  const oak = (full: string, kilometres: number | null, precision: 'exact' | 'approximate' = 'exact') =>
    home('x', {
      address: { ...NOTHING, full },
      location: kilometres === null ? null : { lat: 44 + kilometres / 111.195, lng: -123, precision },
    });
  const cases: [HomeEvidence, HomeEvidence, boolean][] = [
    [oak('12 Oak Ln', null), oak('12 Oak Lane', 0), false],
    [oak('12 Oak Ln', 0), oak('12 Oak Ln', 1.9), false],
    [oak('12 Oak Ln', 0), oak('12 Oak Ln', 2.1), true],
    [oak('12 Oak Ln', 0), oak('12 Oak Ln', 10, 'approximate'), false],
    [oak('12 Oak Ln', 0), oak('12 Oak Ln', 21, 'approximate'), true],
    [oak('12 Oak Ln', 0), oak('14 Oak Ln', 0), true],
    [oak('12 Oak Ln, Unit 1', 0), oak('12 Oak Ln #2', 0), true],
    [oak('12 Oak Ln, Unit 1', 0), oak('12 Oak Ln', 0), false],
    [oak('Oak Ln Lot 1', 0), oak('Oak Ln Lot 2', 0), true],
    [oak('0 Oak Ln', 0), oak('0 Oak Ln', 0.2), false],
    [oak('0 Oak Ln', 0), oak('0 Oak Ln', 0.4), true],
  ];
  for (const [one, other, expected] of cases) {
    const name = `${one.address.full} ${one.location?.lat}, ${other.address.full} ${other.location?.lat}`;
    assert.equal(isContradicted(one, other), expected, name);
    assert.equal(isContradicted(other, one), expected, name);
  }
});

test('an address of plain letters is one home with itself beside a letter with an accent', () => {
  const words = fc.array(fc.constantFrom('Main', 'Street', 'st.', "O'Hara", 'N', 'ste', '#', '-', 'Unit'), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(words, (street) => {
      const of = (city: string) => {
        const address = { ...NOTHING, streetNumber: '12', streetName: street.join(' '), city };
        return propertyIdentities(home('1', { address }))[0];
      };
      assert.equal(of('Leon'), of('León'));
      const county = (name: string) =>
        propertyIdentities(home('1', { parcelNumber: '42-7', address: { ...NOTHING, county: name } }))[0];
      assert.equal(county(`${street.join(' ')} e`), county(`${street.join(' ')} é`));
    }),
  );
});

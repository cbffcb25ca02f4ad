// Proves that display rules fail closed, and that no rent is shown as a price.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapped } from '../../../../test/support/sources/mapping.ts';
import type { UpstreamRecord } from './decode.ts';
import { mapProperty } from './map.ts';

const FLAGS = {
  listing: 'InternetEntireListingDisplayYN',
  address: 'InternetAddressDisplayYN',
  estimate: 'InternetAutomatedValuationDisplayYN',
} as const;

for (const [part, field] of Object.entries(FLAGS)) {
  test(`${field} shows where it says yes, or nothing, and withholds for every other value`, () => {
    const shown = (value: unknown) => mapped({ [field]: value }).display[part as keyof typeof FLAGS];
    const yes = [true, 'true', 'Y', 'YES ', '1', 1, [true], null, undefined];
    assert.deepEqual(
      yes.filter((value) => !shown(value)),
      [],
    );
    const no = [
      false,
      'false',
      'N',
      0,
      'F',
      'T',
      'perhaps',
      '',
      ' ',
      -1,
      2,
      {},
      [],
      [null],
      [true, true],
      Number.NaN,
    ];
    assert.deepEqual(no.filter(shown), []);
  });
}

test('what a source says nothing of is withheld where that is the default', () => {
  const draft = (record: UpstreamRecord) =>
    mapProperty({ ListingKey: 'a', ...record }, { currency: 'USD', note: () => {}, showsByDefault: false });
  const nothing = { listing: false, address: false, estimate: false };
  assert.deepEqual(draft({})?.display, nothing);
  assert.deepEqual(draft({ InternetEntireListingDisplayYN: null })?.display, nothing);
  assert.deepEqual(draft({ InternetEntireListingDisplayYN: true })?.display, { ...nothing, listing: true });
});

test('the types of leases are rentals, those of sales are sales, and others are withheld and named', () => {
  const values: unknown[] = [];
  const read = (type: unknown) => {
    const withheld = (field: string, value: unknown) => void values.push([field, value]);
    const record = { ListingKey: 'a', ListPrice: 2_000, PropertyType: type };
    const draft = mapProperty(record, { currency: 'USD', note: () => {}, withheld });
    return draft?.display.listing === true ? draft.listingType : null;
  };
  const rentals = [
    'RLSE',
    'Lease',
    'Rental',
    'Residential Lease',
    'CommercialLease',
    'Residential Rental',
    'For Rent',
  ];
  assert.deepEqual(
    rentals.filter((type) => read(type) !== 'rental'),
    [],
  );
  const sales = [
    'Residential',
    'Land',
    'CommercialSale',
    'RESI',
    'Condominium',
    'Lots And Land',
    'Multi-Family',
    null,
  ];
  assert.deepEqual(
    sales.filter((type) => read(type) !== 'sale'),
    [],
  );
  assert.deepEqual(values, []);
  const unknown = ['Vacation', 'A', '7', 'Timeshare'];
  assert.deepEqual(
    unknown.filter((type) => read(type) !== null),
    [],
  );
  assert.deepEqual(
    values,
    unknown.map((type) => ['PropertyType', type]),
  );
});

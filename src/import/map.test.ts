// Proves that a map file is checked whole, and that its rules do what they say.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listingOf } from './drafts.ts';
import type { RecordFields } from './formats/record.ts';
import { LISTING_FIELDS } from './mapping/fields.ts';
import { MapError, parseMap } from './mapping/map.ts';
import { compileMap, sentenceOf } from './mapping/row.ts';

const source = { id: 'here', name: 'Here' };
const needed = {
  listingKey: { column: 'id' },
  listingType: { constant: 'sale' },
  status: { constant: 'ACTIVE' },
  propertyType: { constant: 'CONDO' },
  currency: { constant: 'USD' },
};

const mapOf = (fields: object, more: object = {}) =>
  parseMap(
    'map.json',
    JSON.stringify({ kind: 'listings', source, fields: { ...needed, ...fields }, ...more }),
  );

function faultsOf(map: unknown): readonly string[] {
  try {
    parseMap('map.json', JSON.stringify(map));
  } catch (error) {
    if (error instanceof MapError) return error.faults;
    throw error;
  }
  return [];
}

/** Reads one row by a map with these fields besides the needed ones. */
function read(fields: object, record: RecordFields, more: object = {}) {
  const map = mapOf(fields, more);
  const row = compileMap(map)({
    row: 1,
    place: 2,
    fields: { id: '1', ...record },
    rejectedText: () => '',
    broken: null,
    geometry: null,
  });
  return { draft: listingOf(row.values, map), reason: sentenceOf(row.faults), passed: row.passed };
}

test('every fault of a map is told at once, each with its place and what was probably meant', () => {
  const faults = faultsOf({
    kind: 'listings',
    source: { id: 'Not An Id', name: '' },
    files: {},
    fields: {
      listingKey: { colum: 'id' },
      bedrooms: { column: 'beds', unit: 'miles' },
      closePrice: { column: 'p', unit: 'sqm' },
    },
  });
  assert.equal(faults.length, 10, faults.join('\n'));
  assert.match(faults.join('\n'), /files is not known; did you mean file\?/);
  assert.match(faults.join('\n'), /fields\.listingKey: colum is not known; did you mean column\?/);
  assert.match(faults.join('\n'), /source\.id must be of lower-case letters/);
  assert.match(faults.join('\n'), /fields\.status is missing/);
  assert.match(faults.join('\n'), /fields\.closePrice: unit is for livingArea/);
  assert.match(faults.join('\n'), /fields\.bedrooms unit: must be sqft or sqm or acres or hectares/);
});

test('a map of the right shape that means nothing is refused, every fault at once', () => {
  const faults = faultsOf({
    kind: 'listings',
    source,
    timeZone: 'Mars/Olympus',
    fields: {
      ...needed,
      currency: undefined,
      status: { constant: 'ACTIV' },
      propertyTyp: { column: 'type' },
      bedrooms: { column: 'beds', constant: 3 },
      yearBuilt: { column: 'built', format: 'YYYY' },
      closedAt: { column: 'sold', format: 'DD.MM' },
      listPrice: { column: 'price', unit: 'sqft', separator: ';' },
      'address.full': { columns: ['street', 'town'] },
      waterfront: { column: 'water', values: { ja: 'oui' } },
      listedAt: { constant: '2026-01-01', default: '2026-01-01', when: { column: 'a' } },
      listingKey: { column: 'id', lenient: true },
      'location.lat': { column: 'lat' },
    },
  });
  const expected = [
    'fields.currency is missing',
    'fields.status: constant: "ACTIV" is none of ',
    'fields.propertyTyp is no field of listings; did you mean propertyType?',
    'fields.bedrooms: give one of column, columns, constant, not several',
    'fields.yearBuilt: format must be ',
    'fields.closedAt: format DD.MM must be unix',
    'fields.listPrice: unit is for livingArea and lotSize',
    'fields.listPrice: separator is for lists',
    'fields.address.full: columns needs join',
    'fields.waterfront: values "ja": "oui" is neither yes nor no',
    'fields.listedAt: default does nothing for a constant',
    'fields.listedAt: when needs either is or isNot',
    'fields.listingKey: lenient is for fields that may be empty',
    'timeZone Mars/Olympus is not known',
    'location.lat and location.lng go together',
  ];
  for (const start of expected) {
    assert.ok(
      faults.some((fault) => fault.startsWith(start)),
      `${start}\n  not in\n${faults.join('\n')}`,
    );
  }
  assert.equal(faults.length, expected.length, faults.join('\n'));
});

test('a map names fields of its own kind only', () => {
  const [fault] = faultsOf({
    kind: 'areas',
    source,
    fields: {
      id: { column: 'id' },
      type: { constant: 'city' },
      name: { column: 'n' },
      bedrooms: { column: 'b' },
    },
  });
  assert.equal(fault, 'fields.bedrooms is no field of areas');
});

test('every field of a listing can be filled from a column', () => {
  const samples: Readonly<Record<string, string>> = {
    text: 'words',
    choice: '',
    currency: 'EUR',
    url: 'https://example.com/1',
    number: '2.5',
    degrees: '2.5',
    integer: '2',
    money: '5',
    monthlyMoney: '5',
    area: '5',
    boolean: 'yes',
    date: '2026-01-02',
    time: '2026-01-02T03:04:05Z',
    timeOrDate: '2026-01-02',
    list: 'a,b',
    slugs: 'b c',
    urls: 'https://example.com/1',
    amounts: 'Deposit=5',
    intervals: '2026-01-02T10:00Z/2026-01-02T11:00Z',
  };
  const fields = Object.fromEntries(Object.keys(LISTING_FIELDS).map((name) => [name, { column: name }]));
  const record = Object.fromEntries(
    Object.entries(LISTING_FIELDS).map(([name, { kind, choices, min = 0 }]) => [
      name,
      choices?.[0] ?? (min > 0 ? String(min) : (samples[kind] ?? '')),
    ]),
  );
  const { draft, reason } = read(fields, record);
  assert.equal(reason, '');
  const empty = JSON.stringify(draft, (_name, value: unknown) =>
    value === null || (Array.isArray(value) && value.length === 0) ? 'EMPTY' : value,
  );
  // What photos, open houses and contacts have besides is not for a map to say.
  const inner = empty.replaceAll(
    /"(?:thumbnailUrl|width|height|caption|category|type|status|remarks|livestreamUrl|appointmentRequired)":"EMPTY"/g,
    '',
  );
  assert.doesNotMatch(inner, /"EMPTY"/);
});

test('nulls, value tables, defaults and rules in order decide what a text means', () => {
  const fields = {
    bedrooms: { column: 'beds', values: { studio: 0, 'n/a': null }, default: 9 },
    waterfront: [
      { constant: true, when: { column: 'view', is: ['lake', 'sea'] } },
      { constant: false, when: { column: 'view', isNot: '' } },
    ],
    'address.full': { columns: ['street', 'town'], join: ', ' },
  };
  const more = { nulls: ['null'] };
  assert.equal(read(fields, { beds: ' 3 ' }, more).draft.bedrooms, 3);
  assert.equal(read(fields, { beds: 'studio' }, more).draft.bedrooms, 0);
  assert.equal(read(fields, { beds: 'n/a' }, more).draft.bedrooms, 9);
  assert.equal(read(fields, { beds: 'null' }, more).draft.bedrooms, 9);
  assert.equal(read(fields, { view: 'sea' }, more).draft.waterfront, true);
  assert.equal(read(fields, { view: 'wall' }, more).draft.waterfront, false);
  assert.equal(read(fields, { view: '' }, more).draft.waterfront, null);
  assert.equal(read(fields, { street: '1 Oak', town: 'Reno' }, more).draft.address.full, '1 Oak, Reno');
  assert.equal(read(fields, { street: '', town: 'Reno' }, more).draft.address.full, 'Reno');
});

test('a row tells every value that cannot be understood, unless its field is lenient', () => {
  const strict = read(
    { bedrooms: { column: 'beds' }, yearBuilt: { column: 'built' } },
    { beds: '2.5', built: '99' },
  );
  assert.equal(strict.reason, 'beds "2.5" is not a whole number; built "99" is not between 1000 and 2999');
  const lenient = read({ bedrooms: { column: 'beds', lenient: true } }, { beds: 'many' });
  assert.deepEqual([lenient.draft.bedrooms, lenient.reason, lenient.passed], [null, '', ['bedrooms']]);
});

test('an area is read in the unit that its row names, else in that of the rule, and in no other', () => {
  const fields = { lotSize: { column: 'lot', unitColumn: 'unit' } };
  const lot = (unit: string): number | null => read(fields, { lot: '2', unit }).draft.lotSize;
  assert.equal(lot('Acre'), 87_120);
  assert.equal(lot('SQFT'), 2);
  assert.equal(lot('sqm'), 21.53);
  assert.equal(lot('Hectares'), 215_278.21);
  assert.match(
    read(fields, { lot: '2', unit: 'Tatami' }).reason,
    /^lot "2" is in "Tatami", which is none of sqft/,
  );
  assert.match(read(fields, { lot: '2', unit: '' }).reason, /^lot "2" has no unit, as unit is empty/);
  const acres = { lotSize: { column: 'lot', unitColumn: 'unit', unit: 'acres' } };
  assert.equal(read(acres, { lot: '2', unit: '' }).draft.lotSize, 87_120);
  assert.equal(read(fields, { lot: '', unit: '' }).draft.lotSize, null);
});

test('an amount in a list that could be two numbers is rejected', () => {
  const fields = { 'rental.moveInCosts': { column: 'costs', separator: ';' } };
  assert.equal(read(fields, { costs: 'Deposit=1500;Key=12.50' }).reason, '');
  assert.match(read(fields, { costs: 'Deposit=1.500' }).reason, /could be two numbers, 1\.500/);
});

test('a price or an area of zero is none, as files write it', () => {
  const fields = {
    listPrice: { column: 'price' },
    livingArea: { column: 'area' },
    bedrooms: { column: 'beds' },
  };
  const { draft, reason } = read(fields, { price: '0.00', area: '0', beds: '0' });
  assert.deepEqual([draft.listPrice, draft.livingArea, draft.bedrooms, reason], [null, null, 0, '']);
  assert.equal(
    read({ closePrice: { column: 'price', format: '1,234.5' } }, { price: '$0' }).draft.closePrice,
    null,
  );
});

test('a key of several columns needs them all, so that no two rows come to share half of one', () => {
  const fields = { listingKey: { columns: ['id', 'date'], join: '-' } };
  assert.equal(read(fields, { id: '0042', date: '20260101' }).draft.listingKey, '0042-20260101');
  assert.match(read(fields, { id: '0042', date: '' }).reason, /is empty, and every row needs listingKey/);
});

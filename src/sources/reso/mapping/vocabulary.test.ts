// Proves what a source's lookups make of its values, and that nothing but values that are mapped changes their digest.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dictionaryValues, fold } from './enumerations.ts';
import { dictionaryNames } from './overrides.ts';
import { type ExplainedValue, vocabularyOf, wantedLookups } from './vocabulary.ts';

const explained = (value: string, more: Partial<ExplainedValue> = {}): ExplainedValue => ({
  origin: 'resource',
  lookup: 'PropertySubType',
  key: value,
  value,
  standard: null,
  legacy: null,
  modifiedAt: null,
  former: [],
  isGone: false,
  ...more,
});

const named = (
  record: Record<string, unknown>,
  values: readonly ExplainedValue[],
  { names = {}, fields = {}, enumerations = {} } = {},
) => dictionaryNames(fields, enumerations, vocabularyOf(values, names, fields).fields)(record);

const subType = (sent: unknown, values: readonly ExplainedValue[], more = {}) =>
  named({ PropertySubType: sent }, values, more).PropertySubType;

const CONDO = explained('Condo/Flat', { standard: 'Condominium', legacy: 'CndFlt', former: ['Flat'] });

test('each spelling of a value is the dictionary’s: that of people, the name, and those of before', () => {
  for (const sent of ['Condo/Flat', 'CndFlt', 'Flat', 'condo flat'])
    assert.equal(subType(sent, [CONDO]), 'Condominium');
  assert.deepEqual(subType(['CndFlt', 'Duplex'], [CONDO]), ['Condominium', 'Duplex']);
  assert.equal(subType('Duplex,CndFlt', [CONDO]), 'Duplex,Condominium');
  assert.equal(subType('Palace', [CONDO]), 'Palace');
});

test('the operator’s names win, in whichever spelling they are given', () => {
  for (const own of ['Condo/Flat', 'CndFlt', 'Condominium'])
    assert.equal(
      subType('CndFlt', [CONDO], { enumerations: { PropertySubType: { [own]: 'Apartment' } } }),
      'Apartment',
    );
});

test('what a source calls the dictionary’s counts before the same word of the dictionary, and only where the dictionary has it', () => {
  assert.equal(subType('Apartment', [explained('Apartment', { standard: 'Condominium' })]), 'Condominium');
  assert.equal(subType('Apartment', [explained('Apartment', { standard: 'Skyhouse' })]), 'Apartment');
  assert.equal(subType('Sky', [explained('Skyhouse', { legacy: 'Sky' })]), 'Skyhouse');
});

test('local statuses stay the source’s own words', () => {
  const sold = explained('Sold', { lookup: 'MlsStatus', legacy: 'S', standard: 'Closed' });
  assert.equal(named({ MlsStatus: 'S' }, [sold]).MlsStatus, 'Sold');
});

test('what is present counts before what was, the resource before $metadata, and what changed last before the rest', () => {
  const gone = explained('A', { standard: 'Cabin', isGone: true });
  assert.equal(subType('A', [gone]), 'Cabin');
  assert.equal(subType('A', [gone, explained('B', { legacy: 'A', standard: 'Duplex' })]), 'Duplex');
  const text = explained('Triplex', { origin: 'metadata', legacy: 'A', key: 'A' });
  assert.equal(subType('A', [text, explained('A', { standard: 'Duplex' })]), 'Duplex');
  const [early, late] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'];
  const both = [
    explained('A', { key: '1', standard: 'Cabin', modifiedAt: early }),
    explained('A', { key: '2', standard: 'Duplex', modifiedAt: late }),
  ];
  assert.equal(subType('A', both), 'Duplex');
  assert.equal(subType('A', both.toReversed()), 'Duplex');
});

test('spellings that differ by case alone are kept apart where they mean different things', () => {
  const values = [explained('b__aA', { standard: 'Cabin' }), explained('b__Aa', { standard: 'Duplex' })];
  assert.deepEqual(subType(['b__aA', 'b__Aa', 'B--AA'], values), ['Cabin', 'Duplex', 'B--AA']);
});

test('lookups of another name are those of their field, and of a field that the operator has renamed', () => {
  const values = [explained('X', { lookup: 'Types', standard: 'Duplex' })];
  assert.equal(subType('X', values, { names: { PropertySubType: 'Types' } }), 'Duplex');
  const renamed = { names: { OwnType: 'Types' }, fields: { OwnType: 'PropertySubType' } };
  assert.equal(named({ OwnType: 'X' }, values, renamed).PropertySubType, 'Duplex');
  assert.ok(wantedLookups({ OwnType: 'Types' }, { OwnType: 'PropertySubType' }).includes('Types'));
});

test('values of children are named, too', () => {
  const values = [explained('Pic', { lookup: 'MediaCategory', standard: 'Photo' })];
  assert.deepEqual(named({ Media: [{ MediaCategory: 'Pic', MediaKey: 'm' }] }, values).Media, [
    { MediaCategory: 'Photo', MediaKey: 'm' },
  ]);
});

test('the digest is empty where a source says nothing new, and stays where nothing that is mapped changes', () => {
  const digest = (...values: ExplainedValue[]) => vocabularyOf(values, {}, {}).digest;
  const plain = explained('Single Family Residence', {
    standard: 'Single Family Residence',
    legacy: 'SingleFamilyResidence',
  });
  assert.equal(digest(plain), '');
  const before = digest(plain, CONDO);
  assert.notEqual(before, '');
  const room = explained('Den', { lookup: 'RoomType', standard: 'Office', legacy: 'D' });
  const later = explained('Condo/Flat', {
    standard: 'Condominium',
    legacy: 'CndFlt',
    former: ['Flat'],
    modifiedAt: '2026-02-01T00:00:00Z',
  });
  assert.equal(digest(room, later, plain, explained('Castle')), before);
  assert.notEqual(digest(plain, { ...CONDO, standard: 'Apartment' }), before);
  assert.notEqual(digest(plain, CONDO, explained('Castle', { legacy: 'Cstl' })), before);
});

test('after any renames, records that were sent before are named as those that are sent now', () => {
  const word = fc.constantFrom('A1', 'B2', 'C3', 'D4', 'E5', 'F6');
  const standard = fc.constantFrom(null, ...dictionaryValues('PropertySubType').slice(0, 4));
  fc.assert(
    fc.property(
      fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
      fc.uniqueArray(word, { minLength: 3, maxLength: 3 }),
      fc.array(standard, { minLength: 3, maxLength: 3 }),
      (earlier, present, standards) => {
        const values = earlier.map((old, at) =>
          explained(present[at] ?? '', { key: `k${at}`, standard: standards[at] ?? null, former: [old] }),
        );
        const now = new Map(values.map(({ value, standard: own }) => [value, own ?? value]));
        for (const [at, old] of earlier.entries()) {
          // A word that means another value by now is that one.
          const expected = now.get(old) ?? now.get(present[at] ?? '') ?? '';
          assert.equal(fold(String(subType(old, values))), fold(expected));
        }
      },
    ),
    { numRuns: 200 },
  );
});

// Proves that no map file crashes its reader, and that a map that is accepted reads any record without throwing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LISTING_FIELDS } from './fields.ts';
import { MapError, parseMap } from './map.ts';
import { compileMap, surveyNumbers, usableTest } from './row.ts';

const COLUMNS = ['a', 'b', 'lat', '__proto__', 'constructor', 'toString', ''];
const column = fc.constantFrom(...COLUMNS);
const text = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('$1.2', 'DD/MM/YYYY', 'unix', '25832', 'SQFT'),
);
const strange = fc.oneof({ weight: 8, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue() });

const members = fc.record(
  {
    column,
    columns: fc.array(column, { maxLength: 3 }),
    constant: strange,
    join: text,
    prefix: text,
    when: fc.record({ column, is: fc.array(strange, { minLength: 1, maxLength: 2 }) }),
    values: fc.dictionary(text, strange, { maxKeys: 3 }),
    nulls: fc.array(text, { maxLength: 2 }),
    format: text,
    separator: text,
    unit: fc.constantFrom('SQFT', 'SQM', 'ACRES'),
    unitColumn: column,
    part: fc.constantFrom('first', 'last', 'city', 'street', 'postalCode'),
    factor: fc.double({ noNaN: true }),
    suffixes: fc.dictionary(text, fc.double({ noNaN: true }), { maxKeys: 2 }),
    projection: text,
    per: text,
    default: strange,
    lenient: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** Anything; any members; and a column with at most one of them, which is mostly accepted. */
const rule = fc.oneof(
  { weight: 1, arbitrary: fc.jsonValue() },
  { weight: 1, arbitrary: members },
  {
    weight: 10,
    arbitrary: fc.tuple(column, members, fc.nat(20)).map(([name, others, which]) => {
      const [member] = Object.entries(others).slice(which);
      return { column: name, ...(member === undefined ? {} : { [member[0]]: member[1] }) };
    }),
  },
);

/** What every map needs, and any fields over it. */
const NEEDED = {
  listingKey: { column: 'a' },
  listingType: { constant: 'sale' },
  status: { constant: 'ACTIVE' },
  propertyType: { constant: 'OTHER' },
  currency: { constant: 'USD' },
};
const names = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...Object.keys(LISTING_FIELDS)) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'nothing') },
);
const map = fc
  .tuple(
    fc.array(fc.tuple(names, fc.oneof(rule, fc.array(rule, { maxLength: 3 }))), { maxLength: 4 }),
    fc.oneof(
      { weight: 6, arbitrary: fc.constant({}) },
      {
        weight: 1,
        arbitrary: fc.record({ timeZone: text, nulls: strange, file: fc.jsonValue() }, { requiredKeys: [] }),
      },
    ),
  )
  .map(([fields, others]) => ({
    kind: 'listings',
    source: { id: 'any', name: 'Any' },
    ...others,
    fields: { ...NEEDED, ...Object.fromEntries(fields) },
  }));

/** Values as deep and as long as a line of JSON may hold. */
const deep = '['.repeat(100_000) + ']'.repeat(100_000);
const value = fc.oneof(
  fc.jsonValue(),
  fc.string(),
  fc.constantFrom<unknown>('1.200,50 €', '2026-01-05', 'x'.repeat(100_000), JSON.parse(deep), -0, 1e308),
);
const record = fc.uniqueArray(fc.tuple(column, value), { maxLength: 5, selector: ([name]) => name });

test('whatever a map file says, it is read or refused with its faults, and reads any record', () => {
  let accepted = 0;
  fc.assert(
    fc.property(fc.oneof(map, fc.jsonValue()), fc.array(record, { maxLength: 3 }), (written, records) => {
      let parsed: ReturnType<typeof parseMap>;
      try {
        parsed = parseMap('any.map.json', JSON.stringify(written));
      } catch (error) {
        assert.ok(error instanceof MapError, `${(error as Error).stack}`);
        assert.ok(error.faults.length > 0);
        return;
      }
      accepted++;
      const survey = surveyNumbers(parsed);
      const isUsable = usableTest(parsed);
      const all = records.map((pairs) => Object.fromEntries(pairs));
      for (const fields of all) survey.add(fields);
      const read = compileMap(parsed, survey.columns);
      for (const fields of all) {
        isUsable(fields);
        const { faults } = read({
          row: 1,
          place: 1,
          fields,
          broken: null,
          geometry: null,
          rejectedText: () => '',
        });
        for (const { reason } of faults) assert.ok(reason.length < 2_000, reason.slice(0, 200));
      }
    }),
    { numRuns: 1_000 },
  );
  assert.ok(accepted > 20, `${accepted} maps were accepted`);
});

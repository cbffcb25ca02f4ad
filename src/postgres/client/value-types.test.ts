// Tests that values come out of the database as they went in.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { testDatabase } from '../../../test/support/database/database.ts';
import { formatArray, parseArray, parseInstant, parseInt8 } from './value-types.ts';

const { database } = await testDatabase({ after });

/** PostgreSQL's text holds every character but NUL, and no half of a pair. */
const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', '').toWellFormed());

test('every moment with milliseconds keeps its value as RFC 3339 in UTC', () => {
  const moment = fc.date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(moment, (date) => {
      const iso = date.toISOString();
      const fraction = iso.slice(20, 23).replace(/0+$/, '');
      const text = `${iso.slice(0, 10)} ${iso.slice(11, 19)}${fraction === '' ? '' : `.${fraction}`}+00`;
      assert.equal(parseInstant(text), iso);
    }),
  );
});

test('microseconds are cut off, not rounded into the next moment', () => {
  assert.equal(parseInstant('2026-01-05 23:59:59.999999+00'), '2026-01-05T23:59:59.999Z');
});

test('what RFC 3339 cannot write stays as it is', () => {
  for (const text of ['infinity', '-infinity', '0044-03-15 00:00:00+00 BC', '10000-01-01 00:00:00+00']) {
    assert.equal(parseInstant(text), text);
  }
});

test('an int8 is a number where that is exact, else a bigint', () => {
  assert.equal(parseInt8('9007199254740991'), 9_007_199_254_740_991);
  assert.equal(parseInt8('9007199254740993'), 9_007_199_254_740_993n);
  assert.equal(parseInt8('-9223372036854775808'), -9_223_372_036_854_775_808n);
});

test('any list of texts and nulls is read back as it was written, also by PostgreSQL itself', async () => {
  const lists = fc.array(fc.oneof(text, fc.constantFrom(null, 'NULL', '', '{}', '"', '\\', ',', ' ')));
  await fc.assert(
    fc.asyncProperty(lists, async (list) => {
      assert.deepEqual(parseArray(formatArray(list, String), String), list);
      const [row] = await database.read((sql) => sql`select ${list}::text[] as list`);
      assert.deepEqual(row?.list, list);
    }),
    { numRuns: 150 },
  );
});

test('numbers and bytes keep their types', async () => {
  const [row] = await database.read(
    (sql) =>
      sql`select ${[1, null, -3]}::integer[] as whole, ${[0.1, 1e300, null]}::double precision[] as double,
      ${[Buffer.from([0, 255, 92])]}::bytea[] as bytes`,
  );
  assert.deepEqual(row, {
    whole: [1, null, -3],
    double: [0.1, 1e300, null],
    bytes: [Buffer.from([0, 255, 92])],
  });
});

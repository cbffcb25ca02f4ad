// Owns the proof that lists survive the way to PostgreSQL's array text and back.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { testDatabase } from '../../../test/support/database.ts';
import { readArray, writeArray } from './array-types.ts';

const { database } = await testDatabase({ after });

/** PostgreSQL's text holds every character but NUL, and no half of a pair. */
const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', '').toWellFormed());

test('any list of texts and nulls is read back as it was written, also by PostgreSQL itself', async () => {
  const lists = fc.array(fc.oneof(text, fc.constantFrom(null, 'NULL', '', '{}', '"', '\\', ',', ' ')));
  await fc.assert(
    fc.asyncProperty(lists, async (list) => {
      assert.deepEqual(readArray(writeArray(list, String), String), list);
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
      ${sql.array([Buffer.from([0, 255, 92])], 1001)} as bytes`,
  );
  assert.deepEqual(row, {
    whole: [1, null, -3],
    double: [0.1, 1e300, null],
    bytes: [Buffer.from([0, 255, 92])],
  });
});

// Proves that migrations are run in order, once, and that a history which does not fit is refused.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MigrationError, migrationOf, planMigrations } from './migrate.ts';

const one = migrationOf('001_one.sql', 'select 1;\n');
const two = migrationOf('002_two.sql', '-- no-transaction\nselect 2;\n');
const three = migrationOf('003_three.sql', 'select 3;\n');

test('what was not applied yet is run in the order of its numbers', () => {
  assert.deepEqual(planMigrations([three, one, two], []), [one, two, three]);
  assert.deepEqual(planMigrations([one, two, three], [one, two]), [three]);
});

test('only a file that says so at its top runs outside a transaction', () => {
  assert.deepEqual([one.inTransaction, two.inTransaction], [true, false]);
});

test('other line ends are not another migration', () => {
  assert.equal(migrationOf('001_one.sql', 'select 1;\r\n').checksum, one.checksum);
});

test('a history that does not fit the files is refused', () => {
  const changed = migrationOf('001_one.sql', 'select 11;\n');
  const twin = migrationOf('001_other.sql', 'select 1;\n');
  assert.throws(() => planMigrations([changed, two], [one]), /001_one\.sql was changed/);
  assert.throws(() => planMigrations([one], [one, two]), /002_two\.sql, which this release does not/);
  assert.throws(() => planMigrations([one, two, three], [one, three]), /002_two\.sql comes too late/);
  assert.throws(() => planMigrations([one, twin], []), /Two migrations have the number of 001/);
  assert.throws(() => migrationOf('1-one.sql', ''), MigrationError);
});

// Proves that a transaction, or a part of one, happens as a whole or not at all.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyDatabase } from '../support/database/database.ts';

test('a transaction that throws leaves nothing behind, and its own error comes out', async (t) => {
  const { database } = await emptyDatabase(t);
  await database.write((sql) => sql`create table entries (id int)`);
  const failing = database.transaction(async (tx) => {
    await tx`insert into entries values (1)`;
    throw new RangeError('no');
  });
  await assert.rejects(failing, RangeError);
  assert.equal((await database.read((sql) => sql`select 1 from entries`)).length, 0);
});

test('a transaction that goes on after a failed statement does not pass for committed', async (t) => {
  const { database } = await emptyDatabase(t);
  const careless = database.transaction(async (tx) => {
    await tx`select no_such_column`.catch(() => {});
  });
  await assert.rejects(careless, /was rolled back/);
});

test('a part of a transaction can fail alone', async (t) => {
  const { database } = await emptyDatabase(t);
  const kept = await database.transaction(async (tx) => {
    await tx`create table entries (id int primary key)`;
    await tx`insert into entries values (1)`;
    await assert.rejects(
      tx.savepoint(async () => tx`insert into entries values (1)`),
      { code: '23505' },
    );
    await tx.savepoint(async () => tx`insert into entries values (2)`);
    return tx`select id from entries order by id`;
  });
  assert.deepEqual([...kept], [{ id: 1 }, { id: 2 }]);
});

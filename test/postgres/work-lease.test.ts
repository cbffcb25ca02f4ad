// Proves that one process at a time has a lease of work, and that a former holder writes nothing.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { WorkLease, WorkTaken } from '../../src/postgres/leases/work-lease.ts';
import { testDatabase } from '../support/database/database.ts';

const { database } = await testDatabase({ after });
const NAME = 'work';
const newLease = () => new WorkLease(database, NAME);
const expire = () =>
  database.write(
    (sql) =>
      sql`update work_lease set leased_until = clock_timestamp() - interval '1 second' where name = ${NAME}`,
  );
const hold = (lease: WorkLease, fence?: number) => database.transaction((tx) => lease.hold(tx, fence));

test('the fence grows with each change of holder, also when the same process takes the lease again', async () => {
  const [first, second] = [newLease(), newLease()];
  assert.equal(await first.acquire(), true);
  assert.equal(first.fence, 1);
  assert.equal(await second.acquire(), false);
  assert.equal(second.fence, null);
  assert.equal(await first.acquire(), true);
  assert.equal(first.fence, 1, 'it was renewed');
  await first.release();
  assert.equal(await first.acquire(), true);
  assert.equal(first.fence, 2);
  await expire();
  assert.equal(await second.acquire(), true);
  assert.equal(second.fence, 3);
  await second.release();
});

test('whoever waits for the lease does not wait for a transaction of its holder', async () => {
  const [first, second] = [newLease(), newLease()];
  await first.acquire();
  await database.transaction(async (tx) => {
    await first.hold(tx);
    assert.equal(await second.acquire(), false);
  });
  await first.release();
});

test('a transaction of a former holder, or of work begun under a former fence, is refused', async () => {
  const [first, second] = [newLease(), newLease()];
  await first.acquire();
  await hold(first);
  const fence = first.fence ?? 0;
  await expire();
  await hold(first);
  assert.equal(await second.acquire(), false, 'a held lease is extended');
  await expire();
  assert.equal(await second.acquire(), true);
  await assert.rejects(hold(first), WorkTaken);
  await hold(second);
  await second.release();
  await first.acquire();
  await hold(first);
  await assert.rejects(hold(first, fence), WorkTaken);
  await first.release();
  await assert.rejects(hold(first), WorkTaken);
});

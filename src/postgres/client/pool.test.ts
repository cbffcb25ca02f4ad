// Proves that connections are lent one at a time, in order of arrival, and that nobody waits without end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { manualClock } from '../../../test/support/service/clock.ts';
import { createPool, type Lease } from './pool.ts';

function poolOf(size: number) {
  const clock = manualClock();
  const destroyed: number[] = [];
  let opened = 0;
  const open = () => opened++;
  const lost = new Set<number>();
  const isUsable = (connection: number) => !lost.has(connection);
  const destroy = (connection: number) => destroyed.push(connection);
  const pool = createPool<number>({ size, clock, open, isUsable, destroy });
  return { clock, pool, destroyed, lost };
}

async function taken(lease: Promise<Lease<number> | undefined>): Promise<Lease<number>> {
  const found = await lease;
  assert.ok(found !== undefined, 'a connection was lent');
  return found;
}

test('who waits longer than the timeout goes without, and leaves no timer and no place in the queue', async () => {
  const { clock, pool } = poolOf(1);
  await taken(pool.take(100));
  const second = pool.take(100);
  assert.deepEqual(pool.status(), { size: 1, busy: 1, waiting: 1 });
  clock.advance(100);
  assert.equal(await second, undefined);
  assert.deepEqual(pool.status(), { size: 1, busy: 1, waiting: 0 });
  assert.equal(clock.waiting, 0);
});

test('who came first is served first', async () => {
  const { clock, pool } = poolOf(1);
  const first = await taken(pool.take(100));
  const order: string[] = [];
  const second = taken(pool.take(100)).finally(() => order.push('second'));
  const third = taken(pool.take(100)).finally(() => order.push('third'));
  first.release();
  (await second).release();
  (await third).release();
  assert.deepEqual(order, ['second', 'third']);
  assert.equal(clock.waiting, 0);
});

test('a discarded connection is destroyed once and never lent again', async () => {
  const { pool, destroyed } = poolOf(1);
  const lease = await taken(pool.take(100));
  lease.discard();
  lease.discard();
  lease.release();
  assert.deepEqual(destroyed, [lease.connection]);
  assert.notEqual((await taken(pool.take(100))).connection, lease.connection);
  assert.deepEqual(pool.close(), [1]);
});

test('a connection that was lost while idle is not lent', async () => {
  const { pool, destroyed, lost } = poolOf(2);
  const leases = await Promise.all([taken(pool.take(100)), taken(pool.take(100))]);
  for (const lease of leases) lease.release();
  lost.add(1);
  assert.equal((await taken(pool.take(100))).connection, 0);
  assert.deepEqual(destroyed, [1]);
});

test('closing lets nobody wait and lends nothing more', async () => {
  const { clock, pool } = poolOf(1);
  const lease = await taken(pool.take(100));
  const waiting = pool.take(100);
  pool.close();
  assert.equal(await waiting, undefined);
  lease.release();
  assert.equal(await pool.take(100), undefined);
  assert.equal(clock.waiting, 0);
});

test('a queue of thousands turns newcomers away at once', async () => {
  const { pool } = poolOf(1);
  await taken(pool.take(100));
  for (let place = 0; place < 2_000; place++) void pool.take(100);
  assert.equal(await pool.take(100), undefined);
});

test('whatever is taken, given back, discarded or timed out, no connection is lent twice and none is lost', async () => {
  const step = fc.constantFrom('take', 'release', 'discard', 'wait');
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 60 }),
      async (size, steps) => {
        const { clock, pool } = poolOf(size);
        const held: Lease<number>[] = [];
        for (const name of steps) {
          if (name === 'take') void pool.take(10).then((lease) => lease && held.push(lease));
          if (name === 'release') held.shift()?.release();
          if (name === 'discard') held.shift()?.discard();
          if (name === 'wait') clock.advance(11);
          await new Promise(setImmediate);
          const connections = held.map(({ connection }) => connection);
          assert.equal(new Set(connections).size, connections.length);
          assert.equal(pool.status().busy, held.length);
          assert.ok(held.length <= size && (pool.status().waiting === 0 || held.length === size));
        }
      },
    ),
    { numRuns: 50 },
  );
});

test('of those that are idle one that suits is lent, the one used last of them, and any other where none does', async () => {
  const { pool } = poolOf(3);
  const leases = [await taken(pool.take(100)), await taken(pool.take(100)), await taken(pool.take(100))];
  const [first, second, third] = leases.map(({ connection }) => connection);
  for (const lease of leases) lease.release();
  const even = (connection: number) => connection === first || connection === second;
  assert.equal((await taken(pool.take(100, even))).connection, second);
  assert.equal((await taken(pool.take(100, () => false))).connection, third);
  assert.equal((await taken(pool.take(100, even))).connection, first);
});

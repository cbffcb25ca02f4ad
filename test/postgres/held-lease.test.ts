// Proves that a lease that is held is renewed, is lost by one's own clock behind a black hole, and lets nothing be written late.

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { takeLease } from '../../src/postgres/leases/held-lease.ts';
import { LEASE_TIMES, WorkTaken } from '../../src/postgres/leases/work-lease.ts';
import { until } from '../support/check/until.ts';
import { atEnd, testDatabase } from '../support/database/database.ts';
import { startDatabaseFaultProxy } from '../support/network/fault-proxy.ts';
import { manualClock } from '../support/service/clock.ts';

const { database, url } = await testDatabase({ after });
await database.write((sql) => sql`create table written (by text)`);

/** A process of its own behind a network of its own, whose clock the test moves. */
async function startHolder(t: TestContext) {
  const proxy = await startDatabaseFaultProxy(t, url);
  const clock = manualClock();
  const own = openDatabase({ url: proxy.url, clock, maxConnections: 2 });
  atEnd(t, async () => {
    proxy.set('cut');
    await own.close(100);
  });
  return { proxy, clock, own };
}

const expire = (name: string) =>
  database.write(
    (sql) => sql`
      update work_lease set leased_until = clock_timestamp() - interval '1 second' where name = ${name}`,
  );
const leasedUntil = async (name: string): Promise<string | undefined> => {
  const [row] = await database.read(
    (sql) =>
      sql<{ until: string }[]>`select leased_until::text as until from work_lease where name = ${name}`,
  );
  return row?.until;
};
const writers = async (): Promise<string[]> =>
  (await database.read((sql) => sql<{ by: string }[]>`select by from written`)).map(({ by }) => by);

test('it is renewed while it is held, also while a transaction of the holder takes long', async (t) => {
  const { own, clock } = await startHolder(t);
  const lease = (await takeLease(own, 'renewed')) ?? assert.fail('nobody has it');
  const before = await leasedUntil('renewed');
  await lease.transaction(async (tx) => {
    await tx`insert into written values ('renewed')`;
    clock.advance(LEASE_TIMES.renewal);
    await until('it is renewed', async () => (await leasedUntil('renewed')) !== before);
  });
  lease.requireHeld();
  assert.equal(lease.lost.aborted, false);
  await lease.release();
  assert.ok((await takeLease(database, 'renewed')) !== null, 'it was given back');
});

test('behind a black hole it is lost when its time is over, whatever becomes of the statements', async (t) => {
  const { own, clock, proxy } = await startHolder(t);
  const lease = (await takeLease(own, 'hidden')) ?? assert.fail('nobody has it');
  proxy.set('blackhole');
  clock.advance(LEASE_TIMES.duration - 1);
  assert.equal(lease.lost.aborted, false);
  lease.requireHeld();
  clock.advance(1);
  assert.equal(lease.lost.aborted, true);
  assert.ok(lease.lost.reason instanceof WorkTaken);
  assert.throws(() => lease.requireHeld(), WorkTaken);
});

test('what a former holder sent into a black hole is refused when it arrives after another has taken over', async (t) => {
  const { own, proxy } = await startHolder(t);
  const lease = (await takeLease(own, 'late')) ?? assert.fail('nobody has it');
  const writing = lease.transaction(
    async (tx) => {
      await tx`insert into written values ('late')`;
      proxy.set('blackhole');
    },
    { timeout: 0 },
  );
  await until('the check of the fence is under way', () => proxy.held.requests > 0);
  await expire('late');
  const next = (await takeLease(database, 'late')) ?? assert.fail('it is over');
  await next.transaction((tx) => tx`insert into written values ('next')`);
  proxy.set('pass');
  await assert.rejects(writing, WorkTaken);
  const written = await writers();
  assert.deepEqual([written.includes('late'), written.includes('next')], [false, true]);
  await next.release();
  await lease.release();
});

test('a holder that is cut off in the middle of a transaction keeps nobody out for longer than its lease', async (t) => {
  const { proxy } = await startHolder(t);
  const own = openDatabase({ url: proxy.url, maxConnections: 2 });
  atEnd(t, () => own.close(100));
  const lease =
    (await takeLease(own, 'cut off', { duration: 1_500, renewal: 500 })) ?? assert.fail('nobody has it');
  const begun = performance.now();
  const writing = lease.transaction(
    async (tx) => {
      await tx`insert into written values ('cut off')`;
      await lease.hold(tx);
      proxy.set('blackhole');
    },
    { timeout: 0 },
  );
  writing.catch(() => {});
  const next = await (async () => {
    for (;;) {
      const taken = await takeLease(database, 'cut off').catch(() => null);
      if (taken !== null) return taken;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  t.diagnostic(`taken over after ${Math.round(performance.now() - begun)} ms, with a lease of 1,500 ms`);
  await next.transaction((tx) => tx`insert into written values ('next of it')`);
  proxy.set('cut');
  await assert.rejects(writing);
  const written = await writers();
  assert.deepEqual([written.includes('cut off'), written.includes('next of it')], [false, true]);
  await next.release();
});

test('two renewals may be lost, and a process that waits has it less than ten seconds after the last one', () => {
  const { duration, renewal } = LEASE_TIMES;
  assert.ok(duration > 3 * renewal);
  assert.ok(duration + renewal < 10_000);
});

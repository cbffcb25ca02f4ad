// Proves that watched listings are fetched from their source as often as the plan of their watchers says, within the budget of the
// source, and that nothing of it is lost while the source is down.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Plan, TIERS } from '../../../src/access/tiers/tiers.ts';
import { listingId } from '../../../src/ingest/identity.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { HOUR, MINUTE } from '../../../src/lib/clock.ts';
import { createMetrics } from '../../../src/lib/metrics.ts';
import { createRefresh } from '../../../src/live/refresh.ts';
import { LiveError, type LiveFailure } from '../../../src/sources/source.ts';
import { WatchedRefresher } from '../../../src/watch/refresh/refresh-watched.ts';
import { insertWatcher } from '../../../src/watch/watcher-store.ts';
import { assertEvery } from '../../support/check/every.ts';
import { runs } from '../../support/check/runs.ts';
import { type Closing, testDatabase } from '../../support/database/database.ts';
import { manualClock } from '../../support/service/clock.ts';
import { draftOf, memorySource } from '../../support/sources/memory-source.ts';

const SECOND = 1_000;
const never = new AbortController().signal;

/** Listings of a source that are all as old as the test, and processes that refresh what is watched of them. */
async function startWorld(t: Closing, keys: readonly string[], perMinute = 60) {
  const { database } = await testDatabase(t);
  const clock = manualClock();
  const catalogue = createCatalogue(database);
  const memory = memorySource();
  const write = (written: readonly string[]) =>
    database.transaction((tx) =>
      catalogue.write(
        tx,
        memory.id,
        written.map((key) => draftOf(key)),
        clock.now(),
      ),
    );
  for (const key of keys) memory.put(draftOf(key), '2026-01-01T00:00:00.000Z');
  await write(keys);
  /** Each call of the source: the key, and when. */
  const calls: { key: string; at: number }[] = [];
  const state: { failure: LiveFailure | null; retryAfter: number | null; before: () => Promise<void> } = {
    failure: null,
    retryAfter: null,
    before: async () => {},
  };
  const source = {
    ...memory,
    refreshesPerMinute: perMinute,
    fetchOne: async (key: string, signal: AbortSignal) => {
      calls.push({ key, at: clock.now() });
      await state.before();
      if (state.failure !== null)
        throw new LiveError(state.failure, 'down', { retryAfter: state.retryAfter });
      return memory.fetchOne(key, signal);
    },
  };
  let watchers = 0;
  /** A process of its own: its fetches are shared with no other. */
  const createProcess = (): WatchedRefresher => {
    const metrics = createMetrics();
    const log = { error: () => {} };
    const refresh = createRefresh({ findSource: () => source, catalogue, database, clock, log, metrics });
    const report = (error: unknown) => assert.fail(String(error));
    const list = () => [{ id: source.id, source, control: { pausedAt: null } }];
    return new WatchedRefresher(
      { database, clock, metrics, tiers: TIERS, sources: { list }, catalogue, refresh, report },
      never,
    );
  };
  const refresher = createProcess();
  return {
    database,
    clock,
    calls,
    state,
    memory,
    write,
    createProcess,
    source,
    /** Watches a listing with so many watchers of owners of this plan. */
    async watch(key: string, plan: Plan, count = 1, more: object = {}) {
      const id = listingId(memory.id, key);
      for (let at = 0; at < count; at++) {
        const owner = `sub:${plan}`;
        await database.transaction(async (tx) => {
          await tx`
            insert into watcher_owner (owner, allowance, plan, checked_at)
            values (${owner}, ${owner}, ${plan}, ${new Date(clock.now())}) on conflict do nothing`;
          await insertWatcher(
            tx,
            {
              id: `wat_refresh${++watchers}`,
              owner,
              allowance: owner,
              subscription: plan,
              grant: null,
              name: null,
              target: { type: 'listing', listingId: id },
              search: null,

              interpretation: null,
              events: ['listing.updated'],
              cadence: 'instant',
              eventsPerHour: null,
              requestedCadence: null,
              timeZone: 'UTC',
              ignoreDisplayRules: false,
              backfill: false,
              expiresAt: null,
              metadata: {},
              initialMatchCount: 1,
              ...more,
            } as Parameters<typeof insertWatcher>[1],
            new Date(clock.now()),
          );
        });
      }
    },
    /** Keys fetched in rounds over this time, one every ten seconds. */
    async pass(milliseconds: number): Promise<string[]> {
      const before = calls.length;
      const end = clock.now() + milliseconds;
      for (;;) {
        await refresher.run();
        if (clock.now() >= end) break;
        clock.advance(Math.min(10 * SECOND, end - clock.now()));
      }
      return calls.slice(before).map(({ key }) => key);
    },
    /** One round at a time this much later. */
    async later(milliseconds: number): Promise<string[]> {
      const before = calls.length;
      clock.advance(milliseconds);
      await refresher.run();
      return calls.slice(before).map(({ key }) => key);
    },
  };
}

test('a watched listing is fetched at the interval of its plan, and on Free never', async (t) => {
  const world = await startWorld(t, ['free', 'pro', 'business', 'internal', 'nobody']);
  for (const plan of ['free', 'pro', 'business', 'internal'] as const) await world.watch(plan, plan);
  assert.deepEqual(await world.later(15 * MINUTE - 1), []);
  assert.deepEqual(await world.later(1), ['internal']);
  assert.deepEqual(await world.later(15 * MINUTE - 1), []);
  assert.deepEqual(await world.later(1), ['internal']);
  assert.deepEqual((await world.later(30 * MINUTE)).toSorted(), ['business', 'internal']);
  assert.deepEqual((await world.later(5 * HOUR)).toSorted(), ['business', 'internal', 'pro']);
  assert.deepEqual((await world.later(6 * HOUR)).toSorted(), ['business', 'internal', 'pro']);
});

test('a listing with several watchers follows the shortest interval', async (t) => {
  const world = await startWorld(t, ['a']);
  await world.watch('a', 'free', 3);
  await world.watch('a', 'pro');
  await world.watch('a', 'business');
  assert.deepEqual(await world.later(HOUR - 1), []);
  assert.deepEqual(await world.later(1), ['a']);
});

test('a property watches each of its listings, without closed and deleted ones', async (t) => {
  const world = await startWorld(t, ['a', 'b', 'gone']);
  const [row] = await world.database.read(
    (sql) => sql<{ propertyId: string }[]>`
      select property_id as "propertyId" from listing where listing_key = 'a'`,
  );
  const propertyId = row?.propertyId ?? '';
  await world.watch('a', 'business', 1, { target: { type: 'property', propertyId } });
  await world.database.write((sql) => sql`update listing set property_id = ${propertyId}`);
  await world.database.write((sql) => sql`update listing set status = 'CLOSED' where listing_key = 'gone'`);
  assert.deepEqual((await world.later(HOUR)).toSorted(), ['a', 'b']);
});

test('paused, expired and deleted watchers refresh nothing', async (t) => {
  const world = await startWorld(t, ['a', 'b', 'c']);
  await world.watch('a', 'internal');
  await world.watch('b', 'internal');
  await world.watch('c', 'internal');
  await world.database.transaction(async (tx) => {
    await tx`update watcher set status = 'paused', status_reason = 'owner' where id = 'wat_refresh1'`;
    await tx`update watcher set status = 'expired' where id = 'wat_refresh2'`;
    await tx`delete from watcher where id = 'wat_refresh3'`;
  });
  assert.deepEqual(await world.later(DAYS), []);
});

const DAYS = 48 * HOUR;

test('what the source has told meanwhile is not fetched again', async (t) => {
  const world = await startWorld(t, ['a', 'b']);
  await world.watch('a', 'business');
  await world.watch('b', 'business');
  world.clock.advance(30 * MINUTE);
  await world.write(['a']);
  assert.deepEqual(await world.later(30 * MINUTE), ['b']);
  assert.deepEqual(await world.later(30 * MINUTE), ['a']);
});

test('the most watched are fetched first, and among equals the stalest', async (t) => {
  const world = await startWorld(t, ['stale', 'popular', 'fresh'], 6);
  world.clock.advance(10 * MINUTE);
  await world.write(['fresh', 'popular']);
  await world.watch('popular', 'internal', 3);
  await world.watch('stale', 'internal');
  await world.watch('fresh', 'internal');
  world.clock.advance(15 * MINUTE);
  // One a round: six a minute.
  assert.deepEqual(await world.pass(20 * SECOND), ['popular', 'stale', 'fresh']);
});

test('a listing with few watchers has its turn, however many others have more', async (t) => {
  const keys = Array.from({ length: 20 }, (_, at) => `home-${at}`);
  const world = await startWorld(t, [...keys, 'lonely'], 1);
  for (const key of keys) await world.watch(key, 'internal', 3);
  await world.watch('lonely', 'internal');
  const fetched = await world.pass(100 * MINUTE);
  assert.ok(fetched.includes('lonely'), 'though the budget is too small');
});

test('never more calls in any minute than the budget of the source, over two processes and after a kill', async (t) => {
  const keys = Array.from({ length: 60 }, (_, at) => `home-${at}`);
  const world = await startWorld(t, keys, 12);
  for (const key of keys) await world.watch(key, 'internal');
  world.clock.advance(15 * MINUTE);
  let processes = [world.createProcess(), world.createProcess()];
  for (let round = 0; round < 40; round++) {
    await Promise.all(processes.map((each) => each.run()));
    world.clock.advance(7 * SECOND);
    // Another process takes the place of one, which remembers nothing.
    if (round % 5 === 0) processes = [processes[1] ?? world.createProcess(), world.createProcess()];
  }
  for (const { at } of world.calls) {
    const within = world.calls.filter((call) => call.at > at - MINUTE && call.at <= at).length;
    assert.ok(within <= 12, `${within} calls in a minute`);
  }
  assert.ok(world.calls.length > 45, `the budget is used: ${world.calls.length}`);
  const counts = Map.groupBy(world.calls, ({ key }) => key);
  assertEvery([...counts.values()], (calls) => calls.length === 1, 'none is fetched twice');
});

test('two processes at once fetch a listing once', async (t) => {
  const world = await startWorld(t, ['a', 'b', 'c']);
  for (const key of ['a', 'b', 'c']) await world.watch(key, 'internal');
  world.clock.advance(HOUR);
  let open = 0;
  world.state.before = async () => {
    open++;
    while (open < 3) await new Promise((resolve) => setImmediate(resolve));
  };
  const processes = Array.from({ length: 4 }, () => world.createProcess());
  await Promise.all(processes.map((each) => each.run()));
  assert.deepEqual(world.calls.map(({ key }) => key).toSorted(), ['a', 'b', 'c']);
});

test('while the source is down few calls are made, and afterwards everything that is due is fetched', async (t) => {
  const keys = Array.from({ length: 20 }, (_, at) => `home-${at}`);
  const world = await startWorld(t, keys, 600);
  for (const key of keys) await world.watch(key, 'internal');
  for (const failure of ['upstream_unavailable', 'fetch_failed', 'timeout'] as const) {
    world.state.failure = failure;
    world.clock.advance(15 * MINUTE);
    const attempts = await world.pass(0);
    assert.ok(attempts.length > 0 && attempts.length <= 6, `${failure}: ${attempts.length} attempts`);
    await world.pass(2 * MINUTE);
    world.state.failure = null;
    const fetched = await world.pass(16 * MINUTE);
    assert.deepEqual([...new Set(fetched)].toSorted(), keys.toSorted(), failure);
  }
});

test('a source that asks to wait is left alone for so long', async (t) => {
  const world = await startWorld(t, ['a', 'b', 'c', 'd', 'e', 'f']);
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) await world.watch(key, 'internal');
  Object.assign(world.state, { failure: 'upstream_rate_limited', retryAfter: 5 * MINUTE });
  world.clock.advance(15 * MINUTE);
  await world.pass(0);
  world.state.failure = null;
  assert.deepEqual(await world.pass(5 * MINUTE - 10 * SECOND), []);
  assert.equal(new Set(await world.pass(2 * MINUTE)).size, 6);
});

test('a listing that cannot be read does not keep others from being fetched', async (t) => {
  const world = await startWorld(t, ['bad', 'good'], 6);
  await world.watch('bad', 'internal', 50);
  await world.watch('good', 'internal');
  const fetchOne = world.source.fetchOne;
  world.source.fetchOne = async (key, signal) => {
    if (key !== 'bad') return fetchOne(key, signal);
    world.calls.push({ key, at: world.clock.now() });
    throw new LiveError('parse_failed', 'not JSON');
  };
  world.clock.advance(15 * MINUTE);
  const fetched = await world.pass(HOUR);
  assert.ok(fetched.filter((key) => key === 'good').length >= 4);
  assert.ok(fetched.filter((key) => key === 'bad').length <= 9, 'less and less often');
});

test('a listing that is gone becomes deleted and is left alone; one that changed is written', async (t) => {
  const world = await startWorld(t, ['a', 'b']);
  await world.watch('a', 'internal');
  await world.watch('b', 'internal');
  world.memory.listings.delete('a');
  world.memory.put({ ...draftOf('b'), listPrice: 123_456 }, '2026-01-02T00:00:00.000Z');
  assert.deepEqual((await world.later(HOUR)).toSorted(), ['a', 'b']);
  const rows = await world.database.read(
    (sql) => sql`select listing_key, status, record ->> 'price' as price from listing order by 1`,
  );
  assert.equal(rows[0]?.status, 'DELETED');
  assert.equal(Number(rows[1]?.price), 123_456);
  assert.deepEqual(await world.later(HOUR), ['b']);
});

test('without a budget nothing is fetched', async (t) => {
  const world = await startWorld(t, ['a'], 0);
  await world.watch('a', 'internal');
  assert.deepEqual(await world.pass(HOUR), []);
});

const PLANS = ['free', 'pro', 'business', 'internal'] as const;

test('over any watchers and hours, each listing is fetched when the model says, and never before', async (t) => {
  const keys = ['a', 'b', 'c', 'd'];
  const watched = fc.array(fc.record({ key: fc.constantFrom(...keys), plan: fc.constantFrom(...PLANS) }), {
    minLength: 1,
    maxLength: 6,
  });
  const steps = fc.array(fc.constantFrom(MINUTE, 14 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR), {
    minLength: 3,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(watched, steps, async (watchers, pauses) => {
      const world = await startWorld(t, keys);
      for (const { key, plan } of watchers) await world.watch(key, plan);
      const start = world.clock.now();
      const fetchedAt = new Map(keys.map((key) => [key, start]));
      for (const pause of pauses) {
        const fetched = await world.later(pause);
        const now = world.clock.now();
        const due = keys.filter((key) => {
          const intervals = watchers.flatMap((each) =>
            each.key === key ? (TIERS[each.plan].refresh ?? []) : [],
          );
          return intervals.length > 0 && now - (fetchedAt.get(key) ?? 0) >= Math.min(...intervals);
        });
        assert.deepEqual(fetched.toSorted(), due);
        for (const key of due) fetchedAt.set(key, now);
      }
    }),
    runs(12, 5),
  );
});

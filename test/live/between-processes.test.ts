// Proof that processes on one database call a source once for a listing, whatever becomes of the one that calls.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { listingId } from '../../src/ingest/identity.ts';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { Flights } from '../../src/live/flights.ts';
import { createRefresh } from '../../src/live/refresh.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { LiveError } from '../../src/sources/source.ts';
import { until } from '../support/check/until.ts';
import { atEnd, testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { draftOf, memorySource } from '../support/sources/memory-source.ts';

const at = { after };
const never = new AbortController().signal;
const { database, url } = await testDatabase(at);
const clock = manualClock();

/** One process: its own connections, flights and source, of which all have the same listings. */
function startProcess() {
  const own = openDatabase({ url, maxConnections: 3 });
  const catalogue = createCatalogue(own);
  const source = memorySource();
  const report = (error: unknown) => assert.fail(String(error));
  const flights = new Flights({ database: own, clock, report });
  const close = async () => {
    await flights.close();
    await own.close(1_000);
  };
  atEnd(at, close);
  const log = { error: () => assert.fail('everything is stored') };
  const metrics = createMetrics();
  const refresh = createRefresh({
    findSource: () => source,
    database: own,
    clock,
    metrics,
    catalogue,
    log,
    flights,
  });
  return { source, refresh, flights };
}

const processes = [startProcess(), startProcess(), startProcess()] as const;
const [first, second] = processes;
const calls = () => processes.reduce((sum, { source }) => sum + source.fetched.length, 0);
let price = 1_000;

/** A listing that is stored and has changed at its source, which waits for the test before it answers. */
async function changedListing(key: string) {
  const catalogue = createCatalogue(database);
  await database.transaction((tx) =>
    catalogue.write(tx, first.source.id, [draftOf(key, { ListPrice: 1 })], clock.now()),
  );
  const stored = (await catalogue.listing(listingId(first.source.id, key))) ?? assert.fail('not stored');
  price += 1;
  const gate = Promise.withResolvers<void>();
  for (const { source } of processes) {
    source.put(draftOf(key, { ListPrice: price }), '2026-01-02T00:00:00.000Z');
    source.beforeFetch = (signal) => {
      const left = new Promise<never>((_, reject) =>
        signal.addEventListener('abort', () => reject(new LiveError('timeout', 'aborted')), { once: true }),
      );
      return Promise.race([gate.promise, left]);
    };
  }
  return { stored, price, give: () => gate.resolve() };
}

/** What a refresh fails with; null: it does not. Other errors pass. */
const failureOf = (refreshing: Promise<unknown>): Promise<LiveError | null> =>
  refreshing.then(
    () => null,
    (error: unknown) => {
      if (error instanceof LiveError) return error;
      throw error;
    },
  );

test('sixty readers of three processes: one call, and everybody has what it stored', async () => {
  const { stored, price: fresh, give } = await changedListing('shared');
  const before = calls();
  const readers = Array.from({ length: 60 }, (_, reader) =>
    (processes[reader % 3] ?? first).refresh(stored, never),
  );
  await until('the source is called', () => calls() > before);
  give();
  const listings = await Promise.all(readers);
  assert.deepEqual([...new Set(listings.map(({ record }) => record.price))], [fresh]);
  assert.equal(calls() - before, 1);
});

for (const retryAfter of [3_600_000, null])
  test(`one failure is that of all who wait, with the wait that the source wants (${retryAfter}), and the next reader calls anew`, async () => {
    const key = `failing-${retryAfter}`;
    const { stored, price: fresh, give } = await changedListing(key);
    const before = calls();
    const calling = failureOf(first.refresh(stored, never));
    await until('the source is called', () => first.source.fetched.includes(key));
    const timers = clock.waiting;
    const waiting = failureOf(second.refresh(stored, never));
    await until('the other waits, by its deadline and its lease', () => clock.waiting === timers + 2);
    first.source.failures.push(new LiveError('upstream_rate_limited', 'Slowly.', { retryAfter }));
    give();
    for (const failure of [await calling, await waiting]) {
      assert.equal(failure?.code, 'upstream_rate_limited');
      const told = failure.retryAfter;
      if (retryAfter === null) assert.equal(told, null);
      // The time that it took to hear of it has passed.
      else assert.ok(told !== null && told <= retryAfter && told > retryAfter / 2, String(told));
    }
    assert.equal((await second.refresh(stored, never)).record.price, fresh);
    assert.equal(calls() - before, 2);
  });

test('a process whose last reader leaves hands over at once', async () => {
  const { stored, price: fresh, give } = await changedListing('left');
  const leaving = new AbortController();
  const left = failureOf(first.refresh(stored, leaving.signal));
  await until('the source is called', () => first.source.fetched.includes('left'));
  const waiting = second.refresh(stored, never);
  leaving.abort(new LiveError('timeout', 'gone'));
  await until('another process calls', () => second.source.fetched.includes('left'));
  give();
  assert.equal((await waiting).record.price, fresh);
  await left;
});

test('a process that is killed is replaced when its lease has run out, by one', async () => {
  const { stored, price: fresh, give } = await changedListing('killed');
  // What a process leaves behind that began to fetch, and is no more.
  await database.write(
    (sql) => sql`
      insert into live_flight (listing_id, flight, leased_until)
      values (${stored.id}, gen_random_uuid(), clock_timestamp() + interval '500 ms')`,
  );
  const before = calls();
  const readers = processes.map(({ refresh }) => refresh(stored, never));
  give();
  let isOver = false;
  const over = Promise.all(readers).finally(() => {
    isOver = true;
  });
  assert.equal(calls(), before);
  await until('all are answered', () => {
    clock.advance(10);
    return isOver;
  });
  assert.deepEqual(
    (await over).map(({ record }) => record.price),
    [fresh, fresh, fresh],
  );
  assert.equal(calls() - before, 1);
});

test('where the database cannot be asked, each process calls for itself', async () => {
  const away = { ...database, write: () => Promise.reject(new Error('away')) };
  const flights = new Flights({ database: away, clock, report: () => {} });
  atEnd(at, () => flights.close());
  const joined = await flights.join('lst_any', never);
  assert.equal(joined.state, 'own');
});

test('what is started after its reader has given up is handed on, not kept', async () => {
  await database.write(
    (sql) => sql`
      insert into live_flight (listing_id, flight, leased_until)
      values ('lst_late', gen_random_uuid(), clock_timestamp() - interval '1 second')`,
  );
  const late = new AbortController();
  const joining = first.flights.join('lst_late', late.signal);
  late.abort(new Error('too late'));
  await assert.rejects(joining, /too late/);
  const [row] = await database.read(
    (sql) => sql<{ isEnded: boolean }[]>`
      select ended_at is not null as "isEnded" from live_flight where listing_id = 'lst_late'`,
  );
  assert.equal(row?.isEnded, true);
});

test('a lease is renewed while its fetch takes long, and what has ended is removed', async () => {
  const joined = await first.flights.join('lst_slow', never);
  assert.ok(joined.state === 'own');
  const find = (id: string) =>
    database.read(
      (sql) => sql<{ until: number }[]>`
        select extract(epoch from leased_until)::float8 as until from live_flight where listing_id = ${id}`,
    );
  const [begun] = await find('lst_slow');
  clock.advance(1_000);
  await until(
    'the lease is renewed',
    async () => ((await find('lst_slow'))[0]?.until ?? 0) > (begun?.until ?? 0),
  );
  await database.write(
    (sql) =>
      sql`update live_flight set ended_at = now() - interval '2 minutes' where listing_id <> 'lst_slow'`,
  );
  await joined.flight.end({ outcome: 'live', message: null, retryAfter: null });
  const rows = await database.read((sql) => sql<{ id: string }[]>`select listing_id as id from live_flight`);
  assert.deepEqual(
    rows.map(({ id }) => id),
    ['lst_slow'],
  );
});

// Proves that every database operation ends in bounded time, with its result or with an honest 503.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../../src/lib/problem.ts';
import {
  type Database,
  type DatabaseOptions,
  openDatabase,
  type ReadOptions,
} from '../../src/postgres/client/database.ts';
import { until } from '../support/check/until.ts';
import { atEnd, emptyDatabase, temporaryFolder } from '../support/database/database.ts';
import { startDatabaseProxy } from '../support/database/database-proxy.ts';
import { manualClock } from '../support/service/clock.ts';

function open(t: TestContext, options: DatabaseOptions): Database {
  const database = openDatabase(options);
  atEnd(t, () => database.close(100));
  return database;
}

async function behindProxy(t: TestContext, options: DatabaseOptions = {}) {
  const { url, database: direct } = await emptyDatabase(t);
  await direct.write((sql) => sql`create table entries (id int)`);
  const proxy = await startDatabaseProxy(t, url);
  const database = open(t, { maxConnections: 1, ...options, url: proxy.url });
  return { proxy, database, direct };
}

const one = (database: Database, options?: ReadOptions) =>
  database.read((sql) => sql`select 1 as one`, options);

/** The private reason of the 503 that this operation ends with. */
async function unavailable(operation: Promise<unknown>): Promise<Error & { code?: string }> {
  const error = await operation.then(
    () => assert.fail('the operation succeeded'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Problem, String(error));
  assert.deepEqual([error.code, error.status], ['DATABASE_UNAVAILABLE', 503]);
  assert.match(error.headers['retry-after'] ?? '', /^[1-9][0-9]*$/);
  return error.cause as Error & { code?: string };
}

test('values come out of the database in the forms that stores rely on', async (t) => {
  const { database } = await emptyDatabase(t);
  const [row] = await database.read(
    (sql) => sql`select ${new Date('2026-01-05T14:02:11.123Z')}::timestamptz as moment,
      ${'2026-01-05T15:02:11.5+01:00'}::timestamptz as shifted, '2026-03-29'::date as day, 12.50::numeric as price,
      7::int8 as small, 9007199254740993::int8 as large, 0.1::float8 as fraction, ${['a', 'b']}::text[] as words,
      array['2026-01-05T00:00:00Z'::timestamptz] as moments, ${'{"rooms": 3}'}::text::jsonb as record`,
  );
  assert.deepEqual(row, {
    moment: '2026-01-05T14:02:11.123Z',
    shifted: '2026-01-05T14:02:11.500Z',
    day: '2026-03-29',
    price: 12.5,
    small: 7,
    large: 9_007_199_254_740_993n,
    fraction: 0.1,
    words: ['a', 'b'],
    moments: ['2026-01-05T00:00:00.000Z'],
    record: { rooms: 3 },
  });
});

test('after its connection is lost a transaction runs nothing more, however long its work goes on', async (t) => {
  const { proxy, database, direct } = await behindProxy(t);
  const stubborn = database.transaction(async (tx) => {
    await tx`insert into entries values (1)`;
    proxy.mode = 'cut';
    await tx`insert into entries values (2)`.catch(() => {});
    proxy.mode = 'pass';
    await tx`insert into entries values (3)`.catch(() => {});
    return tx`insert into entries values (4)`;
  });
  await unavailable(stubborn);
  assert.equal((await direct.read((sql) => sql`select id from entries`)).length, 0);
  assert.deepEqual([...(await one(database))], [{ one: 1 }]);
});

test('a faulty statement is not taken for a database that is away', async (t) => {
  const { database } = await emptyDatabase(t);
  await assert.rejects(
    database.read((sql) => sql`select no_such_column`),
    { code: '42703' },
  );
});

test('a read whose connection breaks is tried once more', async (t) => {
  const { proxy, database } = await behindProxy(t);
  await one(database);
  proxy.mode = 'cut';
  let attempts = 0;
  const result = await database.read((sql) => {
    if (++attempts === 2) proxy.mode = 'pass';
    return sql`select 1 as one`;
  });
  assert.deepEqual([[...result], attempts], [[{ one: 1 }], 2]);
});

test('a read whose connection keeps breaking is tried twice and no more', async (t) => {
  const { proxy, database } = await behindProxy(t);
  proxy.mode = 'cut';
  let attempts = 0;
  await unavailable(
    database.read((sql) => {
      attempts++;
      return sql`select 1`;
    }),
  );
  assert.equal(attempts, 2);
});

test('a write or a transaction whose connection breaks is never tried again', async (t) => {
  const { proxy, database, direct } = await behindProxy(t);
  await one(database);
  let attempts = 0;
  const insert = (sql: Parameters<Parameters<Database['write']>[0]>[0]) => {
    attempts++;
    proxy.mode = 'cut';
    return sql`insert into entries values (1)`;
  };
  await unavailable(database.write(insert));
  proxy.mode = 'pass';
  await unavailable(database.transaction(insert));
  assert.equal(attempts, 2);
  assert.equal((await direct.read((sql) => sql`select 1 from entries`)).length, 0);
});

test('a line that hangs costs its operation a 503 at the deadline, and the next one gets a new connection', async (t) => {
  const clock = manualClock();
  const { proxy, database } = await behindProxy(t, { clock });
  await one(database);
  for (const operation of [one, insertInTransaction]) {
    proxy.mode = 'hang';
    const before = proxy.swallowed;
    const outcome = unavailable(operation(database));
    await until('the statement is sent', async () => proxy.swallowed > before);
    clock.advance(2_900);
    assert.match((await outcome).message, /did not answer in time/);
    proxy.mode = 'pass';
    assert.deepEqual([...(await one(database))], [{ one: 1 }]);
    assert.deepEqual(database.status(), { size: 1, busy: 0, waiting: 0 });
  }
  assert.equal(clock.waiting, 0);
});

function insertInTransaction(database: Database): Promise<unknown> {
  return database.transaction((tx) => tx`insert into entries values (2)`);
}

test('who finds every connection in use gets a 503 before three seconds are over', async (t) => {
  const clock = manualClock();
  const { url } = await emptyDatabase(t);
  const database = open(t, { url, clock, maxConnections: 1 });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const holder = database.transaction(
    async (tx) => {
      begin();
      await held;
      return tx`select 1 as one`;
    },
    { timeout: 60_000 },
  );
  await begun;
  const outcome = unavailable(one(database));
  clock.advance(2_000);
  assert.match((await outcome).message, /became free/);
  release();
  assert.deepEqual([...(await holder)], [{ one: 1 }]);
});

test('a statement that takes too long is stopped by the server, and its connection serves on', async (t) => {
  const { url } = await emptyDatabase(t);
  const database = open(t, { url, maxConnections: 1, timeout: 1_000 });
  const process = (await database.read((sql) => sql`select pg_backend_pid() as id`))[0]?.id;
  assert.equal((await unavailable(database.read((sql) => sql`select pg_sleep(60)`))).code, '57014');
  const patient = await database.read((sql) => sql`select current_setting('statement_timeout') as limit`, {
    timeout: 20_300,
  });
  assert.equal(patient[0]?.limit, '20s');
  assert.equal((await database.read((sql) => sql`select pg_backend_pid() as id`))[0]?.id, process);
});

test('without a server every operation is a 503, and all is well once there is one', async (t) => {
  const { url } = await emptyDatabase(t);
  const away = open(t, { socket: { host: await temporaryFolder(t, 'nothing'), database: 'd', user: 'u' } });
  assert.equal((await unavailable(one(away))).code, 'ENOENT');
  assert.equal((await unavailable(away.transaction((tx) => tx`select 1`))).code, 'ENOENT');
  const missing = open(t, { url: url.replace(/test_\w+/, 'no_such_database') });
  assert.equal((await unavailable(one(missing))).code, '3D000');
  // The setting that goes out first fails first; what its reader is told is the same.
  assert.equal((await unavailable(one(away, { planned: 'once' }))).code, 'ENOENT');
  assert.equal((await unavailable(one(missing, { planned: 'once' }))).code, '3D000');
});

test('connections that the server ended while idle are replaced without anyone noticing', async (t) => {
  const { url, database: other } = await emptyDatabase(t);
  const database = open(t, { url, maxConnections: 3, applicationName: 'victim' });
  await Promise.all([one(database), one(database), one(database)]);
  const killed = await other.read(
    (sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'victim'`,
  );
  assert.equal(killed.length, 3);
  await nextTurn();
  assert.deepEqual([...(await one(database))], [{ one: 1 }]);
  assert.deepEqual([...(await one(database, { planned: 'once' }))], [{ one: 1 }]);
});

test('closing ends in bounded time although a line hangs', async (t) => {
  const { proxy, database } = await behindProxy(t);
  await one(database);
  proxy.mode = 'hang';
  const pending = unavailable(one(database));
  await until('the statement is sent', async () => proxy.swallowed > 0);
  await database.close(50);
  await pending;
  await unavailable(one(database));
});

test('the server tells its version, and sessions plan each statement for its values', async (t) => {
  const { database } = await emptyDatabase(t);
  assert.match(await database.serverVersion(), /^(1[5-9]|[2-9][0-9])\./);
  assert.equal(await planning(database), 'force_custom_plan on');
});

const planning = async (database: Database, options: ReadOptions = {}): Promise<unknown> => {
  const [row] = await database.read(
    (sql) =>
      sql`select concat_ws(' ', current_setting('plan_cache_mode'), current_setting('enable_seqscan')) as mode`,
    options,
  );
  return row?.mode;
};

test('a read is planned as it asks, whatever its connection was used for before', async (t) => {
  const { url } = await emptyDatabase(t);
  const database = open(t, { url, maxConnections: 1 });
  for (const [planned, mode] of [
    ['once', 'force_generic_plan off'],
    ['each', 'force_custom_plan on'],
    ['once', 'force_generic_plan off'],
  ] as const)
    assert.equal(await planning(database, { planned }), mode);
  await database.write(
    (sql) => sql`create table planned as select current_setting('plan_cache_mode') as mode`,
  );
  const [written] = await database.read((sql) => sql`select mode from planned`, { planned: 'once' });
  assert.equal(written?.mode, 'force_custom_plan');
  const inside = await database.transaction((tx) => tx`select current_setting('plan_cache_mode') as mode`);
  assert.equal(inside[0]?.mode, 'force_custom_plan');
});

test('of idle connections a read gets one that plans as it asks, so that none is told anew each time', async (t) => {
  const { url } = await emptyDatabase(t);
  const database = open(t, { url, maxConnections: 2 });
  const process = async (planned: 'once' | 'each'): Promise<unknown> => {
    const [row] = await database.read((sql) => sql`select pg_backend_pid() as pid`, { planned });
    return row?.pid;
  };
  const [each, once] = await Promise.all([process('each'), process('once')]);
  assert.notEqual(each, once);
  for (const planned of ['each', 'once', 'once', 'each', 'each', 'once'] as const)
    assert.equal(await process(planned), planned === 'each' ? each : once);
});

test('a statement that fails between its rows leaves the rows of the next one whole', async (t) => {
  const { url } = await emptyDatabase(t);
  const database = open(t, { maxConnections: 1, url });
  const failing = database.read((sql) => sql`select 1 / (500 - i) from generate_series(1, 1000) as i`);
  await assert.rejects(failing, /division by zero/);
  const rows = await database.read((sql) => sql`select 42 as answer`);
  assert.deepEqual([...rows], [{ answer: 42 }]);
});

test('an old connection is not used again', async (t) => {
  const { url } = await emptyDatabase(t);
  const clock = manualClock();
  const database = open(t, { url, clock, maxConnections: 1 });
  const session = async () => {
    const [row] = await database.read((sql) => sql<{ pid: number }[]>`select pg_backend_pid() as pid`);
    return row?.pid;
  };
  const first = await session();
  await clock.advance(44 * 60_000);
  const second = await session();
  await clock.advance(60_000);
  assert.deepEqual([first === second, second === (await session())], [true, false]);
});

test('a read that PostgreSQL ends because it and another statement wait for each other is repeated', async (t) => {
  const { database } = await emptyDatabase(t);
  await database.write((sql) => sql.unsafe('create table a ()'));
  await database.write((sql) => sql.unsafe('create table b ()'));
  const other = database.dedicated();
  t.after(() => other.end(1));
  await other.sql`begin`;
  await other.sql`lock table b in access exclusive mode`;
  let attempts = 0;
  const read = database.read(async (sql) => {
    attempts++;
    if (attempts > 1) return 'read';
    // Who waits looks for a circle once, after this timeout. The read closes it when the other has looked in vain, so that the
    // read is the one that finds it, and is ended.
    await sql.unsafe(`do $$ begin
      lock table a in access share mode;
      while not exists (select from pg_locks where relation = 'a'::regclass and not granted
          and waitstart < clock_timestamp() - 2 * current_setting('deadlock_timeout')::interval) loop
        perform pg_sleep(0.01);
      end loop;
      lock table b in access share mode;
    end $$`);
    return 'not ended';
  });
  await until('the read has its first table', async () => {
    const [row] = await database.read(
      (sql) => sql<{ has: boolean }[]>`
        select exists (select from pg_locks where relation = 'a'::regclass and granted) as has`,
    );
    return row?.has === true;
  });
  const locked = (async () => void (await other.sql`lock table a in access exclusive mode`))();
  assert.equal(await read, 'read');
  assert.equal(attempts, 2);
  await locked;
  await other.sql`rollback`;
});

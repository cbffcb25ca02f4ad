// Proves that a COPY gives every value as it is, and that one which fails ends and leaves nothing behind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CopyFields } from '../../src/postgres/client/copy-fields.ts';
import { type Database, openDatabase, type Sql } from '../../src/postgres/client/database.ts';
import { until } from '../support/check/until.ts';
import { atEnd, emptyDatabase } from '../support/database/database.ts';
import { startPostgres15, withoutPostgres15 } from '../support/database/postgres15.ts';

const MOMENTS = [
  '2026-01-05T14:02:11.123Z',
  '1969-12-31T23:59:59.999Z',
  '1677-01-01T00:00:00.001Z',
  '0001-01-01T00:00:00.000Z',
  '9999-12-31T23:59:59.997Z',
];
const DAYS = MOMENTS.map((moment) => moment.slice(0, 10));
const FLOATS = [5e-324, 0.1, 2 ** 31 + 0.01, 1e300, -Number.MAX_SAFE_INTEGER];
const INTEGERS = [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)];
const FLAGS = [true, false, true, true, false];
const WORDS = ['', 'östra', '\u{10428}town', 'a,"b"\\', 'NULL'];
const LATE = Date.parse('9999-12-31T23:59:59.998Z');
const HOURS = MOMENTS.map(
  (each) => `{[${each},${each}],[9999-12-31 23:59:59.998+00,9999-12-31 23:59:59.999+00]}`,
);

async function readsValues(url: string): Promise<void> {
  const database = openDatabase({ url, maxConnections: 1 });
  const fields = new CopyFields();
  const rows: unknown[] = [];
  const text = () => Buffer.from(fields.bytes.slice(fields.start, fields.end)).toString();
  const items = <T>(read: () => T): T[] =>
    Array.from({ length: fields.items() }, () => {
      fields.nextItem();
      return read();
    });
  await database.transaction(async (tx) => {
    await tx`create temporary table kept (moment timestamptz, day date, number float8, whole int, flag boolean,
      word text, words text[], numbers int[], hours tstzmultirange)`;
    await tx`insert into kept
      select moment::timestamptz, day::date, number, whole, flag::boolean, word, ${WORDS}::text[], '{1,-2,2147483647}', hours::tstzmultirange
      from unnest(${MOMENTS}::text[], ${DAYS}::text[], ${FLOATS}::float8[], ${INTEGERS}::int[], ${FLAGS.map(String)}::text[],
        ${WORDS}::text[], ${HOURS}::text[]) as each (moment, day, number, whole, flag, word, hours)`;
    await tx`insert into kept (moment, day, number, words) values ('infinity', 'infinity', null, '{}')`;
    await tx.copy(tx`copy kept to stdout (format binary)`, (chunk) => {
      fields.take(chunk);
      while (fields.nextRow()) {
        const moment = fields.next() && fields.moment();
        const day = fields.next() && fields.day();
        const number = fields.next() && fields.float64();
        const whole = fields.next() && fields.int32();
        const flag = fields.next() && fields.boolean();
        const word = fields.next() && text();
        const words = fields.next() && items(text);
        const numbers = fields.next() && items(() => fields.int32());
        const hours: number[] = [];
        if (fields.next()) fields.ranges((from, to) => hours.push(from, to));
        rows.push([moment, day, number, whole, flag, word, words, numbers, hours]);
      }
    });
  });
  assert.deepEqual(rows, [
    ...MOMENTS.map((moment, at) => [
      Date.parse(moment),
      Date.parse(DAYS[at] ?? ''),
      FLOATS[at],
      INTEGERS[at],
      FLAGS[at],
      WORDS[at],
      WORDS,

      [1, -2, 2 ** 31 - 1],
      [Date.parse(moment), Date.parse(moment), LATE, LATE + 1],
    ]),
    [Number.NaN, Number.NaN, false, false, false, false, [], false, []],
  ]);
  await database.close();
}

test('every value of a COPY is read as it is', async (t) => {
  await readsValues((await emptyDatabase(t)).url);
});

test('every value of a COPY from PostgreSQL 15 is read as it is', { skip: withoutPostgres15 }, async (t) => {
  await readsValues(await startPostgres15(t));
});

test('a COPY that fails, or whose rows are refused, rejects, and the connection serves on', async (t) => {
  const { url } = await emptyDatabase(t);
  const database = openDatabase({ url, maxConnections: 1, timeout: 0 });
  atEnd(t, () => database.close(100));
  const pid = () => database.read((sql) => sql<{ pid: number }[]>`select pg_backend_pid() as pid`);
  const before = await pid();
  let bytes = 0;
  const failing = database.read((sql) =>
    sql.copy(
      sql`copy (select 1 / (200000 - number) from generate_series(1, 200000) as number) to stdout (format binary)`,
      (rows) => {
        bytes += rows.length;
      },
    ),
  );
  await assert.rejects(failing, /division by zero/);
  assert.ok(bytes > 1_000_000, 'rows had come before the error');
  const refusal = new Error('not these');
  const refusing = database.read((sql) =>
    sql.copy(sql`copy (select generate_series(1, 200000)) to stdout (format binary)`, () => {
      throw refusal;
    }),
  );
  await assert.rejects(refusing, (error) => error === refusal);
  await assert.rejects(
    database.read((sql) => sql.copy(sql`copy (select ${1}) to stdout`, () => {})),
    /no values/,
  );
  assert.deepEqual(await pid(), before);
});

test('a COPY rejects when its connection is lost, and ends in the server when it is given up', async (t) => {
  const { url, database: other, name } = await emptyDatabase(t);
  const database = openDatabase({ url, maxConnections: 1, timeout: 0, applicationName: 'copying' });
  atEnd(t, () => database.close(100));
  const copy = async (sql: Sql, onRows: () => void): Promise<void> =>
    sql.copy(sql`copy (select generate_series(1, 2000000000::int8)) to stdout (format binary)`, onRows);
  const isCopying = async (): Promise<boolean> => {
    const sessions = await other.read(
      (sql) => sql`select from pg_stat_activity where datname = ${name} and application_name = 'copying'
        and query like 'copy%' and state = 'active'`,
    );
    return sessions.length > 0;
  };
  const [{ promise: begun, resolve: begin }, leaving] = [
    Promise.withResolvers<void>(),
    new AbortController(),
  ];
  // Caught from the start: it may reject before the command that ends it is answered.
  const lost = assert.rejects(
    database.transaction((tx) => copy(tx, begin)),
    { code: 'DATABASE_UNAVAILABLE' },
  );
  await begun;
  await other.write(
    (sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = ${name} and application_name = 'copying'`,
  );
  await lost;
  const reason = new Error('not wanted any more');
  const left = database.read((sql) => copy(sql, () => leaving.abort(reason)), {
    signal: leaving.signal,
    timeout: 0,
  });
  await assert.rejects(left, (error) => error === reason);
  await until('the server has ended it', async () => !(await isCopying()));
});

test('the connection serves on after a COPY whose last rows came while nothing was read', async (t) => {
  const { url, database: other } = await emptyDatabase(t);
  const database = openDatabase({ url, maxConnections: 1, timeout: 0 });
  atEnd(t, () => database.close(100));
  // Kilobytes: about as many as the driver's stream and one read from the socket hold, which are 64 each.
  for (let rows = 60; rows <= 140; rows += 10) {
    let bytes = 0;
    await database.transaction(async (tx) => {
      const [session] = await tx<{ pid: number }[]>`
        select pg_backend_pid() as pid, set_config('test.rows', ${String(rows)}, true)`;
      let paused: Promise<void> | undefined;
      const onRows = (some: Buffer) => {
        bytes += some.length;
        paused ??= hasSentAll(other, session?.pid ?? 0);
        return paused;
      };
      await tx.copy(
        tx`copy (select repeat('x', 1023) from generate_series(1, current_setting('test.rows')::int)) to stdout`,
        onRows,
      );
      const [row] = await tx<{ one: number }[]>`select 1 as one`;
      assert.equal(row?.one, 1);
    });
    assert.equal(bytes, rows * 1_024);
  }
});

/** Until the server has sent everything, and the event loop has read it. */
async function hasSentAll(database: Database, pid: number): Promise<void> {
  await until('the server waits for the next statement', async () => {
    const [session] = await database.read(
      (sql) => sql<{ state: string }[]>`select state from pg_stat_activity where pid = ${pid}`,
    );
    return session?.state === 'idle in transaction';
  });
  for (let iteration = 0; iteration < 20; iteration++)
    await new Promise<void>((resolve) => setImmediate(resolve));
}

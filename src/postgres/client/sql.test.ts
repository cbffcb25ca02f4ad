// Tests of the SQL builder.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getHeapSpaceStatistics } from 'node:v8';
import postgres from 'postgres';
import { collect } from '../../../test/support/check/collect-garbage.ts';
import { testDatabase } from '../../../test/support/database/database.ts';
import { createSql, formatStatement, joinSql } from './sql.ts';

/** Opens no connection before a statement runs, and none of these does. */
const driver = postgres({ host: '127.0.0.1', port: 1 });
const sql = createSql(driver);
const { database } = await testDatabase({ after });

test('fragments at any depth and names become text, and every other value a parameter in its place', () => {
  const { text, values } = formatStatement(sql`
    select ${sql('a "b"')} ${joinSql([sql`${1}`, sql`${'two'}`], ', ')} from x
    where ${sql`y = any(${[3, 4]}::integer[]) and ${sql`z = ${null}`}`} limit ${5}`);
  assert.equal(
    text.replace(/\s+/g, ' ').trim(),
    'select "a ""b""" $1, $2 from x where y = any($3::integer[]) and z = $4 limit $5',
  );
  assert.deepEqual(values, [1, 'two', [3, 4], null, 5]);
});

test('an empty list is a value, and no fragments joined are nothing', () => {
  assert.deepEqual(formatStatement(sql`${[]}`), { text: '$1', values: [[]] });
  assert.deepEqual(formatStatement(sql`a${joinSql([])}b`), { text: 'ab', values: [] });
});

test('what looks like SQL in a value stays a value', () => {
  const { text, values } = formatStatement(sql`select ${"'; drop table listing; --"}`);
  assert.equal(text, 'select $1');
  assert.deepEqual(values, ["'; drop table listing; --"]);
});

test('a name that PostgreSQL would cut or refuse is refused', () => {
  for (const name of ['', 'a\0b', 'a'.repeat(64), 'é'.repeat(32)]) assert.throws(() => sql(name), RangeError);
  assert.equal(formatStatement(sql`${sql('a'.repeat(63))}`).text, `"${'a'.repeat(63)}"`);
});

test('a statement runs once however often it is awaited, and not at all as a part of another', async () => {
  const seen = await database.read(async (run) => {
    await run.unsafe('create temporary sequence counter');
    const next = run<{ n: number }[]>`select nextval('counter') as n`;
    const whole = run<{ n: number }[]>`select n from (${next}) as inner_statement`;
    return [(await whole)[0]?.n, (await next)[0]?.n, (await next)[0]?.n];
  });
  assert.deepEqual(seen, [1, 2, 2]);
});

test('lists of every kind of value take the type that PostgreSQL expects', async () => {
  const moment = new Date('2026-01-05T14:02:11.123Z');
  const [row] = await database.read(
    (run) => run`select ${[moment]}::timestamptz[] as moments, ${[Buffer.from([0, 255])]}::bytea[] as bytes,
      ${[]}::text[] as none, 7 = any(${[7, null]}) as found`,
  );
  assert.deepEqual(row, {
    moments: [moment.toISOString()],
    bytes: [Buffer.from([0, 255])],
    none: [],
    found: true,
  });
});

test('rows that nobody has any more are freed by collections of young objects', async () => {
  const oldBytes = () =>
    getHeapSpaceStatistics().find((each) => each.space_name === 'old_space')?.space_used_size ?? 0;
  const growth: number[] = [];
  // V8 learns in the first round what tends to grow old.
  for (let round = 0; round < 2; round++) {
    collect();
    const before = oldBytes();
    for (let read = 1; read <= 100; read++) {
      await database.read(
        (run) => run`
          select json_build_object('text', repeat('x', 5000), 'number', number) as record
          from generate_series(1, 50) as number`,
      );
      if (read % 10 === 0) collect({ type: 'minor' });
    }
    growth.push(oldBytes() - before);
  }
  // All of them take 25 MB.
  assert.ok((growth.at(-1) ?? 0) < 5e6, `${growth.at(-1)} bytes grew old`);
});

// Proof that a database of several servers is served by the one that takes writes, whichever that is at the moment.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../src/lib/problem.ts';
import { openDatabase } from '../../src/postgres/client/database.ts';
import { listen, notify } from '../../src/postgres/client/listen.ts';
import { until } from '../support/check/until.ts';
import { atEnd } from '../support/database/database.ts';
import { startPostgres15Server, withoutPostgres15 } from '../support/database/postgres15.ts';
import { quietPort } from '../support/service/ports.ts';

test('writes go on after a switchover, at the server that was promoted', {
  skip: withoutPostgres15,
}, async (t) => {
  const primary = await startPostgres15Server(t);
  const standby = await startPostgres15Server(t, { standbyOf: primary });
  const nobody = await quietPort();
  const servers = [nobody, standby.port, primary.port].map((port) => `127.0.0.1:${port}`).join(',');
  const database = openDatabase({ url: primary.url.replace(/@[^/]*/, `@${servers}`), maxConnections: 4 });
  atEnd(t, () => database.close(100));

  // The first write finds neither the one that is away nor the one that only reads.
  await database.write((sql) => sql`create table note (line int primary key)`);
  const portOf = () =>
    database.read((sql) => sql<{ port: string }[]>`select current_setting('port') as port`);
  assert.deepEqual(await portOf(), [{ port: String(primary.port) }]);

  const heard: string[] = [];
  const listener = listen(
    database,
    'notes',
    (payload) => heard.push(payload),
    () => heard.push('gap'),
  );
  atEnd(t, () => listener.close());
  await until('it listens', () => heard.length === 1);

  // Where a standby is all there is, nothing is written, and that is unavailable rather than a fault.
  const reader = openDatabase({ url: standby.url });
  atEnd(t, () => reader.close(100));
  await until('the standby has the table', async () =>
    reader
      .read((sql) => sql`select from note`)
      .then(
        () => true,
        () => false,
      ),
  );
  await assert.rejects(
    reader.write((sql) => sql`insert into note values (0)`),
    (error) => error instanceof Problem && error.code === 'DATABASE_UNAVAILABLE',
  );
  const writer = openDatabase({ url: `${standby.url}?target_session_attrs=read-write`, timeout: 500 });
  atEnd(t, () => writer.close(100));
  await assert.rejects(portOfAny(writer), (error) => error instanceof Problem);

  let line = 0;
  const written: number[] = [];
  const stop = new AbortController();
  const writing = (async () => {
    while (!stop.signal.aborted) {
      line += 1;
      const number = line;
      await database
        .transaction((tx) => tx`insert into note values (${number})`)
        .then(
          () => written.push(number),
          (error: unknown) => assert.ok(error instanceof Problem, String(error)),
        );
    }
  })();
  await until('some are written', () => written.length > 20);
  await primary.stop();
  await reader.read((sql) => sql`select pg_promote(false)`);
  const before = written.length;
  await until('some are written after that', () => written.length > before + 20);
  stop.abort();
  await writing;
  assert.deepEqual(await portOf(), [{ port: String(standby.port) }]);
  const rows = await database.read((sql) => sql<{ line: number }[]>`select line from note order by line`);
  const found = new Set(rows.map((row) => row.line));
  assert.deepEqual(
    written.filter((number) => !found.has(number)),
    [],
    'what was acknowledged is there',
  );
  await until('it listens there', () => heard.at(-1) === 'gap' && heard.length > 1);
  await database.write((sql) => notify(sql, 'notes', 'after'));
  await until('it hears there', () => heard.includes('after'));
});

const portOfAny = (database: { read: ReturnType<typeof openDatabase>['read'] }) =>
  database.read((sql) => sql`select 1`);

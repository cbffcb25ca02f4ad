// Proves that a transaction is tried again as a whole where that is safe, and happens once at most whatever breaks.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../../src/lib/problem.ts';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { startFailpointProxy } from '../support/chaos/failpoint-proxy.ts';
import { atEnd, type Closing, emptyDatabase } from '../support/database/database.ts';
import { startDatabaseProxy } from '../support/database/database-proxy.ts';

const entries = (database: Database) =>
  database.read((sql) => sql<{ id: number }[]>`select id from entry order by id`);

async function database(t: Closing) {
  const made = await emptyDatabase(t);
  // Without a key, so that nothing but the rules keeps an entry from being there twice.
  await made.database.write((sql) => sql`create table entry (id int not null)`);
  return made;
}

/** More messages than a transaction sends. */
const MOST = 30;

for (const [failpoint, words] of [
  ['before', 'never reaches the server'],
  ['after', 'reaches the server, and the answer never comes back'],
] as const)
  test(`a repeatable transaction of which any message ${words} is made once, and only after COMMIT nobody knows`, async (t) => {
    const { database: direct, url } = await database(t);
    const proxy = await startFailpointProxy(t, url);
    const told: string[] = [];
    for (let message = 1; message < MOST; message++) {
      const own = openDatabase({ url: proxy.url, maxConnections: 1, timeout: 20_000 });
      atEnd(t, () => own.close(100));
      let attempts = 0;
      proxy.breakAt(failpoint, message);
      const outcome = await own
        .transaction(
          async (tx) => {
            attempts += 1;
            await tx`insert into entry values (${message})`;
            return (
              await tx<{ count: number }[]>`select count(*)::int as count from entry where id = ${message}`
            )[0]?.count;
          },
          { repeatable: true },
        )
        .catch((error: unknown) => error);
      await own.close(100);
      const made = (await entries(direct)).filter(({ id }) => id === message).length;
      if (outcome instanceof Problem) {
        assert.deepEqual([outcome.code, attempts], ['DATABASE_UNAVAILABLE', 1]);
        assert.equal(made, failpoint === 'before' ? 0 : 1);
        told.push('unknown');
      } else {
        assert.deepEqual([outcome, made], [1, 1], `message ${message}`);
        told.push(attempts === 1 ? 'once' : 'again');
      }
      // The first message that is not sent any more breaks nothing.
      if (told.at(-1) === 'once' && told.includes('unknown')) break;
    }
    assert.equal(told.filter((each) => each === 'unknown').length, 1, 'of COMMIT alone');
    assert.ok(told.filter((each) => each === 'again').length >= 2, told.join());
    assert.deepEqual(told.slice(-2), ['unknown', 'once']);
  });

test('a repeatable transaction whose session is ended, or whose server only reads by now, is made again', async (t) => {
  const { database: other, url } = await database(t);
  const own = openDatabase({ url, maxConnections: 2, timeout: 20_000 });
  atEnd(t, () => own.close(100));
  for (const fault of ['57P01', '25006']) {
    let attempts = 0;
    await own.transaction(
      async (tx) => {
        attempts += 1;
        const [session] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`;
        if (attempts === 1 && fault === '57P01')
          await other.read((sql) => sql`select pg_terminate_backend(${session?.pid ?? 0}, 20000)`);
        if (attempts === 1 && fault === '25006') await tx`set transaction read only`;
        await tx`insert into entry values (${attempts})`;
      },
      { repeatable: true },
    );
    assert.equal(attempts, 2, fault);
  }
  assert.deepEqual(
    (await entries(other)).map(({ id }) => id),
    [2, 2],
  );
});

test('a repeatable transaction that keeps breaking is tried five times, and one that is faulty once', async (t) => {
  const { url } = await database(t);
  const proxy = await startDatabaseProxy(t, url);
  const own = openDatabase({ url: proxy.url, maxConnections: 1, timeout: 20_000 });
  atEnd(t, () => own.close(100));
  let attempts = 0;
  const breaking = own.transaction(
    async (tx) => {
      attempts += 1;
      proxy.mode = 'cut';
      await tx`insert into entry values (1)`.finally(() => {
        proxy.mode = 'pass';
      });
    },
    { repeatable: true },
  );
  await assert.rejects(breaking, Problem);
  assert.equal(attempts, 5);
  attempts = 0;
  const faulty = own.transaction(
    async (tx) => {
      attempts += 1;
      await tx`insert into entry values (null)`;
    },
    { repeatable: true },
  );
  await assert.rejects(faulty, { code: '23502' });
  assert.equal(attempts, 1);
});

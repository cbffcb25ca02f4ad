// Proof that a change and its events are one: whatever breaks between two statements of a write, both are there or neither.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Problem } from '../../src/lib/problem.ts';
import { type Database, openDatabase } from '../../src/postgres/client/database.ts';
import { type Failpoint, startFailpointProxy } from '../support/chaos/failpoint-proxy.ts';
import { examine, newLedger, writeBatch, writeCity } from '../support/chaos/ledger.ts';
import { atEnd, testDatabase } from '../support/database/database.ts';

const NOTHING_WRONG = { lost: 0, missing: 0, extra: 0, torn: 0 };

/** More messages than a write sends. */
const MOST = 200;

async function storedPrice(database: Database, group: string): Promise<number | undefined> {
  const [row] = await database.read(
    (sql) => sql<{ price: number }[]>`
      select (record ->> 'price')::float8 as price from listing where listing_key = ${`${group}-0`}`,
  );
  return row?.price;
}

/** Breaks the same write at its first message, at its second and so on, until one passes whole. */
async function breakEverywhere(t: TestContext, failpoint: Failpoint, group: string, first: boolean) {
  const { database: direct, url } = await testDatabase(t);
  await writeCity(direct);
  const proxy = await startFailpointProxy(t, url);
  const ledger = newLedger();
  let number = 1;
  if (!first) await writeBatch(direct, group, number++);
  for (let message = 1; message < MOST; message++, number += 7) {
    // A new connection each time: it has prepared nothing, so that every write sends the same messages.
    const database = openDatabase({ url: proxy.url, maxConnections: 1 });
    atEnd(t, () => database.close(100));
    const before = await storedPrice(direct, group);
    proxy.breakAt(failpoint, message);
    const error = await writeBatch(database, group, number).catch((reason: unknown) => reason);
    await database.close(100);
    assert.deepEqual(await examine(direct, ledger), NOTHING_WRONG, `after message ${message}`);
    const stored = await storedPrice(direct, group);
    if (error === undefined) {
      assert.equal(stored, number);
      return message - 1;
    }
    assert.ok(error instanceof Problem && error.code === 'DATABASE_UNAVAILABLE', String(error));
    // Only the answer to COMMIT can be lost with the work done; then all of it is there.
    if (failpoint === 'before') assert.equal(stored, before);
    else assert.ok(stored === before || stored === number);
  }
  return assert.fail('the write never passed whole');
}

for (const [failpoint, words] of [
  ['before', 'never reaches the server'],
  ['after', 'reaches the server, and the answer never comes back'],
] as const) {
  for (const [first, what] of [
    [true, 'a first reading'],
    [false, 'a change'],
  ] as const) {
    test(`${what} that breaks where any of its messages ${words} leaves listing, search, history and counts at one`, async (t) => {
      const broken = await breakEverywhere(t, failpoint, `point-${first ? 1 : 2}`, first);
      t.diagnostic(`broken at ${broken} places`);
      assert.ok(broken >= 10, `only ${broken} places`);
    });
  }
}

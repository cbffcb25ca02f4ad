// Proof that a process which has just started, and knows no key yet, shuts none of them out, and that junk costs it little.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../src/postgres/client/database.ts';
import { MANY_CALLS, startPayingService } from '../support/billing/paying-service.ts';
import { startSecondService } from '../support/service/second-service.ts';
import { keyNumber } from '../support/service/stub-provider.ts';

/** More than an address may send of unknown ones in a minute. */
const KEYS = 100;
const JUNK = 5_000;
/** Junk keys that are sent at once. */
const WAVE = 500;
const overrides = { callLimits: MANY_CALLS };

async function statusOf(key: string, url: string): Promise<number> {
  const answer = await fetch(`${url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
}

/** How many keys got each status, all asked about at once by one address. */
async function askAll(keys: readonly string[], url: string): Promise<Record<number, number>> {
  const statuses = await Promise.all(keys.map((key) => statusOf(key, url)));
  return Object.fromEntries([...Map.groupBy(statuses, Number)].map(([each, { length }]) => [each, length]));
}

/** A service that has asked about so many keys. */
async function startWithKeys(t: Parameters<typeof startPayingService>[0], provider: 'polar' | 'stripe') {
  const { service, shop } = await startPayingService(t, provider);
  const keys: string[] = [];
  while (keys.length < KEYS) keys.push(await shop.buy('pro'));
  for (const key of keys) assert.equal(await statusOf(key, service.url), 200);
  return { service, shop, keys };
}

/** The same database, which counts statements and transactions. */
function countWork(work: { count: number }): (database: Database) => Database {
  const counted = <Result>(operation: Promise<Result>) => {
    work.count++;
    return operation;
  };
  return (database) => ({
    ...database,
    read: (statement, options) => counted(database.read(statement, options)),
    write: (statement, options) => counted(database.write(statement, options)),
    transaction: (statements, options) => counted(database.transaction(statements, options)),
  });
}

for (const provider of ['polar', 'stripe'] as const) {
  test(`${KEYS} keys of ${provider} that one address uses at once are let in by a process that never saw them, without the payment service`, async (t) => {
    const { service, shop, keys } = await startWithKeys(t, provider);
    const settings = { ...shop.environment, [`${provider.toUpperCase()}_API_URL`]: 'http://127.0.0.1:1' };
    const { url } = await startSecondService(t, service, overrides, undefined, settings);
    assert.deepEqual(await askAll(keys, url), { 200: KEYS });
  });

  test(`${JUNK} junk keys of one address cost a process that was started anew few calls to ${provider} and little work of the database, and keys that were good pass meanwhile`, async (t) => {
    const { service, shop, keys } = await startWithKeys(t, provider);
    const { requests } = (shop as unknown as { readonly server: { readonly requests: readonly unknown[] } })
      .server;
    const work = { count: 0 };
    const { url } = await startSecondService(t, service, overrides, countWork(work), shop.environment);
    const [calls, operations] = [requests.length, work.count];
    let refused = 0;
    for (let sent = 0; sent < JUNK; sent += WAVE) {
      const junk = Array.from({ length: WAVE }, (_, at) => keyNumber(0xbad0000 + sent + at));
      const { 401: unknown = 0, 429: throttled = 0 } = await askAll(junk, url);
      assert.equal(unknown + throttled, WAVE);
      refused += unknown;
      if (sent === 0) assert.deepEqual(await askAll(keys, url), { 200: KEYS });
    }
    assert.equal(refused, 60);
    // Polar also lists keys, for those that it refuses without a name.
    assert.ok(requests.length - calls <= 2 * refused, `${requests.length - calls} calls`);
    // A look at the table for each of them would be as many.
    assert.ok(work.count - operations < JUNK / 2, `${work.count - operations} operations`);
  });
}

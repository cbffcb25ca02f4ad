// Proves that figures which take long leave searches their connections, come when their turn has come, and end with their askers.

import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { openDatabase, type Transaction } from '../../src/postgres/client/database.ts';
import { draft } from '../support/catalogue/drafts.ts';
import { backgroundAtRest } from '../support/check/background.ts';
import { until } from '../support/check/until.ts';
import { atEnd } from '../support/database/database.ts';
import { startService, type TestService } from '../support/service/service.ts';

const service = await startService({ after });
await service.database.transaction((tx) =>
  createCatalogue(service.database).write(tx, 'test', [draft('one')], service.clock.now()),
);

test('while many figures wait for the database, searches are answered; then all figures are', async () => {
  const { status } = service.database;
  await backgroundAtRest(service);
  const path = (at: number): string => `/v1/market/stats?listingType=sale&minPrice=${at}`;
  const [answers, searched] = await service.database.transaction(async (tx) => {
    // No statement of figures can begin before this ends.
    await tx`lock table market_period, market_event in access exclusive mode`;
    const asked = Array.from({ length: 24 }, (_, at) => service.get(path(at), service.keys.internal));
    const search = await service.get('/v1/search/sales', service.keys.internal);
    assert.ok(status().busy < status().size, 'a connection is left');
    return [asked, search.status] as const;
  });
  assert.equal(searched, 200);
  const statuses = (await Promise.all(answers)).map((answer) => answer.status);
  assert.deepEqual(new Set(statuses), new Set([200]));
});

const STATS = '/v1/market/stats?listingType=sale&minPrice=77';

/** A service whose statements may take a minute: one that ends sooner was stopped because nobody waits for it. */
async function startPatient(t: TestContext): Promise<TestService> {
  return startService(t, {
    // Memory would read behind the same lock.
    environment: { SEARCH_ENGINE: 'postgres' },
    async connect(url) {
      const database = openDatabase({ url, maxConnections: 4 });
      atEnd(t, () => database.close(1_000));
      return { ...database, read: (work, options) => database.read(work, { ...options, timeout: 60_000 }) };
    },
  });
}

test('PostgreSQL stops working on figures once all have left who asked for them, and not before', async (t) => {
  const { url, keys, database } = await startPatient(t);
  const headers = { authorization: `Bearer ${keys.internal}` };
  const ask = (signal: AbortSignal | null = null) => fetch(`${url}${STATS}`, { headers, signal });
  /** Requests under way, by the service's own count; without the one that asks. */
  const active = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^freehold_http_active (\d+)$/m.exec(text)?.[1]) - 1;
  };
  const [leaving, last] = [new AbortController(), new AbortController()];
  await database.transaction(async (tx) => {
    await tx`lock table market_period in access exclusive mode`;
    const first = ask(leaving.signal);
    await blocked(tx, 1);
    const second = ask(last.signal);
    // It has joined once it was counted, which is before the first can be seen to have left.
    await until('the second request is under way', async () => (await active()) === 2);
    leaving.abort();
    await assert.rejects(first);
    await until('the first request is over', async () => (await active()) === 1);
    await blocked(tx, 1);
    last.abort();
    await assert.rejects(second);
    await blocked(tx, 0);
  });
  assert.equal((await ask()).status, 200);
});

/** Waits until so many statements wait for the lock of this transaction. */
async function blocked(tx: Transaction, expected: number): Promise<void> {
  await until(`${expected} statements are blocked`, async () => {
    const [row] = await tx<{ count: number }[]>`
      select count(*)::int as count from pg_locks where not granted and relation = 'market_period'::regclass
        and database = (select oid from pg_database where datname = current_database())`;
    return row?.count === expected;
  });
}

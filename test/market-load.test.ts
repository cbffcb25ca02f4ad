// Proves that figures which take long leave searches their connections, come when their turn has come, and end with their askers.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../src/ingest/catalogue.ts';
import { systemClock } from '../src/lib/clock.ts';
import type { Transaction } from '../src/postgres/client/database.ts';
import { poll } from '../src/postgres/embedded/poll.ts';
import { draft } from './support/drafts.ts';
import { startService } from './support/service.ts';

const service = await startService({ after });
await service.database.transaction((tx) =>
  createCatalogue(service.database).apply(tx, 'test', [draft('one')], service.clock.now()),
);

test('while many figures wait for the database, searches are answered; then all figures are', async () => {
  const { status } = service.database;
  const path = (at: number): string => `/v1/market/stats?listingType=sale&minPrice=${at}`;
  const [answers, searched] = await service.database.transaction(async (tx) => {
    // No statement of figures can begin before this ends.
    await tx`lock table market_stay, market_event in access exclusive mode`;
    const asked = Array.from({ length: 24 }, (_, at) => service.get(path(at), service.keys.internal));
    const search = await service.get('/v1/search/sales', service.keys.internal);
    assert.ok(status().busy < status().size, 'a connection is left');
    return [asked, search.status] as const;
  });
  assert.equal(searched, 200);
  const statuses = (await Promise.all(answers)).map((answer) => answer.status);
  assert.deepEqual(new Set(statuses), new Set([200]));
});

const STATS = `${service.url}/v1/market/stats?listingType=sale&minPrice=77`;
const ask = (signal?: AbortSignal) =>
  fetch(STATS, { headers: { authorization: `Bearer ${service.keys.internal}` }, ...(signal && { signal }) });

/** Resolves once so many statements wait for the lock of this transaction. */
async function waiting(tx: Transaction, expected: number): Promise<void> {
  const look = async () => {
    const [row] = await tx<{ count: number }[]>`
      select count(*)::int as count from pg_locks where not granted and relation = 'market_stay'::regclass
        and database = (select oid from pg_database where datname = current_database())`;
    return row?.count === expected || undefined;
  };
  assert.ok(await poll(look, { clock: systemClock, limit: 10_000 }), `${expected} wait`);
}

test('PostgreSQL stops working on figures once all have left who asked for them, and not before', async () => {
  const leaving = new AbortController();
  const last = new AbortController();
  const left = await service.database.transaction(async (tx) => {
    await tx`lock table market_stay in access exclusive mode`;
    const first = ask(leaving.signal);
    await waiting(tx, 1);
    const second = ask(last.signal);
    // It has joined once it was counted, which is before the first can be seen to have left.
    await poll(async () => (await active()) === 2 || undefined, { clock: systemClock, limit: 10_000 });
    leaving.abort();
    await assert.rejects(first);
    await poll(async () => (await active()) === 1 || undefined, { clock: systemClock, limit: 10_000 });
    await waiting(tx, 1);
    last.abort();
    await assert.rejects(second);
    await waiting(tx, 0);
    return true;
  });
  assert.ok(left);
  assert.equal((await ask()).status, 200);
});

/** Requests under way, by the service's own count; without the one that asks. */
async function active(): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^freehold_http_active (\d+)$/m.exec(text)?.[1]) - 1;
}

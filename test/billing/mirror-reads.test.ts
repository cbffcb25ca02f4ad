// Proof that saving a few rows of the mirror reads no others, however many there are.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyHash } from '../../src/access/providers/subscription-store.ts';
import { Mirror } from '../../src/billing/mirror.ts';
import type { Database, Transaction } from '../../src/postgres/client/database.ts';
import { active, memoryService } from '../support/billing/memory-service.ts';
import { testDatabase } from '../support/database/database.ts';
import { manualClock } from '../support/service/clock.ts';
import { keyNumber } from '../support/service/stub-provider.ts';

const STORED = 20_000;
const BATCH = 100;

const referenceOf = (number: number) => `sub_${number}`;

/** The same database, which tells after each transaction how many rows of the mirror it has read. */
function countRows(database: Database): { readonly database: Database; readonly rows: number[] } {
  const rows: number[] = [];
  const transaction: Database['transaction'] = (work, options) =>
    database.transaction(async (tx) => {
      const before = await rowsRead(tx);
      const result = await work(tx);
      rows.push((await rowsRead(tx)) - before);
      return result;
    }, options);
  return { database: { ...database, transaction }, rows };
}

/** Rows that this connection has read and not yet reported. */
async function rowsRead(tx: Transaction): Promise<number> {
  const [read] = await tx<{ rows: number }[]>`
    select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
    where relname = 'provider_subscription'`;
  return read?.rows ?? 0;
}

test('a hundred subscriptions among 20,000 are saved by reading these, before the table has statistics as well as afterwards', async (t) => {
  const { database } = await testDatabase(t);
  await database.write((sql) => sql`alter table provider_subscription set (autovacuum_enabled = false)`);
  const hashes = Array.from({ length: STORED }, (_, number) => keyHash(keyNumber(number)));
  await database.write(
    (sql) => sql`
      insert into provider_subscription (provider, reference, key_hash, state, tier, checked_at, question)
      select 'polar', 'sub_' || number - 1, key_hash, 'active', 'pro', now(), 0
      from unnest(${hashes}::bytea[]) with ordinality as keys (key_hash, number)`,
  );
  const counted = countRows(database);
  const mirror = new Mirror({
    database: counted.database,
    clock: manualClock(),
    service: memoryService(),
    endGrants: async () => {},
  });
  /** Saves a batch of subscriptions, each with the key of another subscription as many places further on. */
  const save = async (first: number, moved: number) => {
    const subscriptions = Array.from({ length: BATCH }, (_, at) => {
      const reference = referenceOf(first + at);
      return { reference, keyHash: keyHash(keyNumber(first + at + moved)), status: active(reference) };
    });
    await mirror.save(subscriptions, await mirror.number());
  };
  for (const first of [0, 1_000]) {
    await save(first, 0);
    await save(STORED + first, STORED);
    await save(first, 2 * BATCH);
    await database.write((sql) => sql`analyze provider_subscription`);
  }
  assert.ok(Math.max(...counted.rows) <= 5 * BATCH, counted.rows.join(', '));
  const keyless = await database.read(
    (sql) => sql<{ count: number }[]>`
      select count(*)::int from provider_subscription where key_hash is null`,
  );
  assert.deepEqual([...keyless], [{ count: 2 * BATCH }], 'those whose keys were taken');
});

// Proof that a claim misses nothing that is written while it is made.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { type ClaimRequest, claimWebhooks } from '../../../src/watch/webhooks/claim-store.ts';
import { until } from '../../support/check/until.ts';
import { atEnd, testDatabase } from '../../support/database/database.ts';
import { manualClock } from '../../support/service/clock.ts';
import { startReceiver } from '../../support/webhooks/receiver.ts';
import { openStage } from '../../support/webhooks/stage.ts';

/** Advisory lock on which the claim waits. */
const GATE = 42;

const requestAt = (now: number): ClaimRequest => ({
  claim: 'mine',
  now: new Date(now),
  lifetime: 45_000,
  max: 10,
  maxFailing: 10,
  perHost: 8,
  perFailingHost: 2,
  hosts: [],
  maxEvents: 100,
  minQueue: 4,
  maxQueue: 64,
  isOpen: () => true,
  publicUrl: 'http://freehold.example',
});

test('an event that is committed while its webhook is being claimed is in that claim, or the webhook is in the next', async (t) => {
  const { database, url } = await testDatabase(t);
  const clock = manualClock();
  const stage = await openStage(t, { database, clock, ports: [] });
  const { id, watcher } = await stage.createWebhook('http://127.0.0.1:1/');
  const claiming = openDatabase({ url, maxConnections: 1, timeout: 20_000 });
  atEnd(t, () => claiming.close());
  // A clock of the database that waits makes the claim wait between its snapshot and its locks.
  await database.write((sql) => sql`create schema gate`);
  await database.write(
    (sql) => sql`
      create function gate.clock_timestamp() returns timestamptz language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(42); return pg_catalog.clock_timestamp(); end'`,
  );
  await claiming.write(
    (sql) =>
      sql`select set_config('search_path', 'gate, ' || current_setting('search_path') || ', pg_catalog', false)`,
  );
  await database.write(
    (sql) =>
      sql`update webhook set claim = 'ended', claimed_until = '2000-01-01', due_at = ${new Date(clock.now())}`,
  );
  const request = requestAt(clock.now());
  const claim = () => claiming.write((sql) => claimWebhooks(sql, request));
  const first = await database.transaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(${GATE})`;
    const claimed = claim();
    await until('the claim waits', async () => {
      const waiting = await tx`select from pg_locks where locktype = 'advisory' and not granted`;
      return waiting.length > 0;
    });
    await stage.log.writeChange([watcher]);
    return { claimed };
  });
  const { claims } = await first.claimed;
  const { claims: next } = claims.length > 0 ? { claims } : await claim();
  assert.deepEqual(
    next.map(({ webhook, work }) => [webhook.id, webhook.wakes, work.events.length]),
    [[id, 1, 1]],
  );
});

test('a webhook that is claimed while its queue rests is known to have more, so what waits is not forgotten', async (t) => {
  const { database } = await testDatabase(t);
  const clock = manualClock();
  const stage = await openStage(t, { database, clock, ports: [] });
  const { watcher } = await stage.createWebhook('http://127.0.0.1:1/');
  await stage.log.writeChange([watcher]);
  const retryAt = new Date(clock.now() + 1);
  await database.write(
    (sql) => sql`update webhook set status = 'failing', failures = 1, retry_at = ${retryAt}`,
  );
  const { claims } = await database.write((sql) => claimWebhooks(sql, requestAt(clock.now())));
  assert.deepEqual(
    claims.map(({ work }) => work),
    [{ events: [], hasMore: true }],
  );
});

test('a claim is renewed while an attempt is under way, and ends soon after its process', async (t) => {
  const { database } = await testDatabase(t);
  const clock = manualClock();
  const receiver = await startReceiver(t);
  const stage = await openStage(t, { database, clock, ports: [receiver.port] });
  const { watcher, secret } = await stage.createWebhook(receiver.url);
  receiver.secrets.set('', secret);
  const answer = Promise.withResolvers<void>();
  let requests = 0;
  receiver.answer = async (_arrival, response) => {
    requests += 1;
    await answer.promise;
    response.writeHead(200).end();
  };
  stage.startDispatcher(t, { lifetime: 4_000 });
  stage.startDispatcher(t, { lifetime: 4_000 });
  await stage.log.writeChange([watcher]);
  const claimedUntil = async (): Promise<string | null> => {
    const [row] = await database.read(
      (sql) => sql<{ until: string | null }[]>`select claimed_until as until from webhook`,
    );
    return row?.until ?? null;
  };
  const seen = new Set<string>();
  await until('the claim is renewed past its lifetime', async () => {
    const at = await claimedUntil();
    if (at !== null) seen.add(at);
    return seen.size > 6;
  });
  assert.equal(requests, 1, 'the other process has sent nothing meanwhile');
  answer.resolve();
  await until('the result is recorded', async () => (await claimedUntil()) === null);
  assert.equal(requests, 1);
});

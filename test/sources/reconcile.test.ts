// Proves that a source is compared with all its keys by command and by itself, that nothing is deleted that looks like a mistake, and that missed changes come.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createCatalogue } from '../../src/ingest/listing-writer.ts';
import { createMetrics } from '../../src/lib/metrics.ts';
import { sourceMetrics } from '../../src/sources/metrics.ts';
import type { Comparison } from '../../src/sources/reconcile/reconcile-store.ts';
import { Reconciler } from '../../src/sources/reconcile/reconciler.ts';
import { applySourcesFile } from '../../src/sources/registry/set-up.ts';
import type { KeyLists } from '../../src/sources/source.ts';
import { readPosition } from '../../src/sources/store.ts';
import { until } from '../support/check/until.ts';
import { temporaryFolder, testDatabase } from '../support/database/database.ts';
import { runCommand } from '../support/process/cli.ts';
import { manualClock } from '../support/service/clock.ts';
import { startService } from '../support/service/service.ts';
import { draftOf, memorySource } from '../support/sources/memory-source.ts';
import { startUpstream } from '../support/sources/upstream.ts';

const at = { after };
const folder = await temporaryFolder(at, 'reconcile');
const upstream = await startUpstream(at);
upstream.pageSize = 100;
const stored = await testDatabase(at);
const { database } = stored;
const environment = { DATABASE_URL: stored.url, SOURCE: 'none' };

function put(key: string, price: number, modified: string): void {
  upstream.records.set(key, {
    ListingKey: key,
    ListPrice: price,
    StandardStatus: 'Active',
    PropertyType: 'Residential',
    ModificationTimestamp: modified,
  });
}
for (let number = 0; number < 40; number++)
  put(`n${String(number).padStart(2, '0')}`, 100_000 + number, '2026-01-01T00:00:00Z');

await writeFile(join(folder, 'token-url.txt'), upstream.tokenUrl);
await writeFile(join(folder, 'id.txt'), 'someone');
const secrets = {
  tokenUrl: { file: 'token-url.txt' },
  clientId: { file: 'id.txt' },
  clientSecret: { file: 'id.txt' },
};
const file = join(folder, 'sources.json');
const sources = [
  { id: 'north', name: 'North', url: upstream.url, secrets },
  { id: 'keyless', name: 'Keyless', url: upstream.url, secrets, deletes: { sweep: null } },
];
await writeFile(file, JSON.stringify({ sources }));
await applySourcesFile(database, { file, variables: {}, setBy: 'file' });
const service = await startService(at, { createDatabase: async () => stored });
const { clock } = service;

const keys = async (): Promise<string[]> => {
  const rows = await database.read(
    (sql) => sql<{ key: string }[]>`
      select listing_key as key from listing where source = 'north' and status <> 'DELETED' order by 1`,
  );
  return rows.map(({ key }) => key);
};
const priceOf = async (key: string): Promise<number | undefined> => {
  const [row] = await database.read(
    (sql) => sql<{ price: number }[]>`
      select price::float8 as price from listing join listing_search using (id)
      where source = 'north' and listing_key = ${key}`,
  );
  return row?.price;
};

/** Runs the command while time passes for the service. */
async function reconcile(...args: string[]) {
  let isDone = false;
  const command = runCommand(['sources', 'reconcile', ...args], { folder, environment });
  void command.then(() => {
    isDone = true;
  });
  await until('the command ends', () => {
    clock.advance(1_000);
    return isDone;
  });
  return command;
}

await until('both are loaded', async () => {
  clock.advance(1_000);
  const positions = await database.read((sql) =>
    Promise.all(['north', 'keyless'].map((id) => readPosition(sql, id))),
  );
  return positions.every(({ loadedAt }) => loadedAt !== null);
});

test('what the source no longer has is deleted, and a change that came too late for its round is read', async () => {
  for (const key of ['n00', 'n01', 'n02']) upstream.records.delete(key);
  let latest = '';
  // After the first of them the others are not read again with each round.
  for (const price of [4, 5]) {
    clock.advance(7_200_000);
    latest = new Date(clock.now()).toISOString();
    put('n39', price, latest);
    await until('the newest is read', async () => {
      clock.advance(1_000);
      return (await priceOf('n39')) === price;
    });
  }
  const missed = new Date(Date.parse(latest) - 3_600_000).toISOString();
  put('n10', 7, missed);
  put('new', 9, missed);
  const { code, stdout, stderr } = await reconcile('north', '--json');
  assert.equal(code, 0, stderr);
  const outcome = JSON.parse(stdout) as Comparison;
  assert.equal(outcome.state, 'done');
  assert.deepEqual([outcome.listed, outcome.missing, outcome.ended, outcome.left], [38, 3, 3, 0]);
  assert.deepEqual(outcome.examples, ['n00', 'n01', 'n02']);
  assert.ok(outcome.fetched >= 2, String(outcome.fetched));
  assert.deepEqual([await priceOf('n10'), await priceOf('new')], [7, 9]);
  assert.deepEqual(await keys(), [...upstream.records.keys()].sort());
});

test('what the source shows again is restored, though it was changed there before it left', async () => {
  put('n00', 99_000, '2025-06-01T00:00:00Z');
  assert.equal((await reconcile('north')).code, 0);
  assert.ok((await keys()).includes('n00'));
  assert.equal(await priceOf('n00'), 99_000);
  upstream.records.delete('n00');
  assert.equal((await reconcile('north')).code, 0);
  assert.ok(!(await keys()).includes('n00'));
});

test('a list that would delete too much is refused with the command that accepts it, and accepted only once', async () => {
  const before = await keys();
  for (const key of before.slice(0, 20)) upstream.records.delete(key);
  const refused = await reconcile('north');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Nothing was deleted\. 20 of 38 listings would end/);
  assert.match(refused.stderr, /`freehold sources reconcile north --accept`/);
  assert.deepEqual(await keys(), before);
  clock.advance(1_000);
  const ready = await (await service.get('/readyz?verbose')).text();
  assert.match(ready, /suspicious_keys: 20 of 38 listings would end/);
  const status = await runCommand(['sources', 'status', 'north'], { folder, environment });
  assert.match(status.stdout, /^all keys +refused .*20 of 38/m);
  const accepted = await reconcile('north', '--accept');
  assert.equal(accepted.code, 0, accepted.stderr);
  assert.match(accepted.stdout, /^deleted +20$/m);
  assert.deepEqual(await keys(), before.slice(20));
  for (const key of before.slice(20, 33)) upstream.records.delete(key);
  assert.equal((await reconcile('north')).code, 1, 'the next one is judged again');
  assert.deepEqual(await keys(), before.slice(20));
});

test('a source without a list of keys is said to have none', async () => {
  const { code, stderr } = await reconcile('keyless');
  assert.equal(code, 2);
  assert.match(stderr, /has no list of all keys .*its profile, standard, has no deletes\.sweep/);
});

test('without a process that reads the source, the command does it by itself', async () => {
  await service.app.stop();
  // The clock of the service was hours ahead of that of the command.
  await database.write((sql) => sql`update listing set fetched_at = fetched_at - interval '1 day'`);
  await database.write((sql) => sql`delete from listing_confirmation`);
  const before = await keys();
  const { code, stdout, stderr } = await reconcile('north', '--accept', '--json');
  assert.equal(code, 0, stderr);
  assert.equal((JSON.parse(stdout) as Comparison).ended, 13);
  assert.deepEqual(await keys(), before.slice(13));
});

/** A reconciler of a source in memory, whose keys are those of a list. */
async function bench(t: { after(fn: () => unknown): void }, list: KeyLists['read']) {
  const { database: own } = await testDatabase(t);
  const catalogue = createCatalogue(own);
  const manual = manualClock();
  const memory = memorySource();
  const reconciler = new Reconciler({
    source: {
      id: memory.id,
      keys: { interval: 1_000, late: 0, read: list, count: async () => null },
      async *records(wanted) {
        yield { drafts: wanted.flatMap((key) => memory.listings.get(key) ?? []), gone: [] };
      },
    },
    catalogue,
    database: own,
    clock: manual,
    log: { info: () => {}, warn: () => {} },
    metrics: sourceMetrics(createMetrics(), manual, memory.id),
    maxFetched: 4,
  });
  let outcome: Comparison | null = null;
  const run = async (): Promise<Comparison> => {
    manual.advance(1_000);
    const due = {
      control: { reconcileRequests: 0, acceptedRequest: null },
      loadedAt: '2026-01-05T12:00:00Z',
    };
    await reconciler.run({
      ...due,
      hold: async () => {},
      limit: 60_000,
      signal: new AbortController().signal,
    });
    const [row] = await own.read(
      (sql) => sql<{ outcome: Comparison }[]>`select outcome from source_reconciliation`,
    );
    outcome = row?.outcome ?? null;
    return outcome ?? assert.fail('nothing was compared');
  };
  return { memory, catalogue, own, manual, run };
}

const listed = (...names: readonly string[]) => names.map((key) => ({ key, modifiedAt: null }));

test('what a comparison does not get to is fetched by the next ones, whatever cannot be fetched', async (t) => {
  const names = Array.from({ length: 10 }, (_, number) => `k${number}`);
  const { memory, own, run } = await bench(t, async function* () {
    yield listed(...names);
  });
  // The source lists the first four, and does not give them.
  for (const key of names.slice(4)) memory.put(draftOf(key), '2026-01-01T00:00:00Z');
  const first = await run();
  assert.deepEqual([first.fetched, first.left], [4, 6]);
  await run();
  await run();
  const rows = await own.read(
    (sql) => sql<{ key: string }[]>`select listing_key as key from listing order by 1`,
  );
  assert.deepEqual(
    rows.map(({ key }) => key),
    names.slice(4),
  );
});

test('a listing that comes while the list is read is not deleted by it', async (t) => {
  const { catalogue, own, manual, run } = await bench(t, async function* () {
    yield listed('old');
    manual.advance(1_000);
    await own.transaction((tx) => catalogue.write(tx, 'memory', [draftOf('fresh')], manual.now()));
  });
  await own.transaction((tx) =>
    catalogue.write(tx, 'memory', [draftOf('old'), draftOf('gone')], manual.now()),
  );
  const outcome = await run();
  assert.deepEqual([outcome.missing, outcome.kept, outcome.ended], [1, 1, 1]);
  const rows = await own.read(
    (sql) =>
      sql<{ key: string }[]>`select listing_key as key from listing where status <> 'DELETED' order by 1`,
  );
  assert.deepEqual(
    rows.map(({ key }) => key),
    ['fresh', 'old'],
  );
});

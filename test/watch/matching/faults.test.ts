// Proves that events are neither lost nor repeated nor out of order, whatever happens to the processes that match watchers.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openDatabase } from '../../../src/postgres/client/database.ts';
import { startEmbedded } from '../../../src/postgres/embedded/embedded.ts';
import { migrate } from '../../../src/postgres/migrations/migrate.ts';
import type { SavedSearch } from '../../../src/search/query/saved-search.ts';
import type { MatchingStep } from '../../../src/watch/matching/matching.ts';
import { logWatchers } from '../../../src/watch/watcher-log.ts';
import { insertWatcher } from '../../../src/watch/watcher-store.ts';
import { draft } from '../../support/catalogue/drafts.ts';
import { createRandom } from '../../support/check/random.ts';
import { until } from '../../support/check/until.ts';
import { atEnd, temporaryFolder } from '../../support/database/database.ts';
import { type Child, startProgram } from '../../support/process/children.ts';
import {
  EventReader,
  expectedEvents,
  isMatched,
  writtenEvents,
} from '../../support/watch/matching-oracle.ts';

const t = { after };
const folder = await temporaryFolder(t, 'matching');
const start = () => startEmbedded({ dataDirectory: folder, log: () => {} });
let server = await start();
atEnd(t, () => server.stop());
const database = openDatabase({ socket: server.connection, timeout: 10_000 });
atEnd(t, () => database.close());
await migrate(database);
const catalogue = createCatalogue(database);
const random = createRandom(15);
const reader = new EventReader(database);

const LISTINGS = 40;
const WATCHERS = 150;
let ids: string[] = [];

/** Writes a change of some listings: other prices and statuses, some of them hidden. */
async function change(count = 5): Promise<void> {
  const drafts = Array.from({ length: count }, () =>
    draft(`home-${random.below(LISTINGS)}`, {
      listPrice: 100_000 * (1 + random.below(10)),
      bedrooms: random.below(5),
      status: random.chance(0.8) ? 'ACTIVE' : 'PENDING',
      display: { listing: random.chance(0.9), address: true, estimate: true },
    }),
  );
  const { ids: written } = await database.transaction((tx) =>
    catalogue.write(tx, 'test', drafts, systemClock.now()),
  );
  ids = [...new Set([...ids, ...written.values()])];
}

async function createWatchers(count: number): Promise<void> {
  await database.transaction(async (tx) => {
    for (let at = 0; at < count; at++) {
      const isListing = ids.length > 0 && random.chance(0.3);
      const max = 100_000 * (1 + random.below(10));
      const search: SavedSearch = {
        listingType: 'sale',
        ignoreDisplayRules: false,
        areaNos: [],
        words: {},
        units: 'imperial',
        currency: 'USD',
        names: { maxPrice: 'maxPrice' },
        conditions: [
          { kind: 'statuses', statuses: ['ACTIVE'] },
          { kind: 'range', column: 'price', max },
        ],
      };
      const created = await insertWatcher(
        tx,
        {
          id: `wat_${random.below(1e9).toString(36)}${at}x`,
          owner: 'sub:1',
          allowance: 'sub:1',
          subscription: '1',
          grant: null,
          name: null,
          interpretation: null,
          cadence: 'instant',

          // Above what is ever reached: events are counted, so that those written twice show.
          eventsPerHour: 1_000_000,
          requestedCadence: null,
          timeZone: 'UTC',
          ignoreDisplayRules: false,
          backfill: false,
          expiresAt: null,
          metadata: {},
          ...(isListing
            ? { target: { type: 'listing', listingId: random.pick(ids) }, search: null }
            : { target: { type: 'search', listingType: 'sale', query: { maxPrice: max } }, search }),
          events: isListing
            ? ['listing.updated', 'listing.price_decreased', 'listing.deleted']
            : ['search.match_added', 'search.match_removed'],
          initialMatchCount: 0,
        },
        new Date(systemClock.now()),
      );
      await logWatchers(tx, 'created', [created], systemClock.now());
    }
  });
}

async function startChild(): Promise<Child> {
  const child = startProgram(t, 'watch/matching-child.ts', [JSON.stringify({ socket: server.connection })]);
  assert.equal(await child.line(), 'ready');
  return child;
}

async function bothHoldTheirPart(): Promise<void> {
  await until('both hold their part', async () => {
    const rows = await database.read(
      (sql) =>
        sql<
          { count: number }[]
        >`select count(*)::int from watch_shard where holder is not null group by holder`,
    );
    return rows.length === 2 && rows.every(({ count }) => count === 32);
  });
}

/** Seconds until all that is committed now is matched; a client reads all the while. */
async function secondsUntilMatched(): Promise<number> {
  const begun = performance.now();
  await until('all changes are matched', async () => {
    await reader.read().catch(() => {});
    return isMatched(database).catch(() => false);
  });
  await reader.read();
  return (performance.now() - begun) / 1000;
}

async function compare(what: string): Promise<void> {
  const expected = await expectedEvents(database);
  const written = await writtenEvents(database);
  const lost = [...expected].filter((key) => !written.has(key)).length;
  const extra = [...written].filter((key) => !expected.has(key)).length;
  const seen = new Set(reader.seen);
  const skipped = [...written].filter((key) => !seen.has(key)).length;
  const inverted = reader.seen.filter((key, at) => at > 0 && key <= (reader.seen[at - 1] ?? '')).length;
  const repeated = (await countedEvents()) - written.size;
  console.log(
    `${what}: ${written.size} events, lost ${lost}, extra ${extra}, skipped ${skipped}, inverted ${inverted}, repeated ${repeated}`,
  );
  assert.deepEqual(
    { lost, extra, skipped, inverted, repeated },
    { lost: 0, extra: 0, skipped: 0, inverted: 0, repeated: 0 },
  );
}

/** Events as the hourly limits count them: an event that is written twice is there once, but counts twice. */
async function countedEvents(): Promise<number> {
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`select coalesce(sum(events), 0)::int as count from watch_hour`,
  );
  return row?.count ?? 0;
}

await change(LISTINGS);
await createWatchers(WATCHERS);
let [first, second] = [await startChild(), await startChild()];

test('two processes share the shards, and turn every change into its events', async () => {
  await bothHoldTheirPart();
  for (let round = 0; round < 20; round++) await change();
  await secondsUntilMatched();
  await compare('two processes');
  assert.ok(reader.seen.length > 500, `events are common: ${reader.seen.length}`);
});

for (const step of ['read', 'matched', 'written', 'committed'] satisfies MatchingStep[]) {
  test(`a process that is killed when it has ${step} loses and repeats nothing, and is replaced in time`, async () => {
    first.tell(`SIGKILL ${step}`);
    assert.equal(await first.line(), `SIGKILL at ${step}`);
    await createWatchers(5);
    let diedAt: number | null = null;
    void first.ended.then(() => {
      diedAt = performance.now();
    });
    // It may have to wait for its part of the shards.
    await until('it is dead', async () => {
      await change();
      await reader.read();
      return diedAt !== null;
    });
    await secondsUntilMatched();
    const seconds = (performance.now() - (diedAt ?? 0)) / 1000;
    console.log(`takeover after kill -9: ${seconds.toFixed(1)} s`);
    assert.ok(seconds <= 10, `${seconds} s`);
    await compare(`killed at "${step}"`);
    first = await startChild();
  });
}

test('a process that was stopped past its lease, about to write, writes nothing when it goes on', async () => {
  await bothHoldTheirPart();
  await secondsUntilMatched();
  first.tell('SIGSTOP checked');
  assert.equal(await first.line(), 'SIGSTOP at checked');
  let isStopped = false;
  void first.line().then(() => {
    isStopped = true;
  });
  await until('it is stopped', async () => {
    await change();
    return isStopped;
  });
  for (let round = 0; round < 5; round++) await change();
  const seconds = await secondsUntilMatched();
  console.log(`takeover after kill -STOP: ${seconds.toFixed(1)} s`);
  assert.ok(seconds <= 10, `${seconds} s`);
  first.kill('SIGCONT');
  for (let round = 0; round < 10; round++) {
    await createWatchers(2);
    await change();
  }
  await secondsUntilMatched();
  await compare('stopped and continued');
});

test('a process that ends in good order gives its shards back at once', async () => {
  assert.equal(await second.finish(), 0);
  const [row] = await database.read(
    (sql) => sql<{ count: number }[]>`
      select count(*)::int from watch_shard where holder is null
        or holder in (select holder from watch_process where live_until > clock_timestamp())`,
  );
  assert.equal(row?.count, 64);
  second = await startChild();
  await change();
  await secondsUntilMatched();
  await compare('ended');
});

test('after PostgreSQL is restarted under load, everything goes on', async () => {
  for (let round = 0; round < 5; round++) await change();
  await server.stop();
  server = await start();
  for (let round = 0; round < 5; round++) await change();
  await secondsUntilMatched();
  await compare('PostgreSQL restarted');
});

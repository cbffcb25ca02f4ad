// Proves that each held event is in exactly one digest, whatever happens to the processes that match watchers and schedule digests.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Cadence } from '../../../src/access/tiers/tiers.ts';
import { createCatalogue } from '../../../src/ingest/listing-writer.ts';
import type { DigestStep } from '../../../src/watch/digests/digest-scheduler.ts';
import { MATCHING_LEASE } from '../../../src/watch/events/position-store.ts';
import type { MatchingStep } from '../../../src/watch/matching/matching.ts';
import { logWatchers } from '../../../src/watch/watcher-log.ts';
import { insertWatcher } from '../../../src/watch/watcher-store.ts';
import { draft } from '../../support/catalogue/drafts.ts';
import { createRandom } from '../../support/check/random.ts';
import { until } from '../../support/check/until.ts';
import { testDatabase } from '../../support/database/database.ts';
import { type Child, startProgram } from '../../support/process/children.ts';
import { fastClock } from '../../support/watch/fast-clock.ts';
import { expectedEvents, isMatched, writtenEvents } from '../../support/watch/matching-oracle.ts';

const t = { after };
const { database, url } = await testDatabase(t);
const catalogue = createCatalogue(database);
const random = createRandom(18);
const HOUR = 3_600_000;
/** An hour takes a second. */
const time = { shown: Date.UTC(2026, 2, 1), start: Date.now(), speed: 3_600 };
const clock = fastClock(time);

const LISTINGS = 40;
const WATCHERS = 60;
const CADENCES: readonly Cadence[] = ['hourly', 'hourly', 'daily', 'instant'];

async function change(): Promise<void> {
  const drafts = Array.from({ length: 3 }, () =>
    draft(`home-${random.below(LISTINGS)}`, { listPrice: 100_000 * (1 + random.below(10)) }),
  );
  await database.transaction((tx) => catalogue.write(tx, 'test', drafts, clock.now()));
}

async function createWatchers(): Promise<void> {
  await database.transaction(async (tx) => {
    for (let at = 0; at < WATCHERS; at++) {
      const max = 100_000 * (1 + random.below(10));
      const created = await insertWatcher(
        tx,
        {
          id: `wat_${at}x`,
          owner: 'sub:1',
          allowance: 'sub:1',
          subscription: '1',
          grant: null,
          name: null,
          interpretation: null,
          eventsPerHour: null,
          ignoreDisplayRules: false,
          backfill: false,
          cadence: random.pick(CADENCES),
          requestedCadence: null,
          timeZone: 'Asia/Kathmandu',
          expiresAt: null,
          metadata: {},
          initialMatchCount: 0,
          target: { type: 'search', listingType: 'sale', query: { maxPrice: max } },
          events: ['search.match_added', 'search.match_removed'],
          search: {
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
          },
        },
        new Date(clock.now()),
      );
      await logWatchers(tx, 'created', [created], clock.now());
    }
  });
}

async function startChild(): Promise<Child> {
  const child = startProgram(t, 'watch/digest-child.ts', [JSON.stringify({ url, time })]);
  assert.equal(await child.line(), 'ready');
  return child;
}

interface StoredDigest {
  readonly watcherId: string;
  readonly sequence: number;
  readonly at: string;
  readonly count: number;
  /** Sequences of the held events that its range has. */
  readonly held: readonly number[];
}

/** Compares what is written with the log of changes, once nothing waits any more. */
async function compare(what: string): Promise<void> {
  await until('everything is told', async () => {
    // Held events wait for a digest only once their changes were matched, and a digest is written by matching its own entry of the log.
    if (!(await isMatched(database))) return false;
    const [row] = await database.read(
      (sql) => sql<{ waiting: number }[]>`
          select count(*)::int as waiting from watch_digest left join watcher on id = watcher_id where cadence = 'hourly'`,
    );
    return row?.waiting === 0 && (await isMatched(database));
  });
  const expected = await expectedEvents(database);
  const written = await writtenEvents(database);
  assert.deepEqual(
    [[...expected].filter((key) => !written.has(key)), [...written].filter((key) => !expected.has(key))],
    [[], []],
  );
  const digests = await database.read(
    (sql) => sql<StoredDigest[]>`
      select digest.watcher_id as "watcherId", sequence, at, (data ->> 'count')::int as count,
        array(select event.sequence from watch_event as event where held and event.watcher_id = digest.watcher_id
          and event.sequence > (digest.data ->> 'after')::bigint and event.sequence < digest.sequence)::float8[] as held
      from watch_event as digest where type = 'watcher.digest' order by digest.watcher_id, sequence`,
  );
  const held = await database.read(
    (sql) => sql<{ key: string; cadence: string }[]>`
      select watcher_id || ' ' || sequence as key, cadence
      from watch_event join watcher on id = watcher_id where held order by sequence`,
  );
  const sent = digests.flatMap(({ watcherId, held }) => held.map((sequence) => `${watcherId} ${sequence}`));
  const once = new Set(sent);
  const hourly = held.filter(({ cadence }) => cadence === 'hourly').map(({ key }) => key);
  const lost = hourly.filter((key) => !once.has(key)).length;
  const twice = sent.length - once.size;
  const empty = digests.filter(({ count, held }) => count === 0 || count !== held.length).length;
  // Kathmandu is a quarter of an hour off the hours of UTC.
  const periodOf = ({ at }: StoredDigest) => Math.floor((Date.parse(at) - HOUR / 4) / HOUR);
  const crowded = digests.filter((digest, at) => {
    const before = digests[at - 1];
    return before?.watcherId === digest.watcherId && periodOf(before) >= periodOf(digest);
  }).length;
  console.log(
    `${what}: ${held.length} held events, ${digests.length} digests, lost ${lost}, twice ${twice}, empty ${empty}, two in one period ${crowded}`,
  );
  assert.deepEqual({ lost, twice, empty, crowded }, { lost: 0, twice: 0, empty: 0, crowded: 0 });
  assert.ok(held.length > 100 && digests.length > 20, 'digests are common');
}

/** Changes for some hours. */
async function live(hours: number): Promise<void> {
  const end = clock.now() + hours * HOUR;
  while (clock.now() < end) await change();
}

/** Two processes: the first has the lease of the matching. */
async function startBoth(): Promise<readonly [Child, Child]> {
  const first = await startChild();
  await until('the first process matches', async () => {
    const rows = await database.read(
      (sql) => sql`
        select from work_lease where name = ${MATCHING_LEASE} and holder is not null and leased_until > clock_timestamp()`,
    );
    return rows.length === 1;
  });
  return [first, await startChild()];
}

await createWatchers();
let children = await startBoth();

test('two processes tell each held event in exactly one digest, and one digest a period', async () => {
  await live(5);
  await compare('two processes');
});

const STEPS: readonly (DigestStep | MatchingStep)[] = [
  'scheduled',
  'appended',
  'handed over',
  'matched',
  'written',
  'committed',
];
for (const step of STEPS)
  test(`digests lose and repeat nothing when both processes are killed that have ${step}`, async () => {
    for (const child of children) {
      child.tell(step);
      assert.equal(await child.line(), `dies at ${step}`);
    }
    let dead = 0;
    for (const child of children)
      void child.ended.then(() => {
        dead++;
      });
    // What matching does, the second does once it has taken over from the first.
    await until('both are dead', async () => {
      await change();
      return dead === 2;
    });
    await live(1);
    children = await startBoth();
    await live(1);
    await compare(`killed when they had ${step}`);
  });

test('digests lose and repeat nothing when a process is stopped past its lease and goes on', async () => {
  const [first, second] = children;
  first.kill('SIGSTOP');
  await live(4);
  first.kill('SIGCONT');
  await live(2);
  await compare('stopped and continued');
  assert.deepEqual([await first.finish(), await second.finish()], [0, 0]);
});
